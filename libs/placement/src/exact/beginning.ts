/** What is known of a placement of which only the first tasks have their tiers. */
import type { AdditiveProblem } from './problem.ts'
import { tailsOf } from './reach.ts'

/**
 * All that is known after the first tasks of a sequence have been placed; each depth keeps what it overwrote, so nothing
 * adds up. Children are those that are placed later: with a sequence that is turned, the parents.
 */
export class Beginning {
  private readonly problem: AdditiveProblem
  private readonly isTurned: boolean
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

  /** `isTurned` says that edges of `problem` go from children to parents. */
  constructor(problem: AdditiveProblem, isTurned: boolean) {
    const { tasks, figures: m, own, pair } = problem
    this.problem = problem
    this.isTurned = isTurned
    this.least = tailsOf(problem).least
    this.sends = problem.send.some((value) => value > 0)
    this.placement = new Uint8Array(tasks)
    this.ready = new Float64Array(problem.time.length)
    this.figures = own.slice()
    this.bound = new Float64Array((tasks + 1) * (m + 1))
    this.leastFigures = new Float64Array(tasks * m)
    this.excess = new Float64Array(problem.edgeFigures.length)
    this.asks = new Uint8Array(problem.edgeTime.length)
    this.until = problem.time.map((time, row) => time + (this.least[row] as number))
    for (let t = 0; t < tasks; t++) {
      for (const e of problem.into[t] as Int32Array)
        for (let tier = 0; tier < (problem.tiers[t] as number); tier++)
          for (let k = 0; k < m; k++) {
            const index = ((problem.first[t] as number) + tier) * m + k
            this.figures[index] =
              (this.figures[index] as number) + this.leastPair(e, pair[e] as number, tier, k)
          }
      for (let k = 0; k < m; k++) {
        this.leastFigures[t * m + k] = this.leastFigure(t, k)
        this.bound[1 + k] = (this.bound[1 + k] as number) + this.leastFigure(t, k)
      }
    }
    for (let e = 0; e < problem.to.length; e++) {
      const width = problem.tiers[problem.to[e] as number] as number
      for (let cell = pair[e] as number; cell < (pair[e + 1] as number); cell++)
        for (let k = 0; k < m; k++) {
          const least = this.leastPair(e, pair[e] as number, (cell - (pair[e] as number)) % width, k)
          this.excess[cell * m + k] = (problem.edgeFigures[cell * m + k] as number) - least
          if ((this.excess[cell * m + k] as number) > 0) this.asks[cell] = 1
        }
    }
    this.savedLeast = Array.from(
      { length: tasks },
      (_, t) => new Float64Array((problem.outOf[t]?.length ?? 0) * m),
    )
    const size = (t: number) =>
      [...(problem.outOf[t] as Int32Array)].reduce(
        (sum, e) => sum + (problem.tiers[problem.to[e] as number] as number),
        0,
      )
    this.savedReady = Array.from({ length: tasks }, (_, t) => new Float64Array(size(t)))
    this.savedFigures = Array.from({ length: tasks }, (_, t) => new Float64Array(size(t) * m))
  }

  /** Least figure of an edge whose child is on a tier. */
  private leastPair(e: number, cell: number, tier: number, k: number): number {
    const { figures: m, tiers, from, to, edgeFigures } = this.problem
    let least = Number.POSITIVE_INFINITY
    for (let a = 0; a < (tiers[from[e] as number] as number); a++)
      least = Math.min(
        least,
        edgeFigures[(cell + a * (tiers[to[e] as number] as number) + tier) * m + k] as number,
      )
    return least
  }

  private leastFigure(task: number, k: number): number {
    const { figures: m, first } = this.problem
    let least = Number.POSITIVE_INFINITY
    for (let row = first[task] as number; row < (first[task + 1] as number); row++) {
      const value = this.figures[row * m + k] as number
      if (value < least) least = value
    }
    return least
  }

  /** Places `task`, all before it being placed, and works out the bound of the next depth but for what follows for its children. */
  place(task: number, tier: number): void {
    const { figures: m, first, time } = this.problem
    const row = (first[task] as number) + tier
    const here = task * (m + 1)
    const next = here + m + 1
    const bound = this.bound
    this.placement[task] = tier
    bound[next] = Math.max(
      bound[here] as number,
      (this.ready[row] as number) + (time[row] as number) + (this.least[row] as number),
    )
    for (let k = 0; k < m; k++)
      bound[next + 1 + k] =
        (bound[here + 1 + k] as number) +
        ((this.figures[row * m + k] as number) - (this.leastFigures[task * m + k] as number))
    if (this.sends) this.charge(task, tier, next)
  }

  /** Charges what is sent once, as soon as a task and one child of it are on tiers between which it is. */
  private charge(task: number, tier: number, next: number): void {
    const { figures: m, tiers, first, pair, crosses, send } = this.problem
    const bound = this.bound
    const parents = this.problem.into[task] as Int32Array
    for (let i = 0; i < parents.length; i++) {
      const e = parents[i] as number
      const parent = this.problem.from[e] as number
      const parentTier = this.placement[parent] as number
      if (crosses[(pair[e] as number) + parentTier * (tiers[task] as number) + tier] !== 1) continue
      if (!this.isTurned && this.hasSent(parent, parentTier, task)) continue
      const sends = this.isTurned
        ? ((first[task] as number) + tier) * m
        : ((first[parent] as number) + parentTier) * m
      for (let k = 0; k < m; k++)
        bound[next + 1 + k] = (bound[next + 1 + k] as number) + (send[sends + k] as number)
      if (this.isTurned) return
    }
  }

  /** Tells the children of a task where it has been placed, and raises the bound of the next depth by that. */
  tell(task: number): void {
    const { figures: m, tiers, first, time, to, pair, edgeTime } = this.problem
    const tier = this.placement[task] as number
    const row = (first[task] as number) + tier
    const end = (this.ready[row] as number) + (time[row] as number)
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
      const e = edges[i] as number
      const child = to[e] as number
      if (
        child < task &&
        crosses[(pair[e] as number) + tier * (tiers[child] as number) + (this.placement[child] as number)] ===
          1
      )
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
