/** What each layer of a plan does to a label, for every combination of tiers; and what is still to come after it. */
import { type Layer, type Plan, type Slot, sends } from './order.ts'
import { type AdditiveProblem, at } from './problem.ts'

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
  /** Least and greatest time still to come behind each slot after, by digit. */
  least: Float64Array[]
  greatest: Float64Array[]
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
  const tails = tailsOf(problem)
  const opened = new Uint8Array(problem.tasks)
  return plan.layers.map((layer) => {
    opened[layer.task] = 1
    return layerTables(problem, layer, tails, opened)
  })
}

function layerTables(problem: AdditiveProblem, layer: Layer, tails: Tails, opened: Uint8Array): LayerTables {
  const { figures: m, tiers, first, to } = problem
  const { task, before, after } = layer
  const slotOf = (slots: readonly Slot[], which: number) => slots.findIndex((slot) => slot.task === which)
  const own = layer.opens ? -1 : slotOf(before, task)
  const edgesIn = layer.opens
    ? [...(problem.into[task] as Int32Array)].filter(
        (e) => before[slotOf(before, at(problem.from, e))]?.kind === 'held',
      )
    : []
  const fed = layer.runs
    ? [...(problem.outOf[task] as Int32Array)].filter((e) => slotOf(before, at(to, e)) >= 0)
    : []
  const charging = sends(problem, task)
  const sendsOf = new Map(before.map((slot) => [slot.task, sends(problem, slot.task)]))
  const tierOf = (slot: Slot, digit: number) => digit % at(tiers, slot.task)
  const branches = layer.opens ? at(tiers, task) : 1
  const known = new Map<number, Step>()

  const make = (key: number, branch: number): Step => {
    const digits = digitsOf(before, key)
    const tier = layer.opens ? branch : (digits[own] as number)
    const figures = new Float64Array(m)
    const add = (table: Float64Array, row: number) => {
      for (let k = 0; k < m; k++) figures[k] = at(figures, k) + at(table, row * m + k)
    }
    if (layer.opens) add(problem.own, at(first, task) + tier)
    const inputAdd = new Float64Array(edgesIn.length)
    for (const [i, e] of edgesIn.entries()) {
      const slot = slotOf(before, at(problem.from, e))
      const parent = before[slot] as Slot
      const parentTier = tierOf(parent, digits[slot] as number)
      const cell = at(problem.pair, e) + parentTier * at(tiers, task) + tier
      inputAdd[i] = at(problem.edgeTime, cell)
      add(problem.edgeFigures, cell)
      if (problem.crosses[cell] !== 1) continue
      const charged = (digits[slot] as number) >= at(tiers, parent.task)
      if (!charged) add(problem.send, at(first, parent.task) + parentTier)
      if (!charged && sendsOf.get(parent.task))
        digits[slot] = (digits[slot] as number) + at(tiers, parent.task)
    }
    const feedAdd = new Float64Array(fed.length)
    let sent = false
    for (const [i, e] of fed.entries()) {
      const slot = slotOf(before, at(to, e))
      const child = before[slot] as Slot
      const cell = at(problem.pair, e) + tier * at(tiers, child.task) + tierOf(child, digits[slot] as number)
      feedAdd[i] = at(problem.edgeTime, cell)
      add(problem.edgeFigures, cell)
      if (problem.crosses[cell] !== 1 || sent) continue
      sent = true
      add(problem.send, at(first, task) + tier)
    }
    let newKey = 0
    for (const slot of after.toReversed()) {
      const old = slot.task === task ? -1 : slotOf(before, slot.task)
      const digit =
        old >= 0
          ? (digits[old] as number)
          : tier + (slot.kind === 'held' && sent && charging ? at(tiers, task) : 0)
      newKey = newKey * slot.radix + digit
    }
    return {
      key: newKey,
      figures,
      inputAdd,
      time: layer.runs ? at(problem.time, at(first, task) + tier) : 0,
      feedAdd,
    }
  }

  const remaining = (slot: Slot, which: 'least' | 'greatest') => {
    const table = new Float64Array(slot.radix)
    for (let digit = 0; digit < slot.radix; digit++) {
      const tier = tierOf(slot, digit)
      const unopened = (e: number) => opened[at(to, e)] === 0
      // children that are open already have been told the end of a held task
      table[digit] =
        slot.kind === 'held'
          ? tails.behind(which, slot.task, tier, unopened)
          : at(problem.time, at(first, slot.task) + tier) + at(tails[which], at(first, slot.task) + tier)
    }
    return table
  }

  return {
    layer,
    inputs: Int32Array.from(edgesIn, (e) => slotOf(before, at(problem.from, e))),
    own,
    from: Int32Array.from(after, (slot) => (slot.task === task ? -1 : slotOf(before, slot.task))),
    feeds: Int32Array.from(fed, (e) => slotOf(after, at(to, e))),
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
    least: after.map((slot) => remaining(slot, 'least')),
    greatest: after.map((slot) => remaining(slot, 'greatest')),
  }
}

/** Times from the end of a task on a tier to the end of all behind it, at least and at most. */
export interface Tails {
  least: Float64Array
  greatest: Float64Array
  behind(which: 'least' | 'greatest', task: number, tier: number, counts?: (edge: number) => boolean): number
}

export function tailsOf(problem: AdditiveProblem): Tails {
  const { tiers, first, to, pair } = problem
  const tails: Tails = {
    least: new Float64Array(problem.time.length),
    greatest: new Float64Array(problem.time.length),
    behind(which, task, tier, counts) {
      let tail = 0
      for (const e of problem.outOf[task] as Int32Array) {
        if (counts && !counts(e)) continue
        const child = at(to, e)
        let through = which === 'least' ? Number.POSITIVE_INFINITY : 0
        for (let other = 0; other < at(tiers, child); other++) {
          const row = at(first, child) + other
          const time =
            at(problem.edgeTime, at(pair, e) + tier * at(tiers, child) + other) +
            at(problem.time, row) +
            at(tails[which], row)
          through = which === 'least' ? Math.min(through, time) : Math.max(through, time)
        }
        tail = Math.max(tail, through)
      }
      return tail
    },
  }
  for (let task = problem.tasks - 1; task >= 0; task--)
    for (let tier = 0; tier < at(tiers, task); tier++) {
      tails.least[at(first, task) + tier] = tails.behind('least', task, tier)
      tails.greatest[at(first, task) + tier] = tails.behind('greatest', task, tier)
    }
  return tails
}

/** For every layer, the least that can still be added to each figure after it, by key: exact, figure by figure. */
export function remainingFigures(problem: AdditiveProblem, tables: readonly LayerTables[]): Float64Array[] {
  const m = problem.figures
  const remaining: Float64Array[] = []
  remaining[tables.length] = new Float64Array(m)
  for (let index = tables.length - 1; index >= 0; index--) {
    const table = tables[index] as LayerTables
    const keys = keysOf(table.layer.before)
    const next = remaining[index + 1] as Float64Array
    const here = new Float64Array(keys * m).fill(Number.POSITIVE_INFINITY)
    for (let key = 0; key < keys; key++)
      for (let branch = 0; branch < table.branches; branch++) {
        const step = table.step(key, branch)
        for (let k = 0; k < m; k++) {
          const value = at(step.figures, k) + at(next, step.key * m + k)
          if (value < at(here, key * m + k)) here[key * m + k] = value
        }
      }
    remaining[index] = here
  }
  return remaining
}
