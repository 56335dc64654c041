/**
 * A lazy queue (Rönngren, Riboe and Ayani 1991): what is due before a horizon lies in a sorted list, the rest unsorted on the
 * days of a calendar. When the list is empty, the next day's entries are sorted into it. Entries of the same time are taken
 * in the order they were added.
 */
import { doubled } from '../arrays.ts'

const NONE = -1
/** Queues with at most this many entries use only the sorted list. */
const MAX_LISTED_ONLY = 32
/** A list that grows to this many entries is cut; a day with more entries is sorted by the library. */
const MAX_LIST_ENTRIES = 64
/** Number of entries a day should have when it is sorted. */
const ENTRIES_PER_DAY = 8
/** Number of entries between two adjustments of the length of days. */
const REVIEW_INTERVAL_ENTRIES = 4096
/** Minimum number of days of a year. */
const MIN_DAYS = 256
/** Largest day number that a float64 represents exactly enough. */
const MAX_DAY_NUMBER = 2 ** 50

export class LazyQueue {
  /** The list in descending order of time, so that the next entry is last: due times in ms, and entries. The first place holds NaN, which ends every search. */
  protected dueTimes = new Float64Array(2 * MAX_LIST_ENTRIES).fill(Number.NaN, 0, 1)
  protected entries = new Int32Array(2 * MAX_LIST_ENTRIES)
  protected listed = 0
  /** Entries due before it are in the list, later ones on days; new entries due exactly then go to a day. */
  private horizon = 0

  /** Entries on the days: due time, entry, and the one that was added to the same day before it. */
  private times = new Float64Array(256)
  private values = new Int32Array(256)
  private previous = new Int32Array(256)
  private made = 0
  private free = NONE
  private waiting = 0
  /** The entry added last to each day of the year. */
  private tails = new Int32Array(MIN_DAYS).fill(NONE)
  private mask = MIN_DAYS - 1
  /** Days per ms, and ms per day: powers of two, so that day numbers are exact. */
  private rate = 1
  private length = 1
  /** The first day that may have entries. */
  private day = 0
  /** Since the last adjustment: days, their entries, and the steps that searching and sorting took. */
  private reviewedDays = 0
  private reviewedEntries = 0
  private steps = 0

  /** Entries to come. */
  get size(): number {
    return this.listed + this.waiting
  }

  /** Due time of the next entry, in ms; infinite when there is none. */
  get due(): number {
    if (this.listed === 0 && !this.fill()) return Number.POSITIVE_INFINITY
    return this.dueTimes[this.listed] as number
  }

  /** Adds an entry, a whole number of 32 bits; `time`, in ms, is at least 0 and not before that of the one taken last. */
  add(entry: number, time: number): void {
    if (time >= this.horizon) {
      this.defer(entry, time)
      return
    }
    const { dueTimes, entries } = this
    let at = ++this.listed
    for (let later = at - 1; (dueTimes[later] as number) <= time; later--) {
      dueTimes[at] = dueTimes[later] as number
      entries[at] = entries[later] as number
      at = later
    }
    dueTimes[at] = time
    entries[at] = entry
    if (this.listed >= MAX_LIST_ENTRIES) this.cut()
  }

  /** Removes and returns the next entry. Call it only after `due` was finite. */
  take(): number {
    return this.entries[this.listed--] as number
  }

  /** Fills the empty list; returns whether there is any entry. */
  protected fill(): boolean {
    if (this.waiting === 0) return false
    if (this.waiting <= MAX_LISTED_ONLY) this.listAll()
    else this.listDays()
    this.waiting -= this.listed
    return true
  }

  private defer(entry: number, time: number): void {
    const slot = this.slotOf(entry, time)
    const day = (time * this.rate) & this.mask
    this.previous[slot] = this.tails[day] as number
    this.tails[day] = slot
  }

  private slotOf(entry: number, time: number): number {
    let slot = this.free
    if (slot === NONE) {
      if (this.made === this.times.length) {
        this.times = doubled(this.times)
        this.values = doubled(this.values)
        this.previous = doubled(this.previous)
      }
      slot = this.made++
    } else this.free = this.previous[slot] as number
    this.times[slot] = time
    this.values[slot] = entry
    this.waiting++
    return slot
  }

  private listAll(): void {
    for (let day = 0; day <= this.mask; day++) this.list(day, Number.POSITIVE_INFINITY)
    this.horizon = Number.POSITIVE_INFINITY
    this.sort()
    if (this.mask >= MIN_DAYS) {
      this.tails = new Int32Array(MIN_DAYS).fill(NONE)
      this.mask = MIN_DAYS - 1
    }
  }

  /** Lists the entries of the next day that has any. */
  private listDays(): void {
    if (
      this.reviewedEntries >= REVIEW_INTERVAL_ENTRIES ||
      this.steps > 4 * Math.max(REVIEW_INTERVAL_ENTRIES, this.waiting)
    )
      this.review()
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
    this.reviewedDays += days
    this.reviewedEntries += this.listed
    this.steps += days + (this.listed > MAX_LIST_ENTRIES ? this.sortMany() : this.sort())
  }

