/** What a function host is started with. */
import type { RunnerSpec } from './types.ts'

/** A task that a function host serves. */
export interface ServedTask extends RunnerSpec {
  /** Names of the data the task reads. */
  dataIn: string[]
  /** Name of the data the task writes; the task's name when it writes none. */
  dataOut?: string | null
  /** Whether a call gives at most one item, or any number. */
  emits: 'one' | 'many'
  /** Most time that the code may take for a call that names none, in ms. */
  timeoutMs: number
  /** What its code must be: files of `dir` with their sha-256 in hex. Not looked at when absent. */
  files?: readonly { path: string; hash: string }[]
}

/** A function and how it is served. */
export interface FunctionConfig extends ServedTask {
  workflow: string
  /** Name of the edge node that it is on. */
  node?: string
  /** Tasks that share its host, and are called with what the tasks `after` have emitted, each behind those. */
  coPlaced?: (ServedTask & { after: string[] })[]
  /** Most processes of the task at once. */
  concurrency: number
  /** A network function runs on the fabric of the board in this folder, instead of in processes. */
  board?: string
  /** Address to listen on; all when absent. */
  host?: string
  /** TCP port; 0 for any. `PORT` in the environment wins. */
  port?: number
  /** Callers must send it as `Authorization: Bearer TOKEN`. Anybody may call when absent. */
  token?: string
  /** Where items go of callers that are not a run core and name no sink: a URL that takes CloudEvents. `K_SINK` when absent. */
  sink?: string
  /** The host ends when nobody with the token has called for so long, in s. Never when absent. */
  leaseSeconds?: number
  /** A file that is written when the function is ready, or cannot be: `{port, pid}` or `{error}`. */
  readyFile?: string
  /** Told in `/healthz`, so that a supervisor knows what runs. */
  configHash?: string
}

/** Name of a function: those of its tasks, with `+` between them, and behind `@` the edge node that it is on. */
export const functionName = (tasks: readonly string[], node: string | undefined): string =>
  node === undefined ? tasks.join('+') : `${tasks.join('+')}@${node}`

/** Whether a function has several tasks, by its name. */
export const hasSeveralTasks = (name: string): boolean => name.includes('+')

/** Names of the tasks of a function. */
export const tasksOf = ({ task, coPlaced = [] }: Pick<FunctionConfig, 'task' | 'coPlaced'>): string[] => [
  task,
  ...coPlaced.map((each) => each.task),
]
