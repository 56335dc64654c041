/**
 * The label-setting dynamic programme. A label stands for the best known ways to place the tasks done so far; its row
 * holds the figures, the latency of what is complete, and one time for each slot that the plan remembers. Labels with
 * equal tiers in the slots compete: one that is nowhere better than another, in anything that can still matter, goes.
 */
import { Bound } from './bound.ts'
import { type Group, LayerWork, Scratch } from './layer-work.ts'
import type { Plan } from './order.ts'
import { type AdditiveProblem, at } from './problem.ts'
import { type LayerTables, tablesOf } from './transitions.ts'

export interface LabelResult {
  /** One placement after the other, `tasks` entries each. */
  placements: Uint8Array
  count: number
  /** Every objective vector there is, is matched within this factor minus 1 on every objective; 0 when exact. */
  epsilon: number
  /** Objective vectors of the last labels (latency first); with `relaxed`, every placement is at or above one of them. */
  vectors: Float64Array
}

/** Labels handled between two pauses. */
const PAUSE_EVERY = 8_000
const EPSILON_FIRST = 1e-6

/**
 * Sets labels layer by layer. `known` are objective vectors that some placement has (stride figures + 1): what they
 * dominate is left out, so the front is that of the result together with them. At most about `maxLabels` labels are
 * kept in a layer: beyond, labels within a small factor of another go too, and `epsilon` says how small. Yields the
 * fraction done. Returns `null` when even that does not help.
 *
 * With `relaxed`, a label that goes leaves what is better in it to the label that makes it go. Then no label is too
 * high: `vectors` bound the true front from below, much closer than `epsilon` says, but belong to no placements.
 */
export function* setLabels(
  problem: AdditiveProblem,
  plan: Plan,
  known: Float64Array,
  maxLabels: number,
  relaxed = false,
): Generator<number, LabelResult | null> {
  const tables = tablesOf(problem, plan)
  const bound = new Bound(problem, tables, known)
  const history: Group[][] = []
  let groups: Group[] = [
    {
      key: 0,
      rows: new Float64Array(problem.figures + 1),
      count: 1,
      base: 0,
      origin: new Int32Array(1),
      branch: new Uint8Array(1),
    },
  ]
  let factor = 1
  let lastEpsilon = 0
  const scratch = new Scratch()
  let since = 0
  for (const [index, table] of tables.entries()) {
    const layer = new LayerWork(problem, table, bound.remaining[index + 1] as Float64Array, bound, scratch)
    const next: Group[] = []
    let base = 0
    for (const [key, sources] of layer.sources(groups)) {
      const group = layer.merge(key, sources, base)
      since += group.count + 1
      base += group.count
      if (group.count > 0) next.push(group)
      if (since > PAUSE_EVERY) {
        since = 0
        yield index / tables.length
      }
      if (base > 16 * maxLabels) return null
    }
    if (base > maxLabels) {
      // half as many, so that the next layers need no thinning: each one loosens the bound
      const epsilon = layer.thin(next, maxLabels / 2, Math.max(EPSILON_FIRST, lastEpsilon / 8), relaxed)
      if (!epsilon) return null
      factor *= 1 + epsilon
      lastEpsilon = epsilon
    }
    history.push(next)
    groups = next
    for (const group of groups) group.rows = group.rows.slice(0, group.count * layer.stride)
  }
  return {
    ...placementsOf(problem, tables, history),
    epsilon: factor - 1,
    vectors: vectorsOf(groups, problem.figures),
  }
}

/** Latency and figures of the last labels. */
function vectorsOf(groups: readonly Group[], figures: number): Float64Array {
  const rows = groups.flatMap((group) => [...group.rows])
  const stride = figures + 1
  const vectors = new Float64Array(rows.length)
  for (let row = 0; row < rows.length; row += stride) {
    vectors[row] = rows[row + figures] as number
    for (let k = 0; k < figures; k++) vectors[row + 1 + k] = rows[row + k] as number
  }
  return vectors
}

/** Walks every last label back to the tiers it chose. */
function placementsOf(problem: AdditiveProblem, tables: readonly LayerTables[], history: Group[][]) {
  const count = (history.at(-1) ?? []).reduce((sum, group) => sum + group.count, 0)
  const placements = new Uint8Array(count * problem.tasks)
  const flat = history.map((groups) => {
    const total = groups.reduce((sum, group) => sum + group.count, 0)
    const origin = new Int32Array(total)
    const branch = new Uint8Array(total)
    let from = 0
    for (const group of groups) {
      origin.set(group.origin.subarray(0, group.count), from)
      branch.set(group.branch.subarray(0, group.count), from)
      from += group.count
    }
    return { origin, branch }
  })
  for (let i = 0; i < count; i++) {
    let label = i
    for (let index = tables.length - 1; index >= 0; index--) {
      const layer = flat[index] as (typeof flat)[number]
      const { opens, task } = (tables[index] as LayerTables).layer
      if (opens) placements[i * problem.tasks + task] = at(layer.branch, label)
      label = at(layer.origin, label)
    }
  }
  return { placements, count }
}
