/**
 * Enumeration with bounds, for problems of few tasks with many edges, whose cuts are too wide for labels: tasks are
 * placed one after the other, and a beginning is given up when a known placement is at least as good as all its ends.
 */
import { Archive } from './archive.ts'
import { type AdditiveProblem, at } from './problem.ts'
import { tailsOf } from './reach.ts'
import { Weighted } from './weigh.ts'

/** Beginnings tried between two pauses. */
const PAUSE_EVERY = 20_000
/** All that is known after the first tasks have been placed; each depth keeps what it overwrote, so nothing adds up. */
class Beginning {
  private readonly problem: AdditiveProblem
  private readonly least: Float64Array
  readonly placement: Uint8Array
  /** For every task and tier: when its inputs are there at the earliest, and its figures at least. */
  private readonly ready: Float64Array
  private readonly figures: Float64Array
  /** By depth: objectives at least. */
  readonly bound: Float64Array
  /** For every task: its least figures over the tiers, as things stand. */
  private readonly leastFigures: Float64Array
  /** For every pair of an edge: how much more than at least its figures are. */
  private readonly excess: Float64Array
  /** Pairs of an edge with any of that. */
  private readonly asks: Uint8Array
  /** For every task and tier: the least time from its inputs to the end of all behind it. */
  private readonly until: Float64Array
  private readonly savedLeast: Float64Array[]
  private readonly sends: boolean
  private readonly savedReady: Float64Array[]
  private readonly savedFigures: Float64Array[]

  constructor(problem: AdditiveProblem) {
    const { tasks, figures: m, own, pair } = problem
    this.problem = problem
    this.least = tailsOf(problem).least
    this.sends = problem.send.some((value) => value > 0)
    this.placement = new Uint8Array(tasks)
    this.ready = new Float64Array(problem.time.length)
    this.figures = own.slice()
    this.bound = new Float64Array((tasks + 1) * (m + 1))
    this.leastFigures = new Float64Array(tasks * m)
    this.excess = new Float64Array(problem.edgeFigures.length)
    this.asks = new Uint8Array(problem.edgeTime.length)
    this.until = problem.time.map((time, row) => time + at(this.least, row))
    for (let t = 0; t < tasks; t++) {
      for (const e of problem.into[t] as Int32Array)
        for (let tier = 0; tier < at(problem.tiers, t); tier++)
          for (let k = 0; k < m; k++) {
            const index = (at(problem.first, t) + tier) * m + k
            this.figures[index] = at(this.figures, index) + this.leastPair(e, at(pair, e), tier, k)
          }
      for (let k = 0; k < m; k++) {
        this.leastFigures[t * m + k] = this.leastFigure(t, k)
        this.bound[1 + k] = at(this.bound, 1 + k) + this.leastFigure(t, k)
      }
    }
    for (let e = 0; e < problem.to.length; e++) {
      const width = at(problem.tiers, at(problem.to, e))
      for (let cell = at(pair, e); cell < at(pair, e + 1); cell++)
        for (let k = 0; k < m; k++) {
          const least = this.leastPair(e, at(pair, e), (cell - at(pair, e)) % width, k)
          this.excess[cell * m + k] = at(problem.edgeFigures, cell * m + k) - least
          if (at(this.excess, cell * m + k) > 0) this.asks[cell] = 1
        }
    }
    this.savedLeast = Array.from(
      { length: tasks },
      (_, t) => new Float64Array((problem.outOf[t]?.length ?? 0) * m),
    )
    const size = (t: number) =>
      [...(problem.outOf[t] as Int32Array)].reduce((sum, e) => sum + at(problem.tiers, at(problem.to, e)), 0)
    this.savedReady = Array.from({ length: tasks }, (_, t) => new Float64Array(size(t)))
    this.savedFigures = Array.from({ length: tasks }, (_, t) => new Float64Array(size(t) * m))
  }

  /** Least figure of an edge whose child is on a tier. */
  private leastPair(e: number, cell: number, tier: number, k: number): number {
    const { figures: m, tiers, from, to, edgeFigures } = this.problem
    let least = Number.POSITIVE_INFINITY
    for (let a = 0; a < at(tiers, at(from, e)); a++)
      least = Math.min(least, at(edgeFigures, (cell + a * at(tiers, at(to, e)) + tier) * m + k))
    return least
  }

  private leastFigure(task: number, k: number): number {
    const { figures: m, first } = this.problem
    let least = Number.POSITIVE_INFINITY
    for (let row = at(first, task); row < at(first, task + 1); row++) {
      const value = at(this.figures, row * m + k)
      if (value < least) least = value
    }
    return least
  }

