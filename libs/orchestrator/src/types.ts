import type { Breakdown, Tier } from '@hivemind/swarm'

/** Identity of an invocation: the same key is never counted twice, however often it is repeated after a failure. */
export interface InvocationKey {
  task: string
  /** Device name, or `*` behind a barrier. */
  device: string
  /** Item of the stream, from 0; 0 for an object. */
  seq: number
}

export interface Span extends InvocationKey {
  tier: Tier
  /** Worker or agent that ran it. */
  worker: string
  /** Wall clock, ms since 1970 with fraction: ready to run, started, ended. */
  queuedAt: number
  startedAt: number
  endedAt: number
  /** ms; the parts of the time from queuedAt to the hand-over of the output. */
  breakdown: Breakdown
  bytesIn: number
  bytesOut: number
  /** Items it produced. */
  items: number
  status: 'ok' | 'failed'
  error?: string
  /** 1 for the first try. */
  attempt: number
}

export interface LogLine {
  at: number
  level: 'debug' | 'info' | 'warn' | 'error'
  /** A task, an agent or `run`. */
  source: string
  device?: string
  text: string
}

export interface TaskState {
  task: string
  tier: Tier
  state: 'waiting' | 'running' | 'done' | 'failed'
  started: number
  done: number
  failed: number
}

/** What a run tells while it goes on; a fold over them gives the state of the run. */
export type RunEvent =
  | { type: 'state'; at: number; state: RunState; message?: string }
  | { type: 'task'; at: number; task: TaskState }
  | { type: 'span'; at: number; span: Span }
  | { type: 'log'; at: number; line: LogLine }
  | { type: 'output'; at: number; output: RunOutput }
  | { type: 'device'; at: number; device: string; state: 'up' | 'lost' | 'respawned'; message: string }

export type RunState = 'queued' | 'starting' | 'running' | 'succeeded' | 'failed' | 'cancelled'

export interface RunOutput {
  task: string
  data: string
  device: string
  seq: number
  /** JSON; bytes appear as `{ "$bytes": base64 }`, cut at 64 kB with `"$truncated": true`. */
  value: unknown
}

export interface RunResult {
  state: RunState
  /** One sentence: why it failed, or what was lost on the way. */
  message?: string
  startedAt: number
  endedAt: number
  outputs: RunOutput[]
  spans: Span[]
  tasks: TaskState[]
  /** What failures cost: invocations and devices that were given up, empty when nothing was lost. */
  losses: string[]
}
