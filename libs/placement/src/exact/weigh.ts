/**
 * A sharper bound for enumeration: the rest of a placement is cheap in one objective or in another, but seldom in both. The
 * minimum of a weighted sum of two objectives cuts a corner off the box of everything that a partial placement can become.
 */
import type { Archive } from './archive.ts'
import type { Grid } from './grid.ts'
import type { WeightedSum } from './lookahead.ts'
import type { AdditiveProblem } from './problem.ts'

/** Parts in which the cut-off corners are checked; a power of 2. */
const CORNER_PARTS = 16
/** Lower bound of a rounded sum relative to the exact one. */
const ROUNDING_FACTOR = 1 - 1e-12

/** For problems of three objectives: the weight of the common figure in its sums with the latency and with the other figure. */
interface ThreeSums {
  /** Whether it is the second figure. */
  isLast: boolean
  latency: number
  other: number
  perLatency: number
  perOther: number
}

/** The weighted sums of one figure with every other objective. Sums of two figures are further figures of the problem, the sum with the latency is the lookahead's. */
export class Weighted {
  readonly problem: AdditiveProblem
  readonly weightedSum: WeightedSum
  /** The figure that is in every sum. */
  private readonly along: number
  /** By sum: its other objective, the weight of the figure relative to it, and its column in a row of bounds. */
  private readonly objectives: Int32Array
  private readonly weights: Float64Array
  private readonly columns: Int32Array
  /** By sum: how far its other objective is above its minimum where the figure is at its minimum. */
  private readonly above: Float64Array
  private readonly row: Float64Array
  /** The sums of three objectives. */
  private readonly three: ThreeSums | undefined
  /** The part that was not covered by the last query; it is tried first. */
  private open = 0

  /** `known` are objective vectors, for the ranges of the objectives. */
  constructor(problem: AdditiveProblem, known: Float64Array) {
    const m = problem.figures
    this.row = new Float64Array(m + 1)
    const ranges = rangesOf(known, m + 1)
    this.along = mostEdgeIndependent(problem, ranges)
    const weightOf = (objective: number) => {
      const ratio = (ranges[objective] as number) / (ranges[1 + this.along] as number)
      return Number.isFinite(ratio) ? ratio : 0
    }
    const summed = Array.from({ length: m }, (_, k) => 1 + k).filter(
      (objective) => objective !== 1 + this.along && weightOf(objective) > 0,
    )
    this.weightedSum = { figure: this.along, weight: weightOf(0) }
    const figures = m + summed.length
    const widened = (values: Float64Array) => {
      const rows = values.length / m
      const wide = new Float64Array(rows * figures)
      for (let row = 0; row < rows; row++) {
        for (let k = 0; k < m; k++) wide[row * figures + k] = values[row * m + k] as number
        for (const [i, objective] of summed.entries())
          wide[row * figures + m + i] =
            (values[row * m + objective - 1] as number) +
            weightOf(objective) * (values[row * m + this.along] as number)
      }
      return wide
    }
    this.problem = {
      ...problem,
      figures,
      own: widened(problem.own),
      send: widened(problem.send),
      edgeFigures: widened(problem.edgeFigures),
    }
    const sums = summed.map((objective, i) => ({ objective, column: 1 + m + i }))
    if (this.weightedSum.weight > 0) sums.push({ objective: 0, column: 1 + figures })
    this.objectives = Int32Array.from(sums, ({ objective }) => objective)
    this.weights = Float64Array.from(sums, ({ objective }) => weightOf(objective))
    this.columns = Int32Array.from(sums, ({ column }) => column)
    this.above = new Float64Array(sums.length)
    if (m === 2 && sums.length === 2) {
      const latency = weightOf(0)
      const other = weightOf(2 - this.along)
      this.three = {
        isLast: this.along === 1,
        latency,
        other,
        perLatency: 1 / latency,
        perOther: 1 / other,
      }
    }
  }

