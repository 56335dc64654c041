/** One deployment on this machine: functions and agents, and runs over them. */
import os from 'node:os'
import path from 'node:path'
import type { RunResult } from '@hivemind/orchestrator'
import type { PlanTask } from '@hivemind/synthesis'
import { type CoreAssignment, keptState } from '@hivemind/task-runner'
import type { ProcessRecord } from '../agents/supervisor.ts'
import { unpackBundle } from '../bundles.ts'
import type { FunctionEndpoint } from '../functions/client.ts'
import { type FunctionSpec, LocalFunctions, type PreparedFunction } from '../functions/local.ts'
import type { FunctionRecord } from '../functions/process.ts'
import type { FleetHub } from '../hub.ts'
import { runOn } from '../running.ts'
import type {
  Deployment,
  DeploymentRecord,
  DeploymentSpec,
  DeploymentStatus,
  ResourceStatus,
  RunOptions,
} from '../types.ts'
import { type MachineCores, recordOf } from './cores.ts'
import { DeploymentDevices, type DeviceEvents } from './devices.ts'

type State = DeploymentStatus['state']

export interface LocalParts {
  hub: FleetHub
  cores: MachineCores
  /** Folder of the target. */
  dir: string
  /** Ids of its devices begin with it, and a dot. Deployments that follow each other share it. */
  group: string
  life: 'bound' | { leaseSeconds: number }
  follow: (events: DeviceEvents) => () => void
  ended: () => void
  log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void
}

/** A deployment on this machine; see `Deployment`. */
export class LocalDeployment implements Deployment {
  readonly spec: DeploymentSpec
  readonly group: string
  readonly #parts: LocalParts
  readonly #devices: DeploymentDevices
  #functions: LocalFunctions | undefined
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

