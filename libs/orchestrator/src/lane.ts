/** State of one task on one device (or, behind a barrier, for the swarm). */
import type { PlanTask } from '@hivemind/synthesis'
import type { Gate } from './gate.ts'
import type { Shape } from './ports.ts'
import type { InvocationKey } from './types.ts'

export interface Invocation {
  key: InvocationKey
  lane: Lane
  /** Kept until no failure can ask for them again. */
  inputs: Record<string, unknown> | undefined
  readyAt: number
  attempt: number
  epoch: number
  state: 'ready' | 'running' | 'done'
  /** Items it emitted, once done. */
  items: number
}

export interface Lane {
  task: PlanTask
  /** Device name, or `*`. */
  device: string
  /** Null for a root and for what only the device starts. */
  gate: Gate | null
  invocations: Map<number, Invocation>
  /** Number of invocations that are not done yet. */
  open: number
  /** The one, of those done, that emitted the most items. */
  most: Invocation | undefined
  /** Numbers of the items emitted, as far as the engine knows. */
  emitted: Set<number>
  outputShape: Shape | undefined
  /** No further invocation will be made. */
  inputsEnded: boolean
  ended: boolean
}

export function newLane(task: PlanTask, device: string, gate: Gate | null): Lane {
  return {
    task,
    device,
    gate,
    invocations: new Map(),
    open: 0,
    most: undefined,
    emitted: new Set(),
    outputShape: undefined,
    inputsEnded: false,
    ended: false,
  }
}

export function newInvocation(
  lane: Lane,
  seq: number,
  inputs: Record<string, unknown> | undefined,
  readyAt: number,
): Invocation {
  const invocation: Invocation = {
    key: { task: lane.task.name, device: lane.device, seq },
    lane,
    inputs,
    readyAt,
    attempt: 1,
    epoch: 0,
    state: 'ready',
    items: 0,
  }
  lane.invocations.set(seq, invocation)
  lane.open += 1
  return invocation
}

/** Number of the item that is the `index`-th of an invocation: an item of a stream keeps its number. */
export function itemNumber(invocationSeq: number, index: number): number {
  return invocationSeq + index
}

/** `'recognise' on device-2, item 5` for people. */
export function describeKey(key: InvocationKey): string {
  return key.device === '*' ? `'${key.task}'` : `'${key.task}' on ${key.device}, item ${key.seq}`
}
