/** All placements of a small problem, each judged from the first task in which it differs from the one before. */
import { frontRows } from './dominance.ts'
import { type AdditiveProblem, at, sizeOf } from './problem.ts'

const CHAMPIONS = 48

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
  const numbers = new Float64Array(size)
  const champions = new Champions(stride)
  let changed = 0
  let kept = 0
  for (let n = 0; n < size; n++) {
    prefix.judge(changed)
    prefix.write(rows, kept * stride)
    if (!champions.cover(rows, kept * stride)) numbers[kept++] = n
    changed = tasks - 1
    while (changed >= 0 && at(placement, changed) + 1 >= at(tiers, changed)) placement[changed--] = 0
    if (changed >= 0) placement[changed] = at(placement, changed) + 1
  }
  const front = frontRows(rows, kept, stride)
  const placements = new Uint8Array(front.length * tasks)
  for (let i = 0; i < front.length; i++) {
    let rest = at(numbers, at(front, i))
    for (let t = tasks - 1; t >= 0; t--) {
      placements[i * tasks + t] = rest % at(tiers, t)
      rest = Math.floor(rest / at(tiers, t))
    }
  }
  return { placements, count: front.length }
}

/** A few points that cover many others: those that last did come first. */
class Champions {
  readonly #stride: number
  readonly #rows: Float64Array
  #count = 0

  constructor(stride: number) {
    this.#stride = stride
    this.#rows = new Float64Array(CHAMPIONS * stride)
  }

  /** Whether one of them is nowhere above a row; if not, the row becomes one in place of the last. */
  cover(rows: Float64Array, offset: number): boolean {
    const stride = this.#stride
    const own = this.#rows
    for (let i = 0; i < this.#count; i++) {
      let below = true
      for (let d = 0; d < stride && below; d++) below = at(own, i * stride + d) <= at(rows, offset + d)
      if (!below) continue
      // one step towards the front
      for (let d = 0; d < stride && i > 0; d++) {
        const value = at(own, i * stride + d)
        own[i * stride + d] = at(own, (i - 1) * stride + d)
        own[(i - 1) * stride + d] = value
      }
      return true
    }
    if (this.#count < CHAMPIONS) this.#count++
    for (let d = 0; d < stride; d++) own[(this.#count - 1) * stride + d] = at(rows, offset + d)
    return false
  }
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
