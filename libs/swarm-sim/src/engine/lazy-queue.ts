/**
 * A lazy queue (Rönngren, Riboe and Ayani 1991): what is due before a horizon lies in a sorted list, the rest unsorted on the
 * days of a calendar. When the list is empty, the next day's entries are sorted into it. Entries of the same time are taken
 * in the order they were added.
 */
import { doubled } from '../arrays.ts'

const NONE = -1
/** So few entries are all in the list. */
const FEW = 32
/** A list that grows to so many entries is cut; where a day has more of them, the library sorts. */
const LIST = 64
/** Entries that a day should have when it is sorted. */
const A_DAY = 8
/** Entries between two looks at the length of days. */
const REVIEW = 4096
/** Days of a year at least. */
const DAYS = 256
/** The number of a day at most, so that it is exact. */
const MOST = 2 ** 50

export class LazyQueue {
  /** The list, the next entry last: when each is due, in ms, and the entries; in front what no time is before. */
  protected dues = new Float64Array(2 * LIST).fill(Number.NaN, 0, 1)
  protected entries = new Int32Array(2 * LIST)
  protected listed = 0
  /** What is due before it is in the list, and what is due later is not; what is due then comes to a day from now on. */
  private horizon = 0

  /** Of what lies on the days: when it is due, the entry, and which one came to that day before it. */
  private times = new Float64Array(256)
  private values = new Int32Array(256)
  private befores = new Int32Array(256)
  private made = 0
  private free = NONE
  private waiting = 0
  /** What came last to each day of the year. */
  private lasts = new Int32Array(DAYS).fill(NONE)
  private mask = DAYS - 1
  /** Days in a ms, and ms in a day: powers of two, so that all that follows is exact. */
  private rate = 1
  private length = 1
  /** The first day that may have entries. */
  private day = 0
  /** Since the last look: days, the entries they had, and the steps that searching and sorting took. */
  private seenDays = 0
  private seen = 0
  private steps = 0

  /** Entries to come. */
  get size(): number {
    return this.listed + this.waiting
  }

  /** When the next entry is due, in ms; infinite when there is none. */
  get due(): number {
    if (this.listed === 0 && !this.fill()) return Number.POSITIVE_INFINITY
    return this.dues[this.listed] as number
  }

  /** Adds an entry, a whole number of 32 bits; `time`, in ms, is at least 0 and not before that of the one taken last. */
  add(entry: number, time: number): void {
    if (time >= this.horizon) {
      this.defer(entry, time)
      return
    }
    const { dues, entries } = this
    let at = ++this.listed
    for (let later = at - 1; (dues[later] as number) <= time; later--) {
      dues[at] = dues[later] as number
      entries[at] = entries[later] as number
      at = later
    }
    dues[at] = time
    entries[at] = entry
    if (this.listed >= LIST) this.cut()
  }

  /** Takes the entry that is due next; only when `due` has just told that there is one. */
  take(): number {
    return this.entries[this.listed--] as number
  }

  /** Fills the list when it is empty; whether there is anything. */
  protected fill(): boolean {
    if (this.waiting === 0) return false
    if (this.waiting <= FEW) this.listAll()
    else this.listDays()
    this.waiting -= this.listed
    return true
  }

  private defer(entry: number, time: number): void {
    const slot = this.slotOf(entry, time)
    const day = (time * this.rate) & this.mask
    this.befores[slot] = this.lasts[day] as number
    this.lasts[day] = slot
  }

  private slotOf(entry: number, time: number): number {
    let slot = this.free
    if (slot === NONE) {
      if (this.made === this.times.length) {
        this.times = doubled(this.times)
        this.values = doubled(this.values)
        this.befores = doubled(this.befores)
      }
      slot = this.made++
    } else this.free = this.befores[slot] as number
    this.times[slot] = time
    this.values[slot] = entry
    this.waiting++
    return slot
  }

  private listAll(): void {
    for (let day = 0; day <= this.mask; day++) this.list(day, Number.POSITIVE_INFINITY)
    this.horizon = Number.POSITIVE_INFINITY
    this.sort()
    if (this.mask >= DAYS) {
      this.lasts = new Int32Array(DAYS).fill(NONE)
      this.mask = DAYS - 1
    }
  }

  /** Lists the entries of the next day that has any. */
  private listDays(): void {
    if (this.seen >= REVIEW || this.steps > 4 * Math.max(REVIEW, this.waiting)) this.review()
    let days = 0
    while (this.listed === 0) {
      if (days++ > this.mask) {
        // nothing for a year
        this.turnTo(this.earliest())
        this.steps += this.waiting
      }
      const day = this.day++
      this.horizon = this.day * this.length
      this.list(day & this.mask, this.horizon)
    }
    this.seenDays += days
    this.seen += this.listed
    this.steps += days + (this.listed > LIST ? this.sortMany() : this.sort())
  }

