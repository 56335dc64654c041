/**
 * Targets: where a plan can be deployed. A target answers for resources (functions, agents); the run core does the running
 * over the endpoints it gives. The local target is the embedded default; Knative comes beside it.
 */
import type {
  CoreEvent,
  InvocationKey,
  PartOfPlan,
  RecordedValues,
  RunEvent,
  RunResult,
} from '@hivemind/orchestrator'
import type { Synthesis } from '@hivemind/synthesis'
import type { Constraint } from '@hivemind/workflow'
import type { EnrolledAgent } from './agents/enrolled.ts'
import type { FunctionEndpoint } from './functions/client.ts'
import type { ContainerCount, FunctionPlace } from './functions/hosting.ts'
import type { HubAddress } from './hub.ts'
import type { Finding } from './knative/check.ts'
import type { ObjectChange } from './object-change.ts'
import type { CanaryOptions } from './trial.ts'

/** A device of a deployment. */
export interface DeviceSpec {
  /** Name within the deployment; tasks may be pinned to it. */
  name: string
  /** Name of its class; `*` is any class. */
  class: string
  /** A device of another machine, by its id: its agent dials in, nobody here starts or ends it. */
  enrolled?: boolean
  /** A battery that its agent on this machine simulates: full charge in Wh, power without work and for each busy core in W. */
  battery?: { capacityWh: number; idleW: number; coreW: number }
}

/** The edge nodes of a deployment, which are called `NAME-1` and so on, or as their machines. */
export interface EdgeNodeSpec {
  name: string
  count: number
  /** Devices that dial in and are the edge nodes: `count` of them, by id. This machine, or nodes of the cluster, are when absent. */
  machines?: readonly string[]
}

/** What is to be deployed. */
export interface DeploymentSpec {
  /** Unique name of the deployment. */
  name: string
  synthesis: Synthesis
  /** Folder of the project's files, as they were when it was synthesised. Nothing outside it is read. */
  projectDir: string
  devices: DeviceSpec[]
  /** What every run is judged by at its end. */
  constraints?: Constraint[]
  /** Where its functions run; where the target has them run when absent. */
  on?: FunctionPlace
  /** Edge nodes for the tasks on them: machines that serve the devices, which are dealt out to them in turn. */
  edgeNodes?: EdgeNodeSpec
  /** For each task on the fabric the board that runs it: the folder of a simulated one. No other deployment has it. */
  boards?: Readonly<Record<string, string>>
}

/** So many devices of any class, named `device-1` and so on. */
export function anyDevices(count: number): DeviceSpec[] {
  return Array.from({ length: count }, (_, index) => ({ name: `device-${index + 1}`, class: '*' }))
}

/** What `apply` does to one resource, and why. */
export interface Change {
  kind: 'function' | 'agent'
  name: string
  action: 'create' | 'change' | 'remove' | 'keep'
  /** One sentence. */
  why: string
  /** What of it is on a cluster. */
  objects?: ObjectChange[]
}

/** What `apply` would do, and what it needs of where the functions run. */
export interface DeploymentPlan {
  changes: Change[]
  /** Where functions are processes of this machine, only which of them share a container. */
  needs: Finding[]
}

/** State of one function or agent. */
export interface ResourceStatus {
  kind: 'function' | 'agent'
  name: string
  state: 'starting' | 'ready' | 'failed' | 'stopped'
  /** Process id on the local target. */
  pid?: number
  /** On a cluster. */
  containers?: ContainerCount
  message?: string
}

/** State of a deployment and of all its resources. */
export interface DeploymentStatus {
  state: 'starting' | 'ready' | 'failed' | 'stopped'
  message?: string
  resources: ResourceStatus[]
}

/** An item that a device has sent to the service. */
export interface ItemSent {
  /** The invocation that emitted it; `seq` is the item's number. */
  key: InvocationKey
  /** When it was emitted, ms since 1970. */
  sentAt: number
}

/** What is known of a run whose process is gone. */
export interface EarlierLife {
  /** What `RunOptions.journal` was given; it may lack the last events. */
  journal: Iterable<CoreEvent>
  /** Spans and what happened to devices, as they were reported; they are not told again. */
  reported: AsyncIterable<RunEvent>
}

/** What a run is given, and who is told of it. */
export interface RunOptions {
  /** Id of the run; made up when absent. */
  run?: string
  /** Values for the plan's inputs; a missing one is `null` for the task that reads it. */
  inputs?: Record<string, unknown>
  /** Maximum number of items that a sensor emits on each device; unlimited when absent. */
  itemsPerDevice?: number
  /** Only this part of the workflow, with what another run has recorded in place of the tasks before it. */
  from?: { part: PartOfPlan; values: RecordedValues }
  /** W3C `traceparent` of the request that started it: the run is part of that trace. */
  traceparent?: string
  signal?: AbortSignal
  onEvent?: (event: RunEvent) => void
  /** Told everything that the run goes by, in order: kept, it lets the run go on (`resume`) after this process was killed. */
  journal?: (event: CoreEvent) => void
  /** The run is one of a process that is gone, and goes on from where that was. */
  resume?: EarlierLife
  /** Leaves the run for a later process: the promise rejects with `RunLeftError`, and nobody is told anything more. */
  leave?: AbortSignal
  /**
   * Whoever takes the events says when it has room for more; `undefined` means now. Messages of devices are acknowledged
   * only then, so that the devices keep what comes too fast.
   */
  whenRoom?: () => Promise<void> | undefined
  /** Told of every item that a device sends. */
  onItem?: (item: ItemSent) => void
  /** Keep every span for the result; without it `spans` is empty and memory stays bounded. */
  keepSpans?: boolean
}

