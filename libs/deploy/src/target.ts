/** What all targets share: the devices (agents of this machine, and of others that dial in) and the deployments over them. */
import { randomBytes } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { totalmem } from 'node:os'
import type { Telemetry, Up } from '@hivemind/agent-protocol'
import {
  containersOf,
  edgeNodeTasks,
  edgeTasks,
  fabricTasks,
  functionTasks,
  SynthesisError,
} from '@hivemind/synthesis'
import type { DataPort } from '@hivemind/values'
import type { BlobStore } from '@hivemind/values/node'
import type { DeviceAddress } from './agents/device-door.ts'
import type { EnrolledAgent } from './agents/enrolled.ts'
import type { DeviceView } from './agents/inventory.ts'
import { SwarmDeployment } from './deployment.ts'
import type { DeviceEvents } from './devices.ts'
import type { FunctionHosting, FunctionPlace, HostingContext } from './functions/hosting.ts'
import { FleetHub, type HubAddress, type OtherBroker } from './hub.ts'
import type { LinkShape } from './link.ts'
import { MachineCores } from './local/cores.ts'
import { planOf } from './plan.ts'
import { makeScratch, removeScratch } from './scratch.ts'
import type {
  ApplyOptions,
  Deployment,
  DeploymentPlan,
  DeploymentRecord,
  DeploymentSpec,
  FleetDevice,
  Target,
} from './types.ts'

/** Where a target keeps things, how long its processes live, and what lies between devices and service. */
export interface TargetOptions {
  /**
   * Folder of bundles, values, agents and the broker's state. Kept, when given: deployments can be attached to again after
   * a restart. A folder for this process alone when absent.
   */
  dir?: string
  /** Where the folder for this process alone is made; the system's folder for temporary files when absent. */
  scratchDir?: string
  /** Blobs that are shared with others of this process; in `dir` when absent. */
  blobs?: BlobStore
  /** Where the values of runs are kept; in `dir` when absent. */
  data?: DataPort
  /** Program and arguments that start an edge agent, or a function; options are added. */
  agentCommand?: string[]
  /** The link between agents and service, made by shaping proxies; the bare loopback when absent. */
  link?: LinkShape
  /** Processes outlive this one for so long, in s, so that another may attach to them. They end with it when absent. */
  leaseSeconds?: number
  /** Another MQTT broker than the embedded one. */
  broker?: OtherBroker
  /** Where devices of other machines dial in; none of them can when absent. */
  dialIn?: DeviceAddress
  /** Processes of this machine that all deployments may have; as many as its memory suffices for when absent. */
  maxProcesses?: number
  log?: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void
}

/** What a deployment that is only planned tells of itself; its group is chosen when it is deployed. */
const NOT_DEPLOYED = { group: '<group>', cores: () => undefined, onStatus: () => {} }

/** Memory of the machine for each process of a deployment: an idle one takes about half of it. */
const BYTES_PER_PROCESS = 64 * 2 ** 20

