/** Quantiles of many numbers in bounded memory. */
import { quantile } from './comparison.ts'

/** Values kept one by one; with more, only counts of buckets are. */
const MAX_EXACT = 1_024
/** Greatest error of a quantile, as a share of it, once values are counted in buckets. */
const ACCURACY = 0.005
const GAMMA = (1 + ACCURACY) / (1 - ACCURACY)
const LOG_GAMMA = Math.log(GAMMA)
/** Smaller values count as this one. With ms, a nanosecond. */
const MIN_VALUE = 1e-6

/**
 * Quantiles of numbers that are not negative. The first 1,024 are kept as they are and their quantiles exact; from then on
 * logarithmic buckets hold counts (DDSketch, Masson et al., VLDB 2019), and a quantile is within .5 % of a value of that
 * rank. Memory is bounded: values from 1e-6 to 1e12 fall into about 4,200 buckets.
 */
export class QuantileSketch {
  #exact: number[] | null = []
  readonly #buckets = new Map<number, number>()
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Adds a value; a negative one counts as 0. */
  add(value: number): void {
    this.#count++
    if (!this.#exact) this.#bucket(value)
    else if (this.#exact.push(value) > MAX_EXACT) {
      for (const each of this.#exact) this.#bucket(each)
      this.#exact = null
    }
  }

  /** The values at these shares (0 to 1), in the order asked for; `NaN` without values. */
  quantiles(shares: readonly number[]): number[] {
    if (this.#exact) {
      const sorted = this.#exact.toSorted((a, b) => a - b)
      return shares.map((share) => quantile(sorted, share))
    }
    const sorted = [...this.#buckets].sort(([a], [b]) => a - b)
    return shares.map((share) => {
      let rank = share * (this.#count - 1)
      for (const [bucket, count] of sorted) {
        rank -= count
        if (rank < 0) return (2 * GAMMA ** bucket) / (GAMMA + 1)
      }
      return Number.NaN
    })
  }

  #bucket(value: number): void {
    const bucket = Math.ceil(Math.log(Math.max(MIN_VALUE, value)) / LOG_GAMMA)
    this.#buckets.set(bucket, (this.#buckets.get(bucket) ?? 0) + 1)
  }
}
