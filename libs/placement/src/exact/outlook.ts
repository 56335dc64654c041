/** What is known of all beginnings before any task is placed: the tables that enumeration with bounds reads. */
import type { AdditiveProblem } from './problem.ts'
import { tailsOf } from './reach.ts'

/** A sum of the latency and so much of a figure. */
export interface Slant {
  figure: number
  weight: number
}

/** Children are those that are placed later: with a sequence that is turned, the parents. */
export interface Outlook {
  problem: AdditiveProblem
  /** Edges of the problem go from children to parents. */
  isTurned: boolean
  slant: Slant
  /** Figures of which some edge asks more than at least: children are told of these. The others are settled. */
  asked: Int32Array
  settled: Int32Array
  /** For every task and tier what it spends of each figure at least, beyond the least of all its tiers. */
  more: Float64Array
  /** What all tasks spend at least of each figure, and each task of that of the slant. */
  least: Float64Array
  cheapest: Float64Array
  /** For every task and tier in a row: when its inputs are there at the earliest, then each asked figure at least. */
  told: Float64Array
  /** Where the first tier of each child of a task is in `told`, one task after the other, and where each task begins. */
  children: Int32Array
  begins: Int32Array
  /**
   * For every task and tier what its children are told, child by child, each in rows as in `told`: how long its output takes,
   * then what more than at least is spent. And where a task on a tier begins.
   */
  news: Float64Array
  newsBegin: Int32Array
  /** For every task and tier: the least time from its end to the end of all behind it. */
  tails: Float64Array
  /** The same, with what is spent on the way beyond the least of each task: a way is quick or cheap, but seldom both. */
  slanted: Float64Array
}

/** The outlook of the problem of a sequence: its tasks are placed in their order, and its edges ask for nothing that is sure. */
export function outlookOf(problem: AdditiveProblem, isTurned: boolean, slant: Slant): Outlook {
  const { tasks, figures: m, first, own, edgeFigures } = problem
  const isAsked = new Uint8Array(m)
  for (let i = 0; i < edgeFigures.length; i++) if ((edgeFigures[i] as number) > 0) isAsked[i % m] = 1
  const figures = Int32Array.from(isAsked.keys())
  const asked = figures.filter((k) => isAsked[k] === 1)
  const stride = 1 + asked.length
  const told = new Float64Array(problem.time.length * stride)
  const least = new Float64Array(m)
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
      least[k] = (least[k] as number) + lowest
      if (k === slant.figure) cheapest[t] = lowest
    }
    for (let row = from; row < to; row++) {
      for (let a = 0; a < asked.length; a++)
        told[row * stride + 1 + a] = own[row * m + (asked[a] as number)] as number
      dearer[row] = (dearer[row] as number) + slant.weight * (more[row * m + slant.figure] as number)
    }
  }
  return {
    problem,
    isTurned,
    slant,
    asked,
    settled: figures.filter((k) => isAsked[k] === 0),
    more,
    least,
    cheapest,
    told,
    ...newsOf(problem, asked),
    tails: tailsOf(problem).least,
    slanted: tailsOf({ ...problem, time: dearer }).least,
  }
}

/** What children are told; see `Outlook`. */
function newsOf(problem: AdditiveProblem, asked: Int32Array) {
  const { tasks, figures: m, tiers, first, to, pair, edgeTime, edgeFigures } = problem
  const stride = 1 + asked.length
  const children = new Int32Array(to.length)
  const begins = new Int32Array(tasks + 1)
  const news = new Float64Array(edgeTime.length * stride)
  const newsBegin = new Int32Array(first[tasks] as number)
  let at = 0
  for (let t = 0; t < tasks; t++) {
    const edges = problem.outOf[t] as Int32Array
    const begin = begins[t] as number
    begins[t + 1] = begin + edges.length
    for (const [i, e] of edges.entries()) children[begin + i] = (first[to[e] as number] as number) * stride
    for (let tier = 0; tier < (tiers[t] as number); tier++) {
      newsBegin[(first[t] as number) + tier] = at
      for (const e of edges) {
        const width = tiers[to[e] as number] as number
        const cells = (pair[e] as number) + tier * width
        for (let cell = cells; cell < cells + width; cell++) {
          news[at++] = edgeTime[cell] as number
          for (let a = 0; a < asked.length; a++)
            news[at++] = edgeFigures[cell * m + (asked[a] as number)] as number
        }
      }
    }
  }
  return { children, begins, news, newsBegin }
}
