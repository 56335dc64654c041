/** What is known of a placement of which only the first tasks have their tiers. */
import type { AdditiveProblem } from './problem.ts'
import { tailsOf } from './reach.ts'

/** A sum of the latency and a figure, so much of it. */
export interface Slant {
  figure: number
  weight: number
}

/**
 * All that is known after the first tasks of a sequence have been placed; each depth has a copy of its own of what it tells
 * the tasks behind it, so that nothing need be taken back. Children are those that are placed later: with a sequence that is
 * turned, the parents.
 */
export class Beginning {
  private readonly problem: AdditiveProblem
  private readonly isTurned: boolean
  private readonly least: Float64Array
  readonly placement: Uint8Array
  /**
   * By depth, for every task: of each tier when its inputs are there at the earliest and its figures at least, then the
   * least of its figures over the tiers.
   */
  private readonly told: Float64Array
  /** Where a task begins in what is told at a depth, and the size of it all. */
  private readonly begins: Int32Array
  private readonly size: number
  /** By depth: objectives at least, and the least sum of the latency and `slant`. */
  readonly bound: Float64Array
  /** Values of a row of `bound`. */
  readonly wide: number
  /** For every pair of an edge: how much more than at least its figures are. */
  private readonly excess: Float64Array
  /** Pairs of an edge with any of that. */
  private readonly asks: Uint8Array
  private readonly asked: Int32Array
  private readonly news: Float64Array
  private readonly newsOf: Int32Array
  /** For every task and tier: the least time from its inputs to the end of all behind it. */
  private readonly until: Float64Array
  private readonly sends: boolean
  private readonly slant: Slant
  /** For every task: the least of the figure of the slant before any other is placed. */
  private readonly cheapest: Float64Array
  /** By depth: `slant` of what has been placed, and at least of the rest. */
  private readonly spent: Float64Array
  /**
   * For every task and tier: from its end to the end of all behind it at least, in time and in how much more is spent on
   * the way than at least: a way is quick or cheap, but seldom both.
   */
  private readonly slanted: Float64Array

