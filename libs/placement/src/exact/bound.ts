/** Gives labels up of which nothing new can come. */
import { MinTree } from './dominance.ts'
import { type AdditiveProblem, at } from './problem.ts'
import { type LayerTables, remainingFigures } from './transitions.ts'

/** What known placements rule out: all that a label can still become. */
export class Bound {
  readonly #tree: MinTree | undefined
  readonly #known: Float64Array
  /** For every layer, by key: the least sums of figures still to come. */
  readonly remaining: Float64Array[]
  readonly #m: number
  readonly #row: Float64Array
  /** The known placement that ruled out the last label often rules out the next as well. */
  #last = 0

  constructor(problem: AdditiveProblem, tables: readonly LayerTables[], known: Float64Array) {
    const stride = problem.figures + 1
    const count = known.length / stride
    this.#m = problem.figures
    this.#known = known
    this.remaining = remainingFigures(problem, tables)
    this.#row = new Float64Array(stride)
    if (count === 0) return
    this.#tree = new MinTree(
      known,
      count,
      stride,
      Int32Array.from({ length: stride }, (_, d) => d),
    )
    for (let i = 0; i < count; i++) this.#tree.add(i)
  }

  /** Whether a known placement is at least as good as all that has these figures, this key and this least latency. */
  excludes(
    figures: Float64Array,
    offset: number,
    remaining: Float64Array,
    key: number,
    latency: number,
  ): boolean {
    if (!this.#tree) return false
    const m = this.#m
    const row = this.#row
    row[0] = latency
    for (let k = 0; k < m; k++) row[1 + k] = at(figures, offset + k) + at(remaining, key * m + k)
    let covered = true
    for (let d = 0; d <= m && covered; d++) covered = at(this.#known, this.#last * (m + 1) + d) <= at(row, d)
    if (covered) return true
    const by = this.#tree.coverOf(row, 0)
    if (by >= 0) this.#last = by
    return by >= 0
  }
}
