/**
 * An additive placement problem as flat tables. Each task runs on one of its tiers. A placement's first objective is
 * its latency, the longest path of task and edge times; the others are figures that add up over tasks and edges
 * (energy, bytes, cost). All are better when smaller.
 */

/** Time and figures of one task, by tier. */
export interface TaskFigures {
  /** Time on each tier. */
  time: readonly number[]
  /** Figures on each tier. */
  figures: readonly (readonly number[])[]
  /** Figures charged once on each tier when at least one outgoing edge crosses; none when left out. */
  send?: readonly (readonly number[])[]
}

/** Time and figures of one edge, by the tiers of its two ends. `from` and `to` are indices of tasks. */
export interface EdgeFigures {
  from: number
  to: number
  /** By tier of `from`, then tier of `to`. */
  time: readonly (readonly number[])[]
  figures?: readonly (readonly (readonly number[])[])[]
  /** Pairs of tiers in which the edge makes its task send, by tier of `from`, then of `to`. */
  crosses?: readonly (readonly boolean[])[]
}

/**
 * An additive placement problem as flat tables; `additiveProblem` makes it. Times and figures may have any unit, and are
 * at least 0.
 */
export interface AdditiveProblem {
  tasks: number
  /** Number of figures beside the latency, at least 1. */
  figures: number
  /** Tiers of each task. */
  tiers: Uint8Array
  /** Index of a task's first tier in the tables of tasks; one more at the end. */
  first: Int32Array
  time: Float64Array
  /** `figures` values for each task and tier. */
  own: Float64Array
  send: Float64Array
  from: Int32Array
  to: Int32Array
  /** Index of an edge's first pair in the tables of edges; pair (a, b) is at `a * tiers[to] + b` behind it. */
  pair: Int32Array
  edgeTime: Float64Array
  edgeFigures: Float64Array
  crosses: Uint8Array
  /** Numbers of the edges into and out of each task. */
  into: Int32Array[]
  outOf: Int32Array[]
}

function finite(value: number | undefined, what: string): number {
  if (value === undefined || !Number.isFinite(value) || value < 0)
    throw new RangeError(`${what} must be a number of at least 0, not ${value}.`)
  return value
}

/**
 * Lays a problem out. Tasks must come in a topological order: every edge goes from a lower number to a higher one.
 * @throws RangeError for a negative or infinite value, a missing one, or an edge that goes backwards
 */
export function additiveProblem(
  tasks: readonly TaskFigures[],
  edges: readonly EdgeFigures[],
): AdditiveProblem {
  const m = tasks[0]?.figures[0]?.length ?? 1
  if (m < 1) throw new RangeError('A placement problem needs at least one figure beside the latency.')
  const tiers = Uint8Array.from(tasks, (task) => task.time.length)
  if (tiers.some((count) => count === 0)) throw new RangeError('Every task needs at least one tier.')
  const first = new Int32Array(tasks.length + 1)
  for (let t = 0; t < tasks.length; t++) first[t + 1] = (first[t] as number) + (tiers[t] as number)
  const size = first[tasks.length] as number
  const pair = new Int32Array(edges.length + 1)
  for (const [e, edge] of edges.entries()) {
    if (!(edge.from >= 0 && edge.from < edge.to && edge.to < tasks.length))
      throw new RangeError(`Edge ${e} goes from ${edge.from} to ${edge.to}, which is not forward.`)
    pair[e + 1] = (pair[e] as number) + (tiers[edge.from] as number) * (tiers[edge.to] as number)
  }
  const pairs = pair[edges.length] as number
  const problem: AdditiveProblem = {
    tasks: tasks.length,
    figures: m,
    tiers,
    first,
    time: new Float64Array(size),
    own: new Float64Array(size * m),
    send: new Float64Array(size * m),
    from: Int32Array.from(edges, (edge) => edge.from),
    to: Int32Array.from(edges, (edge) => edge.to),
    pair,
    edgeTime: new Float64Array(pairs),
    edgeFigures: new Float64Array(pairs * m),
    crosses: new Uint8Array(pairs),
    into: tasks.map((_, t) => Int32Array.from(edges.flatMap((edge, e) => (edge.to === t ? [e] : [])))),
    outOf: tasks.map((_, t) => Int32Array.from(edges.flatMap((edge, e) => (edge.from === t ? [e] : [])))),
  }
  for (const [t, task] of tasks.entries())
    for (let tier = 0; tier < task.time.length; tier++) {
      const row = (first[t] as number) + tier
      problem.time[row] = finite(task.time[tier], `The time of task ${t} on tier ${tier}`)
      for (let k = 0; k < m; k++) {
        problem.own[row * m + k] = finite(task.figures[tier]?.[k], `Figure ${k} of task ${t} on tier ${tier}`)
        if (task.send)
          problem.send[row * m + k] = finite(
            task.send[tier]?.[k],
            `Sent figure ${k} of task ${t} on tier ${tier}`,
          )
      }
    }
  for (const [e, edge] of edges.entries()) {
    const width = tiers[edge.to] as number
    for (let a = 0; a < (tiers[edge.from] as number); a++)
      for (let b = 0; b < width; b++) {
        const row = (pair[e] as number) + a * width + b
        problem.edgeTime[row] = finite(edge.time[a]?.[b], `The time of edge ${e} for tiers ${a} and ${b}`)
        problem.crosses[row] = edge.crosses?.[a]?.[b] ? 1 : 0
        if (edge.figures)
          for (let k = 0; k < m; k++)
            problem.edgeFigures[row * m + k] = finite(edge.figures[a]?.[b]?.[k], `Figure ${k} of edge ${e}`)
      }
  }
  return problem
}

/** Number of placements; `Infinity` beyond what a number can hold. */
export function sizeOf(problem: AdditiveProblem): number {
  let size = 1
  for (const count of problem.tiers) size *= count
  return size
}
