/** The front of an additive placement problem: exact where it can be, with a proven bound beyond. */
import { Archive } from './archive.ts'
import { BranchAndBound } from './branch.ts'
import { frontRows } from './dominance.ts'
import { enumerateFront } from './enumerate.ts'
import { Judge } from './judge.ts'
import { setLabels } from './labels.ts'
import { meetLabels, prepare } from './meet.ts'
import { type Plan, planSteps } from './order.ts'
import { type AdditiveProblem, sizeOf } from './problem.ts'
import { relaxed } from './relax.ts'
import { type Limit, type SearchResult, search } from './search.ts'
import { drain, during } from './steps.ts'

/** Limits and callbacks of a search for the exact front. */
export interface FrontOptions {
  /** Maximum number of labels in one layer; beyond it the front is approximate, and `epsilon` says how close. Default 400,000. */
  maxLabels?: number
  /** With more than 2^27 placements, enumeration with bounds is used only when it is likely to try at most this many partial placements. Default 10 million. */
  maxTries?: number
  /** Called now and then with the share done, from 0 to 1. */
  onProgress?: (fraction: number) => void
  /** Called now and then; once it returns true, the best front so far is returned. */
  shouldStop?: () => boolean
}

/** The front of an additive problem, and how far it is proven to be the whole one. */
export interface AdditiveFront {
  /** Objective vectors (latency, then the figures), one after the other, sorted; no vector twice. */
  objectives: Float64Array
  /** One placement (an index of a tier for every task) for each vector. */
  placements: Uint8Array
  count: number
  /** Whether it is the whole front (up to rounding in the sums). */
  proven: boolean
  /**
   * Every placement is matched by one of the front within the factor 1 + epsilon on every objective. 0 when proven; `Infinity`
   * when only `lowerBounds` are known.
   */
  epsilon: number
  /** Lower bound of each objective over all placements. */
  lowerBounds: Float64Array
  method: 'enumerated' | 'bounded' | 'labels' | 'search'
}

const MAX_LABELS = 400_000
const MAX_TRIES = 10_000_000
/** Up to this many placements, enumerating all of them is fastest. */
const MAX_ENUMERATED_PLACEMENTS = 1 << 16
/** Placements that the search may evaluate: for each task, and in all. */
const SEARCH_PLACEMENTS_PER_TASK = 500
const MAX_SEARCH_PLACEMENTS = 60_000
/** Placements evaluated before enumeration with bounds of a small problem, by single changes from the start: as good as descents, and less code to compile. */
const SEARCH_PLACEMENTS_BEFORE_SMALL_BOUNDED = 30_000
const NO_PLACEMENTS = { placements: new Uint8Array(0), count: 0 }
/** Placements evaluated when there will be no labels. */
const SEARCH_PLACEMENTS_ALONE = 150_000
const SEARCH_PROGRESS_SHARE = 0.1
/** Placements that a search from the start may still evaluate when it is asked to stop. */
const SEARCH_PLACEMENTS_AFTER_STOP = 1_000
/** Pauses after which labels from both ends wait for a rough front. Short problems are done before. */
const PAUSES_BEFORE_ROUGH_FRONT = 30
/** The same for small problems, whose labels are soon done. */
const PAUSES_BEFORE_ROUGH_FRONT_SMALL = 120
/** Labels within this factor, minus 1, of another one are dropped in a rough front. */
const ROUGH_EPSILON = 0.03
/** From this amount of work (`workOf`) the search comes first, for a good front to start from or to stop with. */
const SEARCH_FIRST_WORK = 100_000
/** From this amount of work a rough front is first spread by `SPREAD_PLACEMENTS` evaluations, in case the labels are asked to stop. */
const SPREAD_ROUGH_WORK = 15_000
const SPREAD_PLACEMENTS = 15_000
/** Placements the search may evaluate before a large problem. */
const SEARCH_PLACEMENTS_BEFORE_LARGE = 120_000
/** Share of the progress when a bound follows; tasks up to which a bound is computed; labels per tier combination for it. */
const SEARCH_ALONE_PROGRESS_SHARE = 0.5
const MAX_RELAXED_TASKS = 200
const RELAXED_LABELS_PER_COMBINATION = 16
/** A larger epsilon is reported as infinite. */
const MAX_REPORTED_EPSILON = 1
/** A problem is small up to this many placements: labels and enumeration with bounds are both soon done. */
const SMALL_PROBLEM_PLACEMENTS = 2 ** 27
/** Enumeration with bounds is used from this width of a cut (tier combinations), for small problems and for others, and up to so many placements. */
const MIN_BOUNDED_WIDTH_SMALL = 128
const MIN_BOUNDED_WIDTH = 512
/** In a small problem the search for an order ends when the first orders have cuts this many times wider. */
const HOPELESS_WIDTH_FACTOR = 32
const PLANS_BEFORE_HOPELESS = 3
const MAX_BOUNDED_PLACEMENTS = 2 ** 40

