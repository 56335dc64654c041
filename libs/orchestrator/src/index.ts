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
export { type CoreDevice, compileForService, SWARM } from './core/plan.ts'
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
export { type FoldedRun, isFinal, MAX_OUTPUTS, RunFold } from './fold.ts'
export {
  type ChosenItem,
  FromTaskError,
  giveRecorded,
  type PartOfPlan,
  planFrom,
  type RecordedItem,
  type RecordedValues,
  recordedItems,
} from './from-task.ts'
export { ItemPaths, type PathInput, type PathStep } from './item-path.ts'
export { afterFailure, isTransient, MAX_ATTEMPTS } from './policy.ts'
export { type Recorded, RunReplay } from './replay.ts'
export { MAX_LOG_LINES } from './run-log.ts'
export {
  type AbortSignalLike,
  type CloudItem,
  type CloudResult,
  type CloudWork,
  type FleetEvent,
  type RunOptions,
  type RunOutcome,
  type ServicePorts,
  WorkFailure,
} from './service/ports.ts'
export { executeRun, resumeRun } from './service/run.ts'
export { QuantileSketch } from './sketch.ts'
export { latencyOf, SpanStatistics } from './statistics.ts'
export { type Timings, timingsOf } from './timings.ts'
export {
  type ExportTraceRequest,
  executionTraceparent,
  exportRequest,
  formatTraceparent,
  keyValueList,
  parseTraceparent,
  type ResourceSpan,
  runContext,
  runTrace,
  type TracedRun,
  type TraceResource,
  traceResource,
} from './trace/index.ts'
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
