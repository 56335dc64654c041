/** Good placements of an additive problem, quickly and without proof: descent along weighted sums, then Pareto local search. */
import { Archive } from './archive.ts'
import { crowdingOf } from './crowding.ts'
import { frontRows } from './dominance.ts'
import { Judge } from './judge.ts'
import type { AdditiveProblem } from './problem.ts'
import { tailsOf } from './reach.ts'

/** Placements found by a search. */
export interface SearchResult {
  /** Objective vectors, figures + 1 values each, none dominated by another. */
  objectives: Float64Array
  /** A placement for each. */
  placements: Uint8Array
  count: number
}

/** Share of the placement budget for descents, and passes of a descent over all tasks. */
const DESCENT_SHARE = 0.15
const DESCENT_PASSES = 3
/** Share of the placement budget for placements that meet deadlines, and their maximum number. */
const DEADLINE_SHARE = 0.15
const MAX_DEADLINE_TRIALS = 800
/** A change must bring a weighted sum below this factor of it: a smaller gain may be rounding. */
const MIN_GAIN_FACTOR = 1 - 1e-12
/** Tasks evaluated between two pauses. */
const TASKS_PER_PAUSE = 60_000
/** Known placements evaluated between two pauses. */
const KNOWN_PER_PAUSE = 500
/** Placements evaluated between two updates of the front and of where it is sparse. */
const PLACEMENTS_PER_BATCH = 5_000

/** How many placements may be evaluated; lowering the budget to 0 ends the search. */
export interface Limit {
  budget: number
}

/**
 * Searches for good placements within a budget. With known placements to start `from` (possibly none), it only tries changes of
 * placements on the front. Deterministic; yields now and then.
 */
export function* search(
  problem: AdditiveProblem,
  limit: Limit,
  from?: Pick<SearchResult, 'placements' | 'count'>,
): Generator<number, SearchResult> {
  const work = new Search(problem, limit)
  if (from?.count) yield* work.goOnFrom(from)
  else work.starts()
  yield 0
  if (!from) {
    yield* work.meetDeadlines()
    const descents = (DESCENT_SHARE * limit.budget) / (DESCENT_PASSES * Math.max(1, problem.tasks))
    for (const weights of weightsOf(problem.figures + 1, descents)) {
      if (work.judged > DESCENT_SHARE * limit.budget) break
      yield* work.descend(weights)
    }
  }
  yield* work.spread()
  return work.found()
}

class Search {
  private readonly problem: AdditiveProblem
  private readonly stride: number
  private readonly limit: Limit
  /** The current placement. */
  private readonly placement: Uint8Array
  private readonly judge: Judge
  private readonly archive: Archive
  /** A placement for each point of the archive. */
  private placements: Uint8Array
  /** The undominated points at the last call of `front`, and the number of all points then. */
  private frontPoints = new Int32Array(0)
  private looked = 0
  /** Points whose neighbours have been tried. */
  private readonly expanded = new Set<number>()
  /** Minimum and maximum of every objective among the points. */
  private readonly low: Float64Array
  private readonly high: Float64Array
  /** Objectives of the placement evaluated last. */
  private readonly row: Float64Array
  judged = 0

  constructor(problem: AdditiveProblem, limit: Limit) {
    this.problem = problem
    this.stride = problem.figures + 1
    this.limit = limit
    this.placement = new Uint8Array(problem.tasks)
    this.judge = new Judge(problem)
    this.archive = new Archive(this.stride)
    this.row = new Float64Array(this.stride)
    this.low = new Float64Array(this.stride).fill(Number.POSITIVE_INFINITY)
    this.high = new Float64Array(this.stride)
    this.placements = new Uint8Array(1024 * problem.tasks)
  }

  /** Tries all tasks on their first tier, on their second, and so on. */
  starts(): void {
    const most = Math.max(1, ...this.problem.tiers)
    for (let tier = 0; tier < most; tier++) {
      this.placement.set(this.problem.tiers.map((count) => Math.min(tier, count - 1)))
      this.consider()
    }
  }

  /** Takes over known placements. */
  *goOnFrom({ placements, count }: Pick<SearchResult, 'placements' | 'count'>): Generator<number> {
    const { tasks } = this.problem
    const stride = this.stride
    const rows = new Float64Array(count * stride)
    for (let i = 0; i < count; i++) {
      this.judge.judge(placements, i * tasks, rows, i * stride)
      this.reachTo(rows, i * stride)
      if (i % KNOWN_PER_PAUSE === 0) yield 0
    }
    this.archive.addAll(rows)
    this.makeRoom(count)
    this.placements.set(placements.subarray(0, count * tasks))
  }

