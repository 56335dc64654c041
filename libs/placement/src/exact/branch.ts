/**
 * Enumeration with bounds, for problems of few tasks with many edges, whose cuts are too wide for labels: tasks are
 * placed one after the other, and a beginning is given up when a known placement is at least as good as all its ends.
 */
import { Archive } from './archive.ts'
import { Beginning } from './beginning.ts'
import { type Outlook, outlookOf } from './outlook.ts'
import type { AdditiveProblem } from './problem.ts'
import { type Sequence, sequencesOf } from './sequence.ts'
import { Weighted } from './weigh.ts'

/** Beginnings tried between two pauses. */
const PAUSE_EVERY = 20_000
/** Of the grid of known placements: far more is asked than known. */
const FINENESS = 2
/** Beginnings from which a sample of the walk sets out. */
const SAMPLED = 64
/** How much nearer to the least of each objective a sample takes the known placements to be: in the end better ones are known. */
const NEARER = 0.05

/** The walk through all beginnings, depth first. */
class Walk {
  /** By position in the sequence. */
  readonly placements: Uint8Array[] = []
  private readonly tiers: Uint8Array
  private readonly archive: Archive
  private readonly weighted: Weighted
  private readonly beginning: Beginning
  /** By depth: the tier to try next. */
  private readonly next: Uint8Array
  private depth = 0

  constructor(outlook: Outlook, weighted: Weighted, archive: Archive) {
    const { problem } = outlook
    this.tiers = problem.tiers
    this.archive = archive
    this.weighted = weighted
    this.beginning = new Beginning(outlook)
    this.next = new Uint8Array(problem.tasks)
  }

  /** Tries at most so many beginnings; whether there may be more. */
  goOn(most: number): boolean {
    for (let left = most; left > 0 && this.depth >= 0; left--) this.tryNext()
    return this.depth >= 0
  }

  /** Tries the next beginning, going back to the last one that has another tier to try. */
  private tryNext(): void {
    const { tiers, archive, weighted, beginning, next } = this
    const { bound } = beginning
    let depth = this.depth
    for (; depth >= 0 && next[depth] === tiers[depth]; depth--) next[depth] = 0
    this.depth = depth
    if (depth < 0) return
    const tier = next[depth] as number
    next[depth] = tier + 1
    beginning.place(depth, tier)
    const row = (depth + 1) * beginning.wide
    if (weighted.covers(archive, bound, row)) return
    if (depth === tiers.length - 1) {
      if (archive.covers(bound, row)) return
      archive.add(bound, row)
      this.placements.push(beginning.placement.slice())
      return
    }
    // what follows for the children is worked out last: most of what is given up is so without it
    beginning.tell(depth)
    this.depth = depth + 1
  }

  /** How much of all beginnings has been passed. */
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
 * How many beginnings a walk will try, roughly: all of the first ones, and from each of those one way on, taken at random
 * and counted for all that it could have taken (Knuth, Estimating the efficiency of backtrack programs, 1975).
 */
function expectedTries(outlook: Outlook, weighted: Weighted, archive: Archive): number {
  const { tiers, tasks } = outlook.problem
  const beginning = new Beginning(outlook)
  const { bound } = beginning
  let random = 1
  let tries = 0
  const follow = (depth: number, share: number, size: number): void => {
    const open: number[] = []
    const row = (depth + 1) * beginning.wide
    for (let tier = 0; tier < (tiers[depth] as number); tier++) {
      beginning.place(depth, tier)
      if (!weighted.covers(archive, bound, row)) open.push(tier)
    }
    tries += share * (tiers[depth] as number)
    if (depth === tasks - 1 || open.length === 0) return
    const all = size * (tiers[depth] as number) <= SAMPLED
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0
    const chosen = all ? open : [open[Math.floor((random / 2 ** 32) * open.length)] as number]
    for (const tier of chosen) {
      beginning.place(depth, tier)
      beginning.tell(depth)
      follow(depth + 1, all ? share : share * open.length, size * (tiers[depth] as number))
    }
  }
  follow(0, 1, 1)
  return tries
}

/** An order of placing tasks, and how many beginnings will be tried, roughly. */
interface Likely {
  order: readonly number[]
  outlook: Outlook
  tries: number
}

/** Of the sequences the one that is likely to give up soonest, and how many beginnings it is likely to try. */
function* likelyShortest(
  sequences: readonly Sequence[],
  weighted: Weighted,
  archive: Archive,
): Generator<number, Likely> {
  let best: Likely | undefined
  for (const { order, problem, isTurned } of sequences) {
    const outlook = outlookOf(problem, isTurned, weighted.slant)
    const tries = expectedTries(outlook, weighted, archive)
    if (tries < (best?.tries ?? Number.POSITIVE_INFINITY)) best = { order, outlook, tries }
    yield 0
  }
  return best as Likely
}

/** Objective vectors, each nearer to the least of all by a share of what it is above it. */
function nearer(known: Float64Array, stride: number): Float64Array {
  const least = new Float64Array(stride).fill(Number.POSITIVE_INFINITY)
  for (let i = 0; i < known.length; i++)
    least[i % stride] = Math.min(least[i % stride] as number, known[i] as number)
  return known.map((value, i) => value - NEARER * (value - (least[i % stride] as number)))
}

/** The front of a problem, together with the placements `known`, which help to give up early. */
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

  /** Goes through all placements, unless that is likely to take more than `most` tries; yields the fraction done. */
  *steps(most = Number.POSITIVE_INFINITY): Generator<number, boolean> {
    const { objectives } = this.known
    const stride = this.problem.figures + 1
    const weighted = new Weighted(this.problem, objectives)
    const archive = new Archive(stride, nearer(objectives, stride))
    const { order, outlook, tries } = yield* likelyShortest(
      this.sequences(weighted.problem),
      weighted,
      archive,
    )
    if (tries > most) return false
    this.order = order
    this.walk = new Walk(outlook, weighted, new Archive(stride, objectives, FINENESS))
    while (this.walk.goOn(PAUSE_EVERY)) yield this.walk.done
    return true
  }

  /** The placements found so far that are on the front beside those known, and some more. */
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