/** Placements, with their objectives when they have been evaluated. */
interface Part {
  placements: Uint8Array
  count: number
  objectives?: Float64Array
}

/** A search in progress, and its result once it is done. */
interface RunningSearch {
  steps: Generator<number, SearchResult>
  limit: Limit
  /** Placements it may still evaluate when it is asked to stop: none when it started from good ones. */
  last: number
  found?: SearchResult
}

/** Computes the Pareto front of an additive problem in one go; see `frontSteps`. */
export function exactFront(problem: AdditiveProblem, options: FrontOptions = {}): AdditiveFront {
  return drain(frontSteps(problem, options))
}

/** `exactFront` in steps of a few milliseconds, so that the caller can let others work; yields the fraction done. */
export function* frontSteps(
  problem: AdditiveProblem,
  options: FrontOptions = {},
): Generator<number, AdditiveFront> {
  const maxLabels = options.maxLabels ?? MAX_LABELS
  const maxTries = options.maxTries ?? MAX_TRIES
  const lowerBounds = boundsOf(problem)
  const result = (
    parts: Part[],
    method: AdditiveFront['method'],
    epsilon = Number.POSITIVE_INFINITY,
  ): AdditiveFront => ({ ...merged(problem, parts), ...trust(epsilon), lowerBounds, method })
  if (sizeOf(problem) <= MAX_ENUMERATED_PLACEMENTS) return result([enumerateFront(problem)], 'enumerated', 0)
  let stopped = false
  let reached = 0
  /** Runs steps as the part of the whole between two fractions of the progress; `undefined` when stopped. */
  function* follow<T>(
    steps: Generator<number | undefined, T>,
    from: number,
    to: number,
  ): Generator<number, T | undefined> {
    for (let step = steps.next(); !stopped; step = steps.next()) {
      if (step.done) return step.value
      reached = Math.max(reached, from + (to - from) * (step.value ?? 0))
      options.onProgress?.(reached)
      stopped = options.shouldStop?.() ?? false
      if (!stopped) yield reached
    }
    return undefined
  }
  const searchOf = (budget: number, from?: typeof NO_PLACEMENTS): RunningSearch => {
    const limit = { budget }
    return { limit, last: SEARCH_PLACEMENTS_AFTER_STOP, steps: search(problem, limit, from) }
  }
  let running = searchOf(SEARCH_PLACEMENTS_AFTER_STOP)
  const stop = () => {
    running.limit.budget = Math.min(running.limit.budget, running.last)
    return result([running.found ?? drain(running.steps)], 'search')
  }
  const isSmall = sizeOf(problem) <= SMALL_PROBLEM_PLACEMENTS
  const plan = yield* follow(
    isSmall
      ? planSteps(
          problem,
          Math.min(HOPELESS_WIDTH_FACTOR * MIN_BOUNDED_WIDTH_SMALL, maxLabels),
          PLANS_BEFORE_HOPELESS,
        )
      : planSteps(problem, maxLabels),
    0,
    0,
  )
  if (!plan) return stop()
  if (
    plan.widest >= (isSmall ? MIN_BOUNDED_WIDTH_SMALL : MIN_BOUNDED_WIDTH) &&
    sizeOf(problem) <= MAX_BOUNDED_PLACEMENTS
  ) {
    running = searchOf(
      isSmall ? SEARCH_PLACEMENTS_BEFORE_SMALL_BOUNDED : SEARCH_PLACEMENTS_BEFORE_LARGE,
      isSmall ? NO_PLACEMENTS : undefined,
    )
    const found = yield* follow(running.steps, 0, SEARCH_PROGRESS_SHARE)
    if (!found) return stop()
    const branches = new BranchAndBound(problem, found)
    const isWhole = yield* follow(branches.steps(isSmall ? undefined : maxTries), SEARCH_PROGRESS_SHARE, 1)
    if (isWhole || stopped)
      return result([found, branches.found], isWhole ? 'bounded' : 'search', isWhole ? 0 : undefined)
  }
  const isHopeless = plan.widest > maxLabels
  running = searchOf(
    isHopeless
      ? Math.min(SEARCH_PLACEMENTS_ALONE, Math.ceil(1e7 / problem.tasks))
      : workOf(problem, plan) > SEARCH_FIRST_WORK
        ? SEARCH_PLACEMENTS_BEFORE_LARGE
        : Math.min(MAX_SEARCH_PLACEMENTS, SEARCH_PLACEMENTS_PER_TASK * problem.tasks),
  )
  if (isHopeless) {
    const found = yield* follow(running.steps, 0, SEARCH_ALONE_PROGRESS_SHARE)
    if (!found) return stop()
    const front = result([found], 'search')
    if (problem.tasks > MAX_RELAXED_TASKS) return front
    const narrow = yield* follow(
      relaxed(problem, maxLabels / RELAXED_LABELS_PER_COMBINATION),
      SEARCH_ALONE_PROGRESS_SHARE,
      SEARCH_ALONE_PROGRESS_SHARE,
    )
    if (!narrow) return front
    const bound = yield* follow(
      setLabels(narrow.problem, narrow.plan, front.objectives, maxLabels, true),
      SEARCH_ALONE_PROGRESS_SHARE,
      1,
    )
    return bound
      ? { ...front, ...trust(epsilonOf(front.objectives, bound.vectors, lowerBounds.length)) }
      : front
  }
  const all = yield* follow(meetAfter(problem, plan, running, maxLabels), 0, 1)
  const { found } = running
  if (all) return result([...(found ? [found] : []), all], 'labels', 0)
  if (stopped || !found) return stop()
  reached = 0
  const labels = yield* follow(setLabels(problem, plan, found.objectives, maxLabels), 0, 0.5)
  if (!labels) return result([found], 'search')
  const front = result([found, labels], 'labels', labels.epsilon)
  if (labels.epsilon === 0) return front
  const bound = yield* follow(setLabels(problem, plan, front.objectives, maxLabels, true), 0.5, 1)
  const measured = bound ? epsilonOf(front.objectives, bound.vectors, lowerBounds.length) : labels.epsilon
  return { ...front, ...trust(Math.min(labels.epsilon, measured)) }
}

