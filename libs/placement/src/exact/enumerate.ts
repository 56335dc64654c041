/** All placements of a small problem, each judged from the first task in which it differs from the one before. */
import { frontRows } from './dominance.ts'
import { type AdditiveProblem, at, sizeOf } from './problem.ts'

/**
 * The front by enumeration: the last tasks change fastest, so that of each placement only about two tasks are judged
 * anew (with two tiers), from sums kept for every prefix: no rounding error adds up, as it would with differences.
 */
export function enumerateFront(problem: AdditiveProblem): { placements: Uint8Array; count: number } {
  const { tasks, tiers } = problem
  const size = sizeOf(problem)
  const stride = problem.figures + 1
  const rows = new Float64Array(size * stride)
  const placement = new Uint8Array(tasks)
  const prefix = new Prefix(problem, placement)
  let changed = 0
  for (let n = 0; n < size; n++) {
    prefix.judge(changed)
    prefix.write(rows, n * stride)
    changed = tasks - 1
    while (changed >= 0 && at(placement, changed) + 1 >= at(tiers, changed)) placement[changed--] = 0
    if (changed >= 0) placement[changed] = at(placement, changed) + 1
  }
  const front = frontRows(rows, size, stride)
  const placements = new Uint8Array(front.length * tasks)
  for (let i = 0; i < front.length; i++) {
    let rest = at(front, i)
    for (let t = tasks - 1; t >= 0; t--) {
      placements[i * tasks + t] = rest % at(tiers, t)
      rest = Math.floor(rest / at(tiers, t))
    }
  }
  return { placements, count: front.length }
}

/** Ends, latency and figures of every prefix of the tasks. */
class Prefix {
  readonly #problem: AdditiveProblem
  readonly #placement: Uint8Array
  readonly #ends: Float64Array
  readonly #latency: Float64Array
  readonly #figures: Float64Array
  readonly #sent: Int32Array

  constructor(problem: AdditiveProblem, placement: Uint8Array) {
    this.#problem = problem
    this.#placement = placement
    this.#ends = new Float64Array(problem.tasks)
    this.#latency = new Float64Array(problem.tasks + 1)
    this.#figures = new Float64Array((problem.tasks + 1) * problem.figures)
    // the first child over whose edge each task sends
    this.#sent = new Int32Array(problem.tasks).fill(-1)
  }

  judge(from: number): void {
    const {
      tasks,
      figures: m,
      tiers,
      first,
      time,
      own,
      send,
      pair,
      edgeTime,
      edgeFigures,
      crosses,
    } = this.#problem
    const placement = this.#placement
    const figures = this.#figures
    const sent = this.#sent
    for (let t = 0; t < tasks; t++) if (at(sent, t) >= from) sent[t] = -1
    for (let t = from; t < tasks; t++) {
      const tier = at(placement, t)
      const row = at(first, t) + tier
      const sums = (t + 1) * m
      for (let k = 0; k < m; k++) figures[sums + k] = at(figures, t * m + k) + at(own, row * m + k)
      let ready = 0
      const edges = this.#problem.into[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = at(edges, i)
        const p = at(this.#problem.from, e)
        const parentTier = at(placement, p)
        const cell = at(pair, e) + parentTier * at(tiers, t) + tier
        const arrives = at(this.#ends, p) + at(edgeTime, cell)
        if (arrives > ready) ready = arrives
        for (let k = 0; k < m; k++) figures[sums + k] = at(figures, sums + k) + at(edgeFigures, cell * m + k)
        if (crosses[cell] !== 1 || sent[p] !== -1) continue
        sent[p] = t
        const sends = (at(first, p) + parentTier) * m
        for (let k = 0; k < m; k++) figures[sums + k] = at(figures, sums + k) + at(send, sends + k)
      }
      const end = ready + at(time, row)
      this.#ends[t] = end
      this.#latency[t + 1] = Math.max(at(this.#latency, t), end)
    }
  }

  write(out: Float64Array, offset: number): void {
    const { tasks, figures: m } = this.#problem
    out[offset] = at(this.#latency, tasks)
    for (let k = 0; k < m; k++) out[offset + 1 + k] = at(this.#figures, tasks * m + k)
  }
}