  /** Places `task`, all before it being placed, and works out the bound of the next depth but for what follows for its children. */
  place(task: number, tier: number): void {
    const { figures: m, tiers, first, time, pair, crosses, send } = this.problem
    const row = at(first, task) + tier
    const here = task * (m + 1)
    const next = here + m + 1
    const bound = this.bound
    this.placement[task] = tier
    bound[next] = Math.max(at(bound, here), at(this.ready, row) + at(time, row) + at(this.least, row))
    for (let k = 0; k < m; k++)
      bound[next + 1 + k] =
        at(bound, here + 1 + k) + (at(this.figures, row * m + k) - at(this.leastFigures, task * m + k))
    // the last child decides whether anything is sent: until all children are placed, nothing is charged
    const parents = this.problem.into[task] as Int32Array
    for (let i = 0; this.sends && i < parents.length; i++) {
      const e = at(parents, i)
      const parent = at(this.problem.from, e)
      const parentTier = at(this.placement, parent)
      if (crosses[at(pair, e) + parentTier * at(tiers, task) + tier] !== 1) continue
      if (this.hasSent(parent, parentTier, task)) continue
      const sends = (at(first, parent) + parentTier) * m
      for (let k = 0; k < m; k++) bound[next + 1 + k] = at(bound, next + 1 + k) + at(send, sends + k)
    }
  }

  /** Tells the children of a task where it has been placed, and raises the bound of the next depth by that. */
  tell(task: number): void {
    const { figures: m, tiers, first, time, to, pair, edgeTime } = this.problem
    const tier = at(this.placement, task)
    const row = at(first, task) + tier
    const end = at(this.ready, row) + at(time, row)
    const next = (task + 1) * (m + 1)
    const bound = this.bound
    const children = this.problem.outOf[task] as Int32Array
    const ready = this.savedReady[task] as Float64Array
    const saved = this.savedFigures[task] as Float64Array
    const savedLeast = this.savedLeast[task] as Float64Array
    const figures = this.figures
    const leastFigures = this.leastFigures
    const excess = this.excess
    let slot = 0
    for (let i = 0; i < children.length; i++) {
      const e = children[i] as number
      const child = to[e] as number
      const width = tiers[child] as number
      const cells = (pair[e] as number) + tier * width
      let soonest = Number.POSITIVE_INFINITY
      let isRaised = false
      for (let other = 0; other < width; other++) {
        const cell = cells + other
        const index = (first[child] as number) + other
        const before = this.ready[index] as number
        ready[slot] = before
        let comes = end + (edgeTime[cell] as number)
        if (comes > before) this.ready[index] = comes
        else comes = before
        const until = comes + (this.until[index] as number)
        if (until < soonest) soonest = until
        if (this.asks[cell] === 1) {
          isRaised = true
          for (let k = 0; k < m; k++) {
            const value = figures[index * m + k] as number
            saved[slot * m + k] = value
            figures[index * m + k] = value + (excess[cell * m + k] as number)
          }
        }
        slot++
      }
      for (let k = 0; k < m; k++) savedLeast[i * m + k] = leastFigures[child * m + k] as number
      if (isRaised) {
        const from = (first[child] as number) * m
        for (let k = 0; k < m; k++) {
          let least = figures[from + k] as number
          for (let other = 1; other < width; other++) {
            const value = figures[from + other * m + k] as number
            if (value < least) least = value
          }
          bound[next + 1 + k] = (bound[next + 1 + k] as number) + (least - (savedLeast[i * m + k] as number))
          leastFigures[child * m + k] = least
        }
      }
      if (soonest > (bound[next] as number)) bound[next] = soonest
    }
  }

  /** Whether a child of `parent` placed before `task` made it send. */
  private hasSent(parent: number, tier: number, task: number): boolean {
    const { to, pair, tiers, crosses } = this.problem
    const edges = this.problem.outOf[parent] as Int32Array
    for (let i = 0; i < edges.length; i++) {
      const e = at(edges, i)
      const child = at(to, e)
      if (child < task && crosses[at(pair, e) + tier * at(tiers, child) + at(this.placement, child)] === 1)
        return true
    }
    return false
  }

  /** Takes back what the children of a task were told. */
  undo(task: number): void {
    const { figures: m, tiers, first, to, pair } = this.problem
    const children = this.problem.outOf[task] as Int32Array
    const ready = this.savedReady[task] as Float64Array
    const saved = this.savedFigures[task] as Float64Array
    const savedLeast = this.savedLeast[task] as Float64Array
    const tier = this.placement[task] as number
    let slot = 0
    for (let i = 0; i < children.length; i++) {
      const e = children[i] as number
      const child = to[e] as number
      const width = tiers[child] as number
      for (let k = 0; k < m; k++) this.leastFigures[child * m + k] = savedLeast[i * m + k] as number
      for (let other = 0; other < width; other++) {
        const index = (first[child] as number) + other
        this.ready[index] = ready[slot] as number
        if (this.asks[(pair[e] as number) + tier * width + other] === 1)
          for (let k = 0; k < m; k++) this.figures[index * m + k] = saved[slot * m + k] as number
        slot++
      }
    }
  }
}

/** The walk through all beginnings, depth first. */
class Walk {
  readonly placements: Uint8Array[] = []
  private readonly tiers: Uint8Array
  private readonly archive: Archive
  private readonly weighted: Weighted
  private readonly beginning: Beginning
  /** By depth: the tier to try next, and whether the children of its task have been told. */
  private readonly next: Uint8Array
  private readonly isTold: Uint8Array
  private depth = 0