/**
 * Labels from both ends. When they take long, a rough front is computed before they go on, or the search runs where even the
 * rough front takes too many labels; with much work the search comes first. `null` when there are too many labels; a result of
 * the rough front or the search is then known.
 */
function* meetAfter(
  problem: AdditiveProblem,
  plan: Plan,
  running: RunningSearch,
  maxLabels: number,
): Generator<number, { placements: Uint8Array; count: number } | null> {
  const known = new Archive(problem.figures + 1)
  function* searchOn(fraction: number): Generator<number> {
    running.found = yield* during(running.steps, fraction)
    known.addAll(running.found.objectives)
  }
  if (workOf(problem, plan) > SEARCH_FIRST_WORK) {
    yield* searchOn(0)
    return yield* meetLabels(problem, plan, known, maxLabels)
  }
  const quick =
    sizeOf(problem) <= SMALL_PROBLEM_PLACEMENTS
      ? PAUSES_BEFORE_ROUGH_FRONT_SMALL
      : workOf(problem, plan) > SPREAD_ROUGH_WORK
        ? 1
        : PAUSES_BEFORE_ROUGH_FRONT
  const ready = yield* during(prepare(problem, plan), 0)
  const labels = meetLabels(problem, plan, known, maxLabels, { epsilon: 0, ready })
  let step = labels.next()
  for (let pauses = 1; !step.done && pauses < quick; pauses++, step = labels.next()) yield step.value
  if (step.done && step.value) return step.value
  const fraction = step.done ? 0 : step.value
  const rough = yield* during(
    meetLabels(problem, plan, known, maxLabels, { epsilon: ROUGH_EPSILON, ready }),
    fraction,
  )
  if (rough) {
    const limit = { budget: workOf(problem, plan) > SPREAD_ROUGH_WORK ? SPREAD_PLACEMENTS : 0 }
    Object.assign(running, { steps: search(problem, limit, rough), limit, last: 0 })
  }
  yield* searchOn(fraction)
  for (; !step.done; step = labels.next()) yield step.value
  return step.value
}

