/** What is known of a placement of which only the first tasks have their tiers. */
import type { Outlook } from './outlook.ts'

/**
 * All that is known after the first tasks of a sequence have been placed; each depth has a copy of its own of what it tells
 * the tasks behind it, so that nothing need be taken back. Children are those that are placed later: with a sequence that is
 * turned, the parents.
 */
export class Beginning {
  private readonly outlook: Outlook
  private readonly sends: boolean
  private readonly hasPairs: boolean
  readonly placement: Uint8Array
  /** By depth: what all tasks have been told, as in the outlook; the size of it, and of a row. */
  private readonly told: Float64Array
  private readonly size: number
  private readonly stride: number
  /** By depth: the least on any tier of each asked figure of the task that comes next. */
  private readonly floor: Float64Array
  /** By depth: objectives at least, and the sum of the slant at least. */
  readonly bound: Float64Array
  /** Values in a row of `bound`. */
  readonly wide: number
  /** By depth: what has been spent by the slant, with the least of all that follows. */
  private readonly spent: Float64Array
  /** Where the figure of the slant is among those asked, or -1. */
  private readonly column: number

  constructor(outlook: Outlook) {
    const { tasks, figures: m, tiers, send } = outlook.problem
    this.outlook = outlook
    this.sends = send.some((value) => value > 0)
    this.hasPairs = tiers.every((count) => count === 2)
    this.placement = new Uint8Array(tasks)
    this.size = outlook.told.length
    this.stride = 1 + outlook.asked.length
    this.told = new Float64Array(tasks * this.size)
    this.told.set(outlook.told)
    this.floor = new Float64Array(tasks * outlook.asked.length)
    this.wide = m + 2
    this.bound = new Float64Array((tasks + 1) * this.wide)
    this.bound.set(outlook.least, 1)
    this.spent = new Float64Array(tasks + 1)
    this.spent[0] = outlook.slant.weight * (outlook.least[outlook.slant.figure] as number)
    this.column = outlook.asked.indexOf(outlook.slant.figure)
    this.reach(0)
  }

  /** Places `task`, all before it being placed, and works out the bound of the next depth but for what follows for its children. */
  place(task: number, tier: number): void {
    const { asked, settled, more, cheapest, slant, tails, slanted } = this.outlook
    const { figures: m, first, time } = this.outlook.problem
    const { told, bound, floor, column } = this
    const row = (first[task] as number) + tier
    const at = task * this.size + row * this.stride
    const here = task * this.wide
    const next = here + this.wide
    this.placement[task] = tier
    const end = (told[at] as number) + (time[row] as number)
    bound[next] = Math.max(bound[here] as number, end + (tails[row] as number))
    for (let i = 0; i < settled.length; i++) {
      const k = settled[i] as number
      bound[next + 1 + k] = (bound[here + 1 + k] as number) + (more[row * m + k] as number)
    }
    for (let a = 0; a < asked.length; a++) {
      const k = asked[a] as number
      const rise = (told[at + 1 + a] as number) - (floor[task * asked.length + a] as number)
      bound[next + 1 + k] = (bound[here + 1 + k] as number) + rise
    }
    const dearer =
      column < 0
        ? (more[row * m + slant.figure] as number)
        : (told[at + 1 + column] as number) - (cheapest[task] as number)
    const spent = (this.spent[task] as number) + slant.weight * dearer
    this.spent[task + 1] = spent
    bound[next + m + 1] = Math.max(bound[here + m + 1] as number, spent + (end + (slanted[row] as number)))
    if (this.sends) this.charge(task, tier, next)
  }

  /** Tells the children of a task, which is not the last one, where it has been placed, and raises the bound of the next depth by that. */
  tell(task: number): void {
    if (this.hasPairs) this.tellPairs(task)
    else this.tellAny(task)
    this.reach(task + 1)
  }

  /** The next depth begins with what this one has told. */
  private repeat(task: number): void {
    const from = task * this.size
    const into = from + this.size
    const behind = (this.outlook.problem.first[task + 1] as number) * this.stride
    this.told.copyWithin(into + behind, from + behind, into)
  }

