/**
 * Enumeration with bounds, for problems of few tasks with many edges, whose cuts are too wide for labels: tasks are
 * placed one after the other, and a partial placement is abandoned when a known placement is at least as good as everything it
 * can become (branch and bound, depth first).
 */
import { Archive } from './archive.ts'
import { type Lookahead, lookaheadOf } from './lookahead.ts'
import { PartialPlacement } from './partial.ts'
import type { AdditiveProblem } from './problem.ts'
import { type Sequence, sequencesOf } from './sequence.ts'
import { Weighted } from './weigh.ts'

/** Partial placements tried between two pauses. */
const PARTIALS_PER_PAUSE = 20_000
/** Fineness of the dominance grid, which is queried far more often than it is updated. */
const GRID_FINENESS = 2
/** Partial placements from which the sample of a walk starts, at most. */
const MAX_SAMPLED_PARTIALS = 64
/** Share by which a sample moves known placements towards the minimum of each objective, since a walk finds better ones as it goes. */
const SAMPLE_SHRINK_SHARE = 0.05

/** A depth-first walk through all partial placements. */
class Walk {
  /** By position in the sequence. */
  readonly placements: Uint8Array[] = []
  private readonly tiers: Uint8Array
  private readonly archive: Archive
  private readonly weighted: Weighted
  private readonly partial: PartialPlacement
  /** By depth: the tier to try next. */
  private readonly next: Uint8Array
  private depth = 0

  constructor(lookahead: Lookahead, weighted: Weighted, archive: Archive) {
    const { problem } = lookahead
    this.tiers = problem.tiers
    this.archive = archive
    this.weighted = weighted
    this.partial = new PartialPlacement(lookahead)
    this.next = new Uint8Array(problem.tasks)
  }

  /** Tries at most `most` partial placements; returns whether there may be more. */
  advance(most: number): boolean {
    for (let left = most; left > 0 && this.depth >= 0; left--) this.tryNext()
    return this.depth >= 0
  }

  /** Tries the next partial placement, after backtracking to the last task with another tier to try. */
  private tryNext(): void {
    const { tiers, archive, weighted, partial, next } = this
    const { bound } = partial
    let depth = this.depth
    for (; depth >= 0 && next[depth] === tiers[depth]; depth--) next[depth] = 0
    this.depth = depth
    if (depth < 0) return
    const tier = next[depth] as number
    next[depth] = tier + 1
    partial.place(depth, tier)
    const row = (depth + 1) * partial.wide
    if (weighted.covers(archive, bound, row)) return
    if (depth === tiers.length - 1) {
      if (archive.covers(bound, row)) return
      archive.add(bound, row)
      this.placements.push(partial.placement.slice())
      return
    }
    // children are updated last: most partial placements are abandoned without it
    partial.propagate(depth)
    this.depth = depth + 1
  }

  /** Share of the search space that has been passed, from 0 to 1. */
  get done(): number {
    let done = 0
    let share = 1
    for (let t = 0; t < Math.min(20, this.next.length); t++) {
      share /= this.tiers[t] as number
      done += share * Math.max(0, (this.next[t] as number) - 1)
    }
    return done
  }
}

/**
 * Estimates how many partial placements a walk will try: all at the first depths, and from each of those one random path,
 * weighted by the number of paths that it could have taken (Knuth, Estimating the efficiency of backtrack programs, 1975).
 */
function estimateTries(lookahead: Lookahead, weighted: Weighted, archive: Archive): number {
  const { tiers, tasks } = lookahead.problem
  const partial = new PartialPlacement(lookahead)
  const { bound } = partial
  let random = 1
  let tries = 0
  const follow = (depth: number, share: number, size: number): void => {
    const open: number[] = []
    const row = (depth + 1) * partial.wide
    for (let tier = 0; tier < (tiers[depth] as number); tier++) {
      partial.place(depth, tier)
      if (!weighted.covers(archive, bound, row)) open.push(tier)
    }
    tries += share * (tiers[depth] as number)
    if (depth === tasks - 1 || open.length === 0) return
    const all = size * (tiers[depth] as number) <= MAX_SAMPLED_PARTIALS
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    const chosen = all ? open : [open[Math.floor((random / 2 ** 32) * open.length)] as number]
    for (const tier of chosen) {
      partial.place(depth, tier)
      partial.propagate(depth)
      follow(depth + 1, all ? share : share * open.length, size * (tiers[depth] as number))
    }
  }
  follow(0, 1, 1)
  return tries
}

/** An order of placing tasks, with an estimate of the partial placements that a walk in it will try. */
interface RankedSequence {
  order: readonly number[]
  lookahead: Lookahead
  tries: number
}

/** Chooses the sequence with the fewest estimated tries. */
function* chooseSequence(
  sequences: readonly Sequence[],
  weighted: Weighted,
  archive: Archive,
): Generator<number, RankedSequence> {
  let best: RankedSequence | undefined
  for (const { order, problem, isTurned } of sequences) {
    const lookahead = lookaheadOf(problem, isTurned, weighted.weightedSum)
    const tries = estimateTries(lookahead, weighted, archive)
    if (tries < (best?.tries ?? Number.POSITIVE_INFINITY)) best = { order, lookahead, tries }
    yield 0
  }
  return best as RankedSequence
}

/** The objective vectors, each moved towards the minimum of every objective by `SAMPLE_SHRINK_SHARE` of its distance. */
function shrinkTowardsMinima(known: Float64Array, stride: number): Float64Array {
  const minimum = new Float64Array(stride).fill(Number.POSITIVE_INFINITY)
  for (let i = 0; i < known.length; i++)
    minimum[i % stride] = Math.min(minimum[i % stride] as number, known[i] as number)
  return known.map((value, i) => value - SAMPLE_SHRINK_SHARE * (value - (minimum[i % stride] as number)))
}

/** Finds the front of a problem together with the placements `known`, whose objectives prune the search. */
export class BranchAndBound {
  private readonly problem: AdditiveProblem
  private readonly known: { objectives: Float64Array }
  private readonly sequences: (problem: AdditiveProblem) => Sequence[]
  private order: readonly number[] = []
  private walk: Walk | undefined

  /** `sequences` are the orders of placing tasks from which one is chosen. */
  constructor(problem: AdditiveProblem, known: { objectives: Float64Array }, sequences = sequencesOf) {
    this.problem = problem
    this.known = known
    this.sequences = sequences
  }

  /** Searches all placements; yields the fraction done. Returns false, without a search, when more than `most` tries are likely. */
  *steps(most = Number.POSITIVE_INFINITY): Generator<number, boolean> {
    const { objectives } = this.known
    const stride = this.problem.figures + 1
    const weighted = new Weighted(this.problem, objectives)
    const archive = new Archive(stride, shrinkTowardsMinima(objectives, stride))
    const { order, lookahead, tries } = yield* chooseSequence(
      this.sequences(weighted.problem),
      weighted,
      archive,
    )
    if (tries > most) return false
    this.order = order
    this.walk = new Walk(lookahead, weighted, new Archive(stride, objectives, GRID_FINENESS))
    while (this.walk.advance(PARTIALS_PER_PAUSE)) yield this.walk.done
    return true
  }

  /** The placements found so far: those on the front beside the known ones, and some that later ones dominate. */
  get found(): { placements: Uint8Array; count: number } {
    const { tasks } = this.problem
    const found = this.walk?.placements ?? []
    const placements = new Uint8Array(found.length * tasks)
    for (const [i, placement] of found.entries())
      for (const [position, tier] of placement.entries())
        placements[i * tasks + (this.order[position] as number)] = tier
    return { placements, count: found.length }
  }
}
