/**
 * The whole front from both ends. Labels are set forwards and backwards through the layers of a plan, always on the side
 * that has fewer, and joined where both meet: far fewer than one side alone would need.
 */
import type { Archive } from './archive.ts'
import { Bound } from './bound.ts'
import { join } from './join.ts'
import { type BackPointers, backPointersOf, forgetRows, LayerWork, layerOf, Scratch } from './layer-work.ts'
import type { Plan } from './order.ts'
import type { AdditiveProblem } from './problem.ts'
import { backwards, forwards, type Group, startOf } from './sides.ts'
import { during } from './steps.ts'
import { type LayerTables, remainingFigures, spentFigures, tablesOf } from './transitions.ts'

/** Share of the progress for setting labels; the rest is the join. */
const LABELS_PROGRESS_SHARE = 0.6

/** Tables computed before labels are set. */
interface Prepared {
  tables: LayerTables[]
  remaining: Float64Array[]
  spent: Float64Array[]
}

/** Computes the tables of the layers, and the minimum figures before and after each: the same for every `epsilon`. Yields now and then. */
export function* prepare(problem: AdditiveProblem, plan: Plan): Generator<undefined, Prepared> {
  const tables = tablesOf(problem, plan)
  const remaining = yield* remainingFigures(problem, tables)
  const spent = yield* spentFigures(problem, tables)
  return { tables, remaining, spent }
}

/**
 * Finds the front. Placements that the vectors in the archive `known` dominate are left out, so the whole front is that of the
 * result together with them; vectors may be added meanwhile. Yields the fraction done; returns `null` when a layer, or the front,
 * needs more than `maxLabels` labels. With an `epsilon`, labels within the factor 1 + epsilon of another one are dropped too: the
 * result is a rough front, found with far less work, about which nothing is proven.
 */
export function* meetLabels(
  problem: AdditiveProblem,
  plan: Plan,
  known: Archive,
  maxLabels: number,
  { epsilon, ready }: { epsilon: number; ready?: Prepared } = { epsilon: 0 },
): Generator<number, { placements: Uint8Array; count: number } | null> {
  const m = problem.figures
  const { tables, remaining, spent } = ready ?? (yield* during(prepare(problem, plan), 0))
  const bound = new Bound(m, known)
  const scratch = new Scratch()
  const ahead = { groups: startOf(problem), total: 1 }
  const behind = { groups: startOf(problem), total: 1 }
  const layers: Group[][] = []
  let from = 0
  let to = tables.length
  while (from < to) {
    const isForwards = ahead.total <= behind.total
    const end = isForwards ? ahead : behind
    const index = isForwards ? from++ : --to
    const table = tables[index] as LayerTables
    const side = isForwards
      ? forwards(m, table, remaining[index + 1] as Float64Array)
      : backwards(m, table, tables[index - 1], spent[index] as Float64Array)
    const steps = layerOf(new LayerWork(m, side, bound, scratch, epsilon), end.groups, maxLabels)
    let step = steps.next()
    for (; !step.done; step = steps.next())
      yield (LABELS_PROGRESS_SHARE * (from + tables.length - to)) / tables.length
    if (!step.value) return null
    forgetRows(end.groups)
    Object.assign(end, step.value)
    layers[index] = end.groups
  }
  const slots = from > 0 ? (tables[from - 1] as LayerTables).layer.after.length : 0
  const joining = join(m, slots, ahead.groups, behind.groups, known, maxLabels)
  let step = joining.next()
  for (; !step.done; step = joining.next())
    yield LABELS_PROGRESS_SHARE + (1 - LABELS_PROGRESS_SHARE) * step.value
  return step.value && placementsOf(problem, tables, layers.map(backPointersOf), from, step.value)
}

/** Walks both labels of every pair back to the tiers they chose, from the cut before layer `middle`. */
function placementsOf(
  problem: AdditiveProblem,
  tables: readonly LayerTables[],
  ways: readonly BackPointers[],
  middle: number,
  pairs: Int32Array,
) {
  const { tasks } = problem
  const count = pairs.length / 2
  const placements = new Uint8Array(count * tasks)
  for (let i = 0; i < count; i++) {
    const walk = (label: number, index: number, last: number, step: 1 | -1) => {
      let current = label
      for (let layer = index; layer !== last; layer += step) {
        const { origin, branch } = ways[layer] as BackPointers
        const { opens, task } = (tables[layer] as LayerTables).layer
        if (opens) placements[i * tasks + task] = branch[current] as number
        current = origin[current] as number
      }
    }
    walk(pairs[2 * i] as number, middle - 1, -1, -1)
    walk(pairs[2 * i + 1] as number, middle, tables.length, 1)
  }
  return { placements, count }
}
