/** One deployment on this machine: functions and agents, and runs over them. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { RunResult } from '@hivemind/orchestrator'
import type { CoreAssignment } from '@hivemind/task-runner'
import { NodeHosting } from './agents/node-hosting.ts'
import type { ProcessRecord } from './agents/supervisor.ts'
import { DeploymentDevices, type DeviceEvents } from './devices.ts'
import type { FunctionEndpoint } from './functions/client.ts'
import { dividedHosting } from './functions/divided.ts'
import type {
  FunctionHosting,
  FunctionStatus,
  FunctionWork,
  HostingContext,
  PreparedFunction,
} from './functions/hosting.ts'
import { functionsOf, functionsServing, functionWorksOf } from './functions/works.ts'
import type { FleetHub } from './hub.ts'
import { type MachineCores, recordOf } from './local/cores.ts'
import { runOn } from './running.ts'
import { type CanaryOptions, Trial, TrialError } from './trial.ts'
import type {
  ApplyOptions,
  Deployment,
  DeploymentRecord,
  DeploymentSpec,
  DeploymentStatus,
  ResourceStatus,
  RunOptions,
} from './types.ts'

type State = DeploymentStatus['state']

/** Time that devices of other machines get to call in again before a run goes on without them, in ms. */
const RETURN_MS = 10_000
/** How often is looked whether runs have ended, in ms. */
const POLL_MS = 500

export interface DeploymentParts {
  /** Kind of where its functions run. */
  kind: string
  hub: FleetHub
  cores: MachineCores
  /** Functions take cores of this machine. */
  functionsHere: boolean
  hosting: (context: HostingContext) => FunctionHosting
  /** Ids of its devices begin with it, and a dot. Deployments that follow each other share it. */
  group: string
  follow: (events: DeviceEvents) => () => void
  ended: () => void
  log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void
}

/** A deployment on this machine; see `Deployment`. */
export class SwarmDeployment implements Deployment {
  readonly spec: DeploymentSpec
  readonly group: string
  readonly #parts: DeploymentParts
  readonly #devices: DeploymentDevices
  #functions: FunctionHosting | undefined
  /** Where functions that are new take calls before they are committed, by name. */
  readonly #new = new Map<string, () => Promise<FunctionEndpoint>>()
  /** The functions of a deployment that is to follow take a share of its calls. */
  #trial: Trial | undefined
  /** Functions that wait for the rest of the deployment. */
  readonly #prepared: PreparedFunction[] = []
  /** Cores of its isolated tasks. */
  #cores: CoreAssignment | undefined
  #state: State = 'starting'
  #message: string | undefined
  #unfollow: () => void = () => {}
  #stopped: Promise<void> | undefined
  /** Its functions and agents belong to a deployment that follows it. */
  #handedOver = false
  /** Newest lines of its resources, by kind and name, once its start has failed. */
  #failedLogs: Map<string, string[]> | undefined
  readonly #ending = new AbortController()
  readonly #watchers = new Set<(status: DeploymentStatus) => void>()
  readonly #running = new Set<Promise<unknown>>()

