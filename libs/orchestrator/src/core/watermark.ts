/** Watermarks: below which number every item of a task has ended or will never come. */
import { deviceOf, instanceAt, instanceOf, lookAgain, type Step, taskOf } from './context.ts'
import type { Part } from './events.ts'
import { forwardTo } from './forward.ts'
import { invocationAt, invocationsOf } from './invocations.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { watchAll } from './schedule.ts'
import { EMPTY, endOfSeqs, hasSeq, lowOf, type SeqSet } from './seq-set.ts'
import type { Arrivals, Instance } from './state.ts'

/**
 * Moves the watermark of a tracked instance: past every item that has ended or will never come. What waits for it, here or
 * as a forward to a device, is looked at again.
 */
export function advance(step: Step, instance: number): void {
  const { s } = step
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const before = inst.watermark
  if (inst.ended) inst.watermark = Number.POSITIVE_INFINITY
  else if (task.plan.kindIn === 'object')
    inst.watermark = task.plan.kindOut === 'stream' ? lowOf(inst.emitted) : 0
  else inst.watermark = settledBelow(step, task, instance)
  if (inst.watermark === before) return
  if (task.stateful) lookAgain(step, instance)
  const device = deviceOf(step, instance)
  watchAll(step, task.serialBefore, device)
  for (const edge of task.children) {
    const child = s.plan.tasks[edge.child] as CoreTask
    if (!child.tracked) continue
    for (const target of targetsOf(edge, child, device)) {
      const held = instanceOf(step, target).remote?.heldForwards.get(edge.slot) ?? new Map<number, Part>()
      for (const seq of [...held.keys()].filter((number) => number < inst.watermark).sort((a, b) => a - b)) {
        forwardTo(step, deviceOf(step, target), edge, seq, held.get(seq) ?? null)
        held.delete(seq)
      }
      advance(step, target)
    }
  }
}

function settledBelow(step: Step, task: CoreTask, instance: number): number {
  const inst = instanceOf(step, instance)
  const device = deviceOf(step, instance)
  const above = task.parents
    .filter(({ mode }) => mode === 'item')
    .map((edge) => sourceOf(step, inst, edge, device))
  const known = Math.min(...above.map(({ watermark }) => watermark))
  for (let seq = inst.watermark; ; seq++) {
    if (hasSeq(inst.done, seq)) continue
    if (invocationAt(inst, seq) || seq >= known) return seq
    if (above.every(({ items }) => hasSeq(items, seq))) return seq
    if (known === Number.POSITIVE_INFINITY && isBeyond(inst, above, seq)) return Number.POSITIVE_INFINITY
  }
}

/** What a child can know of one parent: the items there were, and below which number no more will come. */
interface Source {
  items: SeqSet
  watermark: number
}

function sourceOf(step: Step, inst: Instance, edge: CoreEdge, device: number): Source {
  if (step.s.plan.device !== null && !edge.wired) {
    // The service sends what comes from outside in order, to a task that needs it so.
    const { came, outsideEnded } = inst.arrivals as Arrivals
    const items = came[edge.slot] ?? EMPTY
    return { items, watermark: outsideEnded[edge.slot] ? Number.POSITIVE_INFINITY : endOfSeqs(items) }
  }
  const parent = step.s.plan.tasks[edge.parent] as CoreTask
  const { emitted, watermark } = instanceOf(
    step,
    edge.scatter ? parent.firstInstance : instanceAt(parent, device),
  )
  return { items: emitted, watermark }
}

/** Whether nothing is known of an instance at this number or above. */
const isBeyond = (inst: Instance, above: readonly Source[], seq: number): boolean =>
  invocationsOf(inst).every((each) => each.seq < seq) &&
  above.every(({ items }) => endOfSeqs(items) <= seq) &&
  endOfSeqs(inst.done) <= seq

export const targetsOf = (edge: CoreEdge, child: CoreTask, device: number): number[] =>
  edge.scatter
    ? child.lanes.map((_, slot) => child.firstInstance + slot)
    : [edge.mode === 'collect' ? child.firstInstance : instanceAt(child, device)].filter(
        (target) => target >= 0,
      )
