/**
 * A relaxation: the problem with fewer edges, narrow enough for labels. The costs of an edge are never negative, so every
 * placement is at least as good without it, and the front of the relaxed problem bounds the true front from below.
 */
import { type Plan, planSteps } from './order.ts'
import type { AdditiveProblem } from './problem.ts'

/** Steps of the binary search for the number of further edges that fit. */
const HALVINGS = 6

/**
 * Keeps the heaviest edge into every task, then as many other edges, heaviest first, as leave at most `maxWidth` tier combinations
 * in a cut. `null` when even the first are too many. Yields now and then.
 */
export function* relaxed(
  problem: AdditiveProblem,
  maxWidth: number,
): Generator<undefined, { problem: AdditiveProblem; plan: Plan } | null> {
  const weight = (e: number) => {
    let sum = 0
    for (let cell = problem.pair[e] as number; cell < (problem.pair[e + 1] as number); cell++)
      sum += (problem.edgeTime[cell] as number) + (problem.crosses[cell] === 1 ? 1e-9 : 0)
    return sum / ((problem.pair[e + 1] as number) - (problem.pair[e] as number))
  }
  const heaviest = [...problem.to.keys()].sort((a, b) => weight(b) - weight(a) || a - b)
  const reached = new Set<number>()
  const trunk: number[] = []
  const others: number[] = []
  for (const e of heaviest) {
    const child = problem.to[e] as number
    if (reached.has(child)) others.push(e)
    else {
      reached.add(child)
      trunk.push(e)
    }
  }
  let best: { problem: AdditiveProblem; plan: Plan } | null = null
  let low = 0
  let high = others.length
  for (let halving = 0; halving <= HALVINGS && low <= high; halving++) {
    // the trunk alone first
    const count = halving === 0 ? 0 : Math.ceil((low + high) / 2)
    const part = withEdges(problem, [...trunk, ...others.slice(0, count)])
    const plan = yield* planSteps(part, maxWidth)
    if (plan.widest <= maxWidth && plan.layers.length > 0) {
      best = { problem: part, plan }
      low = count + 1
    } else if (halving === 0) return null
    else high = count - 1
  }
  return best
}

function withEdges(problem: AdditiveProblem, edges: readonly number[]): AdditiveProblem {
  const m = problem.figures
  const kept = [...edges].sort((a, b) => a - b)
  const cells = kept.map((e) => [problem.pair[e] as number, problem.pair[e + 1] as number] as const)
  const pair = new Int32Array(kept.length + 1)
  for (const [i, [from, to]] of cells.entries()) pair[i + 1] = (pair[i] as number) + to - from
  const size = pair[kept.length] as number
  const edgeTime = new Float64Array(size)
  const edgeFigures = new Float64Array(size * m)
  const crosses = new Uint8Array(size)
  for (const [i, [from, to]] of cells.entries()) {
    edgeTime.set(problem.edgeTime.subarray(from, to), pair[i] as number)
    edgeFigures.set(problem.edgeFigures.subarray(from * m, to * m), (pair[i] as number) * m)
    crosses.set(problem.crosses.subarray(from, to), pair[i] as number)
  }
  const from = Int32Array.from(kept, (e) => problem.from[e] as number)
  const to = Int32Array.from(kept, (e) => problem.to[e] as number)
  const ends = (side: Int32Array) =>
    Array.from({ length: problem.tasks }, (_, task) => {
      const own: number[] = []
      for (const [i, each] of side.entries()) if (each === task) own.push(i)
      return Int32Array.from(own)
    })
  return { ...problem, from, to, pair, edgeTime, edgeFigures, crosses, into: ends(to), outOf: ends(from) }
}
