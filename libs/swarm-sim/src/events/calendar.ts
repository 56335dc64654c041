/**
 * A calendar queue (Brown 1988), whose days hold sorted lists. An entry goes to the list of its time modulo the year; the
 * next one is found by turning the pages from today. When lists are walked too far, or too many pages are empty, the
 * length of a day is taken anew from the times of the entries to come. Entries of the same time come in the order they
 * were added.
 */
import { doubled } from '../arrays.ts'

const NONE = -1
/** Entries between two looks at what the days cost. */
const REVIEW = 4096
/** Of so many entries the length of a day is taken. */
const SAMPLE = 256

export class Calendar {
  /** Of each entry its time, in ms: to be written before the entry is added. */
  times = new Float64Array(256)
  /** The entry after each one on its day. */
  protected nexts = new Int32Array(256)
  private count = 0

  /** First and last entry of each day of the year. */
  private heads = new Int32Array(256).fill(NONE)
  private tails = new Int32Array(256)
  private mask = 255
  /** Days in a ms, and ms in a day: powers of two, so that all that follows is exact. */
  private rate = 1
  private length = 1
  /** The day that is looked at, and when it ends: there is no entry before it. */
  private today = 0
  private endOfDay = 1
  /** Steps along lists and pages turned since the last look, and how many are too many. */
  private walked = 0
  private turned = 0
  private left = REVIEW
  private patience = 4 * REVIEW

  /** Entries to come. */
  get size(): number {
    return this.count
  }

  /** Makes room for entries 0 to that many, less one. */
  reserve(entries: number): void {
    while (this.times.length < entries) {
      this.times = doubled(this.times)
      this.nexts = doubled(this.nexts)
    }
  }

  /** Adds an entry, which is not in it, at `times[entry]`: not before the time of the one taken last. */
  add(entry: number): void {
    this.count++
    this.insert(entry)
    if (this.walked > this.patience) this.measure()
  }

  /** The earliest entry; -1 when there is none. */
  first(): number {
    const slot = this.heads[this.today] as number
    if (slot !== NONE && (this.times[slot] as number) < this.endOfDay) return slot
    return this.count === 0 ? NONE : this.turn()
  }

  /** Takes out the earliest entry, as `first` has just told it. */
  shift(entry: number): void {
    this.heads[this.today] = this.nexts[entry] as number
    this.count--
    if (--this.left === 0) this.review()
  }

  /** Turns to a day: no entry is before it. */
  turnTo(time: number): void {
    const day = Math.floor(time * this.rate)
    this.today = day & this.mask
    this.endOfDay = (day + 1) * this.length
  }

  private insert(entry: number): void {
    const { times, nexts, heads, tails } = this
    const time = times[entry] as number
    const bucket = (time * this.rate) & this.mask
    if (time < this.endOfDay - this.length) this.turnTo(time)
    const head = heads[bucket] as number
    if (head === NONE) {
      heads[bucket] = entry
      tails[bucket] = entry
      nexts[entry] = NONE
      return
    }
    const tail = tails[bucket] as number
    if ((times[tail] as number) <= time) {
      nexts[tail] = entry
      tails[bucket] = entry
      nexts[entry] = NONE
      return
    }
    if (time < (times[head] as number)) {
      nexts[entry] = head
      heads[bucket] = entry
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
    nexts[entry] = after
    nexts[at] = entry
  }

  /** Turns to the day of the earliest entry; only when there is one. */
  private turn(): number {
    const { heads, times, mask, length } = this
    let { today, endOfDay } = this
    let slot: number
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

  /** Makes days so long that about one of the next entries falls on each. */
  private measure(): void {
    const sample: number[] = []
    const step = Math.max(1, Math.floor(this.count / SAMPLE))
    let at = 0
    for (const head of this.heads)
      for (let entry = head; entry !== NONE; entry = this.nexts[entry] as number)
        if (at++ % step === 0) sample.push(this.times[entry] as number)
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
    const now = this.endOfDay - this.length
    this.heads = new Int32Array(days).fill(NONE)
    this.tails = new Int32Array(days)
    this.mask = days - 1
    this.rate = rate
    this.length = 1 / rate
    this.turnTo(now)
    // entries of the same time are in the same list, which keeps their order
    for (const head of heads)
      for (let entry = head; entry !== NONE; ) {
        const after = this.nexts[entry] as number
        this.insert(entry)
        entry = after
      }
  }
}