  /** `isTurned` says that edges of `problem` go from children to parents. */
  constructor(problem: AdditiveProblem, isTurned: boolean, slant: Slant) {
    const { tasks, figures: m, own, pair } = problem
    this.problem = problem
    this.isTurned = isTurned
    this.least = tailsOf(problem).least
    this.sends = problem.send.some((value) => value > 0)
    this.placement = new Uint8Array(tasks)
    this.wide = m + 2
    this.bound = new Float64Array((tasks + 1) * this.wide)
    this.excess = new Float64Array(problem.edgeFigures.length)
    this.asks = new Uint8Array(problem.edgeTime.length)
    this.until = problem.time.map((time, row) => time + (this.least[row] as number))
    this.begins = new Int32Array(tasks + 1)
    for (let t = 0; t < tasks; t++)
      this.begins[t + 1] = (this.begins[t] as number) + (problem.tiers[t] as number) * (m + 1) + m
    this.size = this.begins[tasks] as number
    this.told = new Float64Array(tasks * this.size)
    for (let t = 0; t < tasks; t++)
      for (let k = 0; k < m; k++) {
        const width = problem.tiers[t] as number
        let leastOfAll = Number.POSITIVE_INFINITY
        for (let tier = 0; tier < width; tier++) {
          let least = own[((problem.first[t] as number) + tier) * m + k] as number
          for (const e of problem.into[t] as Int32Array)
            least += this.leastPair(e, pair[e] as number, tier, k)
          this.told[(this.begins[t] as number) + tier * (m + 1) + 1 + k] = least
          if (least < leastOfAll) leastOfAll = least
        }
        this.told[(this.begins[t] as number) + width * (m + 1) + k] = leastOfAll
        this.bound[1 + k] = (this.bound[1 + k] as number) + leastOfAll
      }
    this.slant = slant
    this.cheapest = Float64Array.from(
      problem.tiers,
      (width, t) => this.told[(this.begins[t] as number) + width * (m + 1) + slant.figure] as number,
    )
    this.spent = new Float64Array(tasks + 1)
    this.spent[0] = slant.weight * (this.bound[1 + slant.figure] as number)
    const dearer = problem.time.slice()
    for (let t = 0; t < tasks; t++)
      for (let tier = 0; tier < (problem.tiers[t] as number); tier++) {
        const figure = this.told[(this.begins[t] as number) + tier * (m + 1) + 1 + slant.figure] as number
        const row = (problem.first[t] as number) + tier
        dearer[row] = (dearer[row] as number) + slant.weight * (figure - (this.cheapest[t] as number))
      }
    this.slanted = tailsOf({ ...problem, time: dearer }).least
    const asking = new Uint8Array(m)
    for (let e = 0; e < problem.to.length; e++) {
      const width = problem.tiers[problem.to[e] as number] as number
      for (let cell = pair[e] as number; cell < (pair[e + 1] as number); cell++)
        for (let k = 0; k < m; k++) {
          const least = this.leastPair(e, pair[e] as number, (cell - (pair[e] as number)) % width, k)
          this.excess[cell * m + k] = (problem.edgeFigures[cell * m + k] as number) - least
          if ((this.excess[cell * m + k] as number) > 0) this.asks[cell] = 1
          if ((this.excess[cell * m + k] as number) > 0) asking[k] = 1
        }
    }
    this.asked = Int32Array.from(asking.keys()).filter((k) => asking[k] === 1).map((k) => k + 1)
    const news: number[] = []
    this.newsOf = new Int32Array(problem.time.length)
    for (let t = 0; t < tasks; t++) for (let tier = 0; tier < (problem.tiers[t] as number); tier++) {
      this.newsOf[(problem.first[t] as number) + tier] = news.length
      for (const e of problem.outOf[t] as Int32Array) {
        const others = problem.tiers[problem.to[e] as number] as number
        for (let o = 0; o < others; o++) {
          const cell = (pair[e] as number) + tier * others + o
          news.push(problem.edgeTime[cell] as number)
          for (const k of this.asked) news.push(this.excess[cell * m + k - 1] as number)
        }
      }
    }
    this.news = Float64Array.from(news)
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

  /** Places `task`, all before it being placed, and works out the bound of the next depth but for what follows for its children. */
  place(task: number, tier: number): void {
    const { figures: m, first, time, tiers } = this.problem
    const told = this.told
    const row = (first[task] as number) + tier
    const own = task * this.size + (this.begins[task] as number)
    const entry = own + tier * (m + 1)
    const least = own + (tiers[task] as number) * (m + 1)
    const here = task * this.wide
    const next = here + this.wide
    const bound = this.bound
    this.placement[task] = tier
    const end = (told[entry] as number) + (time[row] as number)
    bound[next] = Math.max(bound[here] as number, end + (this.least[row] as number))
    for (let k = 0; k < m; k++)
      bound[next + 1 + k] =
        (bound[here + 1 + k] as number) + ((told[entry + 1 + k] as number) - (told[least + k] as number))
    const { figure, weight } = this.slant
    const spent =
      (this.spent[task] as number) +
      weight * ((told[entry + 1 + figure] as number) - (this.cheapest[task] as number))
    this.spent[task + 1] = spent
    bound[next + m + 1] = Math.max(
      bound[here + m + 1] as number,
      spent + (end + (this.slanted[row] as number)),
    )
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

  /** Tells the children of a task, which is not the last one, where it has been placed, and raises the bound of the next depth by that. */
  tell(task: number): void {
    const { figures: m, tiers, first, time, to } = this.problem
    const { told, begins, bound, news, asked } = this
    const width = m + 1
    const from = task * this.size
    const into = from + this.size
    const behind = begins[task + 1] as number
    told.copyWithin(into + behind, from + behind, into)
    const row = (first[task] as number) + (this.placement[task] as number)
    const end = (told[from + (begins[task] as number) + (this.placement[task] as number) * width] as number) + (time[row] as number)
    const next = (task + 1) * this.wide + 1
    const figures = asked.length
    const children = this.problem.outOf[task] as Int32Array
    let at = this.newsOf[row] as number
    for (let i = 0; i < children.length; i++) {
      const child = to[children[i] as number] as number
      const entries = into + (begins[child] as number)
      const leasts = entries + (tiers[child] as number) * width
      for (let entry = entries; entry < leasts; entry += width) {
        const comes = end + (news[at++] as number)
        if (comes > (told[entry] as number)) told[entry] = comes
        for (let a = 0; a < figures; a++) {
          const figure = entry + (asked[a] as number)
          told[figure] = (told[figure] as number) + (news[at++] as number)
        }
      }
      for (let a = 0; a < figures; a++) {
        const k = asked[a] as number
        let least = told[entries + k] as number
        for (let entry = entries + width + k; entry < leasts; entry += width) {
          const value = told[entry] as number
          if (value < least) least = value
        }
        bound[next + k - 1] = (bound[next + k - 1] as number) + (least - (told[leasts + k - 1] as number))
        told[leasts + k - 1] = least
      }
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
}
