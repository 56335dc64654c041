export {
  type Comparison,
  type ComparisonRow,
  compare,
  type Deviations,
  deviationsOf,
  type Figure,
  quantile,
  type Repetition,
  repetitionOf,
} from './comparison.ts'
export { executePlan } from './engine.ts'
export { Join, type Ready } from './join.ts'
export { afterFailure, isTransient, MAX_ATTEMPTS } from './policy.ts'
export {
  type EdgeEvent,
  type FailureKind,
  type RunEngineOptions,
  type RunPorts,
  type Shape,
  type Timing,
  type Work,
  WorkFailure,
} from './ports.ts'
export { type Timings, timingsOf } from './timings.ts'
export { type Component, SWARM, type Topology, topologyOf } from './topology.ts'
export type {
  InvocationKey,
  LogLine,
  RunEvent,
  RunOutput,
  RunResult,
  RunState,
  Span,
  TaskState,
} from './types.ts'
