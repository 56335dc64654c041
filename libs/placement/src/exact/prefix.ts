/** Judges placements that differ little from one another. */
import { type AdditiveProblem, at } from './problem.ts'

/** Ends, latency and figures of every prefix of the tasks. */
export class Prefix {
  private readonly problem: AdditiveProblem
  private readonly placement: Uint8Array
  private readonly ends: Float64Array
  private readonly latency: Float64Array
  private readonly figures: Float64Array
  private readonly sent: Int32Array

  constructor(problem: AdditiveProblem, placement: Uint8Array) {
    this.problem = problem
    this.placement = placement
    this.ends = new Float64Array(problem.tasks)
    this.latency = new Float64Array(problem.tasks + 1)
    this.figures = new Float64Array((problem.tasks + 1) * problem.figures)
    // the first child over whose edge each task sends
    this.sent = new Int32Array(problem.tasks).fill(-1)
  }

  /** Judges the placement, of which no tier before task `from` has changed since the last time. */
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
    } = this.problem
    const placement = this.placement
    const figures = this.figures
    const sent = this.sent
    for (let t = 0; t < tasks; t++) if (at(sent, t) >= from) sent[t] = -1
    for (let t = from; t < tasks; t++) {
      const tier = at(placement, t)
      const row = at(first, t) + tier
      const sums = (t + 1) * m
      for (let k = 0; k < m; k++) figures[sums + k] = at(figures, t * m + k) + at(own, row * m + k)
      let ready = 0
      const edges = this.problem.into[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = at(edges, i)
        const p = at(this.problem.from, e)
        const parentTier = at(placement, p)
        const cell = at(pair, e) + parentTier * at(tiers, t) + tier
        const arrives = at(this.ends, p) + at(edgeTime, cell)
        if (arrives > ready) ready = arrives
        for (let k = 0; k < m; k++) figures[sums + k] = at(figures, sums + k) + at(edgeFigures, cell * m + k)
        if (crosses[cell] !== 1 || sent[p] !== -1) continue
        sent[p] = t
        const sends = (at(first, p) + parentTier) * m
        for (let k = 0; k < m; k++) figures[sums + k] = at(figures, sums + k) + at(send, sends + k)
      }
      const end = ready + at(time, row)
      this.ends[t] = end
      this.latency[t + 1] = Math.max(at(this.latency, t), end)
    }
  }

  /** Writes latency and figures of the whole. */
  write(out: Float64Array, offset: number): void {
    const { tasks, figures: m } = this.problem
    out[offset] = at(this.latency, tasks)
    for (let k = 0; k < m; k++) out[offset + 1 + k] = at(this.figures, tasks * m + k)
  }
}
