/**
 * Calls that a container goes on with by itself: of the tasks that are co-placed with the one that was called (HiveMind 4.3). How they go
 * is kept until the run asks for it, which it does as soon as it knows of the item that they began with.
 */
import { type CloudWork, WorkFailure } from '@hivemind/orchestrator'
import type { FunctionFrame, NextTask } from '@hivemind/task-runner'
import type { ValueRef } from '@hivemind/values'
import {
  type FunctionAnswer,
  type FunctionHandlers,
  type FunctionSteps,
  NotContinued,
  type Rest,
  readSteps,
} from './client.ts'

/** Identifies the item that a call is about. */
type CallKey = Pick<CloudWork, 'device' | 'seq'>

/** All such calls of a run. */
export class HandOvers {
  readonly #calls = new Map<string, FollowingCall>()
  readonly #chains = new Set<Chain>()
  readonly #now: () => number

  /** @param now ms of the clock of the run */
  constructor(now: () => number) {
    this.#now = now
  }

  /** A call whose container is asked to go on with `next`, each with the tasks that it follows. */
  begin(key: CallKey, next: readonly (NextTask & { after: readonly string[] })[]): Chain {
    const calls = next.map(({ task, after }) => new FollowingCall(task, after))
    const chain = new Chain(calls, this.#now, () => {
      this.#chains.delete(chain)
      for (const call of calls) if (call.isNone) this.#forget(key, call)
    })
    this.#chains.add(chain)
    for (const call of calls) {
      call.chain = chain
      this.#calls.set(nameOf(call.task, key), call)
    }
    return chain
  }

  /** The call that a container has begun for this work already, if it is the first try and has what the container had. */
  take(work: CloudWork): FollowingCall | undefined {
    const name = nameOf(work.task.name, work)
    const call = this.#calls.get(name)
    if (!call) return undefined
    this.#calls.delete(name)
    const inputs = Object.values(work.inputs)
    const isTheSame =
      work.attempt === 1 &&
      work.state === null &&
      inputs.length === call.after.length &&
      inputs.every((input) => input.kind === 'one' && call.isGiven(input.ref))
    if (isTheSame) return call
    call.drop()
    return undefined
  }

  /** Ends what nobody asks for any more. */
  close(): void {
    for (const chain of this.#chains) chain.abort()
    this.#calls.clear()
  }

  #forget(key: CallKey, call: FollowingCall): void {
    const name = nameOf(call.task, key)
    if (this.#calls.get(name) === call) this.#calls.delete(name)
  }
}

const nameOf = (task: string, { device, seq }: CallKey): string => JSON.stringify([task, device, seq])

/** A call and those that its container goes on with, over one connection. */
export class Chain implements Rest {
  readonly #calls: readonly FollowingCall[]
  readonly #now: () => number
  readonly #onEnd: () => void
  readonly #controller = new AbortController()
  #answered = false

  constructor(calls: readonly FollowingCall[], now: () => number, onEnd: () => void) {
    this.#calls = calls
    this.#now = now
    this.#onEnd = onEnd
  }

  /** Aborts when nobody waits for the rest any more. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The item of a task is known to the run: the tasks that follow have been called with it. */
  emitted(task: string, ref: ValueRef): void {
    for (const call of this.#calls) call.given(task, ref)
  }

  /** The item of a task has come; what waited for no other is under way from now on. */
  arrived(task: string): void {
    for (const call of this.#calls) call.arrived(task, this.#now())
  }

  step(frame: FunctionFrame): void {
    this.#calls.find(({ task }) => task === frame.task)?.take(frame)
    if (frame.t === 'item' && frame.task !== undefined) this.arrived(frame.task)
  }

  ended(error?: Error): void {
    for (const call of this.#calls) call.ended(error)
    this.#onEnd()
  }

  /** Ends the connection. */
  abort(): void {
    this.#controller.abort()
  }

  answered(): void {
    this.#answered = true
    this.#endUnlessWanted()
  }

  /** Nobody waits for a call any more, nor for those that follow it. */
  dropped(call: FollowingCall): void {
    for (const each of this.#calls) if (each.after.includes(call.task) && !each.isTaken) each.drop()
    this.#endUnlessWanted()
  }

  /** Ends the connection when no call on it is waited for any more. */
  #endUnlessWanted(): void {
    if (this.#answered && this.#calls.every(({ isOver }) => isOver)) this.abort()
  }
}

/** One call of a co-placed task, as its container tells it. */
export class FollowingCall {
  readonly task: string
  /** The tasks whose items it is called with. */
  readonly after: readonly string[]
  chain: Chain | undefined
  /** When the last of these items came, by the clock of the run. */
  handedAt: number | undefined
  /** The run has asked for it. */
  isTaken = false
  /** The items, by task, that the run knows of. */
  readonly #inputs = new Map<string, ValueRef>()
  readonly #arrived = new Set<string>()
  readonly #frames: FunctionFrame[] = []
  #waiting: (() => void) | undefined
  #over: { error: Error | undefined } | undefined
  #dropped = false

  constructor(task: string, after: readonly string[]) {
    this.task = task
    this.after = after
  }

  /** Whether its container is known not to have made it. */
  get isNone(): boolean {
    return this.#over?.error instanceof NotContinued || (this.handedAt === undefined && !this.isTaken)
  }

  /** Whether all of it has come, or nobody waits for it. */
  get isOver(): boolean {
    return this.#over !== undefined || this.#dropped
  }

  /** The run knows the item of a task. */
  given(task: string, ref: ValueRef): void {
    if (this.after.includes(task)) this.#inputs.set(task, ref)
  }

  /** Whether it was called with this item. */
  isGiven(ref: ValueRef): boolean {
    return [...this.#inputs.values()].includes(ref)
  }

  /** The item of a task has come. */
  arrived(task: string, at: number): void {
    if (!this.after.includes(task)) return
    this.#arrived.add(task)
    if (this.#arrived.size === this.after.length) this.handedAt ??= at
  }

  take(frame: FunctionFrame): void {
    if (this.#dropped) return
    this.#frames.push(frame)
    if (frame.t === 'end' || frame.t === 'failed') this.#over = { error: undefined }
    this.#waiting?.()
  }

  ended(error: Error | undefined): void {
    // what was begun and not told to its end is gone with the connection
    const none = this.#frames.length === 0 && !error
    this.#over ??= { error: none ? new NotContinued() : (error ?? new Error('it ends without an outcome')) }
    this.#waiting?.()
  }

  /** Nobody waits for it. */
  drop(): void {
    this.#dropped = true
    this.#frames.length = 0
    this.chain?.dropped(this)
  }

  /** How it went, told to `handlers`. Rejects with `WorkFailure`, and with `NotContinued` when the container did not make the call. */
  async answer(handlers: FunctionHandlers): Promise<FunctionAnswer> {
    this.isTaken = true
    const { signal } = handlers
    const stop = (): void => {
      this.drop()
      this.#waiting?.()
    }
    signal?.addEventListener('abort', stop, { once: true })
    if (signal?.aborted) stop()
    try {
      return await readSteps(this.task, this.#steps(), handlers)
    } finally {
      signal?.removeEventListener('abort', stop)
    }
  }

  async *#steps(): FunctionSteps {
    for (;;) {
      if (this.#dropped) throw new WorkFailure('cancelled', 'The invocation was cancelled.')
      const frame = this.#frames.shift()
      if (frame) yield frame
      else if (this.#over?.error) throw this.#over.error
      else
        await new Promise<void>((resolve) => {
          this.#waiting = resolve
        })
    }
  }
}
