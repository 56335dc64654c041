/** The file of a data-flow graph (Cascade, section 3.1): which lambdas run for which paths, and where their results go. */
import type { LambdaOptions, PoolOptions } from '../contract.ts'

/** A data-flow graph, as its file has it. `parseGraph` reads one. */
export interface DataFlowGraph {
  /** Names the graph: 1 to 100 letters, digits, points, dashes or underscores. */
  id: string
  /** What it does, for people. */
  desc?: string
  /** Pools that are created when the graph is bound and they are not there. */
  pools?: GraphPool[]
  graph: GraphVertex[]
}

/** A pool that a graph needs. */
export interface GraphPool extends PoolOptions {
  pathname: string
}

/** The lambdas bound to a path. */
export interface GraphVertex {
  pathname: string
  /** Of the processes that bind the graph to a shared store, `one` (default) handles each object, or `all` do. */
  dispatcher?: 'one' | 'all'
  lambdas: GraphLambda[]
}

/** A lambda of a vertex. */
export interface GraphLambda extends Pick<LambdaOptions, 'concurrency' | 'cores' | 'timeoutMs' | 'dispatch'> {
  /** Names the code: 1 to 100 letters, digits, points, dashes or underscores. */
  id: string
  /** Objects of one key run one after another in the order of writes; false when absent. */
  stateful?: boolean
  /** Which writes run it: trigger puts, those that are kept, or both (default). */
  hooks?: 'trigger' | 'ordered' | 'both'
  /** Passed on to the lambda. */
  config?: unknown
  /** Paths, and how what the lambda returns is put there. */
  destinations?: Record<string, 'put' | 'trigger_put'>[]
}
