/** A partial placement: the first tasks of a sequence have tiers, and bounds hold for everything it can become. */
import type { Lookahead } from './lookahead.ts'

/**
 * The bounds after the first tasks of a sequence have been placed. Each depth has its own copy of the minima of later tasks, so
 * that backtracking undoes nothing. Children are the tasks placed later; in a reversed sequence these are the parents.
 */
export class PartialPlacement {
  private readonly lookahead: Lookahead
  private readonly sends: boolean
  private readonly hasPairs: boolean
  readonly placement: Uint8Array
  /** By depth: the minima of all tasks, as in `Lookahead.minima`; the size of one copy, and of a row. */
  private readonly minima: Float64Array
  private readonly size: number
  private readonly stride: number
  /** By depth: the minimum over the tiers of each variable figure of the next task. */
  private readonly floor: Float64Array
  /** By depth: lower bounds of the objectives, and of the weighted sum. */
  readonly bound: Float64Array
  /** Values in a row of `bound`. */
  readonly wide: number
  /** By depth: lower bound of the figure's part of the weighted sum. */
  private readonly spent: Float64Array
  /** Index of the weighted sum's figure among the variable ones, or -1. */
  private readonly column: number

  constructor(lookahead: Lookahead) {
    const { tasks, figures: m, tiers, send } = lookahead.problem
    this.lookahead = lookahead
    this.sends = send.some((value) => value > 0)
    this.hasPairs = tiers.every((count) => count === 2)
    this.placement = new Uint8Array(tasks)
    this.size = lookahead.minima.length
    this.stride = 1 + lookahead.variable.length
    this.minima = new Float64Array(tasks * this.size)
    this.minima.set(lookahead.minima)
    this.floor = new Float64Array(tasks * lookahead.variable.length)
    this.wide = m + 2
    this.bound = new Float64Array((tasks + 1) * this.wide)
    this.bound.set(lookahead.minimum, 1)
    this.spent = new Float64Array(tasks + 1)
    this.spent[0] = lookahead.weightedSum.weight * (lookahead.minimum[lookahead.weightedSum.figure] as number)
    this.column = lookahead.variable.indexOf(lookahead.weightedSum.figure)
    this.reach(0)
  }

  /** Places `task`, after all tasks before it, and computes the bounds of the next depth without the effect on its children. */
  place(task: number, tier: number): void {
    const { variable, fixed, more, cheapest, weightedSum, tails, weightedTails } = this.lookahead
    const { figures: m, first, time } = this.lookahead.problem
    const { minima, bound, floor, column } = this
    const row = (first[task] as number) + tier
    const at = task * this.size + row * this.stride
    const here = task * this.wide
    const next = here + this.wide
    this.placement[task] = tier
    const end = (minima[at] as number) + (time[row] as number)
    bound[next] = Math.max(bound[here] as number, end + (tails[row] as number))
    for (let i = 0; i < fixed.length; i++) {
      const k = fixed[i] as number
      bound[next + 1 + k] = (bound[here + 1 + k] as number) + (more[row * m + k] as number)
    }
    for (let a = 0; a < variable.length; a++) {
      const k = variable[a] as number
      const rise = (minima[at + 1 + a] as number) - (floor[task * variable.length + a] as number)
      bound[next + 1 + k] = (bound[here + 1 + k] as number) + rise
    }
    const dearer =
      column < 0
        ? (more[row * m + weightedSum.figure] as number)
        : (minima[at + 1 + column] as number) - (cheapest[task] as number)
    const spent = (this.spent[task] as number) + weightedSum.weight * dearer
    this.spent[task + 1] = spent
    bound[next + m + 1] = Math.max(
      bound[here + m + 1] as number,
      spent + (end + (weightedTails[row] as number)),
    )
    if (this.sends) this.charge(task, tier, next)
  }

  /** Updates the minima of a task's children to its tier, and raises the bounds of the next depth. Not for the last task. */
  propagate(task: number): void {
    if (this.hasPairs) this.propagateTwoTiers(task)
    else this.propagateAnyTiers(task)
    this.reach(task + 1)
  }

  /** Copies the minima of this depth to the next. */
  private repeat(task: number): void {
    const from = task * this.size
    const into = from + this.size
    const behind = (this.lookahead.problem.first[task + 1] as number) * this.stride
    this.minima.copyWithin(into + behind, from + behind, into)
  }