  constructor(spec: DeploymentSpec, parts: DeploymentParts) {
    this.spec = spec
    this.group = parts.group
    this.#parts = parts
    this.#devices = new DeploymentDevices({
      hub: parts.hub,
      spec,
      group: parts.group,
      cores: () => this.#cores,
      onChange: () => this.#changed(),
    })
  }

  /** Its functions, once they have been asked for. */
  get functions(): FunctionHosting | undefined {
    return this.#functions
  }

  get stopped(): boolean {
    return this.#stopped !== undefined || this.#handedOver
  }

  /** Starts what is new beside `before`, then takes its place. Rejects when it is aborted, stopped or something fails. */
  async start(
    before: SwarmDeployment | undefined,
    signal: AbortSignal | undefined,
    canary?: CanaryOptions & Pick<ApplyOptions, 'onTrial'>,
  ): Promise<void> {
    const both = AbortSignal.any([this.#ending.signal, ...(signal ? [signal] : [])])
    this.#unfollow = this.#parts.follow(this.#devices)
    this.#functions = before ? before.#functions : this.#newFunctions()
    const former = before ? before.#devices : undefined
    this.#changed()
    const works = this.#functionWorks()
    const aborted = new Promise<never>((_, reject) => {
      both.addEventListener('abort', () => reject(both.reason as Error), { once: true })
    })
    aborted.catch(() => {})
    const work = Promise.all([...works.map((work) => this.#prepare(work, both)), this.#devices.start(former)])
    work.catch(() => {})
    await Promise.race([work, aborted]).catch((error: unknown) => {
      // People know the devices by their names in the deployment.
      if (error instanceof Error) error.message = error.message.replaceAll(`${this.group}.`, '')
      throw error
    })
    await this.#devices.equip(former, both)
    both.throwIfAborted()
    if (before && canary) await this.#tryOn(before, canary, both)
    if (before) await before.#handOver()
    await Promise.all(this.#prepared.splice(0).map((prepared) => prepared.commit()))
    if (before) {
      await this.#devices.succeed(before.#devices)
      await this.#keepOnly(this.#functions, this.#functionNames())
    }
    this.#state = 'ready'
    this.#changed()
  }

  /** Starts every function of a run that has gone to zero and is to be called: beside each other, not one after another. */
  #wakeAll({ from }: RunOptions): void {
    const isCalled = (task: string): boolean =>
      !from || (from.part.plan.tasks.some(({ name }) => name === task) && !from.part.recorded.includes(task))
    for (const { name, task, coPlaced = [] } of functionsOf(this.spec))
      if ([task, ...coPlaced].some((each) => isCalled(each.name))) this.#functions?.wake?.(name)
  }

  /** Starts a function beside what runs; it takes its place when all of the deployment is ready. */
  async #prepare(work: FunctionWork, signal: AbortSignal): Promise<void> {
    const prepared = await this.#functions?.prepare(work, signal)
    if (!prepared) return
    if (signal.aborted) await prepared.discard()
    else {
      this.#prepared.push(prepared)
      if (prepared.endpoint) this.#new.set(work.name, prepared.endpoint)
    }
  }

  /** Has the functions that are new take a share of the calls of `before`. Resolves when they do as well and its runs have ended. */
  async #tryOn(
    before: SwarmDeployment,
    { onTrial, ...canary }: CanaryOptions & Pick<ApplyOptions, 'onTrial'>,
    signal: AbortSignal,
  ): Promise<void> {
    if (this.#new.size === 0) return
    const until = performance.now() + canary.limitMs
    const changed = (): void => {
      this.#message = trial.message
      this.#changed()
    }
    const trial = new Trial(canary, this.#new, changed)
    const ended = new Promise<never>((_, reject) => {
      const stop = (): void =>
        reject(
          signal.aborted ? (signal.reason as Error) : new TrialError('The deployment before was undeployed.'),
        )
      for (const one of [signal, before.#ending.signal]) {
        if (one.aborted) stop()
        one.addEventListener('abort', stop, { once: true })
      }
    })
    ended.catch(() => {})
    before.#trial = trial
    onTrial?.()
    changed()
    try {
      await Promise.race([trial.verdict, ended])
      changed()
      while (before.#running.size > 0 && performance.now() < until)
        await Promise.race([Promise.allSettled(before.#running), sleep(POLL_MS), ended])
    } finally {
      trial.close()
      before.#trial = undefined
      this.#message = undefined
    }
  }

  /** Ends the functions that are needed no more. */
  async #keepOnly(functions: FunctionHosting | undefined, names: string[]): Promise<void> {
    const needed = new Set(names)
    await Promise.all(
      (functions?.statuses() ?? []).map(({ name }) => (needed.has(name) ? undefined : functions?.stop(name))),
    )
  }

  /** Its runs end; functions and agents are left to the deployment that follows. */
  async #handOver(): Promise<void> {
    this.#handedOver = true
    this.#ending.abort()
    await Promise.allSettled(this.#running)
    this.#unfollow()
    this.#state = 'stopped'
    this.#parts.ended()
    this.#changed()
  }

  /** A start that failed: what it alone made goes, and the deployment before serves on as it did. */
  async abandon(before: SwarmDeployment | undefined): Promise<void> {
    const { resources } = this.status()
    this.#failedLogs = new Map(resources.map((each) => [`${each.kind} ${each.name}`, this.logs(each)]))
    if (!before)
      return this.undeploy().catch((error: Error) =>
        this.#parts.log('error', `Of deployment ${this.spec.name} something is left: ${error.message}`),
      )
    this.#ending.abort()
    this.#unfollow()
    await Promise.allSettled(this.#prepared.splice(0).map((prepared) => prepared.discard()))
    if (before.#cores) this.#parts.cores.restore(this.group, before.#cores)
    await Promise.allSettled([this.#devices.abandon(before.#devices), before.#devices.keepOnly()])
    await this.#keepOnly(before.#functions, before.#functionNames())
    this.#handedOver = true
    this.#state = 'stopped'
    this.#parts.ended()
    this.#changed()
  }

  /** Takes up what an earlier process left. Returns false when something of it is gone for good. */
  async attach(record: DeploymentRecord): Promise<boolean> {
    this.#unfollow = this.#parts.follow(this.#devices)
    this.#functions = this.#newFunctions()
    this.#cores = this.#parts.cores.attach(this.group, record.cores)
    try {
      await this.#functions.attach(record.functions)
      // What has ended meanwhile is started again.
      for (const work of this.#functionWorks())
        await (await this.#functions.prepare(work, this.#ending.signal)).commit()
      await this.#devices.attach(record.agents as unknown as ProcessRecord[], this.#ending.signal)
    } catch (error) {
      this.#parts.log(
        'warn',
        `Deployment ${this.spec.name} could not be attached: ${(error as Error).message}`,
      )
      return false
    }
    this.#state = 'ready'
    this.#changed()
    return true
  }

  record(): DeploymentRecord {
    return {
      schema: 'hivemind.live/1',
      target: this.#parts.kind,
      group: this.group,
      functions: this.#functions?.records() ?? [],
      agents: this.#devices.records() as unknown as Record<string, unknown>[],
      ...(this.#cores && { cores: recordOf(this.#cores) }),
    }
  }

  status(): DeploymentStatus {
    const stopped = this.#state === 'stopped'
    const states = new Map((this.#functions?.statuses() ?? []).map((each) => [each.name, each]))
    const functions = this.#functionNames().map(
      (name): ResourceStatus => ({
        kind: 'function',
        name,
        ...(stopped ? { state: 'stopped' as const } : functionState(states.get(name))),
      }),
    )
    return {
      state: this.#state,
      ...(this.#message === undefined ? {} : { message: this.#message }),
      resources: [...functions, ...this.#devices.statuses(stopped)],
    }
  }

  async run(options: RunOptions = {}): Promise<RunResult> {
    const functions = this.#functions
    if (!functions || this.#state !== 'ready') throw new Error('The deployment is not running.')
    const { hub } = this.#parts
    if (options.resume) await this.#devices.returned(RETURN_MS)
    this.#wakeAll(options)
    const running = runOn(
      {
        hub,
        plan: this.spec.synthesis.plan,
        deployment: this.spec.name,
        devices: this.spec.devices,
        constraints: this.spec.constraints ?? [],
        deviceId: (name) => this.#devices.idOf(name),
        functions,
        functionFor: functionsServing(this.spec),
        edgeNodes: this.spec.edgeNodes?.count,
        trial: () => this.#trial,
        client: hub.client,
        onFleet: (handler) => this.#devices.onFleet(handler),
        signal: this.#ending.signal,
      },
      options,
    )
    this.#running.add(running)
    return running.finally(() => this.#running.delete(running))
  }

  forgetRun(run: string): void {
    this.#devices.forgetRun(run)
  }

  endpoint(name: string): Promise<FunctionEndpoint> {
    if (!this.#functions) throw new Error('The deployment is not running.')
    return this.#functions.endpoint(name)
  }

  logs({ kind, name }: Pick<ResourceStatus, 'kind' | 'name'>): string[] {
    const kept = this.#failedLogs?.get(`${kind} ${name}`)
    if (kept) return kept
    if (kind === 'agent') return this.#devices.logs(name)
    return this.#functions?.logs(name, this.#state === 'starting') ?? []
  }

  watch(onStatus: (status: DeploymentStatus) => void): () => void {
    this.#watchers.add(onStatus)
    return () => this.#watchers.delete(onStatus)
  }

  undeploy(): Promise<void> {
    this.#stopped ??= this.#stop()
    return this.#stopped
  }

  /** For a process that is ending: no waiting. */
  killNow(): void {
    if (this.#handedOver) return
    this.#parts.hub.agents.killNow()
  }

  /** Leaves everything running for a later process. */
  detach(): void {
    this.#ending.abort()
    void this.#functions?.close()
    this.#unfollow()
  }

  /** Whether the device is one of it, by its id. */
  has(device: string): boolean {
    return this.#devices.has(device) || this.spec.edgeNodes?.machines?.includes(device) === true
  }

  async #stop(): Promise<void> {
    let failure: Error | undefined
    this.#ending.abort()
    await Promise.allSettled(this.#running)
    this.#unfollow()
    if (!this.#handedOver) {
      const [functions] = await Promise.allSettled([this.#functions?.stopAll(), this.#devices.stop()])
      this.#parts.cores.release(this.group)
      if (functions.status === 'rejected') failure = functions.reason as Error
    }
    this.#state = 'stopped'
    this.#parts.ended()
    this.#changed()
    if (failure) throw failure
  }

  #newFunctions(): FunctionHosting {
    const onStatus = (): void => this.#changed()
    const cloud = this.#parts.hosting({
      group: this.group,
      deployment: this.spec.name,
      cores: () => this.#cores,
      onStatus,
    })
    const { hub } = this.#parts
    return dividedHosting(cloud, new NodeHosting({ hub, concurrency: cloud.concurrency, onStatus }))
  }

  #functionWorks(): FunctionWork[] {
    const { spec } = this
    this.#cores ??= this.#parts.cores.assign(
      this.group,
      this.#parts.functionsHere
        ? functionsOf(spec).flatMap(({ name, task, board, machine }) =>
            task.isolate && !board && !machine ? [name] : [],
          )
        : [],
      spec.synthesis.plan,
      spec.devices.filter(({ enrolled }) => !enrolled),
    )
    return functionWorksOf(spec)
  }

  #functionNames(): string[] {
    return functionsOf(this.spec).map(({ name }) => name)
  }

  #changed(): void {
    const status = this.status()
    for (const watcher of this.#watchers) watcher(status)
  }
}

/** State of a function as a resource. */
function functionState(status: FunctionStatus | undefined) {
  const { state = 'starting', pid, containers, message } = status ?? ({} as Partial<FunctionStatus>)
  return {
    state: state === 'restarting' ? ('starting' as const) : (state as State),
    ...(pid !== undefined && { pid }),
    ...(containers && { containers }),
    ...(message !== undefined && { message }),
  }
}