  /** Moves entries due before the horizon from a day to the list, the one added last first. */
  private list(day: number, horizon: number): void {
    const { times, values, previous, tails } = this
    let after = NONE
    for (let slot = tails[day] as number; slot !== NONE; ) {
      const before = previous[slot] as number
      if ((times[slot] as number) < horizon || horizon === Number.POSITIVE_INFINITY) {
        const at = ++this.listed
        if (at + 1 >= this.dueTimes.length) this.makeRoom()
        this.dueTimes[at] = times[slot] as number
        this.entries[at] = values[slot] as number
        if (after === NONE) tails[day] = before
        else previous[after] = before
        previous[slot] = this.free
        this.free = slot
      } else after = slot
      slot = before
    }
  }

  /** Sorts the list; returns how many steps that took. */
  private sort(): number {
    const { dueTimes, entries, listed } = this
    let steps = 0
    for (let end = 2; end <= listed; end++) {
      const time = dueTimes[end] as number
      const entry = entries[end] as number
      let at = end
      for (let later = at - 1; (dueTimes[later] as number) < time; later--) {
        dueTimes[at] = dueTimes[later] as number
        entries[at] = entries[later] as number
        at = later
      }
      dueTimes[at] = time
      entries[at] = entry
      steps += end - at
    }
    return steps
  }

  private sortMany(): number {
    const { dueTimes, entries, listed } = this
    const times = dueTimes.slice(1, listed + 1)
    const values = entries.slice(1, listed + 1)
    const order = Array.from(times.keys()).sort((a, b) => (times[b] as number) - (times[a] as number))
    for (const [at, from] of order.entries()) {
      dueTimes[at + 1] = times[from] as number
      entries[at + 1] = values[from] as number
    }
    return listed * Math.ceil(Math.log2(listed))
  }

  /** Keeps about the first quarter of the list, and moves the rest to their days. */
  private cut(): void {
    const { dueTimes, entries, listed, rate, mask } = this
    const horizon = dueTimes[listed - (MAX_LIST_ENTRIES >> 2)] as number
    let moved = 0
    let day = NONE
    let first = NONE
    while ((dueTimes[moved + 1] as number) > horizon) {
      const time = dueTimes[++moved] as number
      const slot = this.slotOf(entries[moved] as number, time)
      const { tails, previous } = this
      // it was added before all entries of that day that are due at the same time
      const on = (time * rate) & mask
      if (on !== day) {
        day = on
        first = tails[day] as number
        if (first !== NONE) while (previous[first] !== NONE) first = previous[first] as number
      }
      previous[slot] = NONE
      if (first === NONE) tails[day] = slot
      else previous[first] = slot
      first = slot
    }
    dueTimes.copyWithin(1, moved + 1, listed + 1)
    entries.copyWithin(1, moved + 1, listed + 1)
    this.listed = listed - moved
    this.horizon = horizon
    this.turnTo(horizon)
    if (this.listed + 1 >= dueTimes.length) this.makeRoom()
  }

  private makeRoom(): void {
    this.dueTimes = doubled(this.dueTimes)
    this.entries = doubled(this.entries)
  }

  private earliest(): number {
    let earliest = Number.POSITIVE_INFINITY
    for (const last of this.tails)
      for (let slot = last; slot !== NONE; slot = this.previous[slot] as number)
        earliest = Math.min(earliest, this.times[slot] as number)
    return earliest
  }

  /** Makes the day of a time the first one, when no entry is due earlier; makes days longer when its number would be too large. */
  private turnTo(time: number): void {
    if (time * this.rate > MAX_DAY_NUMBER && time < Number.POSITIVE_INFINITY)
      this.rebuild(2 ** Math.floor(Math.log2(MAX_DAY_NUMBER / time)), this.mask + 1)
    this.day = Math.floor(time * this.rate)
  }

  /** Adjusts the length of days to recent entries, and the length of the year to the number of entries. */
  private review(): void {
    const tooLong = this.reviewedEntries / this.reviewedDays / ENTRIES_PER_DAY
    const rate = this.rate * 2 ** Math.trunc(Math.log2(tooLong))
    let days = this.mask + 1
    while (days < this.waiting) days *= 2
    if (rate !== this.rate || days !== this.mask + 1) this.rebuild(rate, days)
    this.turnTo(this.horizon)
    this.reviewedDays = 0
    this.reviewedEntries = 0
    this.steps = 0
  }

  private rebuild(rate: number, days: number): void {
    const { previous, times } = this
    const old = this.tails
    const tails = new Int32Array(days).fill(NONE)
    this.tails = tails
    this.mask = days - 1
    this.rate = rate
    this.length = 1 / rate
    for (const last of old) {
      // reversed, so that entries are moved in the order they were added
      let next = NONE
      for (let slot = last; slot !== NONE; ) {
        const before = previous[slot] as number
        previous[slot] = next
        next = slot
        slot = before
      }
      while (next !== NONE) {
        const slot = next
        next = previous[slot] as number
        const day = ((times[slot] as number) * rate) & this.mask
        previous[slot] = tails[day] as number
        tails[day] = slot
      }
    }
  }
}