/** Devices of this machine and of others, with functions somewhere. It opens its broker and data endpoint with the first deployment. */
export class SwarmTarget implements Target {
  readonly #options: TargetOptions
  readonly #functions: FunctionPlace
  readonly #dir: string
  readonly #ownsDir: boolean
  #hub: Promise<FleetHub> | undefined
  /** Deployments by group: they take what their devices tell. */
  readonly #groups = new Map<string, Set<DeviceEvents>>()
  readonly #live = new Set<SwarmDeployment>()
  readonly #cores = new MachineCores()
  /** Devices of other machines, by id. */
  readonly #enrolled = new Map<string, EnrolledAgent>()
  readonly #atExit = (): void => {
    for (const deployment of this.#live) deployment.killNow()
    if (this.#ownsDir) removeScratch(this.#dir)
  }

  constructor(functions: FunctionPlace, options: TargetOptions) {
    this.#functions = functions
    this.#options = options
    this.#ownsDir = options.dir === undefined
    this.#dir = options.dir ?? makeScratch(options.scratchDir)
    if (options.leaseSeconds === undefined) process.once('exit', this.#atExit)
  }

  get kind(): string {
    return this.#functions.kind
  }

  get place(): string {
    return this.#functions.place
  }

  async plan(current: Deployment | null, next: DeploymentSpec): Promise<DeploymentPlan> {
    const place = this.#placeOf(next)
    const standing = current instanceof SwarmDeployment ? current.functions : undefined
    const hosting = standing ?? this.#hosting(place, { ...NOT_DEPLOYED, deployment: next.name })
    try {
      const followed = current && { spec: current.spec, status: current.status() }
      return await planOf(followed, next, place, hosting)
    } finally {
      if (!standing) await hosting.close()
    }
  }

  async apply(
    spec: DeploymentSpec,
    { signal, onStatus, onStarting, current, canary, onTrial }: ApplyOptions = {},
  ): Promise<Deployment> {
    signal?.throwIfAborted()
    const before = current instanceof SwarmDeployment && !current.stopped ? current : undefined
    if (before && this.#placeOf(before.spec) !== this.#placeOf(spec))
      throw new Error('A deployment follows one whose functions run in the same place.')
    this.#checkSize(spec, before)
    this.#checkBoards(spec, before)
    this.#checkNodes(spec)
    const hub = await this.#open()
    const group = before?.group ?? randomBytes(4).toString('hex')
    this.#checkEnrolled(spec, hub, group)
    const deployment = this.#deployment(spec, hub, group)
    if (onStatus) deployment.watch(onStatus)
    onStarting?.(deployment)
    try {
      await deployment.start(before, signal, canary && { ...canary, onTrial })
      return deployment
    } catch (error) {
      await deployment.abandon(before)
      throw error
    }
  }

  async attach(record: DeploymentRecord, spec: DeploymentSpec): Promise<Deployment | null> {
    const { kind } = this.#placeOf(spec)
    if (record.target !== kind) {
      this.#options.log?.(
        'warn',
        `Deployment ${spec.name} was made on the target '${record.target}', and this one is '${kind}': it is left there.`,
      )
      return null
    }
    const deployment = this.#deployment(spec, await this.#open(), record.group)
    if (await deployment.attach(record)) return deployment
    await this.#undeploy(deployment)
    return null
  }

  async enrol(devices: readonly EnrolledAgent[]): Promise<HubAddress> {
    // Those that dial in as soon as the broker listens are known to it from the start.
    for (const device of devices) this.#enrolled.set(device.id, device)
    const hub = await this.#open()
    for (const device of devices) hub.enrol(device)
    return hub.address
  }

  async removeDevice(id: string): Promise<boolean> {
    this.#enrolled.delete(id)
    return (await this.#open()).remove(id)
  }

  async fleet(): Promise<FleetDevice[]> {
    const { agents } = await this.#open()
    return agents.inventory.list().map((device) => ({
      id: device.id,
      class: device.class,
      state: stateOf(device, agents.isUp(device.id)),
      enrolled: agents.enrolled.has(device.id),
      version: device.hello?.version ?? '',
      cores: device.hello?.cores ?? 0,
      memoryMB: device.hello?.memoryMB ?? 0,
      ...(device.seenAt !== undefined && { seenAt: device.seenAt }),
      ...(device.telemetry && { telemetry: figuresOf(device.telemetry) }),
    }))
  }

  async close(): Promise<void> {
    const detach = this.#options.leaseSeconds !== undefined && this.#live.size > 0
    if (detach) for (const deployment of this.#live) deployment.detach()
    else await Promise.allSettled([...this.#live].map((deployment) => this.#undeploy(deployment)))
    const hub = await this.#hub?.catch(() => undefined)
    await hub?.close({ detach })
    this.#hub = undefined
    process.off('exit', this.#atExit)
    if (this.#ownsDir) removeScratch(this.#dir)
  }

  /** Ends a deployment that nobody waits for: what is left is told by the log. */
  #undeploy(deployment: SwarmDeployment): Promise<void> {
    return deployment.undeploy().catch((error: Error) => {
      this.#options.log?.(
        'error',
        `Of deployment ${deployment.spec.name} something is left: ${error.message}`,
      )
    })
  }

  get #life(): 'bound' | { leaseSeconds: number } {
    const { leaseSeconds } = this.#options
    return leaseSeconds === undefined ? 'bound' : { leaseSeconds }
  }

  #deployment(spec: DeploymentSpec, hub: FleetHub, group: string): SwarmDeployment {
    const place = this.#placeOf(spec)
    const { log = () => {} } = this.#options
    const deployment: SwarmDeployment = new SwarmDeployment(spec, {
      kind: place.kind,
      hub,
      cores: this.#cores,
      functionsHere: place.onThisMachine,
      hosting: (context) => this.#hosting(place, context),
      group,
      follow: (events) => this.#follow(events),
      ended: () => this.#live.delete(deployment),
      log,
    })
    this.#live.add(deployment)
    return deployment
  }

  #hosting(place: FunctionPlace, context: HostingContext): FunctionHosting {
    const { log = () => {} } = this.#options
    return place.hosting({ ...context, dir: this.#dir, life: this.#life, log })
  }

  #placeOf({ on }: DeploymentSpec): FunctionPlace {
    return on ?? this.#functions
  }

  #open(): Promise<FleetHub> {
    this.#hub ??= this.#openHub()
    return this.#hub
  }

  async #openHub(): Promise<FleetHub> {
    await mkdir(this.#dir, { recursive: true })
    const { blobs, data, agentCommand, link, broker, dialIn, log } = this.#options
    return FleetHub.open({
      devices: [...this.#enrolled.values()],
      dir: this.#dir,
      life: this.#life,
      ...(blobs && { blobs }),
      ...(data && { data }),
      ...(agentCommand && { agentCommand }),
      ...(link && { link }),
      ...(broker && { broker }),
      ...(dialIn && { dialIn }),
      ...(log && { log }),
      onMessage: (device, message) => {
        const waits: Promise<void>[] = []
        this.#tell(device, (events) => waits.push(...[events.message(device, message as Up) ?? []].flat()))
        return waits.length > 0 ? Promise.all(waits).then(() => {}) : undefined
      },
      onLost: (device, message, returns) =>
        this.#tell(device, (events) => events.lost(device, message, returns)),
      onUp: (device) => this.#tell(device, (events) => events.up(device)),
      onChange: (device) => this.#tell(device, (events) => events.changed(device)),
    })
  }

  #follow(events: DeviceEvents): () => void {
    const known = this.#groups.get(events.group) ?? new Set()
    known.add(events)
    this.#groups.set(events.group, known)
    return () => {
      known.delete(events)
      if (known.size === 0) this.#groups.delete(events.group)
    }
  }

  #tell(device: string, call: (events: DeviceEvents) => void): void {
    for (const group of [...this.#groups.values()])
      for (const events of [...group]) if (events.has(device)) call(events)
  }

  /** Refuses edge tasks without devices, and what this machine has no memory for beside all else that is deployed. */
  #checkSize(spec: DeploymentSpec, before: SwarmDeployment | undefined): void {
    if (spec.devices.length < 1 && edgeTasks(spec.synthesis.plan).length > 0)
      throw new SynthesisError(['A deployment with tasks on the edge needs at least one agent.'])
    const processes = (of: DeploymentSpec): number => processesOf(of, this.#placeOf(of).onThisMachine)
    const needed = processes(spec)
    const others = [...this.#live].filter((each) => each !== before)
    const taken = others.reduce((sum, each) => sum + processes(each.spec), 0)
    const { maxProcesses } = this.#options
    const limit = maxProcesses ?? Math.floor(totalmem() / BYTES_PER_PROCESS)
    if (needed + taken <= limit) return
    const room = maxProcesses === undefined ? 'Its memory suffices for' : 'HIVEMIND_MAX_PROCESSES allows'
    throw new SynthesisError([
      `This placement needs ${needed} processes on this machine: two for each task in the cloud and on each edge node (one where it shares a container), one for each on the fabric, one for each agent and for each of its tasks. ${
        taken > 0
          ? `${room} ${limit}, and other deployments have ${taken}. Undeploy what is not needed, or use fewer agents.`
          : `${room} ${limit}. Use fewer agents or a workflow with fewer tasks.`
      }`,
    ])
  }

  /** Refuses tasks on edge nodes where there are none. */
  #checkNodes({ synthesis, edgeNodes }: DeploymentSpec): void {
    const problems = edgeNodes
      ? []
      : edgeNodeTasks(synthesis.plan).map(
          ({ name }) => `Task '${name}' is on an edge node, and the deployment has none: say how many.`,
        )
    if (problems.length > 0) throw new SynthesisError(problems)
  }

  /** Refuses tasks on the fabric that have no board, or one that another deployment has. */
  #checkBoards(spec: DeploymentSpec, before: SwarmDeployment | undefined): void {
    const { onThisMachine, place } = this.#placeOf(spec)
    const others = [...this.#live].filter((each) => each !== before)
    const boards = spec.boards ?? {}
    const problems = fabricTasks(spec.synthesis.plan).flatMap(({ name }, index, all) => {
      const board = boards[name]
      if (!onThisMachine)
        return `Task '${name}' is on the fabric, whose boards this machine has; functions on ${place} cannot reach them yet: place it elsewhere, or deploy on this machine.`
      if (board === undefined)
        return `Task '${name}' is on the fabric, and there is no board for it: start one with the engine distil, or place the task elsewhere.`
      const twice = all.slice(0, index).find((other) => boards[other.name] === board)
      if (twice)
        return `Tasks '${twice.name}' and '${name}' have the same board, which runs one network function: give each its own.`
      const taken = others.find((each) => Object.values(each.spec.boards ?? {}).includes(board))
      return taken
        ? `The board in '${board}' belongs to another deployment (${taken.spec.name}): undeploy that first, or start another board.`
        : []
    })
    if (problems.length > 0) throw new SynthesisError(problems)
  }

  /** Refuses devices of other machines that another deployment has, or that nobody enrolled. */
  #checkEnrolled({ devices, edgeNodes }: DeploymentSpec, { agents }: FleetHub, group: string): void {
    const problems: string[] = []
    const dialIn = devices.filter(({ enrolled }) => enrolled).map(({ name }) => name)
    for (const name of edgeNodes?.machines ?? [])
      if (dialIn.includes(name))
        problems.push(
          `Device '${name}' is an edge node of this deployment, and cannot be one of its devices too.`,
        )
    for (const name of [...dialIn, ...(edgeNodes?.machines ?? [])]) {
      const other = [...this.#live].find((each) => each.group !== group && each.has(name))
      if (!agents.enrolled.has(name))
        problems.push(`There is no device '${name}': enrol it, or leave it out.`)
      else if (other)
        problems.push(
          `Device '${name}' belongs to another deployment (${other.spec.name}): undeploy that first.`,
        )
      else if (!agents.enrolled.isUp(name))
        problems.push(`Device '${name}' is not connected: start its agent, or leave it out.`)
    }
    if (problems.length > 0) throw new SynthesisError(problems)
  }
}

/** What people see of a device's state: it is online once it can be deployed on, which takes a moment more than its connection. */
function stateOf({ state }: Pick<DeviceView, 'state'>, hasSession: boolean): FleetDevice['state'] {
  if (state === 'online') return hasSession ? 'online' : 'enrolled'
  return state === 'enrolled' ? 'enrolled' : 'gone'
}

/** What people see of a report; its time is of the device's own clock. */
function figuresOf({ at: _, ...figures }: Telemetry): NonNullable<FleetDevice['telemetry']> {
  return figures
}

/** Processes of this machine that a deployment has. */
function processesOf({ synthesis, devices, edgeNodes }: DeploymentSpec, functionsHere: boolean): number {
  const { plan } = synthesis
  const onFabric = fabricTasks(plan).length
  const onNodes = edgeNodeTasks(plan).length
  const nodesHere = edgeNodes?.machines ? 0 : (edgeNodes?.count ?? 0)
  const tasksAndHosts = [functionTasks(plan), containersOf(plan)]
    .map(({ length }) => length - onFabric - onNodes)
    .reduce((sum, each) => sum + each + onNodes * nodesHere, 0)
  const agents = devices.filter(({ enrolled }) => !enrolled).length
  return (functionsHere ? tasksAndHosts + onFabric : 0) + agents * (1 + edgeTasks(plan).length)
}