  constructor(spec: DeploymentSpec, parts: LocalParts) {
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

  get stopped(): boolean {
    return this.#stopped !== undefined || this.#handedOver
  }

  /** Starts what is new beside `before`, then takes its place. Rejects when it is aborted, stopped or something fails. */
  async start(before: LocalDeployment | undefined, signal: AbortSignal | undefined): Promise<void> {
    const both = AbortSignal.any([this.#ending.signal, ...(signal ? [signal] : [])])
    this.#unfollow = this.#parts.follow(this.#devices)
    this.#functions = before ? before.#functions : this.#newFunctions()
    const former = before ? before.#devices : undefined
    this.#changed()
    const specs = await this.#functionSpecs()
    both.throwIfAborted()
    const aborted = new Promise<never>((_, reject) => {
      both.addEventListener('abort', () => reject(both.reason as Error), { once: true })
    })
    aborted.catch(() => {})
    const work = Promise.all([...specs.map((spec) => this.#prepare(spec, both)), this.#devices.start(former)])
    work.catch(() => {})
    await Promise.race([work, aborted]).catch((error: unknown) => {
      // People know the devices by their names in the deployment.
      if (error instanceof Error) error.message = error.message.replaceAll(`${this.group}.`, '')
      throw error
    })
    await this.#devices.equip(former, both)
    both.throwIfAborted()
    if (before) await before.#handOver()
    for (const prepared of this.#prepared.splice(0)) prepared.commit()
    if (before) {
      await this.#devices.succeed(before.#devices)
      await this.#keepOnly(this.#functions, this.#cloudTasks())
    }
    this.#state = 'ready'
    this.#changed()
  }

  /** Starts a function beside what runs; it takes its place when all of the deployment is ready. */
  async #prepare(spec: FunctionSpec, signal: AbortSignal): Promise<void> {
    const prepared = await this.#functions?.prepare(spec, signal)
    if (!prepared) return
    if (signal.aborted) prepared.discard()
    else this.#prepared.push(prepared)
  }

  /** Ends the functions that no task needs any more. */
  async #keepOnly(functions: LocalFunctions | undefined, tasks: PlanTask[]): Promise<void> {
    const needed = new Set(tasks.map(({ name }) => name))
    await Promise.all(
      (functions?.statuses() ?? []).map(({ task }) => (needed.has(task) ? undefined : functions?.stop(task))),
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
  async abandon(before: LocalDeployment | undefined): Promise<void> {
    const { resources } = this.status()
    this.#failedLogs = new Map(resources.map((each) => [`${each.kind} ${each.name}`, this.logs(each)]))
    if (!before) return this.undeploy()
    this.#ending.abort()
    this.#unfollow()
    for (const prepared of this.#prepared.splice(0)) prepared.discard()
    if (before.#cores) this.#parts.cores.restore(this.group, before.#cores)
    await Promise.allSettled([this.#devices.abandon(before.#devices), before.#devices.keepOnly()])
    await this.#keepOnly(before.#functions, before.#cloudTasks())
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
      await this.#functions.attach(record.functions as unknown as FunctionRecord[])
      // What has ended meanwhile is started again.
      for (const spec of await this.#functionSpecs()) await this.#functions.start(spec, this.#ending.signal)
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
      target: 'local',
      group: this.group,
      functions: (this.#functions?.records() ?? []) as unknown as Record<string, unknown>[],
      agents: this.#devices.records() as unknown as Record<string, unknown>[],
      ...(this.#cores && { cores: recordOf(this.#cores) }),
    }
  }

  status(): DeploymentStatus {
    const stopped = this.#state === 'stopped'
    const states = new Map((this.#functions?.statuses() ?? []).map((each) => [each.task, each]))
    const functions = this.#cloudTasks().map(
      ({ name }): ResourceStatus => ({
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
    const running = runOn(
      {
        hub,
        plan: this.spec.synthesis.plan,
        deployment: this.spec.name,
        devices: this.spec.devices,
        constraints: this.spec.constraints ?? [],
        deviceId: (name) => this.#devices.idOf(name),
        functions,
        client: hub.client,
        concurrency: FUNCTION_CONCURRENCY,
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

  endpoint(task: string): Promise<FunctionEndpoint> {
    if (!this.#functions) throw new Error('The deployment is not running.')
    return this.#functions.endpoint(task)
  }

  logs({ kind, name }: Pick<ResourceStatus, 'kind' | 'name'>): string[] {
    const kept = this.#failedLogs?.get(`${kind} ${name}`)
    if (kept) return kept
    if (kind === 'agent') return this.#devices.logs(name)
    const functions = this.#functions
    const lines = this.#state === 'starting' ? functions?.startLogs(name) : functions?.logs(name)
    return (lines ?? []).map(({ text }) => text)
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
    return this.#devices.has(device)
  }

  async #stop(): Promise<void> {
    this.#ending.abort()
    await Promise.allSettled(this.#running)
    this.#unfollow()
    if (!this.#handedOver) {
      await Promise.allSettled([this.#functions?.stopAll(), this.#devices.stop()])
      this.#parts.cores.release(this.group)
    }
    this.#state = 'stopped'
    this.#parts.ended()
    this.#changed()
  }

  #newFunctions(): LocalFunctions {
    const { dir, life } = this.#parts
    return new LocalFunctions({
      dir: path.join(dir, 'functions', this.group),
      ...(life === 'bound' ? { mode: 'bound' } : { mode: 'detached', leaseSeconds: life.leaseSeconds }),
      onStatus: () => this.#changed(),
    })
  }

  async #functionSpecs(): Promise<FunctionSpec[]> {
    const { plan, bundles } = this.spec.synthesis
    const byTask = new Map(bundles.map((bundle) => [bundle.task, bundle]))
    this.#cores ??= this.#parts.cores.assign(
      this.group,
      plan,
      this.spec.devices.filter(({ enrolled }) => !enrolled),
    )
    const cores = this.#cores
    const specs: FunctionSpec[] = []
    for (const task of this.#cloudTasks()) {
      const bundle = byTask.get(task.name)
      const folder = path.join(this.#parts.dir, 'bundles')
      const dir = bundle ? await unpackBundle(this.spec.projectDir, bundle, folder) : this.#parts.dir
      specs.push(functionSpec(plan.workflow, task, dir, cores))
    }
    return specs
  }

  #cloudTasks(): PlanTask[] {
    return this.spec.synthesis.plan.tasks.filter(({ tier }) => tier === 'cloud')
  }

  #changed(): void {
    const status = this.status()
    for (const watcher of this.#watchers) watcher(status)
  }
}

/** Invocations of one function at once: as many processes it has at most. */
const FUNCTION_CONCURRENCY = Math.max(2, Math.min(4, os.availableParallelism()))

/** How the function of a task is served on this machine. */
function functionSpec(workflow: string, task: PlanTask, dir: string, cores: CoreAssignment): FunctionSpec {
  const own = cores.isolated.get(task.name)
  return {
    workflow,
    task: task.name,
    runtime: task.runtime,
    dir,
    code: task.code,
    args: task.args,
    memoryMB: task.memoryMB,
    ...(task.network && { network: true }),
    dataIn: task.dataIn,
    dataOut: task.dataOut,
    emits: task.kindIn === 'object' && task.kindOut === 'stream' ? 'many' : 'one',
    timeoutMs: task.timeoutMs,
    concurrency: task.isolate ? 1 : FUNCTION_CONCURRENCY,
    ...(task.outputType !== undefined && { outputType: task.outputType }),
    ...keptState(task.stateKey),
    ...(cores.isolated.size === 0 ? {} : { cores: own === undefined ? cores.shared : [own] }),
  }
}

/** State of a function as a resource. */
function functionState(status: { state: string; pid?: number; message?: string } | undefined) {
  const { state = 'starting', pid, message } = status ?? {}
  return {
    state: state === 'restarting' ? ('starting' as const) : (state as State),
    ...(pid !== undefined && { pid }),
    ...(message !== undefined && { message }),
  }
}
