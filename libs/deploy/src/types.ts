/**
 * Targets: where a plan can be deployed. The local target is the embedded default; Knative comes beside it.
 */
import type { InvocationKey, RunEvent, RunResult } from '@hivemind/orchestrator'
import type { Synthesis } from '@hivemind/synthesis'

export interface DeploymentSpec {
  /** Unique name of the deployment. */
  name: string
  synthesis: Synthesis
  /** Folder of the project: task code and its data. Nothing outside it is read. */
  projectDir: string
  /** Number of edge devices to start. */
  agents: number
}

export interface DeploymentDiff {
  create: string[]
  change: string[]
  remove: string[]
}

export interface ResourceStatus {
  kind: 'function' | 'agent'
  name: string
  state: 'starting' | 'ready' | 'failed' | 'stopped'
  /** Process id of an agent on the local target. */
  pid?: number
  message?: string
}

export interface DeploymentStatus {
  state: 'starting' | 'ready' | 'failed' | 'stopped'
  message?: string
  resources: ResourceStatus[]
}

/** An item that a device has sent to the cloud. */
export interface ItemSent {
  /** The invocation that emitted it; `seq` is the item's number. */
  key: InvocationKey
  /** When it left the device, ms since 1970. */
  sentAt: number
}

export interface RunOptions {
  /** Values for the plan's inputs; a missing one is `null` for the task that reads it. */
  inputs?: Record<string, unknown>
  /** Items a sensor may emit on each device; unlimited when absent. */
  itemsPerDevice?: number
  signal?: AbortSignal
  onEvent?: (event: RunEvent) => void
  /** Told when an item arrives that a device has sent; only over a shaped link, where the way takes time. */
  onItem?: (item: ItemSent) => void
}

export interface Deployment {
  readonly spec: DeploymentSpec
  status(): DeploymentStatus
  /** Runs the workflow once. Resolves in every case; failures of the user's code are in the result. One run at a time; a second waits. */
  run(options?: RunOptions): Promise<RunResult>
  /** Stops every process and removes what was made. Idempotent. */
  undeploy(): Promise<void>
}

export interface Target {
  readonly name: string
  /** What `apply` would change; pure. */
  plan(current: DeploymentSpec | null, next: DeploymentSpec): DeploymentDiff
  /** Starts everything and resolves when all resources are ready. On failure nothing is left running. */
  apply(
    spec: DeploymentSpec,
    options?: { signal?: AbortSignal; onStatus?: (status: DeploymentStatus) => void },
  ): Promise<Deployment>
}
