/**
 * Quantiles of a stream of values: exact up to 4,096 of them, then from a histogram whose buckets are 1/512 of their
 * value wide or less (as HDR histograms are), linear within a bucket: the error is below 0.2 %.
 */
const EXACT = 4096
const MANTISSA_BITS = 9
const PAGE = 1 << MANTISSA_BITS
/** Exponents of doubles from 2^-63 up; what is smaller counts as the smallest. */
const LOWEST = 1023 - 63

const double = new Float64Array(1)
const words = new Uint32Array(double.buffer)
/** Index of the half of a double that has its exponent. */
const HIGH = new Uint8Array(new Uint16Array([1]).buffer)[0] === 1 ? 1 : 0

export class Quantiles {
  count = 0
  #sum = 0
  #min = Number.POSITIVE_INFINITY
  #max = 0
  #values: Float64Array | null = new Float64Array(64)
  /** Buckets by exponent, made when needed; each has one for every leading part of the mantissa. */
  readonly #pages: (Uint32Array | undefined)[] = []
  #zeros = 0

  /** Adds a value of at least 0. */
  add(value: number): void {
    this.#sum += value
    if (value < this.#min) this.#min = value
    if (value > this.#max) this.#max = value
    const at = this.count++
    if (this.#values === null) this.#tally(value)
    else if (at < this.#values.length) this.#values[at] = value
    else this.#enlarge(this.#values, value)
  }

  get mean(): number {
    return this.count > 0 ? this.#sum / this.count : 0
  }

  /** The values below which the given shares (0 to 1, ascending) lie; 0 for each when there are none. */
  at(...shares: number[]): number[] {
    if (this.count === 0) return shares.map(() => 0)
    return this.#values ? this.#exact(this.#values, shares) : this.#estimated(shares)
  }

  #exact(values: Float64Array, shares: number[]): number[] {
    const sorted = values.slice(0, this.count).sort()
    return shares.map((share) => {
      const at = share * (this.count - 1)
      const below = Math.floor(at)
      const low = sorted[below] as number
      return low + ((sorted[Math.min(below + 1, this.count - 1)] as number) - low) * (at - below)
    })
  }

  #enlarge(values: Float64Array, value: number): void {
    if (values.length < EXACT) {
      const larger = new Float64Array(values.length * 2)
      larger.set(values)
      larger[values.length] = value
      this.#values = larger
      return
    }
    this.#values = null
    for (const each of values) this.#tally(each)
    this.#tally(value)
  }

  #tally(value: number): void {
    double[0] = value
    const high = words[HIGH] as number
    const exponent = (high >>> 20) - LOWEST
    if (exponent < 0) {
      this.#zeros++
      return
    }
    let page = this.#pages[exponent]
    if (page === undefined) {
      while (this.#pages.length < exponent) this.#pages.push(undefined)
      page = new Uint32Array(PAGE)
      this.#pages[exponent] = page
    }
    const bucket = (high >>> (20 - MANTISSA_BITS)) & (PAGE - 1)
    page[bucket] = (page[bucket] as number) + 1
  }

  #estimated(shares: number[]): number[] {
    const found: number[] = []
    let below = this.#zeros
    const take = (from: number, width: number, inside: number) => {
      while (found.length < shares.length) {
        // as if the values of a bucket lay evenly in it
        const rank = (shares[found.length] as number) * (this.count - 1) + 0.5
        if (rank > below + inside) break
        const value = from + (width * (rank - below)) / inside
        found.push(Math.min(this.#max, Math.max(this.#min, value)))
      }
      below += inside
    }
    below = 0
    if (this.#zeros > 0) take(0, 0, this.#zeros)
    for (const [exponent, page] of this.#pages.entries()) {
      if (page === undefined) continue
      const start = 2 ** (exponent + LOWEST - 1023)
      for (let bucket = 0; bucket < PAGE; bucket++) {
        const inside = page[bucket] as number
        if (inside > 0) take(start * (1 + bucket / PAGE), start / PAGE, inside)
      }
    }
    while (found.length < shares.length) found.push(this.#max)
    return found
  }
}
