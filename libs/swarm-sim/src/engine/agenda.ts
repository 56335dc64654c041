/** The list of events to come. Events at the same time come in the order they were added. */
import { LazyQueue } from './lazy-queue.ts'

const NONE = -1
/** Bits of an event that say of which kind it is. */
const KIND = 4

export class Agenda extends LazyQueue {
  /** Time of the event taken last, in ms. */
  now = 0
  /** What the event taken last is, as it was added. */
  kind = 0

  /** Goes back to an earlier time; only when no event is to come. */
  rewind(time: number): void {
    this.now = time
  }

  /** Adds an event of a kind (0 to 15); `time`, in ms, is not before `now`, and `token` less than 2^27. */
  push(kind: number, time: number, token: number): void {
    this.add((token << KIND) | kind, time)
  }

  /** Takes the earliest event, moves `now` and `kind` to it and returns its token; -1 when there is none. */
  next(): number {
    if (this.listed === 0 && !this.fill()) return NONE
    const at = this.listed
    const event = this.entries[at] as number
    this.listed = at - 1
    this.now = this.dues[at] as number
    this.kind = event & ((1 << KIND) - 1)
    return event >> KIND
  }
}
