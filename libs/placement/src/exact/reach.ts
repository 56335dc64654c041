/** Minimum and maximum time before and after each task on each tier. */
import type { AdditiveProblem } from './problem.ts'

/** A minimum and a maximum time for every task and tier. */
export interface TimeRange {
  minimum: Float64Array
  maximum: Float64Array
}

/** Which edges count; all when absent. */
type Counts = (edge: number) => boolean

/** Time from the end of a task on a tier to the end of everything behind it, by row of the tables of tasks. */
export function tailsOf(problem: AdditiveProblem): TimeRange {
  const tails: TimeRange = {
    minimum: new Float64Array(problem.time.length),
    maximum: new Float64Array(problem.time.length),
  }
  for (let task = problem.tasks - 1; task >= 0; task--)
    for (let tier = 0; tier < (problem.tiers[task] as number); tier++) {
      const row = (problem.first[task] as number) + tier
      tails.minimum[row] = behind(problem, tails.minimum, Math.min, task, tier)
      tails.maximum[row] = behind(problem, tails.maximum, Math.max, task, tier)
    }
  return tails
}

/** Time from the start of the run to the end of a task on a tier, by row of the tables of tasks. */
export function headsOf(problem: AdditiveProblem): TimeRange {
  const { tasks, tiers, first, time } = problem
  const heads: TimeRange = { minimum: new Float64Array(time.length), maximum: new Float64Array(time.length) }
  for (let task = 0; task < tasks; task++)
    for (let tier = 0; tier < (tiers[task] as number); tier++) {
      const row = (first[task] as number) + tier
      heads.minimum[row] = ahead(problem, heads.minimum, Math.min, task, tier) + (time[row] as number)
      heads.maximum[row] = ahead(problem, heads.maximum, Math.max, task, tier) + (time[row] as number)
    }
  return heads
}

/** The longest way from the end of a task, over the edges that count, each child on the tier that `choose` takes. */
export function behind(
  problem: AdditiveProblem,
  tails: Float64Array,
  choose: (a: number, b: number) => number,
  task: number,
  tier: number,
  counts?: Counts,
): number {
  const { tiers, first, to, pair, time, edgeTime } = problem
  let tail = 0
  for (const e of problem.outOf[task] as Int32Array) {
    if (counts && !counts(e)) continue
    const child = to[e] as number
    const width = tiers[child] as number
    let through: number | undefined
    for (let other = 0; other < width; other++) {
      const row = (first[child] as number) + other
      const way =
        (edgeTime[(pair[e] as number) + tier * width + other] as number) +
        ((time[row] as number) + (tails[row] as number))
      through = through === undefined ? way : choose(through, way)
    }
    if (through !== undefined && through > tail) tail = through
  }
  return tail
}

/** The time at which the inputs of a task are there, over the edges that count, each parent on the tier that `choose` takes. */
export function ahead(
  problem: AdditiveProblem,
  heads: Float64Array,
  choose: (a: number, b: number) => number,
  task: number,
  tier: number,
  counts?: Counts,
): number {
  const { tiers, first, from, pair, edgeTime } = problem
  let ready = 0
  for (const e of problem.into[task] as Int32Array) {
    if (counts && !counts(e)) continue
    const parent = from[e] as number
    let through: number | undefined
    for (let other = 0; other < (tiers[parent] as number); other++) {
      const way =
        (heads[(first[parent] as number) + other] as number) +
        (edgeTime[(pair[e] as number) + other * (tiers[task] as number) + tier] as number)
      through = through === undefined ? way : choose(through, way)
    }
    if (through !== undefined && through > ready) ready = through
  }
  return ready
}
