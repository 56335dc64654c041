/** What is known of a placement of which only the first tasks have their tiers. */
import { leastOf, type News, newsOf } from './news.ts'
import type { AdditiveProblem } from './problem.ts'
import { tailsOf } from './reach.ts'

/** A sum of the latency and so much of a figure. */
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
  private readonly slant: Slant
  readonly placement: Uint8Array
  /**
   * By depth, for every task: when its inputs are there at the earliest, tier by tier; then each of its figures at least, tier
   * by tier, and the least of all tiers.
   */
  private readonly told: Float64Array
  /** Where a task begins in what is told at a depth, and the size of it all. */
  private readonly begins: Int32Array
  private readonly size: number
  /** By depth: objectives at least, and the sum of the slant at least. */
  readonly bound: Float64Array
  /** Values in a row of `bound`. */
  readonly wide: number
  /** For every task and tier: the least time from its end to the end of all behind it. */
  private readonly least: Float64Array
  /** The same, with what is spent on the way beyond the least of each task: a way is quick or cheap, but seldom both. */
  private readonly slanted: Float64Array
  /** For every task: the least it spends of the figure of the slant when nothing else has been placed. */
  private readonly cheapest: Float64Array
  /** By depth: what has been spent by the slant, with the least of all that follows. */
  private readonly spent: Float64Array
  private readonly news: News
  private readonly sends: boolean

  /** `isTurned` says that edges of `problem` go from children to parents. */
  constructor(problem: AdditiveProblem, isTurned: boolean, slant: Slant) {
    const { tasks, figures: m, tiers } = problem
    this.problem = problem
    this.isTurned = isTurned
    this.slant = slant
    this.sends = problem.send.some((value) => value > 0)
    this.placement = new Uint8Array(tasks)
    this.wide = m + 2
    this.bound = new Float64Array((tasks + 1) * this.wide)
    this.begins = new Int32Array(tasks + 1)
    for (let t = 0; t < tasks; t++)
      this.begins[t + 1] = (this.begins[t] as number) + (tiers[t] as number) * (m + 1) + m
    this.size = this.begins[tasks] as number
    this.told = new Float64Array(tasks * this.size)
    this.cheapest = new Float64Array(tasks)
    const dearer = problem.time.slice()
    for (let t = 0; t < tasks; t++) this.begin(t, dearer)
    this.least = tailsOf(problem).least
    this.slanted = tailsOf({ ...problem, time: dearer }).least
    this.spent = new Float64Array(tasks + 1)
    this.spent[0] = slant.weight * (this.bound[1 + slant.figure] as number)
    this.news = newsOf(problem)
  }

  /** What is known of a task before any is placed; adds to its times in `dearer` what it spends beyond its least. */
  private begin(task: number, dearer: Float64Array): void {
    const { figures: m, tiers, first, own } = this.problem
    const { told, bound } = this
    const { figure, weight } = this.slant
    const width = tiers[task] as number
    const begins = this.begins[task] as number
    const row = first[task] as number
    for (let k = 0; k < m; k++) {
      let leastOfAll = Number.POSITIVE_INFINITY
      for (let tier = 0; tier < width; tier++) {
        let least = own[(row + tier) * m + k] as number
        for (const e of this.problem.into[task] as Int32Array) least += leastOf(this.problem, e, tier, k)
        told[begins + width + k * (width + 1) + tier] = least
        if (least < leastOfAll) leastOfAll = least
      }
      told[begins + width + k * (width + 1) + width] = leastOfAll
      bound[1 + k] = (bound[1 + k] as number) + leastOfAll
    }
    const spent = begins + width + figure * (width + 1)
    const cheapest = told[spent + width] as number
    this.cheapest[task] = cheapest
    for (let tier = 0; tier < width; tier++) {
      const more = (told[spent + tier] as number) - cheapest
      dearer[row + tier] = (dearer[row + tier] as number) + weight * more
    }
  }

  /** Places `task`, all before it being placed, and works out the bound of the next depth but for what follows for its children. */
  place(task: number, tier: number): void {
    const { figures: m, first, time, tiers } = this.problem
    const told = this.told
    const row = (first[task] as number) + tier
    const width = tiers[task] as number
    const own = task * this.size + (this.begins[task] as number)
    const entry = own + width + tier
    const least = own + width + width
    const here = task * this.wide
    const next = here + this.wide
    const bound = this.bound
    this.placement[task] = tier
    const end = (told[own + tier] as number) + (time[row] as number)
    bound[next] = Math.max(bound[here] as number, end + (this.least[row] as number))
    for (let k = 0; k < m; k++)
      bound[next + 1 + k] =
        (bound[here + 1 + k] as number) +
        ((told[entry + k * (width + 1)] as number) - (told[least + k * (width + 1)] as number))
    const { figure, weight } = this.slant
    const spent =
      (this.spent[task] as number) +
      weight * ((told[entry + figure * (width + 1)] as number) - (this.cheapest[task] as number))
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
    const { tiers, first, time, to } = this.problem
    const { told, begins, bound } = this
    const { figures, values } = this.news
    const asked = figures.length
    const from = task * this.size
    const into = from + this.size
    const behind = begins[task + 1] as number
    told.copyWithin(into + behind, from + behind, into)
    const tier = this.placement[task] as number
    const row = (first[task] as number) + tier
    const end = (told[from + (begins[task] as number) + tier] as number) + (time[row] as number)
    const next = (task + 1) * this.wide
    const children = this.problem.outOf[task] as Int32Array
    let at = this.news.begins[row] as number
    for (let i = 0; i < children.length; i++) {
      const child = to[children[i] as number] as number
      const width = tiers[child] as number
      const entries = into + (begins[child] as number)
      for (let entry = entries; entry < entries + width; entry++) {
        const comes = end + (values[at++] as number)
        if (comes > (told[entry] as number)) told[entry] = comes
      }
      for (let a = 0; a < asked; a++) {
        const k = figures[a] as number
        const own = entries + width + k * (width + 1)
        const last = own + width
        let least = Number.POSITIVE_INFINITY
        for (let entry = own; entry < last; entry++) {
          const value = (told[entry] as number) + (values[at++] as number)
          told[entry] = value
          if (value < least) least = value
        }
        bound[next + 1 + k] = (bound[next + 1 + k] as number) + (least - (told[last] as number))
        told[last] = least
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