  /** `propagate` for problems in which every task has two tiers. */
  private propagateTwoTiers(task: number): void {
    const { problem, variable, children, childOffsets, deltas, deltaOffsets } = this.lookahead
    const { minima, bound, stride, size } = this
    const into = (task + 1) * size
    const row = (problem.first[task] as number) + (this.placement[task] as number)
    const end = (minima[into - size + row * stride] as number) + (problem.time[row] as number)
    const start = childOffsets[task] as number
    const stop = childOffsets[task + 1] as number
    const begin = deltaOffsets[row] as number
    // when all later tasks are its children, every minimum is written anyway
    const isWhole = stop - start === problem.tasks - 1 - task
    if (!isWhole) this.repeat(task)
    const back = isWhole ? size : 0
    for (let i = start, at = begin; i < stop; i++, at += 2 * stride) {
      const one = into + (children[i] as number)
      const other = one + stride
      minima[one] = Math.max(minima[one - back] as number, end + (deltas[at] as number))
      minima[other] = Math.max(minima[other - back] as number, end + (deltas[at + stride] as number))
    }
    for (let a = 1; a < stride; a++) {
      let rise = 0
      for (let i = start, at = begin + a; i < stop; i++, at += 2 * stride) {
        const one = into + (children[i] as number) + a
        const other = one + stride
        const x = minima[one - back] as number
        const y = minima[other - back] as number
        const more = x + (deltas[at] as number)
        const others = y + (deltas[at + stride] as number)
        minima[one] = more
        minima[other] = others
        rise += Math.min(more, others) - Math.min(x, y)
      }
      const k = (task + 1) * this.wide + 1 + (variable[a - 1] as number)
      bound[k] = (bound[k] as number) + rise
    }
  }

  /** `propagate` for any number of tiers. */
  private propagateAnyTiers(task: number): void {
    const { problem, variable, children, childOffsets, deltas, deltaOffsets } = this.lookahead
    const { tiers, first, time, to } = problem
    const { minima, bound, stride } = this
    const into = (task + 1) * this.size
    const row = (first[task] as number) + (this.placement[task] as number)
    const end = (minima[into - this.size + row * stride] as number) + (time[row] as number)
    const edges = problem.outOf[task] as Int32Array
    let at = deltaOffsets[row] as number
    this.repeat(task)
    for (let i = 0; i < edges.length; i++) {
      const begin = into + (children[(childOffsets[task] as number) + i] as number)
      const size = (tiers[to[edges[i] as number] as number] as number) * stride
      for (let j = 0; j < size; j += stride) {
        const comes = end + (deltas[at + j] as number)
        if (comes > (minima[begin + j] as number)) minima[begin + j] = comes
      }
      for (let a = 1; a < stride; a++) {
        let before = Number.POSITIVE_INFINITY
        let minimum = Number.POSITIVE_INFINITY
        for (let j = a; j < size; j += stride) {
          const was = minima[begin + j] as number
          const value = was + (deltas[at + j] as number)
          minima[begin + j] = value
          if (was < before) before = was
          if (value < minimum) minimum = value
        }
        const k = (task + 1) * this.wide + 1 + (variable[a - 1] as number)
        bound[k] = (bound[k] as number) + (minimum - before)
      }
      at += size
    }
  }

  /** Stores the minimum over the tiers of the next task's variable figures. */
  private reach(task: number): void {
    const { first } = this.lookahead.problem
    const { minima, floor, stride } = this
    const from = task * this.size + (first[task] as number) * stride
    const to = task * this.size + (first[task + 1] as number) * stride
    for (let a = 1; a < stride; a++) {
      let minimum = Number.POSITIVE_INFINITY
      for (let at = from + a; at < to; at += stride)
        if ((minima[at] as number) < minimum) minimum = minima[at] as number
      floor[task * (stride - 1) + a - 1] = minimum
    }
  }

  /** Charges what a task sends once, as soon as it and one of its children are on tiers between which it sends. */
  private charge(task: number, tier: number, next: number): void {
    const { problem, isTurned } = this.lookahead
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

  /** Whether a child of `parent` placed before `task` already made it send. */
  private hasSent(parent: number, tier: number, task: number): boolean {
    const { to, pair, tiers, crosses, outOf } = this.lookahead.problem
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
