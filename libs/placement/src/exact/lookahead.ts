/** The tables that enumeration with bounds computes before any task is placed. */
import type { AdditiveProblem } from './problem.ts'
import { tailsOf } from './reach.ts'

/** The latency plus `weight` times a figure. */
export interface WeightedSum {
  figure: number
  weight: number
}

/** Lookahead tables of one sequence. Children are the tasks placed later; in a reversed sequence these are the parents. */
export interface Lookahead {
  problem: AdditiveProblem
  /** Edges of the problem go from children to parents. */
  isTurned: boolean
  weightedSum: WeightedSum
  /** Figures that some edge adds to, depending on the tiers; and the others, which depend on the task's own tier only. */
  variable: Int32Array
  fixed: Int32Array
  /** For every task and tier: each figure above the minimum over the task's tiers. */
  more: Float64Array
  /** Lower bound of each figure over all tasks; and of the weighted sum's figure, for each task. */
  minimum: Float64Array
  cheapest: Float64Array
  /** A row for every task and tier: the earliest time at which its inputs are ready, then the minimum of each variable figure. */
  minima: Float64Array
  /** Offset in `minima` of the first tier of each child, task by task; and the index of each task's first child. */
  children: Int32Array
  childOffsets: Int32Array
  /**
   * For every task and tier, what it adds to the minima of its children, child by child in rows as in `minima`: transfer time
   * of its output, then the additional variable figures. And the offset of each task and tier.
   */
  deltas: Float64Array
  deltaOffsets: Int32Array
  /** For every task and tier: the minimum time from its end to the end of everything behind it. */
  tails: Float64Array
  /** The same with `weight` times the figure above each task's minimum added: a path is quick or cheap, but seldom both. */
  weightedTails: Float64Array
}

/** Computes the lookahead of a sequence's problem, whose edges add only figures that depend on tiers (`Sequence.problem`). */
export function lookaheadOf(
  problem: AdditiveProblem,
  isTurned: boolean,
  weightedSum: WeightedSum,
): Lookahead {
  const { tasks, figures: m, first, own, edgeFigures } = problem
  const isAsked = new Uint8Array(m)
  for (let i = 0; i < edgeFigures.length; i++) if ((edgeFigures[i] as number) > 0) isAsked[i % m] = 1
  const figures = Int32Array.from(isAsked.keys())
  const variable = figures.filter((k) => isAsked[k] === 1)
  const stride = 1 + variable.length
  const minima = new Float64Array(problem.time.length * stride)
  const minimum = new Float64Array(m)
  const cheapest = new Float64Array(tasks)
  const more = new Float64Array(own.length)
  const dearer = problem.time.slice()
  for (let t = 0; t < tasks; t++) {
    const from = first[t] as number
    const to = first[t + 1] as number
    for (let k = 0; k < m; k++) {
      let lowest = Number.POSITIVE_INFINITY
      for (let row = from; row < to; row++) lowest = Math.min(lowest, own[row * m + k] as number)
      for (let row = from; row < to; row++) more[row * m + k] = (own[row * m + k] as number) - lowest
      minimum[k] = (minimum[k] as number) + lowest
      if (k === weightedSum.figure) cheapest[t] = lowest
    }
    for (let row = from; row < to; row++) {
      for (let a = 0; a < variable.length; a++)
        minima[row * stride + 1 + a] = own[row * m + (variable[a] as number)] as number
      dearer[row] =
        (dearer[row] as number) + weightedSum.weight * (more[row * m + weightedSum.figure] as number)
    }
  }
  return {
    problem,
    isTurned,
    weightedSum,
    variable,
    fixed: figures.filter((k) => isAsked[k] === 0),
    more,
    minimum,
    cheapest,
    minima,
    ...deltasOf(problem, variable),
    tails: tailsOf(problem).minimum,
    weightedTails: tailsOf({ ...problem, time: dearer }).minimum,
  }
}

/** Computes `deltas` and its offsets; see `Lookahead`. */
function deltasOf(problem: AdditiveProblem, variable: Int32Array) {
  const { tasks, figures: m, tiers, first, to, pair, edgeTime, edgeFigures } = problem
  const stride = 1 + variable.length
  const children = new Int32Array(to.length)
  const childOffsets = new Int32Array(tasks + 1)
  const deltas = new Float64Array(edgeTime.length * stride)
  const deltaOffsets = new Int32Array(first[tasks] as number)
  let at = 0
  for (let t = 0; t < tasks; t++) {
    const edges = problem.outOf[t] as Int32Array
    const begin = childOffsets[t] as number
    childOffsets[t + 1] = begin + edges.length
    for (const [i, e] of edges.entries()) children[begin + i] = (first[to[e] as number] as number) * stride
    for (let tier = 0; tier < (tiers[t] as number); tier++) {
      deltaOffsets[(first[t] as number) + tier] = at
      for (const e of edges) {
        const width = tiers[to[e] as number] as number
        const cells = (pair[e] as number) + tier * width
        for (let cell = cells; cell < cells + width; cell++) {
          deltas[at++] = edgeTime[cell] as number
          for (let a = 0; a < variable.length; a++)
            deltas[at++] = edgeFigures[cell * m + (variable[a] as number)] as number
        }
      }
    }
  }
  return { children, childOffsets, deltas, deltaOffsets }
}
