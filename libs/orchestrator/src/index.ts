export type { FailureKind } from '@hivemind/agent-protocol'
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
export type { CoreEffect, CoreEvent } from './core/events.ts'
export { compileForService } from './core/plan.ts'
export { newRunState } from './core/state.ts'
export { step } from './core/step.ts'
export type {
  DeviceOptions,
  DevicePorts,
  DeviceWork,
  EmittedValue,
  TaskInputRef,
  WireItem,
  WorkError,
  WorkResult,
} from './device/ports.ts'
export { DeviceRuntime } from './device/runtime.ts'
export { executePlan } from './engine.ts'
export { type FoldedRun, isFinal, MAX_LOG_LINES, MAX_OUTPUTS, RunFold } from './fold.ts'
export { Join, type Ready } from './join.ts'
export { afterFailure, isTransient, MAX_ATTEMPTS } from './policy.ts'
export {
  type EdgeEvent,
  type RunEngineOptions,
  type RunPorts,
  type Shape,
  type Timing,
  type Work,
  WorkFailure,
} from './ports.ts'
export { QuantileSketch } from './sketch.ts'
export { latencyOf, SpanStatistics } from './statistics.ts'
export { type Timings, timingsOf } from './timings.ts'
export { type Component, SWARM, type Topology, topologyOf } from './topology.ts'
export type {
  ConstraintResult,
  DeviceEvent,
  InvocationKey,
  LogLine,
  RunEvent,
  RunOutput,
  RunResult,
  RunState,
  RunSummary,
  Span,
  TaskState,
  TaskStatistics,
} from './types.ts'