  /** Whether the archive covers everything that the row of `bound` at `offset` allows, weighted sums included. */
  covers(archive: Archive, bound: Float64Array, offset: number): boolean {
    if (this.three && archive.grid) return this.coversThree(this.three, archive.grid, bound, offset)
    const { objectives, weights, columns, above, row } = this
    for (let d = 0; d < row.length; d++) row[d] = bound[offset + d] as number
    const from = row[1 + this.along] as number
    // from here on some other objective must be above its minimum
    let most = 0
    for (let i = 0; i < objectives.length; i++) {
      const weight = weights[i] as number
      const sum = (bound[offset + (columns[i] as number)] as number) * ROUNDING_FACTOR
      const more = sum - weight * from - (row[objectives[i] as number] as number)
      above[i] = more
      if (more > most * weight) most = more / weight
    }
    if (most === 0) return archive.plainlyCovers(row, 0)
    return this.coversSteps((at, size) =>
      this.coversStep(
        archive,
        bound,
        offset,
        (most * at) / CORNER_PARTS,
        (most * (at + size)) / CORNER_PARTS,
      ),
    )
  }

  /** Whether all parts are covered: a step that is covered is followed by one twice as long, one that is not is halved. */
  private coversSteps(isCovered: (at: number, size: number) => boolean): boolean {
    let step = 1
    let at = this.open
    for (let left = CORNER_PARTS; left > 0; ) {
      const size = Math.min(step, left, CORNER_PARTS - at)
      if (isCovered(at, size)) {
        left -= size
        at = (at + size) & (CORNER_PARTS - 1)
        step = 2 * size
      } else if (size > 1) step = size >> 1
      else {
        this.open = at
        return false
      }
    }
    return true
  }

  /** The same for three objectives, as most problems have: without tables. */
  private coversThree(sums: ThreeSums, grid: Grid, bound: Float64Array, offset: number): boolean {
    const { isLast, latency, other } = sums
    const first = bound[offset + 1] as number
    const second = bound[offset + 2] as number
    const x = bound[offset] as number
    const y = isLast ? first : second
    const z = isLast ? second : first
    const aboveX = (bound[offset + 4] as number) * ROUNDING_FACTOR - latency * z - x
    const aboveY = (bound[offset + 3] as number) * ROUNDING_FACTOR - other * z - y
    const most = Math.max(aboveX * sums.perLatency, aboveY * sums.perOther)
    if (!(most > 0)) return grid.plainlyCoversThree(x, first, second)
    const part = most / CORNER_PARTS
    return this.coversSteps((at, size) => {
      const high = part * (at + size)
      const cornerX = x + Math.max(0, aboveX - latency * high)
      const cornerY = y + Math.max(0, aboveY - other * high)
      const cornerZ = z + part * at
      return grid.plainlyCoversThree(cornerX, isLast ? cornerY : cornerZ, isLast ? cornerZ : cornerY)
    })
  }

  /** Whether all is covered that is so far along. */
  private coversStep(
    archive: Archive,
    bound: Float64Array,
    offset: number,
    low: number,
    high: number,
  ): boolean {
    const { objectives, weights, above, row, along } = this
    row[1 + along] = (bound[offset + 1 + along] as number) + low
    for (let i = 0; i < objectives.length; i++) {
      const objective = objectives[i] as number
      const more = (above[i] as number) - (weights[i] as number) * high
      row[objective] = (bound[offset + objective] as number) + Math.max(0, more)
    }
    return archive.plainlyCovers(row, 0)
  }
}

/** The figure that depends least on edges among those that vary: the minimum sums with it stay valid longest. */
function mostEdgeIndependent(problem: AdditiveProblem, ranges: readonly number[]): number {
  const { figures: m, own, send, edgeFigures } = problem
  const sum = (values: Float64Array, k: number) => {
    let all = 0
    for (let i = k; i < values.length; i += m) all += values[i] as number
    return all
  }
  let best = 0
  let minimum = Number.POSITIVE_INFINITY
  for (let k = 0; k < m; k++) {
    if (!((ranges[1 + k] as number) > 0)) continue
    const edges = sum(edgeFigures, k) + sum(send, k)
    const share = edges / (edges + sum(own, k))
    if (share < minimum) best = k
    minimum = Math.min(minimum, share)
  }
  return best
}

/** The extent of each coordinate among rows. */
function rangesOf(rows: Float64Array, stride: number): number[] {
  return Array.from({ length: stride }, (_, d) => {
    let low = Number.POSITIVE_INFINITY
    let high = 0
    for (let i = d; i < rows.length; i += stride) {
      low = Math.min(low, rows[i] as number)
      high = Math.max(high, rows[i] as number)
    }
    return high - low
  })
}
