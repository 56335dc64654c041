/**
 * Quantiles of a stream of values: exact up to 4,096 of them, then from a histogram whose buckets are 1/512 of their
 * value wide or less (as HDR histograms are), linear within a bucket: the error is below 0.2 %.
 */
/** Most values of which quantiles are exact. */
const MAX_EXACT = 4096
const MANTISSA_BITS = 9
/** Buckets from one power of two to the next. */
const OCTAVE = 1 << MANTISSA_BITS
/** Number of the first bucket: what is below 2^-63 counts as 0. */
const LOWEST = (1023 - 63) * OCTAVE
/** For at most this many quantiles only parts of the values are sorted. */
const MAX_SELECTED = 4

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
/** Index of the half of a double that has its exponent. */
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

export class Quantiles {
  count = 0
  sum = 0
  private min = Number.POSITIVE_INFINITY
  private max = 0
  private values: Float64Array | null
  /** How many values each bucket has, from bucket `first` on. */
  private tallies = new Uint32Array(0)
  private first = 0
  private zeros = 0

  /** Takes the expected number of values, if it is known. */
  constructor(expected = 64) {
    this.values = new Float64Array(Math.min(MAX_EXACT, Math.max(1, Math.ceil(expected))))
  }

  /** Adds a value of at least 0. */
  add(value: number): void {
    if (this.count === this.values?.length) this.makeRoom(this.values, 1)
    this.sum += value
    if (value < this.min) this.min = value
    if (value > this.max) this.max = value
    const at = this.count++
    if (this.values === null) this.tally(value)
    else this.values[at] = value
  }

  /** Adds the first of a column of values of at least 0. */
  addAll(values: Float64Array, count: number): void {
    if (this.values !== null && this.keep(values, count)) return
    const halves = new Uint32Array(values.buffer, values.byteOffset, 2 * count)
    let tallies = this.tallies
    let first = this.first
    let sum = this.sum
    let min = this.min
    let max = this.max
    this.count += count
    for (let at = 0; at < count; at++) {
      const value = values[at] as number
      sum += value
      if (value < min) min = value
      if (value > max) max = value
      const bucket = (halves[2 * at + HIGH] as number) >>> (20 - MANTISSA_BITS)
      const tally = bucket - first
      if (tally >= 0 && tally < tallies.length) tallies[tally] = (tallies[tally] as number) + 1
      else {
        this.tally(value)
        tallies = this.tallies
        first = this.first
      }
    }
    this.sum = sum
    this.min = min
    this.max = max
  }

  get mean(): number {
    return this.count > 0 ? this.sum / this.count : 0
  }

  /** The values below which the given shares (0 to 1, ascending) lie; 0 for each when there are none. */
  at(...shares: number[]): number[] {
    if (this.count === 0) return shares.map(() => 0)
    return this.values ? this.exact(this.values, shares) : this.estimated(this.tallies, shares)
  }

  private exact(values: Float64Array, shares: number[]): number[] {
    const last = this.count - 1
    const ranked =
      shares.length <= MAX_SELECTED ? new Ranked(values, this.count) : values.slice(0, this.count).sort()
    return shares.map((share) => {
      const at = share * last
      const below = Math.floor(at)
      const low = ranked.at(below) as number
      return below === last ? low : low + ((ranked.at(below + 1) as number) - low) * (at - below)
    })
  }

  /** Adds values to those that are kept, unless that would be too many. */
  private keep(values: Float64Array, count: number): boolean {
    const kept = this.values && this.makeRoom(this.values, count)
    if (!kept) return false
    kept.set(values.subarray(0, count), this.count)
    for (let at = 0; at < count; at++) {
      const value = values[at] as number
      this.sum += value
      if (value < this.min) this.min = value
      if (value > this.max) this.max = value
    }
    this.count += count
    return true
  }

  /** The values that are kept, with room for more; null when they would be too many: from then on they are counted. */
  private makeRoom(kept: Float64Array, more: number): Float64Array | null {
    const { count } = this
    if (count + more <= kept.length) return kept
    if (count + more <= MAX_EXACT) {
      const larger = new Float64Array(Math.min(MAX_EXACT, Math.max(count + more, 2 * kept.length)))
      larger.set(kept)
      this.values = larger
      return larger
    }
    this.values = null
    this.count = 0
    this.sum = 0
    this.addAll(kept, count)
    return null
  }