/** Rough amount of work for labels: tier combinations times tasks; 0 for small problems. */
function workOf(problem: AdditiveProblem, plan: Plan): number {
  return sizeOf(problem) > SMALL_PROBLEM_PLACEMENTS ? plan.total * problem.tasks : 0
}

function trust(epsilon: number): Pick<AdditiveFront, 'proven' | 'epsilon'> {
  return {
    proven: epsilon === 0,
    epsilon: epsilon > MAX_REPORTED_EPSILON ? Number.POSITIVE_INFINITY : epsilon,
  }
}

/** The smallest epsilon with which every vector of `bounds` is matched by one of `front` on every objective. */
function epsilonOf(front: Float64Array, bounds: Float64Array, stride: number): number {
  let epsilon = 0
  for (let bound = 0; bound < bounds.length; bound += stride) {
    let best = Number.POSITIVE_INFINITY
    for (let row = 0; row < front.length && best > epsilon; row += stride) {
      let worst = 0
      for (let d = 0; d < stride && worst < best; d++) {
        const value = front[row + d] as number
        const minimum = bounds[bound + d] as number
        if (value > minimum)
          worst = Math.max(worst, minimum > 0 ? value / minimum - 1 : Number.POSITIVE_INFINITY)
      }
      if (worst < best) best = worst
    }
    if (best > epsilon) epsilon = best
  }
  return epsilon
}

/** Evaluates the placements that have not been, and keeps the undominated ones, sorted. */
function merged(problem: AdditiveProblem, parts: Part[]) {
  const { tasks } = problem
  const stride = problem.figures + 1
  const count = parts.reduce((sum, part) => sum + part.count, 0)
  const placements = new Uint8Array(count * tasks)
  const rows = new Float64Array(count * stride)
  const judge = new Judge(problem)
  let from = 0
  for (const part of parts) {
    placements.set(part.placements.subarray(0, part.count * tasks), from * tasks)
    if (part.objectives) rows.set(part.objectives, from * stride)
    else for (let i = from; i < from + part.count; i++) judge.judge(placements, i * tasks, rows, i * stride)
    from += part.count
  }
  const front = frontRows(rows, count, stride)
  const objectives = new Float64Array(front.length * stride)
  const chosen = new Uint8Array(front.length * tasks)
  for (let i = 0; i < front.length; i++) {
    const index = front[i] as number
    objectives.set(rows.subarray(index * stride, (index + 1) * stride), i * stride)
    chosen.set(placements.subarray(index * tasks, (index + 1) * tasks), i * tasks)
  }
  return { objectives, placements: chosen, count: front.length }
}

/** Lower bounds of all placements: the latency of the longest path with each task and edge at its best, and minimum figures. */
export function boundsOf(problem: AdditiveProblem): Float64Array {
  const { tasks, figures: m, tiers, first, pair } = problem
  const bounds = new Float64Array(m + 1)
  const ends = new Float64Array(tasks)
  for (let t = 0; t < tasks; t++) {
    let time = Number.POSITIVE_INFINITY
    for (let row = first[t] as number; row < (first[t + 1] as number); row++)
      time = Math.min(time, problem.time[row] as number)
    let ready = 0
    for (const e of problem.into[t] as Int32Array) {
      let edge = Number.POSITIVE_INFINITY
      for (let cell = pair[e] as number; cell < (pair[e + 1] as number); cell++)
        edge = Math.min(edge, problem.edgeTime[cell] as number)
      ready = Math.max(ready, (ends[problem.from[e] as number] as number) + edge)
      for (let k = 0; k < m; k++) {
        let minimum = Number.POSITIVE_INFINITY
        for (let cell = pair[e] as number; cell < (pair[e + 1] as number); cell++)
          minimum = Math.min(minimum, problem.edgeFigures[cell * m + k] as number)
        bounds[k + 1] = (bounds[k + 1] as number) + minimum
      }
    }
    ends[t] = ready + time
    bounds[0] = Math.max(bounds[0] as number, ends[t] as number)
    for (let k = 0; k < m; k++) {
      let minimum = Number.POSITIVE_INFINITY
      for (let tier = 0; tier < (tiers[t] as number); tier++)
        minimum = Math.min(minimum, problem.own[((first[t] as number) + tier) * m + k] as number)
      bounds[k + 1] = (bounds[k + 1] as number) + minimum
    }
  }
  return bounds
}
