/** The effect of each layer of a plan on a label, for every combination of tiers; and minimum figures before and after it. */
import { type Layer, type Plan, type Slot, sends } from './order.ts'
import type { AdditiveProblem } from './problem.ts'
import { ahead, behind, headsOf, type TimeRange, tailsOf } from './reach.ts'

/** The effect of one layer on labels of one key, for one choice of tier. */
export interface Step {
  key: number
  /** What is added to the figures. */
  figures: Float64Array
  /** What is added to the time of each slot of `LayerTables.inputs` on its way to the task. */
  inputAdd: Float64Array
  /** Time of the task itself. */
  time: number
  /** What is added to the task's end on its way to each slot of `LayerTables.feeds`. */
  feedAdd: Float64Array
}

export interface LayerTables {
  layer: Layer
  /** Slots before: parents whose ends a task that opens here is ready after. */
  inputs: Int32Array
  /** Slot before of the task itself, when it was opened earlier; -1 otherwise. */
  own: number
  /** For every slot after, the slot before it continues; -1 for the task's own new slot. */
  from: Int32Array
  /** Slot after of each child that the task's end is fed into, -1 for one that is not fed. */
  feeds: Int32Array
  /** The slot after in which the task itself is remembered, -1 when it need not be. */
  stays: number
  /** It has no children: its end counts for the latency. */
  isLast: boolean
  branches: number
  /** Steps by key and branch, made when first asked for. */
  step(key: number, branch: number): Step
  /** For every slot after, by digit: the time that it remembers, and the time still to come behind it. */
  heads: TimeRange[]
  tails: TimeRange[]
}

export function keysOf(slots: readonly Slot[]): number {
  return slots.reduce((product, slot) => product * slot.radix, 1)
}

/** The digit of each slot in a key. */
export function digitsOf(slots: readonly Slot[], key: number): number[] {
  let rest = key
  return slots.map(({ radix }) => {
    const digit = rest % radix
    rest = (rest - digit) / radix
    return digit
  })
}

export function tablesOf(problem: AdditiveProblem, plan: Plan): LayerTables[] {
  const reach = { heads: headsOf(problem), tails: tailsOf(problem) }
  const opened = new Uint8Array(problem.tasks)
  const ran = new Uint8Array(problem.tasks)
  return plan.layers.map((layer) => {
    opened[layer.task] = 1
    if (layer.runs) ran[layer.task] = 1
    return layerTables(problem, layer, reach, opened, ran)
  })
}

