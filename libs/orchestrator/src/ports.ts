/**
 * What the engine needs from the world. A target implements these; the engine itself has no I/O, clock or timer.
 */
import type { FailureKind } from '@hivemind/agent-protocol'
import type { Breakdown } from '@hivemind/swarm'
import type { InvocationKey, LogLine, RunEvent, Span } from './types.ts'

/** `object`: one value. `stream`: items with numbers. A stream of exactly one item, when it ends, is an object. */
export type Shape = 'object' | 'stream'

/** One invocation, handed to a transport. */
export interface Work {
  run: string
  key: InvocationKey
  /** Value for every name in the task's `dataIn`. */
  inputs: Record<string, unknown>
  /** What the inputs are, where the engine knows it already. */
  shape: Shape | undefined
  /**
   * 1 for the first try. On the edge it counts how often the device's work was begun anew: an agent keeps what it
   * joins apart by attempt, as parts of a former one may be missing.
   */
  attempt: number
  /** Grows with every delivery; an edge agent repeats it in `entryDone`, so that a late answer is told from a new one. */
  epoch: number
  /** When its inputs were complete, ms since 1970. */
  readyAt: number
}

/** How one cloud invocation went; the engine makes the span of it. Times in ms since 1970. */
export interface Timing {
  worker: string
  startedAt: number
  endedAt: number
  /** ms from the hand-over to the transport on; the engine adds its own queueing to `management`. */
  breakdown: Breakdown
  bytesIn: number
  bytesOut: number
  /** Items it produced. */
  items: number
}

/** Why an invocation failed; what `runCloud` rejects with and `taskFailed` carries. */
export class WorkFailure extends Error {
  readonly kind: FailureKind
  /** Stack trace of the user's code, exit code, limits: for people. */
  readonly detail: string
  readonly timing: Timing | undefined

  constructor(kind: FailureKind, message: string, detail = '', timing?: Timing) {
    super(message)
    this.name = 'WorkFailure'
    this.kind = kind
    this.detail = detail
    this.timing = timing
  }
}

/** What the edge tells. `device` in a key is the lane's device, whichever agent does its work. */
export type EdgeEvent =
  /** One item of a task whose output leaves the edge; `key.seq` is the item's number. */
  | { type: 'output'; key: InvocationKey; value: unknown }
  /** An invocation has ended and its items have been sent before. */
  | { type: 'taskDone'; key: InvocationKey; items: number }
  | { type: 'taskFailed'; key: InvocationKey; kind: FailureKind; message: string; detail: string }
  /** An entry, and all that could run below it on the device, has ended. */
  | { type: 'entryDone'; key: InvocationKey; epoch: number }
  | { type: 'span'; span: Span }
  | { type: 'log'; line: LogLine }
  /** The agent died or is silent. `respawning`: a `deviceUp` or a `deviceLost` without it will follow. */
  | { type: 'deviceLost'; device: string; respawning: boolean; message: string }
  | { type: 'deviceUp'; device: string; message: string }

export interface RunPorts {
  /** Wall clock, ms since 1970, with fraction. */
  now(): number
  /**
   * Runs one invocation in the cloud. `emit` takes each item as it is produced (index from 0), all of them before the
   * promise resolves. Rejects with `WorkFailure`. Must settle soon after `signal` aborts.
   */
  runCloud(work: Work, emit: (index: number, value: unknown) => void, signal: AbortSignal): Promise<Timing>
  /**
   * Delivers an invocation to an agent; resolves when it is accepted. What becomes of it comes as edge events.
   * Rejecting with kind `lost` promises that `deviceLost` is told for the agent.
   */
  dispatchEdge(work: Work, agent: string): Promise<void>
  /** Subscribes to edge events until the returned function is called. */
  onEdge(handler: (event: EdgeEvent) => void): () => void
}

export interface RunEngineOptions {
  run: string
  /** Names of the devices, in order; each is also the name of an agent. */
  devices: string[]
  /** Values of the plan's inputs by data name; a missing one is `null`. */
  inputs?: Record<string, unknown>
  /** Cloud invocations that may be under way at once; unlimited when absent. */
  cloudSlots?: number
  /** Entries of one task that may be under way on one device; 4 when absent. */
  edgeWindow?: number
  signal?: AbortSignal
  onEvent?: (event: RunEvent) => void
}
