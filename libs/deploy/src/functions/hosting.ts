/** Where the functions of a deployment run: processes of this machine, or services of a cluster. */
import type { Bundle, PlanTask } from '@hivemind/synthesis'
import type { CoreAssignment } from '@hivemind/task-runner'
import type { ProcessStatus } from '@hivemind/task-runner/functions'
import type { Finding } from '../knative/check.ts'
import type { ObjectChange } from '../object-change.ts'
import type { FunctionEndpoint } from './client.ts'

/** A task that is called, those that share its container, and where their code is. */
export interface FunctionWork {
  /** What the function is called: as its tasks, with the edge node behind it where there is one (`functionName`). */
  name: string
  workflow: string
  task: PlanTask
  /** Absent when the task is a functional unit. */
  bundle: Bundle | undefined
  /** Tasks that are called with what those before them have emitted, in the same container. */
  coPlaced?: readonly { task: PlanTask; bundle: Bundle | undefined }[]
  /** Folder of the files of the bundles. */
  projectDir: string
  /** The board of a network function on the fabric. */
  board?: string
  /** The edge node that it is on. */
  node?: string
  /** The machine of that edge node: a device that dials in. This machine, or one of the cluster, when absent. */
  machine?: string
}

/** What serves a function on a cluster. */
export interface ContainerCount {
  /** Revision that gets the calls. */
  revision: string
  /** Its containers that are ready; none when the function has gone to zero. */
  ready: number
  /** Of these, the ones that take calls without the way through the ingress. */
  direct: number
}

/** State of a function. */
export interface FunctionStatus extends ProcessStatus {
  containers?: ContainerCount
}

/** A function that is ready to take the place of another. */
export interface PreparedFunction {
  /** Where it takes calls before it is committed; absent when the function that serves stays. */
  endpoint?: () => Promise<FunctionEndpoint>
  /** From now on it gets the calls; the one before finishes its work and ends. */
  commit(): Promise<void>
  /** Ends it, unless it was committed. */
  discard(): Promise<void>
}

/** The functions of one deployment, and of those that follow it. */
export interface FunctionHosting {
  /** Invocations of one function that may be under way at once. */
  readonly concurrency: number
  /**
   * Starts a function beside the one of that name, which serves on until the new one is committed. Does nothing when the same
   * runs already. Rejects with `TaskError`; what ran before then goes on.
   */
  prepare(work: FunctionWork, signal: AbortSignal): Promise<PreparedFunction>
  /** Takes up functions that were started before; what is gone of them is to be prepared again. */
  attach(records: readonly Record<string, unknown>[]): Promise<void>
  /** What to save, so that `attach` finds the functions again: plain data. */
  records(): Record<string, unknown>[]
  /** Where a function takes calls; waits while it restarts. Rejects with `TaskError` when it does not run. */
  endpoint(name: string): Promise<FunctionEndpoint>
  /** Starts a function that has gone to zero, before it is called, and does not wait. Absent where functions never do. */
  wake?(name: string): void
  statuses(): FunctionStatus[]
  /** The last lines of a function's log, the oldest first; of the start that is under way or has failed when `starting`. */
  logs(name: string, starting: boolean): string[]
  /**
   * What preparing and committing these functions, and stopping those that are `removed`, would change of the objects of a cluster,
   * by function. Absent where functions are processes. Rejects with `ClusterError`.
   */
  preview?(works: readonly FunctionWork[], removed: readonly string[]): Promise<Map<string, ObjectChange[]>>
  /** What a cluster would refuse of the objects of these functions, in sentences; it is asked, and keeps nothing. Rejects with `ClusterError`. */
  refusals?(works: readonly FunctionWork[]): Promise<string[]>
  /** Lets a function finish its work and ends it. */
  stop(name: string): Promise<void>
  /** Ends every function. */
  stopAll(): Promise<void>
  /** Stops supervising; functions that may go on without this process do. */
  close(): Promise<void>
}

/** What a deployment tells of itself to where its functions run. */
export interface HostingContext {
  group: string
  /** Name of the deployment. */
  deployment: string
  /** Cores of its isolated tasks, once they are known. */
  cores: () => CoreAssignment | undefined
  onStatus: () => void
}

/** What the target adds: where it keeps things, and how long its processes live. */
export interface PlaceContext extends HostingContext {
  dir: string
  life: 'bound' | { leaseSeconds: number }
  log: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void
}

/** Where functions run. */
export interface FunctionPlace {
  /** Kind of the target. */
  kind: string
  /** For people. */
  place: string
  /** Its functions are processes of this machine, and take its cores and memory. */
  onThisMachine: boolean
  /** What it needs, and whether that is there; absent for this machine. Changes nothing. */
  needs?(): Promise<Finding[]>
  /** Functions of a group of deployments that follow each other. */
  hosting(context: PlaceContext): FunctionHosting
}
