/** What a run records: spans, task states, log lines, outputs and events, each declared here and nowhere else. */
import {
  boolean,
  integer,
  list,
  number,
  oneOf,
  optional,
  record,
  string,
  unknown,
  variants,
} from './schema.ts'
import { TIER_IDS } from './tiers.ts'

/** Where a task runs: a row of the table of tiers. */
export const tierSchema = oneOf(...TIER_IDS)

/** Parts of the time from ready to run to the hand-over of the output, in ms. */
export const breakdownSchema = record({
  network: number,
  management: number,
  dataExchange: number,
  execution: number,
})

/** One invocation of a task, as measured. Its key is (task, device, seq); `attempt` counts its tries. */
export const spanSchema = record({
  task: string,
  /** Name of the device, or `*` for a task that runs once for the whole swarm. */
  device: string,
  /** Item number, from 0; 0 for an object. */
  seq: integer,
  tier: tierSchema,
  /** Worker or agent that ran it. */
  worker: string,
  /** Ready to run, in ms since 1970 with fraction. */
  queuedAt: number,
  /** Started, in ms since 1970 with fraction. */
  startedAt: number,
  /** Ended, in ms since 1970 with fraction. */
  endedAt: number,
  breakdown: breakdownSchema,
  /** Size of the encoded inputs. */
  bytesIn: number,
  /** Size of the encoded outputs. */
  bytesOut: number,
  /** Number of items it emitted. */
  items: integer,
  status: oneOf('ok', 'failed'),
  error: optional(string),
  /** 1 for the first try. */
  attempt: integer,
  /** True when it ended after its deadline (`Schedule`). */
  missedDeadline: optional(boolean),
  /** Of `management`: its wait until its function had started, a container or a process, in ms. Absent when it was warm. */
  coldStartMs: optional(number),
})

/** Progress of one task over the whole swarm, in invocations. */
export const taskStateSchema = record({
  task: string,
  tier: tierSchema,
  state: oneOf('waiting', 'running', 'done', 'failed'),
  started: integer,
  done: integer,
  failed: integer,
  /** Ended after their deadline. */
  missed: optional(integer),
  /** Given up because they had not started by their deadline. */
  dropped: optional(integer),
})

/** A line that a task, an agent or the run itself has logged. */
export const logLineSchema = record({
  /** ms since 1970. */
  at: number,
  level: oneOf('debug', 'info', 'warn', 'error'),
  /** A task, an agent or `run`. */
  source: string,
  device: optional(string),
  text: string,
})

/** A value that a task without children, or one under `Persist`, has emitted. */
export const runOutputSchema = record({
  task: string,
  data: string,
  /** Name of the device, or `*` for the whole swarm. */
  device: string,
  seq: integer,
  /** A preview as JSON; bytes appear as `{ "$bytes": base64 }`, cut at 64 kB with `"$truncated": true`. */
  value: unknown,
  /** Media type of the whole value. */
  type: optional(string),
  /** Size of the whole value, encoded. */
  bytes: optional(integer),
  /** True when the whole value was kept with the run. */
  persisted: optional(boolean),
  /** Where the whole value is kept. */
  ref: optional(record({ pool: string, key: string, version: integer })),
})

/** How a run did on one constraint of its workflow. */
export const constraintResultSchema = record({
  key: string,
  /** What is measured, and how; absent in runs of earlier versions. */
  rule: optional(string),
  /** In the unit of the measured value: ms, items/s, $, J, W, or a share from 0 to 1. */
  limit: number,
  /** Absent when the constraint could not be judged. */
  value: optional(number),
  /** Absent when the constraint could not be judged. */
  met: optional(boolean),
  /** One sentence: met, missed by how much, or why it was not judged. */
  text: string,
})

/** Where a run is; the last three are final. */
export const runStateSchema = oneOf('queued', 'starting', 'running', 'succeeded', 'failed', 'cancelled')
const deviceStateSchema = oneOf('up', 'lost', 'respawned')

/** What happened to a device during a run. */
export const deviceEventSchema = record({
  /** ms since 1970. */
  at: number,
  device: string,
  state: deviceStateSchema,
  message: string,
})

/** A run without its spans, which are read by page. */
export const runSummarySchema = record({
  state: runStateSchema,
  /** One sentence: why it failed, or what was lost on the way. */
  message: optional(string),
  /** ms since 1970. */
  startedAt: number,
  endedAt: number,
  outputs: list(runOutputSchema),
  tasks: list(taskStateSchema),
  /** What failures cost: invocations and devices that were given up. Empty when nothing was lost. */
  losses: list(string),
  /** How the run did on the workflow's constraints; judged at its end. */
  constraints: optional(list(constraintResultSchema)),
})

/** What a run reports while it goes on; a fold over its events (`RunFold`) gives the state of the run. */
export const runEventSchema = variants({
  state: { at: number, state: runStateSchema, message: optional(string) },
  task: { at: number, task: taskStateSchema },
  span: { at: number, span: spanSchema },
  log: { at: number, line: logLineSchema },
  output: { at: number, output: runOutputSchema },
  device: { at: number, device: string, state: deviceStateSchema, message: string },
  /** The run goes on after its service was killed: outputs and counters are told anew from here on, all of them. */
  resumed: { at: number },
})

/** Spans of one task, in figures. Times are of the invocations that succeeded, from ready to run to the hand-over. */
export const taskStatisticsSchema = record({
  task: string,
  tier: tierSchema,
  invocations: integer,
  failed: integer,
  /** Ended after their deadline. */
  missed: integer,
  /** Median; 0 when none succeeded. */
  p50Ms: number,
  p90Ms: number,
  p99Ms: number,
  /** Mean of each part. */
  breakdown: breakdownSchema,
  /** Sums over all invocations. */
  bytesIn: number,
  bytesOut: number,
  /** The invocations that succeeded, by whether they waited for their function to start. Absent when none did. */
  starts: optional(
    record({
      cold: integer,
      coldP50Ms: number,
      coldP99Ms: number,
      warm: integer,
      /** 0 when none was warm. */
      warmP50Ms: number,
      warmP99Ms: number,
    }),
  ),
})
