/**
 * Runs user task code in a supervised child process, never in the caller's. A crash, an exception, an endless loop or
 * too much memory ends that process with a clear `TaskError`, and the next invocation gets a fresh one.
 */
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
}

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
}

export interface Invocation {
  inputs: Record<string, unknown>
  context: InvocationContext
  timeoutMs: number
  signal?: AbortSignal
  /** One line the task logged. */
  onLog?: (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void
  /** Each item as it is produced: once for a task that returns, any number of times for a generator. Awaited, so a slow taker slows the task. */
  onItem: (value: unknown, seq: number) => void | Promise<void>
}

export interface InvocationResult {
  /** ms in the user's code, without start-up, transfer, and waiting for a core. */
  executionMs: number
  /** ms in which the code could have gone on but had no core; 0 where the system does not tell (only Linux does). */
  waitedMs: number
  /** ms to reach the code and to hear from it, beside `startMs`, `executionMs`, `waitedMs` and `onItem`. */
  callMs: number
  /** ms to start the process when it was not warm; 0 when it was. */
  startMs: number
  items: number
  /** Peak resident memory of the process so far, in MB. */
  peakMemoryMB: number
}

export type TaskErrorKind = 'exception' | 'crash' | 'timeout' | 'memory' | 'load' | 'cancelled' | 'value'

export interface TaskRunner {
  /** Starts the process ahead of need and loads the code. */
  warm(): Promise<void>
  invoke(invocation: Invocation): Promise<InvocationResult>
  close(): Promise<void>
}