  private tally(value: number): void {
    double[0] = value
    // exponent and mantissa lie side by side, so that the buckets of an octave follow those of the one below
    const bucket = (words[HIGH] as number) >>> (20 - MANTISSA_BITS)
    const tallies = this.tallies
    const at = bucket - this.first
    if (at >= 0 && at < tallies.length) tallies[at] = (tallies[at] as number) + 1
    else if (bucket < LOWEST) this.zeros++
    else this.widen(bucket)
  }

  /** Makes room for the octave of a bucket, and counts one value in it. */
  private widen(bucket: number): void {
    const octave = bucket - (bucket % OCTAVE)
    const { length } = this.tallies
    const first = length === 0 ? octave : Math.min(octave, this.first)
    const end = Math.max(octave + OCTAVE, length === 0 ? 0 : this.first + length)
    const wider = new Uint32Array(end - first)
    if (length > 0) wider.set(this.tallies, this.first - first)
    wider[bucket - first] = (wider[bucket - first] as number) + 1
    this.tallies = wider
    this.first = first
  }

  private estimated(tallies: Uint32Array, shares: number[]): number[] {
    const found: number[] = []
    let below = 0
    const take = (from: number, width: number, inside: number) => {
      while (found.length < shares.length) {
        // as if the values of a bucket lay evenly in it
        const rank = (shares[found.length] as number) * (this.count - 1) + 0.5
        if (rank > below + inside) break
        const value = from + (width * (rank - below)) / inside
        found.push(Math.min(this.max, Math.max(this.min, value)))
      }
      below += inside
    }
    if (this.zeros > 0) take(0, 0, this.zeros)
    for (let at = 0; at < tallies.length && found.length < shares.length; at++) {
      const inside = tallies[at] as number
      if (inside === 0) continue
      const bucket = this.first + at
      const start = 2 ** (Math.floor(bucket / OCTAVE) - 1023)
      take(start * (1 + (bucket % OCTAVE) / OCTAVE), start / OCTAVE, inside)
    }
    while (found.length < shares.length) found.push(this.max)
    return found
  }
}

/** Maximum number of buckets. */
const MAX_BUCKETS = 2048

/** Values by rank, of which only those near the ranks asked for are sorted. */
class Ranked {
  private readonly values: Float64Array
  /** How many values each bucket has, which of them came last, and for every value which came before it there. */
  private readonly counts = new Uint16Array(MAX_BUCKETS)
  private readonly tails = new Uint16Array(MAX_BUCKETS)
  private readonly previous: Uint16Array
  /** The bucket sorted last. */
  private bucket = -1
  private before = 0
  private sorted = new Float64Array(0)

  constructor(values: Float64Array, count: number) {
    const { counts, tails } = this
    const previous = new Uint16Array(count)
    this.values = values
    this.previous = previous
    const words = new Uint32Array(values.buffer, values.byteOffset, 2 * count)
    let least = words[HIGH] as number
    let most = least
    for (let at = HIGH; at < words.length; at += 2) {
      const word = words[at] as number
      if (word < least) least = word
      if (word > most) most = word
    }
    const shift = Math.max(0, 32 - Math.clz32(most - least) - Math.log2(MAX_BUCKETS))
    for (let at = 0; at < count; at++) {
      const bucket = ((words[2 * at + HIGH] as number) - least) >>> shift
      counts[bucket] = (counts[bucket] as number) + 1
      previous[at] = tails[bucket] as number
      tails[bucket] = at
    }
  }

  at(rank: number): number {
    let bucket = 0
    let before = 0
    for (
      let inside = this.counts[0] as number;
      before + inside <= rank;
      inside = this.counts[++bucket] as number
    )
      before += inside
    if (bucket !== this.bucket) {
      const own = new Float64Array(this.counts[bucket] as number)
      let each = this.tails[bucket] as number
      for (let at = 0; at < own.length; at++) {
        own[at] = this.values[each] as number
        each = this.previous[each] as number
      }
      this.sorted = own.sort()
      this.bucket = bucket
      this.before = before
    }
    return this.sorted[rank - this.before] as number
  }
}
