/**
 * The list of events to come: a calendar queue (Brown 1988), whose days hold sorted lists. An event goes to the list of
 * its time modulo the year; the next one is found by turning the pages from today. When lists are walked too far, or too
 * many pages are empty, the length of a day is taken anew from the times of the events to come. Events at the same time
 * come in the order they were added.
 */
import { doubled } from '../arrays.ts'

const NONE = -1
/** Events between two looks at what the days cost. */
const REVIEW = 4096
/** Of so many events the length of a day is taken. */
const SAMPLE = 256

export class Agenda {
  /** Time of the event taken last, in ms. */
  now = 0
  /** What the event taken last is, as it was added. */
  kind = 0

  private times = new Float64Array(256)
  private kinds = new Int32Array(256)
  private tokens = new Int32Array(256)
  private nexts = new Int32Array(256)
  private made = 0
  private free = NONE
  private count = 0

  /** First and last event of each day of the year. */
  private heads = new Int32Array(256).fill(NONE)
  private tails = new Int32Array(256)
  private mask = 255
  /** Days in a ms, and ms in a day: powers of two, so that all that follows is exact. */
  private rate = 1
  private length = 1
  /** The day that is looked at, and when it ends: there is no event before it. */
  private today = 0
  private endOfDay = 1
  /** Steps along lists and pages turned since the last look, and how many are too many. */
  private walked = 0
  private turned = 0
  private left = REVIEW
  private patience = 4 * REVIEW

  /** Events to come. */
  get size(): number {
    return this.count
  }

  /** Goes back to an earlier time; only when no event is to come. */
  rewind(time: number): void {
    this.now = time
    this.turnTo(time)
  }

  private turnTo(time: number): void {
    const day = Math.floor(time * this.rate)
    this.today = day & this.mask
    this.endOfDay = (day + 1) * this.length
  }

  /** Adds an event; `time` is not before `now`. */
  push(kind: number, time: number, token: number): void {
    let slot = this.free
    if (slot === NONE) {
      if (this.made === this.times.length) this.growSlots()
      slot = this.made++
    } else this.free = this.nexts[slot] as number
    this.times[slot] = time
    this.kinds[slot] = kind
    this.tokens[slot] = token
    this.count++
    this.insert(slot, time)
    if (this.walked > this.patience) this.measure()
  }

  private insert(slot: number, time: number): void {
    const nexts = this.nexts
    const heads = this.heads
    const bucket = (time * this.rate) & this.mask
    if (time < this.endOfDay - this.length) this.turnTo(time)
    const head = heads[bucket] as number
    if (head === NONE) {
      heads[bucket] = slot
      this.tails[bucket] = slot
      nexts[slot] = NONE
      return
    }
    const times = this.times
    const tail = this.tails[bucket] as number
    if ((times[tail] as number) <= time) {
      nexts[tail] = slot
      this.tails[bucket] = slot
      nexts[slot] = NONE
      return
    }
    if (time < (times[head] as number)) {
      nexts[slot] = head
      heads[bucket] = slot
      return
    }
    let at = head
    let after = nexts[at] as number
    let steps = 1
    while ((times[after] as number) <= time) {
      at = after
      after = nexts[at] as number
      steps++
    }
    this.walked += steps
    nexts[slot] = after
    nexts[at] = slot
  }

  /** Takes the earliest event, moves `now` and `kind` to it and returns its token; -1 when there is none. */
  next(): number {
    return this.count === 0 ? NONE : this.take(this.earliest())
  }

  /** The same, if that event is before then; else -1. */
  nextBefore(until: number): number {
    if (this.count === 0) return NONE
    const slot = this.earliest()
    return (this.times[slot] as number) < until ? this.take(slot) : NONE
  }

  /** Takes the earliest event. */
  private take(slot: number): number {
    this.heads[this.today] = this.nexts[slot] as number
    this.nexts[slot] = this.free
    this.free = slot
    this.count--
    this.now = this.times[slot] as number
    this.kind = this.kinds[slot] as number
    if (--this.left === 0) this.review()
    return this.tokens[slot] as number
  }

  /** Turns to the day of the earliest event; only when there is one. */
  private earliest(): number {
    const heads = this.heads
    const times = this.times
    let slot = heads[this.today] as number
    if (slot !== NONE && (times[slot] as number) < this.endOfDay) return slot
    const mask = this.mask
    const length = this.length
    let today = this.today
    let endOfDay = this.endOfDay
    let pages = 0
    do {
      if (pages++ > mask) {
        this.turnTo(this.earliestTime())
        return heads[this.today] as number
      }
      today = (today + 1) & mask
      endOfDay += length
      slot = heads[today] as number
    } while (slot === NONE || (times[slot] as number) >= endOfDay)
    this.turned += pages
    this.today = today
    this.endOfDay = endOfDay
    return slot
  }

  /** Nothing happens for a year: when something does. */
  private earliestTime(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const head of this.heads)
      if (head !== NONE) earliest = Math.min(earliest, this.times[head] as number)
    return earliest
  }

  /** Looks at what the days have cost lately, and whether there are enough of them. */
  private review(): void {
    this.left = REVIEW
    if (this.turned > 2 * REVIEW || this.walked > 2 * REVIEW || this.count > this.mask) this.measure()
    this.walked = 0
    this.turned = 0
  }

  /** Makes days so long that about one of the next events falls on each. */
  private measure(): void {
    const sample: number[] = []
    const step = Math.max(1, Math.floor(this.count / SAMPLE))
    let at = 0
    for (const head of this.heads)
      for (let slot = head; slot !== NONE; slot = this.nexts[slot] as number)
        if (at++ % step === 0) sample.push(this.times[slot] as number)
    sample.sort((a, b) => a - b)
    // the last quarter may be far away
    const near = Math.floor(sample.length * 0.75)
    const span = (sample[near] ?? 0) - (sample[0] ?? 0)
    const rate = span > 0 ? (near * step) / span : this.rate
    let days = this.mask + 1
    while (days < this.count) days *= 2
    this.patience = 4 * Math.max(REVIEW, this.count)
    this.walked = 0
    this.turned = 0
    // a power of two, so that multiplying is exact, and not so many days that their numbers are not
    const most = 50 - Math.ceil(Math.log2(1 + (sample.at(-1) ?? 0)))
    const round = 2 ** Math.min(most, Math.round(Math.log2(rate)))
    if (round !== this.rate || days !== this.mask + 1) this.rebuild(round, days)
  }

  private rebuild(rate: number, days: number): void {
    const heads = this.heads
    this.heads = new Int32Array(days).fill(NONE)
    this.tails = new Int32Array(days)
    this.mask = days - 1
    this.rate = rate
    this.length = 1 / rate
    this.turnTo(this.now)
    // events at the same time are in the same list, which keeps their order
    for (const head of heads)
      for (let slot = head; slot !== NONE; ) {
        const after = this.nexts[slot] as number
        this.insert(slot, this.times[slot] as number)
        slot = after
      }
  }

  private growSlots(): void {
    this.times = doubled(this.times)
    this.kinds = doubled(this.kinds)
    this.tokens = doubled(this.tokens)
    this.nexts = doubled(this.nexts)
  }
}
