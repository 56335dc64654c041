/** The event queue. Events of the same time are taken in the order they were added. */
import { LazyQueue } from './lazy-queue.ts'

const NONE = -1
/** Number of low bits of an event that hold its kind. */
const KIND_BITS = 4

export class Agenda extends LazyQueue {
  /** Time of the event taken last, in ms. */
  now = 0
  /** Kind of the event taken last. */
  kind = 0

  /** Goes back to an earlier time. Call it only when the queue is empty. */
  rewind(time: number): void {
    this.now = time
  }

  /** Adds an event of a kind (0 to 15); `time`, in ms, is not before `now`, and `token` less than 2^27. */
  push(kind: number, time: number, token: number): void {
    this.add((token << KIND_BITS) | kind, time)
  }

  /** Takes the earliest event, moves `now` and `kind` to it and returns its token; -1 when there is none. */
  next(): number {
    if (this.listed === 0 && !this.fill()) return NONE
    const at = this.listed
    const event = this.entries[at] as number
    this.listed = at - 1
    this.now = this.dueTimes[at] as number
    this.kind = event & ((1 << KIND_BITS) - 1)
    return event >> KIND_BITS
  }
}
