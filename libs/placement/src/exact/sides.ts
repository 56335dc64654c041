/**
 * The two directions through the layers of a plan. Forwards, the row of a label holds its figures, the latency of what is
 * complete, and the time of each slot after the layer. Backwards, it stands for the best known ways to place the tasks
 * to come: their figures, the latency of what starts among them, and the time behind each slot before the layer.
 */

import type { Slot } from './order.ts'
import type { AdditiveProblem } from './problem.ts'
import type { TimeRange } from './reach.ts'
import { keysOf, type LayerTables, type Step } from './transitions.ts'

/** Labels of one key, sorted by their first figure. */
export interface Group {
  key: number
  rows: Float64Array
  count: number
  /** Number of its first label in the layer. */
  base: number
  /** For each label: number of the label it comes from in the layer taken before, and the tier chosen. */
  origin: Int32Array
  branch: Uint8Array
}

/** Labels of a group that are extended to a new key. */
export interface Source {
  group: Group
  branch: number
  step: Step
}

/** A side's labels at the cut that one layer leads to. */
export interface Side {
  slots: readonly Slot[]
  /** For every slot, by digit: the time that labels of this side have, and that those of the other side will have. */
  own: readonly TimeRange[]
  other: readonly TimeRange[]
  /** By key: the minimum figures of the other side. */
  remaining: Float64Array
  /** Values in a row before the layer. */
  strideBefore: number
  /** For every new key, in order, the groups and choices that lead to it. */
  sources(groups: readonly Group[]): [number, Source[]][]
  /** Writes the extension of the label at `old` of `rows` to `stage` at `row`. */
  extend(rows: Float64Array, old: number, step: Step, stage: Float64Array, row: number): void
}

/** The first label, forwards or backwards. */
export function startOf(problem: AdditiveProblem): Group[] {
  return [
    {
      key: 0,
      rows: new Float64Array(problem.figures + 1),
      count: 1,
      base: 0,
      origin: new Int32Array(1),
      branch: new Uint8Array(1),
    },
  ]
}

/** From the cut before a layer to the one after it; `remaining` are the minimum figures to come, by key after it. */
export function forwards(m: number, table: LayerTables, remaining: Float64Array): Side {
  const { inputs, own, from, feeds, stays, isLast, layer } = table
  const slots = from.length
  return {
    slots: layer.after,
    own: table.heads,
    other: table.tails,
    remaining,
    strideBefore: m + 1 + layer.before.length,
    sources(groups) {
      const byKey = new Map<number, Source[]>()
      for (const group of groups)
        for (let branch = 0; branch < table.branches; branch++) {
          const step = table.step(group.key, branch)
          const known = byKey.get(step.key)
          if (known) known.push({ group, branch, step })
          else byKey.set(step.key, [{ group, branch, step }])
        }
      return [...byKey].sort((a, b) => a[0] - b[0])
    },
    extend(rows, old, step, stage, row) {
      for (let k = 0; k < m; k++) stage[row + k] = (rows[old + k] as number) + (step.figures[k] as number)
      const before = old + m + 1
      const times = row + m + 1
      let ready = own >= 0 ? (rows[before + own] as number) : 0
      for (let j = 0; j < inputs.length; j++) {
        const arrives = (rows[before + (inputs[j] as number)] as number) + (step.inputAdd[j] as number)
        if (arrives > ready) ready = arrives
      }
      const end = ready + step.time
      for (let slot = 0; slot < slots; slot++) {
        const continued = from[slot] as number
        stage[times + slot] = continued >= 0 ? (rows[before + continued] as number) : 0
      }
      for (let j = 0; j < feeds.length; j++) {
        const arrives = end + (step.feedAdd[j] as number)
        const slot = times + (feeds[j] as number)
        if (arrives > (stage[slot] as number)) stage[slot] = arrives
      }
      if (stays >= 0) stage[times + stays] = end
      const complete = rows[old + m] as number
      stage[row + m] = isLast && end > complete ? end : complete
    },
  }
}

/**
 * From the cut after a layer to the one before it, which `previous` leads to (nothing before the first); `spent` are the
 * minimum figures before it, by key.
 */
export function backwards(
  m: number,
  table: LayerTables,
  previous: LayerTables | undefined,
  spent: Float64Array,
): Side {
  const { inputs, own, from, feeds, stays, layer } = table
  const slots = from.length
  const before = layer.before.length
  const isRoot = own < 0 && inputs.length === 0
  return {
    slots: layer.before,
    own: previous?.tails ?? [],
    other: previous?.heads ?? [],
    remaining: spent,
    strideBefore: m + 1 + slots,
    sources(groups) {
      const byKey = new Map(groups.map((group) => [group.key, group]))
      const all: [number, Source[]][] = []
      for (let key = 0; key < keysOf(layer.before); key++) {
        if ((spent[key * m] as number) === Number.POSITIVE_INFINITY) continue
        const sources: Source[] = []
        for (let branch = 0; branch < table.branches; branch++) {
          const step = table.step(key, branch)
          const group = byKey.get(step.key)
          if (group) sources.push({ group, branch, step })
        }
        if (sources.length > 0) all.push([key, sources])
      }
      return all
    },
    extend(rows, old, step, stage, row) {
      for (let k = 0; k < m; k++) stage[row + k] = (rows[old + k] as number) + (step.figures[k] as number)
      const after = old + m + 1
      const times = row + m + 1
      for (let slot = 0; slot < before; slot++) stage[times + slot] = 0
      let behind = stays >= 0 ? (rows[after + stays] as number) : 0
      for (let slot = 0; slot < slots; slot++) {
        const continued = from[slot] as number
        if (continued >= 0) stage[times + continued] = rows[after + slot] as number
      }
      for (let j = 0; j < feeds.length; j++) {
        const way = (step.feedAdd[j] as number) + (rows[after + (feeds[j] as number)] as number)
        if (way > behind) behind = way
      }
      const through = step.time + behind
      if (own >= 0) stage[times + own] = through
      for (let j = 0; j < inputs.length; j++) {
        const way = (step.inputAdd[j] as number) + through
        const slot = times + (inputs[j] as number)
        if (way > (stage[slot] as number)) stage[slot] = way
      }
      const started = rows[old + m] as number
      stage[row + m] = isRoot && through > started ? through : started
    },
  }
}
