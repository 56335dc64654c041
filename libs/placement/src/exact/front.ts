/** The front of an additive placement problem: exact where it can be, with a proven bound beyond. */
import { Archive } from './archive.ts'
import { BranchAndBound } from './branch.ts'
import { frontRows } from './dominance.ts'
import { enumerateFront } from './enumerate.ts'
import { Judge } from './judge.ts'
import { setLabels } from './labels.ts'
import { meetLabels, readyFor } from './meet.ts'
import { type Plan, planSteps } from './order.ts'
import { type AdditiveProblem, sizeOf } from './problem.ts'
import { relaxed } from './relax.ts'
import { type Found, type Limit, search } from './search.ts'
import { drain, during } from './steps.ts'

/** Limits and callbacks of a search for the exact front. */
export interface FrontOptions {
  /** Labels kept in one layer at most; beyond, the front is approximate and `epsilon` says how well. Default 400,000. */
  maxLabels?: number
  /** Beginnings that enumeration with bounds may be likely to try with more than 2^27 placements; else labels are tried. Default 10 million. */
  maxTries?: number
  /** Told now and then how much is done, from 0 to 1. */
  onProgress?: (fraction: number) => void
  /** Asked now and then; once it says true, the best front so far is returned. */
  shouldStop?: () => boolean
}

/** The front of an additive problem, and how far it is proven to be the whole one. */
export interface AdditiveFront {
  /** Objective vectors (latency, then the figures), one after the other, sorted; no vector twice. */
  objectives: Float64Array
  /** One placement (a tier for every task) for each. */
  placements: Uint8Array
  count: number
  /** It is the whole front (up to rounding in the sums). */
  proven: boolean
  /**
   * Every placement is matched by one of the front within the factor 1 + epsilon on every objective. 0 when proven,
   * `Infinity` when nothing is known but `lowerBounds`.
   */
  epsilon: number
  /** No placement has less than this, objective by objective. */
  lowerBounds: Float64Array
  method: 'enumerated' | 'bounded' | 'labels' | 'search'
}

const MAX_LABELS = 400_000
const MAX_TRIES = 10_000_000
/** Placements up to which listing them all is fastest. */
const ENUMERATED = 1 << 16
/** Placements the search may judge for each task. */
const SEARCH_PER_TASK = 500
const SEARCH_MOST = 60_000
/** Before enumeration with bounds of few placements changes are tried from the start: less to compile than descents, and as good. */
const SEARCH_FEW = 30_000
const NONE = { placements: new Uint8Array(0), count: 0 }
/** When there will be no labels the search has to do it all. */
const SEARCH_ALONE = 150_000
const SEARCH_SHARE = 0.1
/** Placements that a search from the start may still judge when it is told to stop. */
const SEARCH_LAST = 1_000
/** Pauses after which labels that meet wait for a rough front: without it, short work is done sooner, and long work at once. */
const QUICK = 30
/** The same with few placements: labels are soon done with them. */
const QUICK_FEW = 120
/** Labels within this factor, minus 1, of another one go from a rough front. */
const ROUGH = 0.03
/** The work from which on the search comes first, for a good front to go on from, or to stop with. */
const MUCH = 100_000
/** That from which on a rough front is spread before labels go on, in case they are told to stop, and by how many placements judged. */
const LONG = 15_000
const SPREAD = 15_000
/** Placements it may judge then. */
const SEARCH_MUCH = 120_000
/** Share of the progress when a bound follows, the tasks up to which it is tried, and labels per tier combination. */
const SEARCH_ALONE_SHARE = 0.5
const RELAXED_TASKS = 200
const RELAXED_LABELS = 16
/** A looser bound says nothing. */
const EPSILON_WORTH = 1
/** With no more placements than this, labels and enumeration with bounds are both soon done. */
const FEW = 2 ** 27
/** Cuts from this many tier combinations on, with few placements and with more, are left to enumeration with bounds, up to so many placements. */
const WIDE_FEW = 128
const WIDE = 512
/** With few placements no better order is looked for when the first ones come to cuts this many times wider. */
const WIDER = 32
const PLANS_FEW = 3
const BOUNDED = 2 ** 40

