/** The types of what a run records, from their one declaration in `libs/swarm/src/run-records.ts`. */
import type {
  constraintResultSchema,
  deviceEventSchema,
  logLineSchema,
  runEventSchema,
  runOutputSchema,
  runStateSchema,
  runSummarySchema,
  spanSchema,
  TypeOf,
  taskStateSchema,
  taskStatisticsSchema,
} from '@hivemind/swarm'

/** One invocation of a task, as measured. */
export type Span = TypeOf<typeof spanSchema>
/** Identity of an invocation: the same key never counts twice, however often it is repeated after a failure. */
export type InvocationKey = Pick<Span, 'task' | 'device' | 'seq'>
export type LogLine = TypeOf<typeof logLineSchema>
export type TaskState = TypeOf<typeof taskStateSchema>
export type RunState = TypeOf<typeof runStateSchema>
export type RunOutput = TypeOf<typeof runOutputSchema>
export type ConstraintResult = TypeOf<typeof constraintResultSchema>
export type DeviceEvent = TypeOf<typeof deviceEventSchema>
/** What a run reports while it goes on; a fold over its events (`RunFold`) gives the state of the run. */
export type RunEvent = TypeOf<typeof runEventSchema>
/** A run without its spans. */
export type RunSummary = TypeOf<typeof runSummarySchema>
export type RunResult = RunSummary & { spans: Span[] }
/** Spans of one task, in figures. */
export type TaskStatistics = TypeOf<typeof taskStatisticsSchema>
