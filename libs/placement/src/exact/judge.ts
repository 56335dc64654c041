/** Evaluates placements: latency and figures. */
import type { AdditiveProblem } from './problem.ts'

/** Stands for no tier; greater than any index of a tier. */
const NO_TIER = 255

/**
 * Evaluates placements one after the other, each from the first task whose tier differs from the previous placement: callers
 * should change the last tasks fastest. Sums are kept for every prefix, so that no rounding errors add up, as they would with
 * differences.
 */
export class Judge {
  private readonly problem: AdditiveProblem
  /** Of the previous placement: tiers, end times, and latency and sums of the tasks before each. */
  private readonly placement: Uint8Array
  private readonly ends: Float64Array
  private readonly latest: Float64Array
  private readonly sums: Float64Array
  /** The edges into each task, task by task: offset of the first, parents, first pairs, and the pairs of the previous placement. */
  private readonly begins: Int32Array
  private readonly parents: Int32Array
  private readonly pairs: Int32Array
  private readonly cells: Int32Array
  private readonly sends: boolean
  /** The first child over whose edge each task sends; as many as there are tasks when none does. */
  private readonly senders: Int32Array

  constructor(problem: AdditiveProblem) {
    const { tasks, figures, from, pair, into, send } = problem
    this.problem = problem
    this.placement = new Uint8Array(tasks).fill(NO_TIER)
    this.ends = new Float64Array(tasks)
    this.latest = new Float64Array(tasks + 1)
    this.sums = new Float64Array((tasks + 1) * figures)
    this.begins = new Int32Array(tasks + 1)
    this.parents = new Int32Array(from.length)
    this.pairs = new Int32Array(from.length)
    this.cells = new Int32Array(from.length)
    let at = 0
    for (let t = 0; t < tasks; t++) {
      for (const e of into[t] as Int32Array) {
        this.parents[at] = from[e] as number
        this.pairs[at++] = pair[e] as number
      }
      this.begins[t + 1] = at
    }
    this.sends = send.some((value) => value > 0)
    this.senders = new Int32Array(tasks).fill(tasks)
  }

  /** Writes latency and figures of `placement` (from `offset`) to `out` (from `outAt`). */
  judge(placement: Uint8Array, offset: number, out: Float64Array, outAt: number): void {
    const { tasks, figures: m, tiers, first, time, own, edgeTime, edgeFigures } = this.problem
    const { placement: placed, ends, latest, sums, begins, parents, pairs, cells } = this
    let t = 0
    while (t < tasks && placed[t] === placement[offset + t]) t++
    let latency = latest[t] as number
    for (; t < tasks; t++) {
      const tier = placement[offset + t] as number
      placed[t] = tier
      const row = (first[t] as number) + tier
      const width = tiers[t] as number
      const from = begins[t] as number
      const to = begins[t + 1] as number
      let ready = 0
      for (let i = from; i < to; i++) {
        const parent = parents[i] as number
        const cell = (pairs[i] as number) + (placed[parent] as number) * width + tier
        const arrives = (ends[parent] as number) + (edgeTime[cell] as number)
        if (arrives > ready) ready = arrives
        cells[i] = cell
      }
      const end = ready + (time[row] as number)
      ends[t] = end
      if (end > latency) latency = end
      latest[t + 1] = latency
      for (let k = 0; k < m; k++) {
        let sum = (sums[t * m + k] as number) + (own[row * m + k] as number)
        for (let i = from; i < to; i++) sum += edgeFigures[(cells[i] as number) * m + k] as number
        sums[(t + 1) * m + k] = sum
      }
      if (this.sends) this.charge(t)
    }
    out[outAt] = latency
    for (let k = 0; k < m; k++) out[outAt + 1 + k] = sums[tasks * m + k] as number
  }

  /** Charges what parents of a task send, if it is the first child to make them. */
  private charge(task: number): void {
    const { tasks, figures: m, first, send, crosses } = this.problem
    const { placement, sums, senders, parents, begins, cells } = this
    const from = begins[task] as number
    const to = begins[task + 1] as number
    for (let i = from; i < to; i++) {
      const parent = parents[i] as number
      if ((senders[parent] as number) >= task) senders[parent] = tasks
    }
    for (let i = from; i < to; i++) {
      const parent = parents[i] as number
      if (crosses[cells[i] as number] !== 1 || (senders[parent] as number) <= task) continue
      senders[parent] = task
      const sent = ((first[parent] as number) + (placement[parent] as number)) * m
      for (let k = 0; k < m; k++)
        sums[(task + 1) * m + k] = (sums[(task + 1) * m + k] as number) + (send[sent + k] as number)
    }
  }
}
