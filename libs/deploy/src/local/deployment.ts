/** One deployment on this machine: functions and agents, and runs over them. */
import os from 'node:os'
import path from 'node:path'
import type { DesiredDeployment, Up } from '@hivemind/agent-protocol'
import type { FleetEvent, RunResult } from '@hivemind/orchestrator'
import type { PlanTask } from '@hivemind/synthesis'
import { type CoreAssignment, keptState } from '@hivemind/task-runner'
import { desiredDeployment } from '../agents/desired.ts'
import { freeCapacityOf } from '../agents/inventory.ts'
import type { LocalDevice } from '../agents/local-agents.ts'
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
  DeviceSpec,
  ResourceStatus,
  RunOptions,
} from '../types.ts'
import { agentsOf } from './changes.ts'
import { coresOfDevice, type MachineCores } from './cores.ts'

type State = DeploymentStatus['state']

/** What the devices of a group tell, by id. */
export interface DeviceEvents {
  readonly group: string
  message(device: string, message: Up): void
  lost(device: string, message: string, returns: boolean): void
  up(device: string): void
  changed(device: string): void
}

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

export class LocalDeployment implements Deployment, DeviceEvents {
  readonly spec: DeploymentSpec
  readonly group: string
  readonly #parts: LocalParts
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
  readonly #ending = new AbortController()
  readonly #watchers = new Set<(status: DeploymentStatus) => void>()
  readonly #runs = new Set<(event: FleetEvent) => void>()
  readonly #running = new Set<Promise<unknown>>()
  /** How much work each device can take over, by name, as runs were last told. */
  readonly #capacities = new Map<string, number>()
  /** Devices that are away, and whether they are being started again. */
  readonly #away = new Map<string, { returns: boolean; message: string }>()

  constructor(spec: DeploymentSpec, parts: LocalParts) {
    this.spec = spec
    this.group = parts.group
    this.#parts = parts
  }

  get stopped(): boolean {
    return this.#stopped !== undefined || this.#handedOver
  }