  /** Moves what is due before the horizon from a day to the list, what came last first. */
  private list(day: number, horizon: number): void {
    const { times, values, befores, lasts } = this
    let after = NONE
    for (let slot = lasts[day] as number; slot !== NONE; ) {
      const before = befores[slot] as number
      if ((times[slot] as number) < horizon || horizon === Number.POSITIVE_INFINITY) {
        const at = ++this.listed
        if (at + 1 >= this.dues.length) this.makeRoom()
        this.dues[at] = times[slot] as number
        this.entries[at] = values[slot] as number
        if (after === NONE) lasts[day] = before
        else befores[after] = before
        befores[slot] = this.free
        this.free = slot
      } else after = slot
      slot = before
    }
  }

  /** Sorts the list; returns how many steps that took. */
  private sort(): number {
    const { dues, entries, listed } = this
    let steps = 0
    for (let end = 2; end <= listed; end++) {
      const time = dues[end] as number
      const entry = entries[end] as number
      let at = end
      for (let later = at - 1; (dues[later] as number) < time; later--) {
        dues[at] = dues[later] as number
        entries[at] = entries[later] as number
        at = later
      }
      dues[at] = time
      entries[at] = entry
      steps += end - at
    }
    return steps
  }

  private sortMany(): number {
    const { dues, entries, listed } = this
    const times = dues.slice(1, listed + 1)
    const values = entries.slice(1, listed + 1)
    const order = Array.from(times.keys()).sort((a, b) => (times[b] as number) - (times[a] as number))
    for (const [at, from] of order.entries()) {
      dues[at + 1] = times[from] as number
      entries[at + 1] = values[from] as number
    }
    return listed * Math.ceil(Math.log2(listed))
  }

  /** Leaves in the list what is due until the time of an entry among the first, and moves the rest to their days. */
  private cut(): void {
    const { dues, entries, listed, rate, mask } = this
    const horizon = dues[listed - (LIST >> 2)] as number
    let moved = 0
    let day = NONE
    let first = NONE
    while ((dues[moved + 1] as number) > horizon) {
      const time = dues[++moved] as number
      const slot = this.slotOf(entries[moved] as number, time)
      const { lasts, befores } = this
      // it came before all that are there and due at the same time
      const on = (time * rate) & mask
      if (on !== day) {
        day = on
        first = lasts[day] as number
        if (first !== NONE) while (befores[first] !== NONE) first = befores[first] as number
      }
      befores[slot] = NONE
      if (first === NONE) lasts[day] = slot
      else befores[first] = slot
      first = slot
    }
    dues.copyWithin(1, moved + 1, listed + 1)
    entries.copyWithin(1, moved + 1, listed + 1)
    this.listed = listed - moved
    this.horizon = horizon
    this.turnTo(horizon)
    if (this.listed + 1 >= dues.length) this.makeRoom()
  }

  private makeRoom(): void {
    this.dues = doubled(this.dues)
    this.entries = doubled(this.entries)
  }

  private earliest(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const last of this.lasts)
      for (let slot = last; slot !== NONE; slot = this.befores[slot] as number)
        earliest = Math.min(earliest, this.times[slot] as number)
    return earliest
  }

  /** Turns to the day of a time that nothing on the days is due before; should its number be too large, days become longer. */
  private turnTo(time: number): void {
    if (time * this.rate > MOST && time < Number.POSITIVE_INFINITY)
      this.rebuild(2 ** Math.floor(Math.log2(MOST / time)), this.mask + 1)
    this.day = Math.floor(time * this.rate)
  }

  /** Makes days as long as they should have been lately, and the year so long that there is one for each entry. */
  private review(): void {
    const tooLong = this.seen / this.seenDays / A_DAY
    const rate = this.rate * 2 ** Math.trunc(Math.log2(tooLong))
    let days = this.mask + 1
    while (days < this.waiting) days *= 2
    if (rate !== this.rate || days !== this.mask + 1) this.rebuild(rate, days)
    this.turnTo(this.horizon)
    this.seenDays = 0
    this.seen = 0
    this.steps = 0
  }

  private rebuild(rate: number, days: number): void {
    const { befores, times } = this
    const old = this.lasts
    const lasts = new Int32Array(days).fill(NONE)
    this.lasts = lasts
    this.mask = days - 1
    this.rate = rate
    this.length = 1 / rate
    for (const last of old) {
      // to be moved in the order they came
      let next = NONE
      for (let slot = last; slot !== NONE; ) {
        const before = befores[slot] as number
        befores[slot] = next
        next = slot
        slot = before
      }
      while (next !== NONE) {
        const slot = next
        next = befores[slot] as number
        const day = ((times[slot] as number) * rate) & this.mask
        befores[slot] = lasts[day] as number
        lasts[day] = slot
      }
    }
  }
}