  /** With two tiers for every task. */
  private tellPairs(task: number): void {
    const { problem, asked, children, begins, news, newsBegin } = this.outlook
    const { told, bound, stride, size } = this
    const into = (task + 1) * size
    const row = (problem.first[task] as number) + (this.placement[task] as number)
    const end = (told[into - size + row * stride] as number) + (problem.time[row] as number)
    const start = begins[task] as number
    const stop = begins[task + 1] as number
    const begin = newsBegin[row] as number
    // where all behind it are its children, nothing need be repeated
    const isWhole = stop - start === problem.tasks - 1 - task
    if (!isWhole) this.repeat(task)
    const back = isWhole ? size : 0
    for (let i = start, at = begin; i < stop; i++, at += 2 * stride) {
      const one = into + (children[i] as number)
      const other = one + stride
      told[one] = Math.max(told[one - back] as number, end + (news[at] as number))
      told[other] = Math.max(told[other - back] as number, end + (news[at + stride] as number))
    }
    for (let a = 1; a < stride; a++) {
      let rise = 0
      for (let i = start, at = begin + a; i < stop; i++, at += 2 * stride) {
        const one = into + (children[i] as number) + a
        const other = one + stride
        const x = told[one - back] as number
        const y = told[other - back] as number
        const more = x + (news[at] as number)
        const others = y + (news[at + stride] as number)
        told[one] = more
        told[other] = others
        rise += Math.min(more, others) - Math.min(x, y)
      }
      const k = (task + 1) * this.wide + 1 + (asked[a - 1] as number)
      bound[k] = (bound[k] as number) + rise
    }
  }

  /** With any number of tiers. */
  private tellAny(task: number): void {
    const { problem, asked, children, begins, news, newsBegin } = this.outlook
    const { tiers, first, time, to } = problem
    const { told, bound, stride } = this
    const into = (task + 1) * this.size
    const row = (first[task] as number) + (this.placement[task] as number)
    const end = (told[into - this.size + row * stride] as number) + (time[row] as number)
    const edges = problem.outOf[task] as Int32Array
    let at = newsBegin[row] as number
    this.repeat(task)
    for (let i = 0; i < edges.length; i++) {
      const begin = into + (children[(begins[task] as number) + i] as number)
      const size = (tiers[to[edges[i] as number] as number] as number) * stride
      for (let j = 0; j < size; j += stride) {
        const comes = end + (news[at + j] as number)
        if (comes > (told[begin + j] as number)) told[begin + j] = comes
      }
      for (let a = 1; a < stride; a++) {
        let before = Number.POSITIVE_INFINITY
        let least = Number.POSITIVE_INFINITY
        for (let j = a; j < size; j += stride) {
          const was = told[begin + j] as number
          const value = was + (news[at + j] as number)
          told[begin + j] = value
          if (was < before) before = was
          if (value < least) least = value
        }
        const k = (task + 1) * this.wide + 1 + (asked[a - 1] as number)
        bound[k] = (bound[k] as number) + (least - before)
      }
      at += size
    }
  }

  /** Notes the least of what a task has been told, as it comes next. */
  private reach(task: number): void {
    const { first } = this.outlook.problem
    const { told, floor, stride } = this
    const from = task * this.size + (first[task] as number) * stride
    const to = task * this.size + (first[task + 1] as number) * stride
    for (let a = 1; a < stride; a++) {
      let least = Number.POSITIVE_INFINITY
      for (let at = from + a; at < to; at += stride)
        if ((told[at] as number) < least) least = told[at] as number
      floor[task * (stride - 1) + a - 1] = least
    }
  }

  /** Charges what is sent once, as soon as a task and one child of it are on tiers between which it is. */
  private charge(task: number, tier: number, next: number): void {
    const { problem, isTurned } = this.outlook
    const { figures: m, tiers, first, pair, crosses, send } = problem
    const bound = this.bound
    const parents = problem.into[task] as Int32Array
    for (let i = 0; i < parents.length; i++) {
      const e = parents[i] as number
      const parent = problem.from[e] as number
      const parentTier = this.placement[parent] as number
      if (crosses[(pair[e] as number) + parentTier * (tiers[task] as number) + tier] !== 1) continue
      if (!isTurned && this.hasSent(parent, parentTier, task)) continue
      const sends = isTurned
        ? ((first[task] as number) + tier) * m
        : ((first[parent] as number) + parentTier) * m
      for (let k = 0; k < m; k++)
        bound[next + 1 + k] = (bound[next + 1 + k] as number) + (send[sends + k] as number)
      if (isTurned) return
    }
  }

  /** Whether a child of `parent` placed before `task` made it send. */
  private hasSent(parent: number, tier: number, task: number): boolean {
    const { to, pair, tiers, crosses, outOf } = this.outlook.problem
    const edges = outOf[parent] as Int32Array
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
