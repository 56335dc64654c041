/**
 * Enumeration with bounds, for problems of few tasks with many edges, whose cuts are too wide for labels: tasks are
 * placed one after the other, and a beginning is given up when a known placement is at least as good as all its ends.
 */
import { frontRows, MinTree } from './dominance.ts'
import { type AdditiveProblem, at } from './problem.ts'
import { tailsOf } from './transitions.ts'

/** Beginnings tried between two pauses. */
const PAUSE_EVERY = 20_000
/** New points kept in a list before they enter the tree. */
const LISTED = 48

/** Objective vectors of known placements, of which some may not be minimal any more. */
class Archive {
  readonly #stride: number
  readonly #columns: Int32Array
  #rows: Float64Array
  #placements: Uint8Array
  readonly #tasks: number
  #count = 0
  /** The first of the rows are in the tree. */
  #treed = 0
  #tree: MinTree | undefined
  /** The point that covered the last row often covers the next as well. */
  #last = 0

  constructor(problem: AdditiveProblem, rows: Float64Array, placements: Uint8Array) {
    this.#stride = problem.figures + 1
    this.#tasks = problem.tasks
    this.#columns = Int32Array.from({ length: this.#stride }, (_, d) => d)
    this.#count = rows.length / this.#stride
    this.#rows = new Float64Array(Math.max(1024, 2 * rows.length))
    this.#rows.set(rows)
    this.#placements = new Uint8Array((this.#rows.length / this.#stride) * this.#tasks)
    this.#placements.set(placements)
    this.#plant()
  }

