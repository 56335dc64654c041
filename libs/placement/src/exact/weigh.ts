/**
 * A sharper bound for enumeration: what is still to come is cheap in one figure or in another, but seldom in both. A
 * weighted sum of two figures is a figure too, with a least value of its own; it cuts the corner off the box of all that a
 * beginning can still become.
 */
import type { Archive } from './archive.ts'
import type { AdditiveProblem } from './problem.ts'

/** Weights of the second figure of a pair, relative to the ranges of both. */
const WEIGHTS: readonly number[] = [0.4, 1.6]
/** Parts that a cut-off corner is covered in. */
const PARTS = 7

interface Pair {
  first: number
  second: number
  weights: number[]
  /** Column of the weighted sum of each weight. */
  columns: number[]
}

/** Weighted sums of pairs of figures, as further figures of a problem. */
export class Weighted {
  readonly problem: AdditiveProblem
  private readonly pairs: Pair[] = []
  private readonly stride: number
  private readonly row: Float64Array
  /** The part that was not covered last time is tried first. */
  private open = 0

  /** `known` are objective vectors, for the ranges of the figures. */
  constructor(problem: AdditiveProblem, known: Float64Array) {
    const m = problem.figures
    this.stride = m + 1
    this.row = new Float64Array(m + 1)
    const ranges = rangesOf(known, m)
    let columns = m
    // each figure with the next one; the last with the first when there are more than two
    for (let first = 0; first < (m === 2 ? 1 : m < 2 ? 0 : m); first++) {
      const second = (first + 1) % m
      const ratio = (ranges[first] as number) / (ranges[second] as number)
      if (!(ratio > 0 && Number.isFinite(ratio))) continue
      const weights = (m === 2 ? WEIGHTS : [1]).map((weight) => weight * ratio)
      this.pairs.push({ first, second, weights, columns: weights.map(() => columns++) })
    }
    const widened = (values: Float64Array) => {
      const rows = values.length / m
      const wide = new Float64Array(rows * columns)
      for (let row = 0; row < rows; row++) {
        for (let k = 0; k < m; k++) wide[row * columns + k] = values[row * m + k] as number
        for (const pair of this.pairs)
          for (const [i, column] of pair.columns.entries())
            wide[row * columns + column] =
              (values[row * m + pair.first] as number) +
              (pair.weights[i] as number) * (values[row * m + pair.second] as number)
      }
      return wide
    }
    this.problem = {
      ...problem,
      figures: columns,
      own: widened(problem.own),
      send: widened(problem.send),
      edgeFigures: widened(problem.edgeFigures),
    }
  }

  /** Whether the archive covers all that is nowhere below the row of `bound` at `offset`, weighted sums included. */
  covers(archive: Archive, bound: Float64Array, offset: number): boolean {
    for (let i = 0; i < this.pairs.length; i++)
      if (this.coversPair(this.pairs[i] as Pair, archive, bound, offset)) return true
    return false
  }

  private coversPair(pair: Pair, archive: Archive, bound: Float64Array, offset: number): boolean {
    const { weights, columns } = pair
    const a = bound[offset + 1 + pair.first] as number
    const b = bound[offset + 1 + pair.second] as number
    // how much more the first figure must be at least where the second is at its least
    let most = 0
    for (let i = 0; i < weights.length; i++) {
      const least = bound[offset + 1 + (columns[i] as number)] as number
      const more = least * (1 - 1e-12) - a - (weights[i] as number) * b
      if (more > most) most = more
    }
    if (most === 0) return false
    const row = this.row
    for (let d = 0; d < this.stride; d++) row[d] = bound[offset + d] as number
    for (let n = 0; n < PARTS; n++) {
      const part = (this.open + n) % PARTS
      const until = (most * (part + 1)) / PARTS
      let second = b
      for (let i = 0; i < weights.length; i++) {
        const weight = weights[i] as number
        const least = bound[offset + 1 + (columns[i] as number)] as number
        const needed = (least * (1 - 1e-12) - a - until) / weight
        if (needed > second) second = needed
      }
      row[1 + pair.first] = a + (most * part) / PARTS
      row[1 + pair.second] = second
      if (!archive.plainlyCovers(row, 0)) {
        this.open = part
        return false
      }
    }
    return true
  }
}

/** The extent of each figure among objective vectors. */
function rangesOf(known: Float64Array, m: number): number[] {
  return Array.from({ length: m }, (_, k) => {
    let low = Number.POSITIVE_INFINITY
    let high = 0
    for (let i = 1 + k; i < known.length; i += m + 1) {
      low = Math.min(low, known[i] as number)
      high = Math.max(high, known[i] as number)
    }
    return high - low
  })
}