  constructor(problem: AdditiveProblem, known: Float64Array) {
    this.tiers = problem.tiers
    this.archive = new Archive(problem.figures + 1, known)
    this.weighted = new Weighted(problem, known)
    this.beginning = new Beginning(this.weighted.problem)
    this.next = new Uint8Array(problem.tasks)
    this.isTold = new Uint8Array(problem.tasks)
  }

  /** Tries at most so many beginnings; whether there may be more. */
  goOn(most: number): boolean {
    const { tiers, archive, weighted, beginning, next, isTold } = this
    const { bound } = beginning
    const wide = weighted.problem.figures + 1
    const last = tiers.length - 1
    let depth = this.depth
    for (let left = most; left > 0 && depth >= 0; ) {
      if (isTold[depth] === 1) {
        beginning.undo(depth)
        isTold[depth] = 0
      }
      const tier = next[depth] as number
      if (tier >= (tiers[depth] as number)) {
        next[depth--] = 0
        continue
      }
      left--
      next[depth] = tier + 1
      beginning.place(depth, tier)
      const row = (depth + 1) * wide
      if (archive.covers(bound, row) || weighted.covers(archive, bound, row)) continue
      if (depth === last) {
        archive.add(bound, row)
        this.placements.push(beginning.placement.slice())
        continue
      }
      // what follows for the children is worked out last: most of what is given up is so without it
      beginning.tell(depth)
      isTold[depth++] = 1
    }
    this.depth = depth
    return depth >= 0
  }

  /** How much of all beginnings has been passed. */
  get done(): number {
    let done = 0
    let share = 1
    for (let t = 0; t < Math.min(20, this.next.length); t++) {
      share /= at(this.tiers, t)
      done += share * Math.max(0, at(this.next, t) - 1)
    }
    return done
  }
}

/**
 * The front of a problem, together with the objective vectors `known`, which help to give up early, and some placements
 * more. Yields the fraction done.
 */
export function* branchAndBound(
  problem: AdditiveProblem,
  known: { objectives: Float64Array },
): Generator<number, { placements: Uint8Array; count: number }> {
  const { tasks } = problem
  const order = orderOf(problem)
  const walk = new Walk(inOrder(problem, order), known.objectives)
  while (walk.goOn(PAUSE_EVERY)) yield walk.done
  const { placements } = walk
  const all = new Uint8Array(placements.length * tasks)
  for (const [i, placement] of placements.entries())
    for (const [position, tier] of placement.entries()) all[i * tasks + at(order, position)] = tier
  return { placements: all, count: placements.length }
}

/**
 * The order in which tasks are placed: of those whose parents are, the one with most children comes next, since it says
 * most of what is to come; of several the one behind the task placed last.
 */
function orderOf({ tasks, from, into, outOf }: AdditiveProblem): number[] {
  const order: number[] = []
  const positions = new Int32Array(tasks).fill(-1)
  while (order.length < tasks) {
    let next = { task: -1, children: -1, behind: -1 }
    for (let task = 0; task < tasks; task++) {
      if (at(positions, task) >= 0) continue
      const parents = Array.from(into[task] as Int32Array, (e) => at(positions, at(from, e)))
      if (parents.includes(-1)) continue
      const children = outOf[task]?.length ?? 0
      const behind = Math.max(-1, ...parents)
      if (children > next.children || (children === next.children && behind > next.behind))
        next = { task, children, behind }
    }
    positions[next.task] = order.push(next.task) - 1
  }
  return order
}

/** The problem with its tasks in another topological order; its edges keep their numbers. */
function inOrder(problem: AdditiveProblem, order: readonly number[]): AdditiveProblem {
  const { figures: m, tiers, first } = problem
  const positions = new Int32Array(order.length)
  const rows: number[] = []
  const firsts = [0]
  for (const [position, task] of order.entries()) {
    positions[task] = position
    for (let tier = 0; tier < at(tiers, task); tier++) rows.push(at(first, task) + tier)
    firsts.push(rows.length)
  }
  const figuresOf = (of: Float64Array) =>
    Float64Array.from({ length: rows.length * m }, (_, i) =>
      at(of, at(rows, Math.floor(i / m)) * m + (i % m)),
    )
  const edgesOf = (of: readonly Int32Array[]) => order.map((task) => of[task] as Int32Array)
  return {
    ...problem,
    tiers: Uint8Array.from(order, (task) => at(tiers, task)),
    first: Int32Array.from(firsts),
    time: Float64Array.from(rows, (row) => at(problem.time, row)),
    own: figuresOf(problem.own),
    send: figuresOf(problem.send),
    from: problem.from.map((task) => at(positions, task)),
    to: problem.to.map((task) => at(positions, task)),
    into: edgesOf(problem.into),
    outOf: edgesOf(problem.outOf),
  }
}
