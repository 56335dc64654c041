/** What a task that has been placed tells its children: how long its output takes to them, and what more than at least they spend. */
import type { AdditiveProblem } from './problem.ts'

export interface News {
  /** Figures of which some edge asks more than at least; the others never change. */
  figures: Int32Array
  /** For each child in turn: the time of the edge, by its tier; then what more it asks of each of these figures, by its tier. */
  values: Float64Array
  /** Where a task on a tier begins, by row of the tables of tasks. */
  begins: Int32Array
}

/** The least of a figure that an edge asks for whose child is on a tier. */
export function leastOf(problem: AdditiveProblem, e: number, tier: number, k: number): number {
  const { figures: m, tiers, from, to, pair, edgeFigures } = problem
  const width = tiers[to[e] as number] as number
  let least = Number.POSITIVE_INFINITY
  for (let a = 0; a < (tiers[from[e] as number] as number); a++)
    least = Math.min(least, edgeFigures[((pair[e] as number) + a * width + tier) * m + k] as number)
  return least
}

/** All news of all tasks: what edges ask for is taken against the least that a child on that tier can be asked. */
export function newsOf(problem: AdditiveProblem): News {
  const { tasks, figures: m, tiers, first, to, pair, edgeTime } = problem
  const more = problem.edgeFigures.slice()
  const asks = new Uint8Array(m)
  for (let e = 0; e < to.length; e++) {
    const width = tiers[to[e] as number] as number
    for (let cell = pair[e] as number; cell < (pair[e + 1] as number); cell++)
      for (let k = 0; k < m; k++) {
        const least = leastOf(problem, e, (cell - (pair[e] as number)) % width, k)
        more[cell * m + k] = (more[cell * m + k] as number) - least
        if ((more[cell * m + k] as number) > 0) asks[k] = 1
      }
  }
  const figures = Int32Array.from(asks.keys()).filter((k) => asks[k] === 1)
  const values: number[] = []
  const begins = new Int32Array(first[tasks] as number)
  for (let t = 0; t < tasks; t++)
    for (let tier = 0; tier < (tiers[t] as number); tier++) {
      begins[(first[t] as number) + tier] = values.length
      for (const e of problem.outOf[t] as Int32Array) {
        const width = tiers[to[e] as number] as number
        const cells = (pair[e] as number) + tier * width
        for (let cell = cells; cell < cells + width; cell++) values.push(edgeTime[cell] as number)
        for (const k of figures)
          for (let cell = cells; cell < cells + width; cell++) values.push(more[cell * m + k] as number)
      }
    }
  return { figures, values: Float64Array.from(values), begins }
}