/** What `attach` needs to find a deployment again: plain data. */
export interface DeploymentRecord {
  schema: 'hivemind.live/1'
  /** Kind of where its functions run. */
  target: string
  /** Ids of its devices begin with it. */
  group: string
  functions: Record<string, unknown>[]
  agents: Record<string, unknown>[]
  /** Its cores of this machine; absent in records of earlier versions. */
  cores?: CoresRecord
}

/** Cores by number: one for each isolated task, and those of all other tasks. */
export interface CoresRecord {
  isolated: Record<string, number>
  shared: number[]
}

/** A deployment that stands: what runs, and what can be done with it. */
export interface Deployment {
  readonly spec: DeploymentSpec
  /** What is needed to attach to it again. */
  record(): DeploymentRecord
  status(): DeploymentStatus
  /** Runs the workflow once. Resolves in every case; failures of the user's code are in the result. */
  run(options?: RunOptions): Promise<RunResult>
  /** Ends what devices still do for a run of a service that is gone. */
  forgetRun(run: string): void
  /** Where the function of a task takes CloudEvents now. Rejects with `TaskError` when it does not run. */
  endpoint(task: string): Promise<FunctionEndpoint>
  /** The newest log lines of a resource. */
  logs(resource: Pick<ResourceStatus, 'kind' | 'name'>): string[]
  /** Told when a resource changes, until the returned function is called. */
  watch(onStatus: (status: DeploymentStatus) => void): () => void
  /** Ends everything and removes what was made. Idempotent. Rejects, ended all the same, when not all could be removed. */
  undeploy(): Promise<void>
}

/** How a deployment is brought up. */
export interface ApplyOptions {
  signal?: AbortSignal
  onStatus?: (status: DeploymentStatus) => void
  /** Called once, before anything is started: status and logs can be read during the start, and after it has failed. */
  onStarting?: (deployment: Deployment) => void
  /**
   * The deployment that this one follows: what is the same in both goes on running, and the old one serves until the new
   * one is ready. Afterwards the old one is stopped.
   */
  current?: Deployment
  /**
   * Tries the functions that are new on a share of the calls of runs on `current`, before they take its place. `apply` rejects
   * with `TrialError` when they do worse. Without `current`, or when no function changes, there is nothing to try.
   */
  canary?: CanaryOptions
  /** Called when everything is ready and is being tried. */
  onTrial?: () => void
}

/** A device that a target knows. */
export interface FleetDevice {
  id: string
  class: string
  state: 'enrolled' | 'online' | 'gone'
  /** Of another machine, by a credential of its own; otherwise an agent of this machine. */
  enrolled: boolean
  version: string
  cores: number
  memoryMB: number
  /** ms since 1970 of its last sign of life; absent before the first. */
  seenAt?: number
  telemetry?: {
    cpu?: number
    memoryUsedMB?: number
    memoryMB?: number
    batteryWh?: number
    capacityWh?: number
    /** Last round trip to the service, in ms. */
    roundTripMs?: number
    /** In metres. */
    position?: { x: number; y: number }
  }
}

/** A place to deploy to. */
export interface Target {
  readonly kind: string
  /** Where the tasks in the cloud run, for people: `this machine`. */
  readonly place: string
  /** What `apply` would change, and why; a cluster is asked what it has. Changes nothing. */
  plan(current: Deployment | null, next: DeploymentSpec): Promise<DeploymentPlan>
  /** Starts what is new and resolves when all resources are ready. On failure nothing of it is left, and `current` serves on. */
  apply(spec: DeploymentSpec, options?: ApplyOptions): Promise<Deployment>
  /** Takes a deployment up again that an earlier process left running; `null` when it is gone. */
  attach(record: DeploymentRecord, spec: DeploymentSpec): Promise<Deployment | null>
  /** The devices that were enrolled or have called in, and were not forgotten. */
  fleet(): Promise<FleetDevice[]>
  /** Lets devices of other machines dial in; resolves with where. Known devices get the new token hash. */
  enrol(devices: readonly EnrolledAgent[]): Promise<HubAddress>
  /** Lets it in no more, and ends its connection. Returns false when it is unknown. */
  removeDevice(id: string): Promise<boolean>
  /** Frees what the target itself holds. Deployments that were not undeployed go on if they may (`leaseSeconds`). */
  close(): Promise<void>
}