  /**
   * For deadlines from the shortest latency to the longest, puts every task in turn on the cheapest tier with which the deadline
   * can still be met. Single changes do not find these placements where many paths are about equally long.
   */
  *meetDeadlines(): Generator<number> {
    const { figures: m } = this.problem
    const { minimum } = tailsOf(this.problem)
    const trials = Math.min(MAX_DEADLINE_TRIALS, (DEADLINE_SHARE * this.limit.budget) | 0)
    const weightings = m === 1 ? [[1]] : weightsOf(m, Math.sqrt(trials) / 2)
    const deadlines = Math.floor(trials / weightings.length)
    if (deadlines < 2) return
    const scales = this.scales()
    const longest = this.high[0] as number
    this.meet(0, new Float64Array(m), minimum, this.placement)
    this.consider()
    const shortest = this.row[0] as number
    for (let i = 0; i < deadlines; i++) {
      const deadline = shortest + ((longest - shortest) * i) / (deadlines - 1)
      for (const weighting of weightings) {
        const weights = Float64Array.from(weighting, (weight, k) => weight * (scales[k + 1] as number))
        this.meet(deadline, weights, minimum, this.placement)
        this.consider()
      }
      yield 0
    }
  }

  private meet(deadline: number, weights: Float64Array, minimum: Float64Array, placement: Uint8Array): void {
    const { tasks, figures: m, tiers, first, time, own, from, pair, edgeTime, edgeFigures } = this.problem
    const ends = new Float64Array(tasks)
    for (let t = 0; t < tasks; t++) {
      let best = Number.POSITIVE_INFINITY
      let bestLate = Number.POSITIVE_INFINITY
      for (let tier = 0; tier < (tiers[t] as number); tier++) {
        const row = (first[t] as number) + tier
        let ready = 0
        let cost = 0
        for (let k = 0; k < m; k++) cost += (weights[k] as number) * (own[row * m + k] as number)
        for (const e of this.problem.into[t] as Int32Array) {
          const cell =
            (pair[e] as number) + (placement[from[e] as number] as number) * (tiers[t] as number) + tier
          ready = Math.max(ready, (ends[from[e] as number] as number) + (edgeTime[cell] as number))
          for (let k = 0; k < m; k++) cost += (weights[k] as number) * (edgeFigures[cell * m + k] as number)
        }
        const end = ready + (time[row] as number)
        const late = Math.max(0, end + (minimum[row] as number) - deadline)
        if (late > bestLate || (late === bestLate && cost >= best)) continue
        best = cost
        bestLate = late
        placement[t] = tier
        ends[t] = end
      }
    }
  }

  /** Evaluates the current placement and keeps it, unless a known one is at least as good. */
  private consider(): void {
    this.judge.judge(this.placement, 0, this.row, 0)
    this.keep()
  }

  /** Keeps the current placement with its objectives in `row`. */
  private keep(): void {
    const { tasks } = this.problem
    const archive = this.archive
    this.judged++
    if (archive.covers(this.row, 0)) return
    this.makeRoom(archive.count + 1)
    this.placements.set(this.placement, archive.count * tasks)
    archive.add(this.row, 0)
    this.reachTo(this.row, 0)
  }

  /** Makes room for the placements of a number of points. */
  private makeRoom(points: number): void {
    const size = points * this.problem.tasks
    if (size <= this.placements.length) return
    const placements = new Uint8Array(2 * size)
    placements.set(this.placements)
    this.placements = placements
  }

  /** Extends the ranges of the objectives to a row. */
  private reachTo(rows: Float64Array, offset: number): void {
    for (let d = 0; d < this.stride; d++) {
      const value = rows[offset + d] as number
      if (value < (this.low[d] as number)) this.low[d] = value
      if (value > (this.high[d] as number)) this.high[d] = value
    }
  }

  /** Makes the placement of a point of the archive the current one. */
  private take(point: number): void {
    const { tasks } = this.problem
    this.placement.set(this.placements.subarray(point * tasks, (point + 1) * tasks))
  }

  /** Considers the current placement with one task on another tier. */
  private try(task: number, tier: number): void {
    const before = this.placement[task] as number
    this.placement[task] = tier
    this.consider()
    this.placement[task] = before
  }

  /** Numbers of the undominated points, computed from those of the last call and the points added since. */
  private front(): Int32Array {
    const stride = this.stride
    const { rows, count } = this.archive
    const points = new Int32Array(this.frontPoints.length + count - this.looked)
    points.set(this.frontPoints)
    for (let i = this.frontPoints.length; i < points.length; i++) points[i] = this.looked++
    const own = new Float64Array(points.length * stride)
    for (let i = 0; i < points.length; i++)
      for (let d = 0; d < stride; d++)
        own[i * stride + d] = rows[(points[i] as number) * stride + d] as number
    this.frontPoints = frontRows(own, points.length, stride).map((i) => points[i] as number)
    return this.frontPoints
  }

  /** Factors that scale the range of every objective to 1. */
  private scales(): Float64Array {
    return this.low.map((low, d) => {
      const high = this.high[d] as number
      return 1 / (high > low ? high - low : high > 0 ? high : 1)
    })
  }