function layerTables(
  problem: AdditiveProblem,
  layer: Layer,
  reach: { heads: TimeRange; tails: TimeRange },
  opened: Uint8Array,
  ran: Uint8Array,
): LayerTables {
  const { figures: m, tiers, first, to } = problem
  const { task, before, after } = layer
  const slotOf = (slots: readonly Slot[], which: number) => slots.findIndex((slot) => slot.task === which)
  const own = layer.opens ? -1 : slotOf(before, task)
  const edgesIn = layer.opens
    ? [...(problem.into[task] as Int32Array)].filter(
        (e) => before[slotOf(before, problem.from[e] as number)]?.kind === 'held',
      )
    : []
  const fed = layer.runs
    ? [...(problem.outOf[task] as Int32Array)].filter((e) => slotOf(before, to[e] as number) >= 0)
    : []
  const charging = sends(problem, task)
  const sendsOf = new Map(before.map((slot) => [slot.task, sends(problem, slot.task)]))
  const tierOf = (slot: Slot, digit: number) => digit % (tiers[slot.task] as number)
  const branches = layer.opens ? (tiers[task] as number) : 1
  const known = new Map<number, Step>()

  const make = (key: number, branch: number): Step => {
    const digits = digitsOf(before, key)
    const tier = layer.opens ? branch : (digits[own] as number)
    const figures = new Float64Array(m)
    const add = (table: Float64Array, row: number) => {
      for (let k = 0; k < m; k++) figures[k] = (figures[k] as number) + (table[row * m + k] as number)
    }
    if (layer.opens) add(problem.own, (first[task] as number) + tier)
    const inputAdd = new Float64Array(edgesIn.length)
    for (const [i, e] of edgesIn.entries()) {
      const slot = slotOf(before, problem.from[e] as number)
      const parent = before[slot] as Slot
      const parentTier = tierOf(parent, digits[slot] as number)
      const cell = (problem.pair[e] as number) + parentTier * (tiers[task] as number) + tier
      inputAdd[i] = problem.edgeTime[cell] as number
      add(problem.edgeFigures, cell)
      if (problem.crosses[cell] !== 1) continue
      const charged = (digits[slot] as number) >= (tiers[parent.task] as number)
      if (!charged) add(problem.send, (first[parent.task] as number) + parentTier)
      if (!charged && sendsOf.get(parent.task))
        digits[slot] = (digits[slot] as number) + (tiers[parent.task] as number)
    }
    const feedAdd = new Float64Array(fed.length)
    let sent = false
    for (const [i, e] of fed.entries()) {
      const slot = slotOf(before, to[e] as number)
      const child = before[slot] as Slot
      const cell =
        (problem.pair[e] as number) +
        tier * (tiers[child.task] as number) +
        tierOf(child, digits[slot] as number)
      feedAdd[i] = problem.edgeTime[cell] as number
      add(problem.edgeFigures, cell)
      if (problem.crosses[cell] !== 1 || sent) continue
      sent = true
      add(problem.send, (first[task] as number) + tier)
    }
    let newKey = 0
    for (const slot of after.toReversed()) {
      const old = slot.task === task ? -1 : slotOf(before, slot.task)
      const digit =
        old >= 0
          ? (digits[old] as number)
          : tier + (slot.kind === 'held' && sent && charging ? (tiers[task] as number) : 0)
      newKey = newKey * slot.radix + digit
    }
    return {
      key: newKey,
      figures,
      inputAdd,
      time: layer.runs ? (problem.time[(first[task] as number) + tier] as number) : 0,
      feedAdd,
    }
  }

  // a waiting task knows the ends of the parents that ran; open children have received the end of a held task
  const hasRun = (e: number) => ran[problem.from[e] as number] === 1
  const isToCome = (e: number) => opened[to[e] as number] === 0
  const tableOf = (slot: Slot, time: (tier: number, row: number) => number) =>
    Float64Array.from({ length: slot.radix }, (_, digit) => {
      const tier = tierOf(slot, digit)
      return time(tier, (first[slot.task] as number) + tier)
    })
  const headOf = (slot: Slot, heads: Float64Array, choose: typeof Math.min) =>
    tableOf(slot, (tier, row) =>
      slot.kind === 'held' ? (heads[row] as number) : ahead(problem, heads, choose, slot.task, tier, hasRun),
    )
  const tailOf = (slot: Slot, tails: Float64Array, choose: typeof Math.min) =>
    tableOf(slot, (tier, row) =>
      slot.kind === 'held'
        ? behind(problem, tails, choose, slot.task, tier, isToCome)
        : (problem.time[row] as number) + (tails[row] as number),
    )

  return {
    layer,
    inputs: Int32Array.from(edgesIn, (e) => slotOf(before, problem.from[e] as number)),
    own,
    from: Int32Array.from(after, (slot) => (slot.task === task ? -1 : slotOf(before, slot.task))),
    feeds: Int32Array.from(fed, (e) => slotOf(after, to[e] as number)),
    stays: slotOf(after, task),
    isLast: layer.runs && (problem.outOf[task] as Int32Array).length === 0,
    branches,
    step(key, branch) {
      const id = key * branches + branch
      let step = known.get(id)
      if (!step) {
        step = make(key, branch)
        known.set(id, step)
      }
      return step
    },
    heads: after.map((slot) => ({
      minimum: headOf(slot, reach.heads.minimum, Math.min),
      maximum: headOf(slot, reach.heads.maximum, Math.max),
    })),
    tails: after.map((slot) => ({
      minimum: tailOf(slot, reach.tails.minimum, Math.min),
      maximum: tailOf(slot, reach.tails.maximum, Math.max),
    })),
  }
}

/** Keys handled between two pauses. */
const PAUSE_EVERY = 1_000

/**
 * For every layer, the minimum that can still be added to each figure after it, by key: exact, figure by figure. Yields now and
 * then.
 */
export function* remainingFigures(
  problem: AdditiveProblem,
  tables: readonly LayerTables[],
): Generator<undefined, Float64Array[]> {
  const m = problem.figures
  const remaining: Float64Array[] = []
  remaining[tables.length] = new Float64Array(m)
  for (let index = tables.length - 1; index >= 0; index--) {
    const table = tables[index] as LayerTables
    const keys = keysOf(table.layer.before)
    const next = remaining[index + 1] as Float64Array
    const here = new Float64Array(keys * m).fill(Number.POSITIVE_INFINITY)
    for (let key = 0; key < keys; key++) {
      for (let branch = 0; branch < table.branches; branch++) {
        const step = table.step(key, branch)
        for (let k = 0; k < m; k++) {
          const value = (step.figures[k] as number) + (next[step.key * m + k] as number)
          if (value < (here[key * m + k] as number)) here[key * m + k] = value
        }
      }
      if (key % PAUSE_EVERY === PAUSE_EVERY - 1) yield
    }
    remaining[index] = here
  }
  return remaining
}

/** The minimum that has been added to each figure before every layer, by key; `Infinity` for a key that nothing leads to. */
export function* spentFigures(
  problem: AdditiveProblem,
  tables: readonly LayerTables[],
): Generator<undefined, Float64Array[]> {
  const m = problem.figures
  const spent = [new Float64Array(m)]
  for (const [index, table] of tables.entries()) {
    const before = spent[index] as Float64Array
    const here = new Float64Array(keysOf(table.layer.after) * m).fill(Number.POSITIVE_INFINITY)
    for (let key = 0; key * m < before.length; key++) {
      for (let branch = 0; branch < table.branches; branch++) {
        const step = table.step(key, branch)
        for (let k = 0; k < m; k++) {
          const value = (before[key * m + k] as number) + (step.figures[k] as number)
          if (value < (here[step.key * m + k] as number)) here[step.key * m + k] = value
        }
      }
      if (key % PAUSE_EVERY === PAUSE_EVERY - 1) yield
    }
    spent.push(here)
  }
  return spent
}
