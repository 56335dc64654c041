/** The orders in which enumeration with bounds may place the tasks: forwards from the inputs, or backwards from the results. */
import type { AdditiveProblem } from './problem.ts'

export interface Sequence {
  /** The task that is placed at each position. */
  order: readonly number[]
  /**
   * The problem with its tasks in this order. Its edges keep their numbers and go to tasks placed later. The minimum figures of
   * an edge over its parent's tiers are moved to the child.
   */
  problem: AdditiveProblem
  /** Whether its edges are reversed: children are placed before their parents. */
  isTurned: boolean
}

/** Weights of a task's incoming edges against its outgoing ones in the choice of the next task; one order is made for each. */
const PARENT_EDGE_WEIGHTS = [0, 0.5, 1]

/** Candidate orders, all different, of which one is likely to be good. */
export function sequencesOf(problem: AdditiveProblem): Sequence[] {
  return [false, true].flatMap((isTurned) => {
    const directed = withSureFigures(isTurned ? turned(problem) : problem)
    const orders = new Map(
      PARENT_EDGE_WEIGHTS.map((behind) => orderOf(directed, behind)).map((order) => [order.join(), order]),
    )
    return Array.from(orders.values(), (order) => ({ order, problem: inOrder(directed, order), isTurned }))
  })
}

/**
 * Always places the task with most edges among those whose parents have been placed, since it determines most of the rest;
 * ties go to the task whose parent was placed last.
 */
function orderOf({ tasks, to, into, outOf }: AdditiveProblem, weight: number): number[] {
  const missing = Int32Array.from(into, (edges) => edges.length)
  const edges = Float64Array.from(into, (parents, t) => (outOf[t]?.length ?? 0) + weight * parents.length)
  /** The position of the last parent placed. */
  const behind = new Int32Array(tasks).fill(-1)
  const order: number[] = []
  while (order.length < tasks) {
    let next = -1
    for (let task = 0; task < tasks; task++) {
      if (missing[task] !== 0) continue
      const isNext =
        next < 0 ||
        (edges[task] as number) > (edges[next] as number) ||
        (edges[task] === edges[next] && (behind[task] as number) > (behind[next] as number))
      if (isNext) next = task
    }
    missing[next] = -1
    for (const e of outOf[next] as Int32Array) {
      const child = to[e] as number
      missing[child] = (missing[child] as number) - 1
      behind[child] = order.length
    }
    order.push(next)
  }
  return order
}

/** The same problem with the minimum figures of each edge over its parent's tiers moved to the child. */
function withSureFigures(problem: AdditiveProblem): AdditiveProblem {
  const { figures: m, tiers, first, from, to, pair } = problem
  const own = problem.own.slice()
  const edgeFigures = problem.edgeFigures.slice()
  for (let e = 0; e < to.length; e++) {
    const child = to[e] as number
    const width = (tiers[child] as number) * m
    const start = (pair[e] as number) * m
    const end = start + (tiers[from[e] as number] as number) * width
    for (let i = 0; i < width; i++) {
      let minimum = Number.POSITIVE_INFINITY
      for (let at = start + i; at < end; at += width) minimum = Math.min(minimum, edgeFigures[at] as number)
      for (let at = start + i; at < end; at += width) edgeFigures[at] = (edgeFigures[at] as number) - minimum
      const spent = (first[child] as number) * m + i
      own[spent] = (own[spent] as number) + minimum
    }
  }
  return { ...problem, own, edgeFigures }
}

/** The problem with all edges reversed, so that tables of pairs are by the tiers of the child first. */
function turned(problem: AdditiveProblem): AdditiveProblem {
  const { figures: m, tiers, from, to, pair } = problem
  const cells = Int32Array.from(problem.edgeTime, (_, cell) => cell)
  for (let e = 0; e < to.length; e++) {
    const parents = tiers[from[e] as number] as number
    const children = tiers[to[e] as number] as number
    for (let a = 0; a < parents; a++)
      for (let b = 0; b < children; b++)
        cells[(pair[e] as number) + b * parents + a] = (pair[e] as number) + a * children + b
  }
  return {
    ...problem,
    from: to,
    to: from,
    into: problem.outOf,
    outOf: problem.into,
    edgeTime: Float64Array.from(cells, (cell) => problem.edgeTime[cell] as number),
    edgeFigures: figuresAt(problem.edgeFigures, cells, m),
    crosses: Uint8Array.from(cells, (cell) => problem.crosses[cell] as number),
  }
}

/** The problem with its tasks in another topological order. */
function inOrder(problem: AdditiveProblem, order: readonly number[]): AdditiveProblem {
  const { figures: m, tiers, first } = problem
  const positions = new Int32Array(order.length)
  const rows: number[] = []
  const firsts = [0]
  for (const [position, task] of order.entries()) {
    positions[task] = position
    for (let tier = 0; tier < (tiers[task] as number); tier++) rows.push((first[task] as number) + tier)
    firsts.push(rows.length)
  }
  const edgesOf = (of: readonly Int32Array[]) => order.map((task) => of[task] as Int32Array)
  return {
    ...problem,
    tiers: Uint8Array.from(order, (task) => tiers[task] as number),
    first: Int32Array.from(firsts),
    time: Float64Array.from(rows, (row) => problem.time[row] as number),
    own: figuresAt(problem.own, rows, m),
    send: figuresAt(problem.send, rows, m),
    from: problem.from.map((task) => positions[task] as number),
    to: problem.to.map((task) => positions[task] as number),
    into: edgesOf(problem.into),
    outOf: edgesOf(problem.outOf),
  }
}

/** Rows of `m` figures, taken from a table in another order. */
function figuresAt(table: Float64Array, rows: ArrayLike<number>, m: number): Float64Array {
  const taken = new Float64Array(rows.length * m)
  for (let i = 0; i < rows.length; i++)
    for (let k = 0; k < m; k++) taken[i * m + k] = table[(rows[i] as number) * m + k] as number
  return taken
}