  /** Improves the best known placement for a weighted sum by single changes until none improves it. */
  *descend(weights: readonly number[]): Generator<number> {
    const { tasks, tiers } = this.problem
    const scales = this.scales()
    const weigh = (rows: Float64Array, offset: number) => {
      let value = 0
      for (let d = 0; d < this.stride; d++)
        value += (weights[d] as number) * (scales[d] as number) * (rows[offset + d] as number)
      return value
    }
    let best = 0
    let value = Number.POSITIVE_INFINITY
    for (let i = 0; i < this.archive.count; i++) {
      const weight = weigh(this.archive.rows, i * this.stride)
      if (weight >= value) continue
      value = weight
      best = i
    }
    this.take(best)
    const placement = this.placement
    let unchanged = 0
    for (let t = tasks - 1; unchanged < tasks && this.judged < this.limit.budget; t = (t || tasks) - 1) {
      unchanged++
      const before = placement[t] as number
      let chosen = before
      for (let tier = 0; tier < (tiers[t] as number); tier++) {
        if (tier === before) continue
        this.try(t, tier)
        const changed = weigh(this.row, 0)
        if (changed >= value * MIN_GAIN_FACTOR) continue
        value = changed
        chosen = tier
        unchanged = 0
      }
      placement[t] = chosen
      if (this.judged % Math.max(1, Math.floor(TASKS_PER_PAUSE / tasks)) < (tiers[t] as number))
        yield Math.min(0.5, (0.5 * this.judged) / Math.max(1, this.limit.budget))
    }
  }

  /** Tries all single changes of placements on the front, sparse regions first, then of the new ones, and so on. */
  *spread(): Generator<number> {
    const { tasks, tiers } = this.problem
    const pause = Math.ceil(TASKS_PER_PAUSE / tasks ** 2)
    while (this.judged < this.limit.budget) {
      const fresh = this.sparsest(Math.ceil(PLACEMENTS_PER_BATCH / tasks))
      if (fresh.length === 0) return
      for (let i = 0; i < fresh.length && this.judged < this.limit.budget; i++) {
        const point = fresh[i] as number
        this.expanded.add(point)
        this.take(point)
        for (let t = tasks - 1; t >= 0; t--)
          for (let tier = 0; tier < (tiers[t] as number); tier++)
            if (tier !== this.placement[t]) this.try(t, tier)
        if (i % pause === 0) yield Math.min(1, this.judged / Math.max(1, this.limit.budget))
      }
    }
  }

  /** Points of the front that are not expanded yet, up to a count; those in sparse regions when there are more. */
  private sparsest(most: number): Int32Array {
    const front = this.front()
    const fresh = front.filter((point) => !this.expanded.has(point))
    if (fresh.length <= most) return fresh
    const crowding = crowdingOf(this.archive.rows, front, this.stride)
    let i = 0
    const ofFresh = crowding.filter((_, index) => front[index] === fresh[i] && ++i > 0)
    const minimum = ofFresh.slice().sort()[fresh.length - most] as number
    return fresh.filter((_, index) => (ofFresh[index] as number) >= minimum).subarray(0, most)
  }

  found(): SearchResult {
    const { tasks } = this.problem
    const stride = this.stride
    const front = this.front()
    const objectives = new Float64Array(front.length * stride)
    const placements = new Uint8Array(front.length * tasks)
    for (const [i, point] of front.entries()) {
      placements.set(this.placements.subarray(point * tasks, (point + 1) * tasks), i * tasks)
      objectives.set(this.archive.rows.subarray(point * stride, (point + 1) * stride), i * stride)
    }
    return { objectives, placements, count: front.length }
  }
}

/**
 * About `count` evenly spread weightings: all vectors of whole numbers with the same sum. Single objectives come first (with a
 * little of the others), then the rest in a low-discrepancy order.
 */
function weightsOf(objectives: number, count: number): number[][] {
  let parts = 1
  while (combinations(parts + objectives, objectives - 1) <= count) parts++
  const all: number[][] = []
  const fill = (prefix: number[], left: number) => {
    if (prefix.length === objectives - 1) {
      all.push([...prefix, left])
      return
    }
    for (let part = left; part >= 0; part--) fill([...prefix, part], left - part)
  }
  fill([], parts)
  const single = (weights: number[]) => weights.filter((weight) => weight > 0).length === 1
  const mixed = all.filter((weights) => !single(weights))
  const spread = mixed
    .map((weights, index) => ({ weights, at: (index * GOLDEN_RATIO) % 1 }))
    .sort((a, b) => a.at - b.at)
    .map(({ weights }) => weights)
  return [...all.filter(single), ...spread].map((weights) => weights.map((weight) => weight / parts + 0.002))
}

const GOLDEN_RATIO = 0.618033988749895

/** Number of ways to choose `of` out of `from`. */
function combinations(from: number, of: number): number {
  let ways = 1
  for (let i = 1; i <= of; i++) ways = (ways * (from - of + i)) / i
  return ways
}