/** Placements, with what they come to if they have been judged. */
interface Part {
  placements: Uint8Array
  count: number
  objectives?: Float64Array
}

/** A search under way, and what it has found once it is done. */
interface Searched {
  steps: Generator<number, Found>
  limit: Limit
  /** Placements it may still judge when it is told to stop: none where it goes on from good ones. */
  last: number
  found?: Found
}

/** Computes the front in one go; see `frontSteps`. */
export function exactFront(problem: AdditiveProblem, options: FrontOptions = {}): AdditiveFront {
  return drain(frontSteps(problem, options))
}

/** The same in small steps (some milliseconds), so that the caller can let others work; yields the fraction done. */
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
  if (sizeOf(problem) <= ENUMERATED) return result([enumerateFront(problem)], 'enumerated', 0)
  let stopped = false
  let reached = 0
  /** Takes steps one after the other, as the part of the whole between two fractions; `undefined` when stopped. */
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
  const searchOf = (budget: number, from?: typeof NONE): Searched => {
    const limit = { budget }
    return { limit, last: SEARCH_LAST, steps: search(problem, limit, from) }
  }
  let searched = searchOf(SEARCH_LAST)
  const stop = () => {
    searched.limit.budget = Math.min(searched.limit.budget, searched.last)
    return result([searched.found ?? drain(searched.steps)], 'search')
  }
  const isFew = sizeOf(problem) <= FEW
  const plan = yield* follow(
    isFew
      ? planSteps(problem, Math.min(WIDER * WIDE_FEW, maxLabels), PLANS_FEW)
      : planSteps(problem, maxLabels),
    0,
    0,
  )
  if (!plan) return stop()
  if (plan.widest >= (isFew ? WIDE_FEW : WIDE) && sizeOf(problem) <= BOUNDED) {
    searched = searchOf(isFew ? SEARCH_FEW : SEARCH_MUCH, isFew ? NONE : undefined)
    const found = yield* follow(searched.steps, 0, SEARCH_SHARE)
    if (!found) return stop()
    const branches = new BranchAndBound(problem, found)
    const isWhole = yield* follow(branches.steps(isFew ? undefined : maxTries), SEARCH_SHARE, 1)
    if (isWhole || stopped)
      return result([found, branches.found], isWhole ? 'bounded' : 'search', isWhole ? 0 : undefined)
  }
  const hopeless = plan.widest > maxLabels
  searched = searchOf(
    hopeless
      ? Math.min(SEARCH_ALONE, Math.ceil(1e7 / problem.tasks))
      : workOf(problem, plan) > MUCH
        ? SEARCH_MUCH
        : Math.min(SEARCH_MOST, SEARCH_PER_TASK * problem.tasks),
  )
  if (hopeless) {
    const found = yield* follow(searched.steps, 0, SEARCH_ALONE_SHARE)
    if (!found) return stop()
    const front = result([found], 'search')
    if (problem.tasks > RELAXED_TASKS) return front
    const narrow = yield* follow(
      relaxed(problem, maxLabels / RELAXED_LABELS),
      SEARCH_ALONE_SHARE,
      SEARCH_ALONE_SHARE,
    )
    if (!narrow) return front
    const bound = yield* follow(
      setLabels(narrow.problem, narrow.plan, front.objectives, maxLabels, true),
      SEARCH_ALONE_SHARE,
      1,
    )
    return bound
      ? { ...front, ...trust(epsilonOf(front.objectives, bound.vectors, lowerBounds.length)) }
      : front
  }
  const all = yield* follow(meetAfter(problem, plan, searched, maxLabels), 0, 1)
  const { found } = searched
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
 * Labels from both ends; once they take long, a rough front has its turn before they go on, or the search where even that
 * takes too many labels. With much to do the search comes first. `null` when there are too many labels, and then one of the
 * two is there as well.
 */
