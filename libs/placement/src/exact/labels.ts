/**
 * The label-setting dynamic programme in one direction, with a limit on the number of labels. A label stands for the best
 * known ways to place the tasks on one side of a cut; its row holds their figures, a latency, and one time for each slot
 * that the plan remembers. Labels with equal tiers in the slots compete: one that is nowhere better than another, in
 * anything that can still matter, is dropped.
 */
import { Archive } from './archive.ts'
import { Bound } from './bound.ts'
import { type BackPointers, backPointersOf, forgetRows, LayerWork, layerOf, Scratch } from './layer-work.ts'
import type { Plan } from './order.ts'
import type { AdditiveProblem } from './problem.ts'
import { forwards, type Group, startOf } from './sides.ts'
import { during } from './steps.ts'
import { type LayerTables, remainingFigures, tablesOf } from './transitions.ts'

export interface LabelResult {
  /** One placement after the other, `tasks` entries each. */
  placements: Uint8Array
  count: number
  /** Every objective vector is matched within this factor, minus 1, on every objective; 0 when exact. */
  epsilon: number
  /** Objective vectors of the last labels (latency first); with `relaxed`, every placement is at or above one of them. */
  vectors: Float64Array
}

const INITIAL_EPSILON = 1e-6

/**
 * Sets labels layer by layer. `known` are objective vectors that some placement has (stride figures + 1): what they
 * dominate is left out, so the front is that of the result together with them. At most about `maxLabels` labels are
 * kept in a layer: beyond, labels within a small factor of another are dropped too, and `epsilon` is that factor minus 1.
 * Yields the fraction done. Returns `null` when even that does not help.
 *
 * With `relaxed`, a dropped label leaves its better values to the label that replaces it. Then `vectors` bound the true front
 * from below, much closer than `epsilon` says, but belong to no placements.
 */
export function* setLabels(
  problem: AdditiveProblem,
  plan: Plan,
  known: Float64Array,
  maxLabels: number,
  relaxed = false,
): Generator<number, LabelResult | null> {
  const tables = tablesOf(problem, plan)
  const remaining = yield* during(remainingFigures(problem, tables), 0)
  const bound = new Bound(problem.figures, new Archive(problem.figures + 1, known))
  const history: Group[][] = []
  let groups = startOf(problem)
  let factor = 1
  let lastEpsilon = 0
  const scratch = new Scratch()
  for (const [index, table] of tables.entries()) {
    const side = forwards(problem.figures, table, remaining[index + 1] as Float64Array)
    const layer = new LayerWork(problem.figures, side, bound, scratch)
    const fraction = index / tables.length
    const extended = yield* during(layerOf(layer, groups, 16 * maxLabels), fraction)
    if (!extended) return null
    const { groups: next, total } = extended
    if (total > maxLabels) {
      // half as many, so that the next layers need no thinning: each one loosens the bound
      const first = Math.max(INITIAL_EPSILON, lastEpsilon / 8)
      const epsilon = yield* during(layer.thin(next, maxLabels / 2, first, relaxed), fraction)
      if (!epsilon) return null
      factor *= 1 + epsilon
      lastEpsilon = epsilon
    }
    forgetRows(groups)
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
  const ways = history.map(backPointersOf)
  for (let i = 0; i < count; i++) {
    let label = i
    for (let index = tables.length - 1; index >= 0; index--) {
      const layer = ways[index] as BackPointers
      const { opens, task } = (tables[index] as LayerTables).layer
      if (opens) placements[i * problem.tasks + task] = layer.branch[label] as number
      label = layer.origin[label] as number
    }
  }
  return { placements, count }
}