  /** Starts what is new beside `before`, then takes its place. Rejects when it is aborted, stopped or something fails. */
  async start(before: LocalDeployment | undefined, signal: AbortSignal | undefined): Promise<void> {
    const { hub, dir } = this.#parts
    const both = AbortSignal.any([this.#ending.signal, ...(signal ? [signal] : [])])
    this.#unfollow = this.#parts.follow(this)
    this.#functions = before ? before.#functions : this.#newFunctions()
    this.#changed()
    const specs = await this.#functionSpecs()
    both.throwIfAborted()
    const starting = agentsBeside(this.spec, before?.spec)
    const aborted = new Promise<never>((_, reject) => {
      both.addEventListener('abort', () => reject(both.reason as Error), { once: true })
    })
    aborted.catch(() => {})
    const work = Promise.all([
      ...specs.map((spec) => this.#prepare(spec, both)),
      starting.length > 0 ? hub.agents.start(starting.map((device) => this.#localDevice(device))) : undefined,
    ])
    work.catch(() => {})
    await Promise.race([work, aborted]).catch((error: unknown) => {
      // People know the devices by their names in the deployment.
      if (error instanceof Error) error.message = error.message.replaceAll(`${this.group}.`, '')
      throw error
    })
    if (agentsOf(this.spec).length > 0) await this.#equip(both, dir, before)
    both.throwIfAborted()
    if (before) await before.#handOver()
    for (const prepared of this.#prepared.splice(0)) prepared.commit()
    if (before) await this.#succeed(before)
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

  /** Gives every device the tasks of this deployment, beside those of the one before until it has taken over. */
  async #equip(signal: AbortSignal, _dir: string, before: LocalDeployment | undefined): Promise<void> {
    const { hub } = this.#parts
    this.#desired = await desiredDeployment(
      this.spec.name,
      this.spec.synthesis,
      this.spec.projectDir,
      hub.blobs,
    )
    const owners = before ? [before, this] : [this]
    await Promise.all(this.spec.devices.map(({ name }) => this.#setDesired(name, owners, signal)))
  }

  #desired: DesiredDeployment | undefined

  /** What a device is to run of this deployment. */
  #desiredOn(device: string): DesiredDeployment[] {
    if (!this.#desired) return []
    const cores = this.#cores ? coresOfDevice(this.#cores, this.spec.synthesis.plan, device) : {}
    return [{ ...this.#desired, ...cores }]
  }

  async #setDesired(name: string, owners: LocalDeployment[], signal?: AbortSignal): Promise<void> {
    const { hub } = this.#parts
    const id = this.deviceId(name)
    const deployments = owners.flatMap((owner) => owner.#desiredOn(name))
    revision = Math.max(revision + 1, Date.now())
    await hub.agents.apply(id, { revision, deployments, dataUrl: await hub.dataUrlFor(id) }, signal)
  }

  /** What only the deployment before needed goes. */
  async #succeed(before: LocalDeployment): Promise<void> {
    const { hub } = this.#parts
    const gone = agentsBeside(before.spec, this.spec)
    if (gone.length > 0) await hub.agents.stop(gone.map(({ name }) => this.deviceId(name)))
    if (this.#desired) await Promise.all(this.spec.devices.map(({ name }) => this.#setDesired(name, [this])))
    await this.#keepOnly(this.#functions, this.#cloudTasks())
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
    if (!before) return this.undeploy()
    this.#ending.abort()
    this.#unfollow()
    const fresh = agentsBeside(this.spec, before.spec)
    const { hub } = this.#parts
    for (const prepared of this.#prepared.splice(0)) prepared.discard()
    if (before.#cores) this.#parts.cores.restore(this.group, before.#cores)
    await Promise.allSettled([
      fresh.length > 0 ? hub.agents.stop(fresh.map(({ name }) => this.deviceId(name))) : undefined,
      ...agentsOf(before.spec).map(({ name }) => this.#setDesired(name, [before])),
    ])
    await this.#keepOnly(before.#functions, before.#cloudTasks())
    this.#handedOver = true
    this.#state = 'stopped'
    this.#parts.ended()
    this.#changed()
  }

  /** Takes up what an earlier process left. Returns false when something of it is gone for good. */
  async attach(record: DeploymentRecord): Promise<boolean> {
    const { hub } = this.#parts
    this.#unfollow = this.#parts.follow(this)
    this.#functions = this.#newFunctions()
    try {
      await this.#functions.attach(record.functions as unknown as FunctionRecord[])
      // What has ended meanwhile is started again.
      for (const spec of await this.#functionSpecs()) await this.#functions.start(spec, this.#ending.signal)
      if (record.agents.length > 0) {
        await hub.agents.attach(
          this.spec.devices.map((device) => this.#localDevice(device)),
          record.agents as never,
        )
        await this.#equip(this.#ending.signal, this.#parts.dir, undefined)
      }
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
    const own = new Set(this.spec.devices.map(({ name }) => this.deviceId(name)))
    return {
      schema: 'hivemind.live/1',
      target: 'local',
      group: this.group,
      functions: (this.#functions?.records() ?? []) as unknown as Record<string, unknown>[],
      agents: this.#parts.hub.agents.records().filter(({ device }) => own.has(device)) as unknown as Record<
        string,
        unknown
      >[],
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
    const agents = agentsOf(this.spec).map(({ name }): ResourceStatus => {
      const id = this.deviceId(name)
      const away = this.#away.get(name)
      const pid = this.#parts.hub.agents.pidOf(id)
      const state = stopped
        ? 'stopped'
        : away
          ? away.returns
            ? 'starting'
            : 'failed'
          : this.#parts.hub.agents.isUp(id)
            ? 'ready'
            : 'starting'
      return {
        kind: 'agent',
        name,
        state,
        ...(!stopped && pid !== undefined && { pid }),
        ...(away && { message: away.message }),
      }
    })
    return {
      state: this.#state,
      ...(this.#message === undefined ? {} : { message: this.#message }),
      resources: [...functions, ...agents],
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
        deviceId: (name) => this.deviceId(name),
        functions,
        client: hub.client,
        concurrency: FUNCTION_CONCURRENCY,
        onFleet: (handler) => this.#onFleet(handler),
        signal: this.#ending.signal,
      },
      options,
    )
    this.#running.add(running)
    return running.finally(() => this.#running.delete(running))
  }

  forgetRun(run: string): void {
    for (const { name } of this.spec.devices)
      this.#parts.hub.agents.send(this.deviceId(name), { t: 'stop', run }).catch(() => {})
  }

  endpoint(task: string): Promise<FunctionEndpoint> {
    if (!this.#functions) throw new Error('The deployment is not running.')
    return this.#functions.endpoint(task)
  }

  logs({ kind, name }: Pick<ResourceStatus, 'kind' | 'name'>): string[] {
    return kind === 'function'
      ? (this.#functions?.logs(name) ?? []).map(({ text }) => text)
      : this.#parts.hub.agents.logs(this.deviceId(name))
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

  deviceId(name: string): string {
    return `${this.group}.${name}`
  }

  message(device: string, message: Up): void {
    this.#tell({ type: 'message', device: this.#nameOf(device), message })
  }

  lost(device: string, message: string, returns: boolean): void {
    const name = this.#nameOf(device)
    const text = message.replaceAll(device, name)
    this.#away.set(name, { returns, message: text })
    this.#tell({ type: 'lost', device: name, returns, message: text })
    this.#changed()
  }

  up(device: string): void {
    const name = this.#nameOf(device)
    if (!this.#away.delete(name)) return
    this.#tell({ type: 'up', device: name, message: `Agent ${name} was started again.` })
    this.#changed()
  }

  changed(device: string): void {
    const name = this.#nameOf(device)
    const known = this.#capacities.get(name)
    const capacity = this.#capacityOf(name)
    if (capacity !== known) this.#tell({ type: 'capacity', device: name, capacity })
    this.#changed()
  }

  /** How much work a device can take over now. */
  #capacityOf(name: string): number {
    const capacity = freeCapacityOf(this.#parts.hub.agents.inventory.get(this.deviceId(name)) ?? {})
    this.#capacities.set(name, capacity)
    return capacity
  }

  #localDevice({ name, class: of, battery }: DeviceSpec): LocalDevice {
    return { device: this.deviceId(name), class: of, ...(battery && { battery }) }
  }

  async #stop(): Promise<void> {
    this.#ending.abort()
    await Promise.allSettled(this.#running)
    this.#unfollow()
    if (!this.#handedOver) {
      await Promise.allSettled([
        this.#functions?.stopAll(),
        this.#parts.hub.agents.stop(this.spec.devices.map(({ name }) => this.deviceId(name))),
      ])
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
    this.#cores ??= this.#parts.cores.assign(this.group, plan, this.spec.devices)
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

  #onFleet(handler: (event: FleetEvent) => void): () => void {
    this.#runs.add(handler)
    for (const { name } of this.spec.devices)
      handler({ type: 'capacity', device: name, capacity: this.#capacityOf(name) })
    for (const [device, { returns, message }] of this.#away)
      handler({ type: 'lost', device, returns, message })
    return () => this.#runs.delete(handler)
  }

  #tell(event: FleetEvent): void {
    for (const handler of [...this.#runs]) handler(event)
  }

  #nameOf(device: string): string {
    return device.slice(this.group.length + 1)
  }

  #changed(): void {
    const status = this.status()
    for (const watcher of this.#watchers) watcher(status)
  }
}

/** The agents of a deployment that the other one does not have. */
function agentsBeside(spec: DeploymentSpec, other: DeploymentSpec | undefined): DeviceSpec[] {
  const known = new Set((other ? agentsOf(other) : []).map(({ name }) => name))
  return agentsOf(spec).filter(({ name }) => !known.has(name))
}

/** Invocations of one function at once: as many processes it has at most. */
const FUNCTION_CONCURRENCY = Math.max(2, Math.min(4, os.availableParallelism()))

/** Grows with everything that devices are told to run, also over restarts. */
let revision = 0

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