function* meetAfter(
  problem: AdditiveProblem,
  plan: Plan,
  searched: Searched,
  maxLabels: number,
): Generator<number, { placements: Uint8Array; count: number } | null> {
  const known = new Archive(problem.figures + 1)
  function* searchOn(fraction: number): Generator<number> {
    searched.found = yield* during(searched.steps, fraction)
    known.addAll(searched.found.objectives)
  }
  if (workOf(problem, plan) > MUCH) {
    yield* searchOn(0)
    return yield* meetLabels(problem, plan, known, maxLabels)
  }
  const quick = sizeOf(problem) <= FEW ? QUICK_FEW : workOf(problem, plan) > LONG ? 1 : QUICK
  const ready = yield* during(readyFor(problem, plan), 0)
  const labels = meetLabels(problem, plan, known, maxLabels, { epsilon: 0, ready })
  let step = labels.next()
  for (let pauses = 1; !step.done && pauses < quick; pauses++, step = labels.next()) yield step.value
  if (step.done && step.value) return step.value
  const fraction = step.done ? 0 : step.value
  const rough = yield* during(
    meetLabels(problem, plan, known, maxLabels, { epsilon: ROUGH, ready }),
    fraction,
  )
  if (rough) {
    const limit = { budget: workOf(problem, plan) > LONG ? SPREAD : 0 }
    Object.assign(searched, { steps: search(problem, limit, rough), limit, last: 0 })
  }
  yield* searchOn(fraction)
  for (; !step.done; step = labels.next()) yield step.value
  return step.value
}

/** How much labels have to do, roughly; 0 with so few placements that they are soon done. */
function workOf(problem: AdditiveProblem, plan: Plan): number {
  return sizeOf(problem) > FEW ? plan.total * problem.tasks : 0
}

function trust(epsilon: number): Pick<AdditiveFront, 'proven' | 'epsilon'> {
  return { proven: epsilon === 0, epsilon: epsilon > EPSILON_WORTH ? Number.POSITIVE_INFINITY : epsilon }
}

/** The least epsilon with which every vector of `bounds` is matched by one of `front` on every objective. */
function epsilonOf(front: Float64Array, bounds: Float64Array, stride: number): number {
  let epsilon = 0
  for (let bound = 0; bound < bounds.length; bound += stride) {
    let best = Number.POSITIVE_INFINITY
    for (let row = 0; row < front.length && best > epsilon; row += stride) {
      let worst = 0
      for (let d = 0; d < stride && worst < best; d++) {
        const value = front[row + d] as number
        const least = bounds[bound + d] as number
        if (value > least) worst = Math.max(worst, least > 0 ? value / least - 1 : Number.POSITIVE_INFINITY)
      }
      if (worst < best) best = worst
    }
    if (best > epsilon) epsilon = best
  }
  return epsilon
}

/** Judges all placements that have not been, and keeps the best, sorted. */
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

/** What no placement can be below: the latency of the longest path, each task and edge at its best, and least figures. */
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
        let least = Number.POSITIVE_INFINITY
        for (let cell = pair[e] as number; cell < (pair[e + 1] as number); cell++)
          least = Math.min(least, problem.edgeFigures[cell * m + k] as number)
        bounds[k + 1] = (bounds[k + 1] as number) + least
      }
    }
    ends[t] = ready + time
    bounds[0] = Math.max(bounds[0] as number, ends[t] as number)
    for (let k = 0; k < m; k++) {
      let least = Number.POSITIVE_INFINITY
      for (let tier = 0; tier < (tiers[t] as number); tier++)
        least = Math.min(least, problem.own[((first[t] as number) + tier) * m + k] as number)
      bounds[k + 1] = (bounds[k + 1] as number) + least
    }
  }
  return bounds
}