  /** Whether a known placement is nowhere above the row of `rows` at `offset`. */
  covers(rows: Float64Array, offset: number): boolean {
    if (this.#isBelow(this.#last, rows, offset)) return true
    for (let i = this.#treed; i < this.#count; i++)
      if (this.#isBelow(i, rows, offset)) {
        this.#last = i
        return true
      }
    const by = this.#tree?.coverOf(rows, offset) ?? -1
    if (by >= 0) this.#last = by
    return by >= 0
  }

  #isBelow(point: number, rows: Float64Array, offset: number): boolean {
    const stride = this.#stride
    for (let d = 0; d < stride; d++)
      if (at(this.#rows, point * stride + d) > at(rows, offset + d)) return false
    return true
  }

  add(row: Float64Array, placement: Uint8Array): void {
    if ((this.#count + 1) * this.#stride > this.#rows.length) {
      const rows = new Float64Array(2 * this.#rows.length)
      rows.set(this.#rows)
      this.#rows = rows
      const placements = new Uint8Array(2 * this.#placements.length)
      placements.set(this.#placements)
      this.#placements = placements
    }
    this.#rows.set(row, this.#count * this.#stride)
    this.#placements.set(placement, this.#count * this.#tasks)
    this.#count++
    if (this.#count - this.#treed > LISTED) this.#plant()
  }

  #plant(): void {
    const front = frontRows(this.#rows, this.#count, this.#stride).sort()
    for (let i = 0; i < front.length; i++) {
      const from = at(front, i)
      this.#rows.copyWithin(i * this.#stride, from * this.#stride, (from + 1) * this.#stride)
      this.#placements.copyWithin(i * this.#tasks, from * this.#tasks, (from + 1) * this.#tasks)
    }
    this.#count = front.length
    this.#treed = front.length
    this.#last = 0
    // the tree must not see rows that come later
    const rows = this.#rows.slice(0, this.#count * this.#stride)
    this.#tree = new MinTree(rows, this.#count, this.#stride, this.#columns)
    for (let i = 0; i < this.#count; i++) this.#tree.add(i)
  }

  found() {
    this.#plant()
    return { placements: this.#placements.slice(0, this.#count * this.#tasks), count: this.#count }
  }
}

/** All that is known after the first tasks have been placed; each depth keeps what it overwrote, so nothing adds up. */
class Beginning {
  readonly #problem: AdditiveProblem
  readonly #least: Float64Array
  readonly placement: Uint8Array
  /** For every task and tier: when its inputs are there at the earliest, and its figures at least. */
  readonly #ready: Float64Array
  readonly #figures: Float64Array
  /** By depth: objectives at least. */
  readonly bound: Float64Array
  /** For every task: its least figures over the tiers, as things stand. */
  readonly #leastFigures: Float64Array
  /** For every pair of an edge: how much more than at least its figures are. */
  readonly #excess: Float64Array
  readonly #savedLeast: Float64Array[]
  readonly #sends: boolean
  readonly #savedReady: Float64Array[]
  readonly #savedFigures: Float64Array[]

  constructor(problem: AdditiveProblem) {
    const { tasks, figures: m, own, pair } = problem
    this.#problem = problem
    this.#least = tailsOf(problem).least
    this.#sends = problem.send.some((value) => value > 0)
    this.placement = new Uint8Array(tasks)
    this.#ready = new Float64Array(problem.time.length)
    this.#figures = own.slice()
    this.bound = new Float64Array((tasks + 1) * (m + 1))
    this.#leastFigures = new Float64Array(tasks * m)
    this.#excess = new Float64Array(problem.edgeFigures.length)
    for (let t = 0; t < tasks; t++) {
      for (const e of problem.into[t] as Int32Array)
        for (let tier = 0; tier < at(problem.tiers, t); tier++)
          for (let k = 0; k < m; k++) {
            const index = (at(problem.first, t) + tier) * m + k
            this.#figures[index] = at(this.#figures, index) + this.#leastPair(e, at(pair, e), tier, k)
          }
      for (let k = 0; k < m; k++) {
        this.#leastFigures[t * m + k] = this.#leastFigure(t, k)
        this.bound[1 + k] = at(this.bound, 1 + k) + this.#leastFigure(t, k)
      }
    }
    for (let e = 0; e < problem.to.length; e++) {
      const width = at(problem.tiers, at(problem.to, e))
      for (let cell = at(pair, e); cell < at(pair, e + 1); cell++)
        for (let k = 0; k < m; k++) {
          const least = this.#leastPair(e, at(pair, e), (cell - at(pair, e)) % width, k)
          this.#excess[cell * m + k] = at(problem.edgeFigures, cell * m + k) - least
        }
    }
    this.#savedLeast = Array.from(
      { length: tasks },
      (_, t) => new Float64Array((problem.outOf[t]?.length ?? 0) * m),
    )
    const size = (t: number) =>
      [...(problem.outOf[t] as Int32Array)].reduce((sum, e) => sum + at(problem.tiers, at(problem.to, e)), 0)
    this.#savedReady = Array.from({ length: tasks }, (_, t) => new Float64Array(size(t)))
    this.#savedFigures = Array.from({ length: tasks }, (_, t) => new Float64Array(size(t) * m))
  }

  /** Least figure of an edge whose child is on a tier. */
  #leastPair(e: number, cell: number, tier: number, k: number): number {
    const { figures: m, tiers, from, to, edgeFigures } = this.#problem
    let least = Number.POSITIVE_INFINITY
    for (let a = 0; a < at(tiers, at(from, e)); a++)
      least = Math.min(least, at(edgeFigures, (cell + a * at(tiers, at(to, e)) + tier) * m + k))
    return least
  }

  #leastFigure(task: number, k: number): number {
    const { figures: m, first } = this.#problem
    let least = Number.POSITIVE_INFINITY
    for (let row = at(first, task); row < at(first, task + 1); row++) {
      const value = at(this.#figures, row * m + k)
      if (value < least) least = value
    }
    return least
  }

  /** Places `task`, all before it being placed, and works out the bound of the next depth. */
  place(task: number, tier: number): void {
    const { figures: m, tiers, first, time, to, pair, edgeTime, crosses, send } = this.#problem
    const row = at(first, task) + tier
    const here = task * (m + 1)
    const next = here + m + 1
    const bound = this.bound
    this.placement[task] = tier
    const end = at(this.#ready, row) + at(time, row)
    bound[next] = Math.max(at(bound, here), end + at(this.#least, row))
    for (let k = 0; k < m; k++)
      bound[next + 1 + k] =
        at(bound, here + 1 + k) + (at(this.#figures, row * m + k) - at(this.#leastFigures, task * m + k))
    const children = this.#problem.outOf[task] as Int32Array
    const ready = this.#savedReady[task] as Float64Array
    const saved = this.#savedFigures[task] as Float64Array
    const savedLeast = this.#savedLeast[task] as Float64Array
    let slot = 0
    for (let i = 0; i < children.length; i++) {
      const e = at(children, i)
      const child = at(to, e)
      const width = at(tiers, child)
      let soonest = Number.POSITIVE_INFINITY
      const firstSlot = slot
      for (let other = 0; other < width; other++) {
        const cell = at(pair, e) + tier * width + other
        const index = at(first, child) + other
        const before = at(this.#ready, index)
        ready[slot] = before
        let comes = end + at(edgeTime, cell)
        if (comes > before) this.#ready[index] = comes
        else comes = before
        const until = comes + at(time, index) + at(this.#least, index)
        if (until < soonest) soonest = until
        slot++
      }
      for (let k = 0; k < m; k++) {
        let least = Number.POSITIVE_INFINITY
        for (let other = 0; other < width; other++) {
          const figure = (at(first, child) + other) * m + k
          const value = at(this.#figures, figure)
          saved[(firstSlot + other) * m + k] = value
          const raised = value + at(this.#excess, (at(pair, e) + tier * width + other) * m + k)
          this.#figures[figure] = raised
          if (raised < least) least = raised
        }
        const known = at(this.#leastFigures, child * m + k)
        savedLeast[i * m + k] = known
        this.#leastFigures[child * m + k] = least
        bound[next + 1 + k] = at(bound, next + 1 + k) + (least - known)
      }
      if (soonest > at(bound, next)) bound[next] = soonest
    }
    // the last child decides whether anything is sent: until all children are placed, nothing is charged
    const parents = this.#problem.into[task] as Int32Array
    for (let i = 0; this.#sends && i < parents.length; i++) {
      const e = at(parents, i)
      const parent = at(this.#problem.from, e)
      const parentTier = at(this.placement, parent)
      if (crosses[at(pair, e) + parentTier * at(tiers, task) + tier] !== 1) continue
      if (this.#hasSent(parent, parentTier, task)) continue
      const sends = (at(first, parent) + parentTier) * m
      for (let k = 0; k < m; k++) bound[next + 1 + k] = at(bound, next + 1 + k) + at(send, sends + k)
    }
  }

  /** Whether a child of `parent` placed before `task` made it send. */
  #hasSent(parent: number, tier: number, task: number): boolean {
    const { to, pair, tiers, crosses } = this.#problem
    const edges = this.#problem.outOf[parent] as Int32Array
    for (let i = 0; i < edges.length; i++) {
      const e = at(edges, i)
      const child = at(to, e)
      if (child < task && crosses[at(pair, e) + tier * at(tiers, child) + at(this.placement, child)] === 1)
        return true
    }
    return false
  }

  /** Takes the placing of `task` back. */
  undo(task: number): void {
    const { figures: m, tiers, first, to } = this.#problem
    const children = this.#problem.outOf[task] as Int32Array
    const ready = this.#savedReady[task] as Float64Array
    const saved = this.#savedFigures[task] as Float64Array
    const savedLeast = this.#savedLeast[task] as Float64Array
    let slot = 0
    for (let i = 0; i < children.length; i++) {
      const child = at(to, at(children, i))
      for (let k = 0; k < m; k++) this.#leastFigures[child * m + k] = at(savedLeast, i * m + k)
      for (let other = 0; other < at(tiers, child); other++) {
        const index = at(first, child) + other
        this.#ready[index] = at(ready, slot)
        for (let k = 0; k < m; k++) this.#figures[index * m + k] = at(saved, slot * m + k)
        slot++
      }
    }
  }
}

/**
 * The front of a problem; `known` placements and their objective vectors help to give up early. Yields the fraction
 * done.
 */
export function* branchAndBound(
  problem: AdditiveProblem,
  known: { objectives: Float64Array; placements: Uint8Array },
): Generator<number, { placements: Uint8Array; count: number }> {
  const { tasks, tiers } = problem
  const stride = problem.figures + 1
  const archive = new Archive(problem, known.objectives, known.placements)
  const beginning = new Beginning(problem)
  const { bound } = beginning
  const next = new Int32Array(tasks)
  let tried = 0
  let depth = 0
  while (depth >= 0) {
    const tier = at(next, depth)
    if (tier > 0) beginning.undo(depth)
    if (tier >= at(tiers, depth)) {
      next[depth--] = 0
      continue
    }
    next[depth] = tier + 1
    beginning.place(depth, tier)
    if (++tried % PAUSE_EVERY === 0) yield doneOf(next, tiers)
    const row = (depth + 1) * stride
    if (archive.covers(bound, row)) continue
    if (depth === tasks - 1) archive.add(bound.subarray(row, row + stride), beginning.placement)
    else depth++
  }
  return archive.found()
}

/** How much of all beginnings has been passed. */
function doneOf(next: Int32Array, tiers: Uint8Array): number {
  let done = 0
  let share = 1
  for (let t = 0; t < Math.min(20, next.length); t++) {
    share /= at(tiers, t)
    done += share * Math.max(0, at(next, t) - 1)
  }
  return done
}
