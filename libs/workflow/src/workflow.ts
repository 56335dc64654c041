/**
 * The domain model: what a `.hive.py` text means. Plain data, serialisable, versioned.
 * HiveMind paper, section 4.1, Listings 1-3.
 */
import type { Quantity } from './quantity.ts'

/** A literal value of the language. `{ name }` is a bare identifier that is no known task or data name. */
export type ArgValue = string | number | boolean | null | ArgValue[] | { [key: string]: ArgValue }

/** When a barrier opens: after all parents on all devices, after any of them, or after a number of them. */
export type SyncCondition = { kind: 'all' } | { kind: 'any' } | { kind: 'count'; count: number }

/** Where a task must run. `target` is `'all'`, a device class or a device. */
export type Pin = { tier: 'cloud' } | { tier: 'edge'; target: string } | { tier: 'fabric' }

/**
 * What happens to the work of a device that fails: run it again, divide it among other devices, go on from the last
 * saved state, or go on without it.
 */
export type RestorePolicy = 'respawn' | 'repartition' | 'checkpoint' | 'ignore'
/** Whose decisions a task’s model is retrained with: those of all devices, of its own device, or none. */
export type LearnScope = 'Global' | 'Device' | 'Off'

/** The optional management directives of one task (Listing 2) and its barrier. */
export interface Directives {
  synchronize?: SyncCondition
  /**
   * `priority`: higher goes first. `deadline`: from when its inputs are complete to its end; missed ones are counted.
   * `onMiss: 'drop'`: what has not started by then is given up.
   */
  schedule?: { priority?: number; deadline?: Quantity; onMiss?: 'drop' }
  isolate?: true
  place?: Pin
  restore?: RestorePolicy
  learn?: LearnScope
  persist?: true
}

/** A task of the workflow. */
export interface Task {
  name: string
  /** Names of the data it reads, in order; empty for `None`. */
  dataIn: string[]
  /** Name of the data it writes; `null` for `None`. */
  dataOut: string | null
  /** Path relative to the workflow file, or `nfu:OP?arg=..`. */
  code: string
  parents: string[]
  children: string[]
  /** Every other keyword, handed to the task's code untouched. */
  args: Record<string, ArgValue>
  directives: Directives
}

/** Data that flows between tasks. */
export interface DataItem {
  name: string
  /** `stream` when unspecified: a sensor task emits a stream; other data has the kind of what it is computed from. */
  kind?: 'object' | 'stream'
  /** Media type, such as `image/jpeg`. */
  type?: string
  size?: Quantity
  rate?: Quantity
  /** It does not leave the device it is written on. */
  stays?: 'device'
  /** False when no `Data` statement describes it. */
  declared: boolean
}

/** How two tasks relate in time, beyond the order that the graph gives. */
export interface Relation {
  kind: 'parallel' | 'overlap' | 'serial'
  a: string
  b: string
  /** Of `serial`: where the two may not overlap; on one device when absent. */
  scope?: 'swarm'
}

/** What a constraint limits. */
export type ConstraintKey = 'execTime' | 'latency' | 'throughput' | 'cost' | 'energy' | 'power'
/** A limit that every run should keep. `throughput` is a minimum, all others are maxima. */
export interface Constraint {
  key: ConstraintKey
  limit: Quantity
}

/** A whole workflow: what a `.hive.py` text means. */
export interface Workflow {
  schema: 'hivemind.workflow/1'
  tasks: Task[]
  data: DataItem[]
  relations: Relation[]
  constraints: Constraint[]
}

/** An edge of the DAG, with the data that flows over it (none for a mere order). */
export interface Edge {
  from: string
  to: string
  data: string[]
}
