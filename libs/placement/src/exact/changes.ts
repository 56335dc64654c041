/** Judges placements that differ from a known one in a single task, from the longest paths before and behind each task. */
import { type AdditiveProblem, at, judgeOf } from './problem.ts'

export class Changes {
  readonly #problem: AdditiveProblem
  readonly #judge: ReturnType<typeof judgeOf>
  readonly #placement: Uint8Array
  /** When each task ends, and the time from its start to the end of the longest path that begins with it. */
  readonly #ends: Float64Array
  readonly #tails: Float64Array
  /** The time each edge takes, and how many edges out of each task cross. */
  readonly #times: Float64Array
  readonly #crossing: Int32Array
  /** The longest path around each task; behind these, the same around all of 2, 4, 8, ... tasks from each on. */
  readonly #around: Float64Array
  /** What the placement comes to: latency, then figures. */
  readonly row: Float64Array

  constructor(problem: AdditiveProblem) {
    this.#problem = problem
    this.#judge = judgeOf(problem)
    this.#placement = new Uint8Array(problem.tasks)
    this.#ends = new Float64Array(problem.tasks)
    this.#tails = new Float64Array(problem.tasks)
    this.#times = new Float64Array(problem.from.length)
    this.#crossing = new Int32Array(problem.tasks)
    this.#around = new Float64Array(problem.tasks * (1 + levelOf(problem.tasks)))
    this.row = new Float64Array(problem.figures + 1)
  }

  /** Takes the placement whose changes are to be judged. */
  take(placement: Uint8Array): void {
    const { tasks, tiers, first, time, from, to, pair, edgeTime, crosses, into, outOf } = this.#problem
    this.#placement.set(placement)
    this.#judge(placement, 0, this.row, 0)
    this.#crossing.fill(0)
    for (let e = 0; e < from.length; e++) {
      const cell = at(pair, e) + at(placement, at(from, e)) * at(tiers, at(to, e)) + at(placement, at(to, e))
      this.#times[e] = at(edgeTime, cell)
      if (crosses[cell] === 1) this.#crossing[at(from, e)] = at(this.#crossing, at(from, e)) + 1
    }
    for (let t = 0; t < tasks; t++) {
      let ready = 0
      const edges = into[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = at(edges, i)
        const arrives = at(this.#ends, at(from, e)) + at(this.#times, e)
        if (arrives > ready) ready = arrives
      }
      this.#ends[t] = ready + at(time, at(first, t) + at(placement, t))
    }
    for (let t = tasks - 1; t >= 0; t--) {
      let behind = 0
      const edges = outOf[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = at(edges, i)
        const way = at(this.#times, e) + at(this.#tails, at(to, e))
        if (way > behind) behind = way
      }
      this.#tails[t] = behind + at(time, at(first, t) + at(placement, t))
    }
    this.#goAround()
  }

  /** Writes what the placement comes to with `task` on another tier, up to rounding. */
  judge(task: number, tier: number, out: Float64Array): void {
    const {
      figures: m,
      tiers,
      first,
      time,
      own,
      send,
      from,
      to,
      pair,
      edgeTime,
      edgeFigures,
      crosses,
    } = this.#problem
    const placement = this.#placement
    const before = at(placement, task)
    out.set(this.row)
    add(out, own, (at(first, task) + before) * m, m, -1)
    add(out, own, (at(first, task) + tier) * m, m, 1)
    let ready = 0
    const edgesIn = this.#problem.into[task] as Int32Array
    const crossing = this.#crossing
    for (let i = 0; i < edgesIn.length; i++) {
      const e = at(edgesIn, i)
      const parent = at(from, e)
      const row = at(pair, e) + at(placement, parent) * at(tiers, task)
      const arrives = at(this.#ends, parent) + at(edgeTime, row + tier)
      if (arrives > ready) ready = arrives
      add(out, edgeFigures, (row + before) * m, m, -1)
      add(out, edgeFigures, (row + tier) * m, m, 1)
      const change = at(crosses, row + tier) - at(crosses, row + before)
      if (change === 0) continue
      const sent = at(crossing, parent)
      crossing[parent] = sent + change
      if (sent === 0) add(out, send, (at(first, parent) + at(placement, parent)) * m, m, 1)
      else if (sent + change === 0) add(out, send, (at(first, parent) + at(placement, parent)) * m, m, -1)
    }
    for (let i = 0; i < edgesIn.length; i++) {
      const e = at(edgesIn, i)
      const parent = at(from, e)
      const row = at(pair, e) + at(placement, parent) * at(tiers, task)
      crossing[parent] = at(crossing, parent) + at(crosses, row + before) - at(crosses, row + tier)
    }
    let behind = 0
    let sends = 0
    const edgesOut = this.#problem.outOf[task] as Int32Array
    for (let i = 0; i < edgesOut.length; i++) {
      const e = at(edgesOut, i)
      const child = at(to, e)
      const width = at(tiers, child)
      const cell = at(pair, e) + tier * width + at(placement, child)
      const way = at(edgeTime, cell) + at(this.#tails, child)
      if (way > behind) behind = way
      add(out, edgeFigures, (at(pair, e) + before * width + at(placement, child)) * m, m, -1)
      add(out, edgeFigures, cell * m, m, 1)
      sends += at(crosses, cell)
    }
    if (at(crossing, task) > 0) add(out, send, (at(first, task) + before) * m, m, -1)
    if (sends > 0) add(out, send, (at(first, task) + tier) * m, m, 1)
    out[0] = Math.max(ready + at(time, at(first, task) + tier) + behind, at(this.#around, task))
  }

  /**
   * The longest path around each task ends before it, begins after it, or has an edge from a task before it to one after it.
   * What goes around a range of tasks is noted for the two ranges of 2^level tasks that make it up, then handed down.
   */
  #goAround(): void {
    const { tasks, from, to } = this.#problem
    const around = this.#around
    around.fill(0)
    const note = (index: number, way: number) => {
      if (way > at(around, index)) around[index] = way
    }
    for (let e = 0; e < from.length; e++) {
      const first = at(from, e) + 1
      const last = at(to, e) - 1
      if (last < first) continue
      const way = at(this.#ends, first - 1) + at(this.#times, e) + at(this.#tails, last + 1)
      const level = levelOf(last - first + 1)
      note(level * tasks + first, way)
      note(level * tasks + last + 1 - (1 << level), way)
    }
    for (let level = levelOf(tasks); level > 0; level--)
      for (let t = 0; t + (1 << level) <= tasks; t++) {
        const way = at(around, level * tasks + t)
        note((level - 1) * tasks + t, way)
        note((level - 1) * tasks + t + (1 << (level - 1)), way)
      }
    let longest = 0
    for (let t = 1; t < tasks; t++) {
      if (at(this.#ends, t - 1) > longest) longest = at(this.#ends, t - 1)
      note(t, longest)
    }
    longest = 0
    for (let t = tasks - 2; t >= 0; t--) {
      if (at(this.#tails, t + 1) > longest) longest = at(this.#tails, t + 1)
      note(t, longest)
    }
  }
}

/** The greatest power of 2, as its exponent, that is not above a count. */
function levelOf(count: number): number {
  return 31 - Math.clz32(count)
}

function add(out: Float64Array, table: Float64Array, from: number, figures: number, sign: 1 | -1): void {
  for (let k = 0; k < figures; k++) out[k + 1] = at(out, k + 1) + sign * at(table, from + k)
}
