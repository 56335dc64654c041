/** Judges placements that differ from a known one in a single task, from the longest paths before and behind each task. */
import { type AdditiveProblem, judgeOf } from './problem.ts'

export class Changes {
  private readonly problem: AdditiveProblem
  private readonly judgeWhole: ReturnType<typeof judgeOf>
  private readonly placement: Uint8Array
  /** When each task ends, and the time from its start to the end of the longest path that begins with it. */
  private readonly ends: Float64Array
  private readonly tails: Float64Array
  /** The time each edge takes, and how many edges out of each task cross. */
  private readonly times: Float64Array
  private readonly crossing: Int32Array
  /** The longest path around each task; behind these, the same around all of 2, 4, 8, ... tasks from each on. */
  private readonly around: Float64Array
  /** What the placement comes to: latency, then figures. */
  readonly row: Float64Array

  constructor(problem: AdditiveProblem) {
    this.problem = problem
    this.judgeWhole = judgeOf(problem)
    this.placement = new Uint8Array(problem.tasks)
    this.ends = new Float64Array(problem.tasks)
    this.tails = new Float64Array(problem.tasks)
    this.times = new Float64Array(problem.from.length)
    this.crossing = new Int32Array(problem.tasks)
    this.around = new Float64Array(problem.tasks * (1 + levelOf(problem.tasks)))
    this.row = new Float64Array(problem.figures + 1)
  }

  /** Takes the placement whose changes are to be judged. */
  take(placement: Uint8Array): void {
    const { tasks, tiers, first, time, from, to, pair, edgeTime, crosses, into, outOf } = this.problem
    this.placement.set(placement)
    this.judgeWhole(placement, 0, this.row, 0)
    this.crossing.fill(0)
    for (let e = 0; e < from.length; e++) {
      const cell =
        (pair[e] as number) +
        (placement[from[e] as number] as number) * (tiers[to[e] as number] as number) +
        (placement[to[e] as number] as number)
      this.times[e] = edgeTime[cell] as number
      if (crosses[cell] === 1)
        this.crossing[from[e] as number] = (this.crossing[from[e] as number] as number) + 1
    }
    for (let t = 0; t < tasks; t++) {
      let ready = 0
      const edges = into[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = edges[i] as number
        const arrives = (this.ends[from[e] as number] as number) + (this.times[e] as number)
        if (arrives > ready) ready = arrives
      }
      this.ends[t] = ready + (time[(first[t] as number) + (placement[t] as number)] as number)
    }
    for (let t = tasks - 1; t >= 0; t--) {
      let behind = 0
      const edges = outOf[t] as Int32Array
      for (let i = 0; i < edges.length; i++) {
        const e = edges[i] as number
        const way = (this.times[e] as number) + (this.tails[to[e] as number] as number)
        if (way > behind) behind = way
      }
      this.tails[t] = behind + (time[(first[t] as number) + (placement[t] as number)] as number)
    }
    this.goAround()
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
    } = this.problem
    const placement = this.placement
    const before = placement[task] as number
    out.set(this.row)
    add(out, own, ((first[task] as number) + before) * m, m, -1)
    add(out, own, ((first[task] as number) + tier) * m, m, 1)
    let ready = 0
    const edgesIn = this.problem.into[task] as Int32Array
    const crossing = this.crossing
    for (let i = 0; i < edgesIn.length; i++) {
      const e = edgesIn[i] as number
      const parent = from[e] as number
      const row = (pair[e] as number) + (placement[parent] as number) * (tiers[task] as number)
      const arrives = (this.ends[parent] as number) + (edgeTime[row + tier] as number)
      if (arrives > ready) ready = arrives
      add(out, edgeFigures, (row + before) * m, m, -1)
      add(out, edgeFigures, (row + tier) * m, m, 1)
      const change = (crosses[row + tier] as number) - (crosses[row + before] as number)
      if (change === 0) continue
      const sent = crossing[parent] as number
      crossing[parent] = sent + change
      if (sent === 0) add(out, send, ((first[parent] as number) + (placement[parent] as number)) * m, m, 1)
      else if (sent + change === 0)
        add(out, send, ((first[parent] as number) + (placement[parent] as number)) * m, m, -1)
    }
    for (let i = 0; i < edgesIn.length; i++) {
      const e = edgesIn[i] as number
      const parent = from[e] as number
      const row = (pair[e] as number) + (placement[parent] as number) * (tiers[task] as number)
      crossing[parent] =
        (crossing[parent] as number) + (crosses[row + before] as number) - (crosses[row + tier] as number)
    }
    let behind = 0
    let sends = 0
    const edgesOut = this.problem.outOf[task] as Int32Array
    for (let i = 0; i < edgesOut.length; i++) {
      const e = edgesOut[i] as number
      const child = to[e] as number
      const width = tiers[child] as number
      const cell = (pair[e] as number) + tier * width + (placement[child] as number)
      const way = (edgeTime[cell] as number) + (this.tails[child] as number)
      if (way > behind) behind = way
      add(out, edgeFigures, ((pair[e] as number) + before * width + (placement[child] as number)) * m, m, -1)
      add(out, edgeFigures, cell * m, m, 1)
      sends += crosses[cell] as number
    }
    if ((crossing[task] as number) > 0) add(out, send, ((first[task] as number) + before) * m, m, -1)
    if (sends > 0) add(out, send, ((first[task] as number) + tier) * m, m, 1)
    out[0] = Math.max(
      ready + (time[(first[task] as number) + tier] as number) + behind,
      this.around[task] as number,
    )
  }

  /**
   * The longest path around each task ends before it, begins after it, or has an edge from a task before it to one after it.
   * What goes around a range of tasks is noted for the two ranges of 2^level tasks that make it up, then handed down.
   */
  private goAround(): void {
    const { tasks, from, to } = this.problem
    const around = this.around
    around.fill(0)
    const note = (index: number, way: number) => {
      if (way > (around[index] as number)) around[index] = way
    }
    for (let e = 0; e < from.length; e++) {
      const first = (from[e] as number) + 1
      const last = (to[e] as number) - 1
      if (last < first) continue
      const way =
        (this.ends[first - 1] as number) + (this.times[e] as number) + (this.tails[last + 1] as number)
      const level = levelOf(last - first + 1)
      note(level * tasks + first, way)
      note(level * tasks + last + 1 - (1 << level), way)
    }
    for (let level = levelOf(tasks); level > 0; level--)
      for (let t = 0; t + (1 << level) <= tasks; t++) {
        const way = around[level * tasks + t] as number
        note((level - 1) * tasks + t, way)
        note((level - 1) * tasks + t + (1 << (level - 1)), way)
      }
    let longest = 0
    for (let t = 1; t < tasks; t++) {
      if ((this.ends[t - 1] as number) > longest) longest = this.ends[t - 1] as number
      note(t, longest)
    }
    longest = 0
    for (let t = tasks - 2; t >= 0; t--) {
      if ((this.tails[t + 1] as number) > longest) longest = this.tails[t + 1] as number
      note(t, longest)
    }
  }
}

/** The greatest power of 2, as its exponent, that is not above a count. */
function levelOf(count: number): number {
  return 31 - Math.clz32(count)
}

function add(out: Float64Array, table: Float64Array, from: number, figures: number, sign: 1 | -1): void {
  for (let k = 0; k < figures; k++) out[k + 1] = (out[k + 1] as number) + sign * (table[from + k] as number)
}
