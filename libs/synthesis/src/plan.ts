/**
 * The compiled plan of a workflow and a placement: all that a target and the orchestrator need to know.
 * Plain data; deterministic: the same workflow, placement and files give the same bytes.
 */

import type { Placement, Tier } from '@hivemind/swarm'
import type { ArgValue, Kind, LearnScope, RestorePolicy, Scope, SyncCondition } from '@hivemind/workflow'

/** What runs the code of a task. */
export type Runtime = 'node' | 'python' | 'nfu'

/** A task of a plan: where and how it runs. */
export interface PlanTask {
  name: string
  tier: Tier
  runtime: Runtime
  /** Path of the code within the bundle, or `nfu:OP?..`. */
  code: string
  args: Record<string, ArgValue>
  dataIn: string[]
  dataOut: string | null
  /** Media type of the output when known. */
  outputType?: string
  parents: string[]
  children: string[]
  /** How often it is called: see `scopesOf` of the workflow. */
  scope: Scope
  /** Called once (`object`) or for each item (`stream`), and what all its calls give together. */
  kindIn: Kind
  kindOut: Kind
  /** `Data(kind='object')`: every call emits exactly one item. */
  exactlyOne?: true
  /** The only device it runs on, when its pin names one (`Place(task, 'Edge:device-2')`). */
  device?: string
  /** The only class of devices it runs on (`Place(task, 'Edge:drone')`). */
  deviceClass?: string
  barrier?: SyncCondition
  /** Tasks that end before this one starts, for the same item (`Serial`), and where the two may not overlap. */
  serialAfter?: { task: string; scope: 'device' | 'swarm' }[]
  /** Parents whose object starts this task as soon as it is emitted (`Overlap`), not when they have ended. */
  overlaps?: string[]
  /** It keeps state: `device`, or the field of its input that names the key. Its items come in order, one at a time. */
  stateKey?: string
  /** Time from its inputs being complete to its end, in ms (`Schedule(deadline)`); later ends are counted as missed. */
  deadlineMs?: number
  /** What has not started by its deadline is given up. */
  onMiss?: 'drop'
  /** Least time between two items of a sensor, in ms (`Data(rate)`). */
  paceMs?: number
  learn?: LearnScope
  /** Tasks this one may not overlap with, for the same item (`Serial`). */
  serialWith: string[]
  isolate: boolean
  restore: RestorePolicy
  persist: boolean
  priority: number
  /** An invocation that runs longer is killed, in ms. */
  timeoutMs: number
  /** A process that uses more is killed, in MB. */
  memoryMB: number
  /** Its code may use the network. */
  network?: true
  /** The first task of the container that it runs in with its parents: what they emit is handed to it in memory. */
  inContainerOf?: string
  /** Content hash of its bundle; `null` for nfu ops. */
  bundle: string | null
}

/** How the output of one task reaches another. */
export interface PlanLink {
  from: string
  to: string
  data: string[]
  /** `wire`: inside one edge flow. `thrift`: touches the edge and leaves it. `cloudevents`: cloud to cloud. */
  transport: 'wire' | 'thrift' | 'cloudevents'
}

/** A compiled workflow with its placement. */
export interface Plan {
  schema: 'hivemind.plan/1'
  workflow: string
  placement: Placement
  /** Functions were put into the containers of those before them, where they can be there; every one has its own when absent. */
  handOver?: 'co-placed'
  tasks: PlanTask[]
  links: PlanLink[]
  /** Data a run must or may be given. */
  inputs: string[]
  /** Names of the tasks whose outputs are the run's results. */
  sinks: string[]
  /** Names in the Thrift interface, where Thrift or another definition has taken a name already. */
  names: { tasks: Record<string, string>; data: Record<string, string> }
}

/** The code of one task: every file it may read of the project, addressed by content. */
export interface Bundle {
  /** sha-256 over the sorted list of paths and file hashes, hex. */
  hash: string
  task: string
  entry: string
  files: { path: string; hash: string; bytes: number }[]
}

/** One generated text file (Thrift IDL, Node-RED flow, function manifest), path relative to the output folder. */
export interface Artefact {
  path: string
  text: string
}

/** Everything generated from a workflow and a placement. */
export interface Synthesis {
  plan: Plan
  bundles: Bundle[]
  /** The Node-RED flow every edge agent loads, as Node-RED's own JSON array. */
  flow: NodeRedNode[]
  /** Thrift IDL of the workflow. */
  thrift: string
  artefacts: Artefact[]
}

/** A node of a flow, in Node-RED’s own format. */
export interface NodeRedNode {
  id: string
  type: string
  z?: string
  name?: string
  wires?: string[][]
  [key: string]: unknown
}
