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
/** A line that a task, an agent or the run itself has logged. */
export type LogLine = TypeOf<typeof logLineSchema>
/** Progress of one task over the whole swarm, in invocations. */
export type TaskState = TypeOf<typeof taskStateSchema>
/** Where a run is; the last three are final. */
export type RunState = TypeOf<typeof runStateSchema>
/** A value that a run gives: its preview, and where the whole value is kept. */
export type RunOutput = TypeOf<typeof runOutputSchema>
/** How a run did on one constraint of its workflow. */
export type ConstraintResult = TypeOf<typeof constraintResultSchema>
/** What happened to a device during a run. */
export type DeviceEvent = TypeOf<typeof deviceEventSchema>
/** What a run reports while it goes on; a fold over its events (`RunFold`) gives the state of the run. */
export type RunEvent = TypeOf<typeof runEventSchema>
/** A run without its spans. */
export type RunSummary = TypeOf<typeof runSummarySchema>
/** A run with all of its spans. */
export type RunResult = RunSummary & { spans: Span[] }
/** Spans of one task, in figures. */
export type TaskStatistics = TypeOf<typeof taskStatisticsSchema>
