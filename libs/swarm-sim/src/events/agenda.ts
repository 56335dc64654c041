/** The list of events to come. Events at the same time come in the order they were added. */
import { doubled } from '../arrays.ts'
import { Calendar } from './calendar.ts'

const NONE = -1

export class Agenda extends Calendar {
  /** Time of the event taken last, in ms. */
  now = 0
  /** What the event taken last is, as it was added. */
  kind = 0

  /** Of the calendar's entries what they are; those that are not in it are chained, as a day's are. */
  private kinds = new Int32Array(256)
  private tokens = new Int32Array(256)
  private made = 0
  private free = NONE

  /** Goes back to an earlier time; only when no event is to come. */
  rewind(time: number): void {
    this.now = time
    this.turnTo(time)
  }

  /** Adds an event; `time` is not before `now`. */
  push(kind: number, time: number, token: number): void {
    let slot = this.free
    if (slot === NONE) {
      if (this.made === this.kinds.length) this.makeRoom()
      slot = this.made++
    } else this.free = this.nexts[slot] as number
    this.times[slot] = time
    this.kinds[slot] = kind
    this.tokens[slot] = token
    this.add(slot)
  }

  /** Takes the earliest event, moves `now` and `kind` to it and returns its token; -1 when there is none. */
  next(): number {
    const slot = this.first()
    return slot === NONE ? NONE : this.take(slot)
  }

  private take(slot: number): number {
    this.shift(slot)
    this.nexts[slot] = this.free
    this.free = slot
    this.now = this.times[slot] as number
    this.kind = this.kinds[slot] as number
    return this.tokens[slot] as number
  }

  private makeRoom(): void {
    this.kinds = doubled(this.kinds)
    this.tokens = doubled(this.tokens)
    this.reserve(this.kinds.length)
  }
}
