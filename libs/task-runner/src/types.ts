/**
 * Runs user task code in a supervised child process, never in the caller's. A crash, an exception, an endless loop or
 * too much memory ends that process with a clear `TaskError`, and the next invocation gets a fresh one.
 */
import type { EncodedValue } from '@hivemind/values'

/** What a task process is started with: the code of one task, its arguments and limits. */
export interface RunnerSpec {
  task: string
  runtime: 'node' | 'python' | 'nfu'
  /** Folder the code may read: the project or an unpacked bundle. */
  dir: string
  /** Path of the code within `dir`, or `nfu:OP?..`. */
  code: string
  args: Record<string, unknown>
  /** Memory bound of the process in MB. */
  memoryMB: number
  /** Media type of outputs that are nothing but bytes; `application/octet-stream` when absent. */
  outputType?: string
  /** Told what the code prints while it is loaded ahead of any invocation. */
  onLoadLog?: (level: 'info' | 'warn', text: string) => void
  /** Whether the task keeps state. When `false`, code that sets some gets an exception; allowed when absent. */
  stateful?: boolean
  /** Field of the input whose value says which of several states an item belongs to (`state='FIELD'`); one for all when absent. */
  stateField?: string
  /** Whether its code may use the network. When absent, it has none in a sandbox. */
  network?: boolean
  /** Cores its process may use (see `assignCores`); all when absent, and where the system has no `taskset`. */
  cores?: readonly number[]
}

/** What the code learns about one invocation through `context`. */
export interface InvocationContext {
  run: string
  task: string
  /** Device name, or `*` behind a barrier. */
  device: string
  /** Index of the device in the fleet, from 0; -1 behind a barrier. */
  deviceIndex: number
  devices: string[]
  seq: number
  /** Most items a sensor may emit; absent when unlimited. */
  maxItems?: number
  /** W3C `traceparent` of this execution, for spans of the code's own; absent when nobody traces the call. */
  traceparent?: string
}

/** One input of a task: a value, what a barrier has collected, or nothing (`null` in task code). */
export type TaskInput =
  | { kind: 'one'; value: EncodedValue }
  | { kind: 'many'; items: { device: string; seq: number; value: EncodedValue }[] }
  | { kind: 'none' }

/** One item that a task has produced, as its process encoded it. */
export interface Emitted {
  value: EncodedValue
  /** The value of each key, when the value is a plain object whose keys all are names in `scatterTo`. */
  parts?: Record<string, EncodedValue>
  /** The state when the item was emitted, when it has changed since the item before. */
  state?: Uint8Array
}

/** One invocation of a task: inputs, limits, and callbacks for what it emits. */
export interface Invocation {
  /** By name of the data. */
  inputs: Record<string, TaskInput>
  context: InvocationContext
  /** What `context.state` holds at the start: CBOR of a map, as an earlier invocation gave it. Empty when absent. */
  state?: Uint8Array | null
  /** Items that were emitted before the checkpoint that `state` is of; `onItem` counts on from here. 0 when absent. */
  firstIndex?: number
  /** Names of the devices that may each get a part of the result. */
  scatterTo?: readonly string[]
  /** Min time from one item being asked for to the next, in ms. None when absent. */
  paceMs?: number
  /** Most time that the code may take, in ms, without what its items wait for whoever takes them. */
  timeoutMs: number
  signal?: AbortSignal
  /** One line the task logged. */
  onLog?: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void
  /** A decision that the code reported for learning (`context.report`). */
  onDecision?: (decision: EncodedValue) => void
  /** Each item as it is produced: once for a task that returns, any number of times for a generator. Awaited, so a slow taker slows the task. */
  onItem: (item: Emitted, index: number) => void | Promise<void>
}

/** Measurements of one invocation, and its state at the end. */
export interface InvocationResult {
  /** ms in the user's code, without start-up, transfer, and waiting for a core. */
  executionMs: number
  /** ms in which the code could have gone on but had no core; 0 where the system does not tell (only Linux does). */
  waitedMs: number
  /** ms to reach the code and to hear from it, beside `startMs`, `executionMs`, `waitedMs`, `pacedMs` and `onItem`. */
  callMs: number
  /** ms to start the process when it was not warm; 0 when it was. */
  startMs: number
  /** ms in which items were not asked for because of `paceMs`. */
  pacedMs: number
  /** Items emitted by this invocation. */
  items: number
  /** Decisions it reported. */
  decisions: number
  /** Peak resident memory of the process so far, in MB. */
  peakMemoryMB: number
  /** The state at the end, when the code has changed it. */
  state?: Uint8Array
}

/** Why an invocation failed; see `TaskError`. */
export type TaskErrorKind = 'exception' | 'crash' | 'timeout' | 'memory' | 'load' | 'cancelled' | 'value'

/** The process of one task, which is started when it is needed. */
export interface TaskRunner {
  /** Starts the process ahead of need and loads the code. */
  warm(): Promise<void>
  /** Rejects with `TaskError`. Invocations that come together are served one after the other. */
  invoke(invocation: Invocation): Promise<InvocationResult>
  /** Resident memory of its process, in MB; 0 while there is none, and where the system does not tell. */
  memoryMB(): number
  close(): Promise<void>
}
