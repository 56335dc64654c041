/** Judges placements that differ little from one another. */
import type { AdditiveProblem } from './problem.ts'

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
    for (let t = 0; t < tasks; t++) if ((sent[t] as number) >= from) sent[t] = -1
    for (let t = from; t < tasks; t++) {
      const tier = placement[t] as number
      const row = (first[t] as number) + tier
      const sums = (t + 1) * m
      for (let k = 0; k < m; k++)
        figures[sums + k] = (figures[t * m + k] as number) + (own[row * m + k] as number)
      let ready = 0
      const edges = this.problem.into[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = edges[i] as number
        const p = this.problem.from[e] as number
        const parentTier = placement[p] as number
        const cell = (pair[e] as number) + parentTier * (tiers[t] as number) + tier
        const arrives = (this.ends[p] as number) + (edgeTime[cell] as number)
        if (arrives > ready) ready = arrives
        for (let k = 0; k < m; k++)
          figures[sums + k] = (figures[sums + k] as number) + (edgeFigures[cell * m + k] as number)
        if (crosses[cell] !== 1 || sent[p] !== -1) continue
        sent[p] = t
        const sends = ((first[p] as number) + parentTier) * m
        for (let k = 0; k < m; k++)
          figures[sums + k] = (figures[sums + k] as number) + (send[sends + k] as number)
      }
      const end = ready + (time[row] as number)
      this.ends[t] = end
      this.latency[t + 1] = Math.max(this.latency[t] as number, end)
    }
  }

  /** Writes latency and figures of the whole. */
  write(out: Float64Array, offset: number): void {
    const { tasks, figures: m } = this.problem
    out[offset] = this.latency[tasks] as number
    for (let k = 0; k < m; k++) out[offset + 1 + k] = this.figures[tasks * m + k] as number
  }
}
