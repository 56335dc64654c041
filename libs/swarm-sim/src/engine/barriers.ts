/** Barriers: tasks that run once, when enough has been delivered to them. */
import type { ModelTask } from '../model/model.ts'
import { deliveriesTo, type TaskWiring } from '../model/wiring.ts'
import { ASKED_AT, LANE, NO_ORIGIN, ORIGIN, SEQ, TASK, type Tokens } from './tokens.ts'

interface Barrier {
  /** Deliveries to wait for; infinite when it waits for all that come. */
  left: number
  /** Deliveries that may come yet. */
  expected: number
  /** The delivery that came last, -1 before the first. */
  last: number
  open: boolean
}

export class Barriers {
  /** When the last delivery came. */
  lastAt = 0
  readonly #tokens: Tokens
  readonly #barriers = new Map<number, Barrier>()

  constructor(wiring: readonly TaskWiring[], tokens: Tokens) {
    this.#tokens = tokens
    for (const [index, { task }] of wiring.entries())
      if (task.barrier)
        this.#barriers.set(index, {
          left: wantedBy(task),
          expected: deliveriesTo(index, wiring),
          last: -1,
          open: false,
        })
  }

  /** Takes a delivery to a task; returns the token of its invocation when it opens by that, else -1. */
  arrive(index: number, token: number, now: number): number {
    this.lastAt = now
    const barrier = this.#barriers.get(index)
    if (!barrier || barrier.open) {
      this.#tokens.release(token)
      return -1
    }
    if (barrier.last >= 0) this.#tokens.release(barrier.last)
    barrier.last = token
    this.#tokens.times[(token << 3) | ASKED_AT] = now
    barrier.left--
    barrier.expected--
    return barrier.left <= 0 || barrier.expected <= 0 ? this.#open(index, barrier, now) : -1
  }

  /** A delivery to a task will never come: returns the token of its invocation when it opens by that, else -1. */
  skip(index: number, now: number): number {
    const barrier = this.#barriers.get(index)
    if (!barrier || barrier.open) return -1
    return --barrier.expected <= 0 ? this.#open(index, barrier, now) : -1
  }

  /** When nothing more happens, a barrier whose condition can no longer hold opens with what has arrived; else -1. */
  openStuck(now: number): number {
    for (const [index, barrier] of this.#barriers) if (!barrier.open) return this.#open(index, barrier, now)
    return -1
  }

  #open(index: number, barrier: Barrier, now: number): number {
    const tokens = this.#tokens
    barrier.open = true
    const isEmpty = barrier.last < 0
    const token = isEmpty ? tokens.create(index, 0, 0) : barrier.last
    const row = token << 3
    if (isEmpty) tokens.times[row | ASKED_AT] = now
    tokens.ints[row | TASK] = index
    tokens.ints[row | LANE] = 0
    tokens.ints[row | SEQ] = 0
    tokens.ints[row | ORIGIN] = NO_ORIGIN
    return token
  }
}

/** Deliveries after which a barrier opens, if it does not wait for all. */
function wantedBy({ barrier }: ModelTask): number {
  if (barrier?.kind === 'any') return 1
  return barrier?.kind === 'count' ? barrier.count : Number.POSITIVE_INFINITY
}
