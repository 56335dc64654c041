/** Watermarks: below which number every item of a task has ended or will never come. */
import { deviceOf, instanceAt, instanceOf, lookAgain, type Step, taskOf } from './context.ts'
import type { Part } from './events.ts'
import { forwardTo } from './forward.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { watchAll } from './schedule.ts'
import { lowOf } from './seq-set.ts'
import { settledBelow } from './sources.ts'

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
  // What is sent to a device in order may be next, although nothing before it has ended.
  if (task.gated && !task.local) lookAgain(step, instance)
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

export const targetsOf = (edge: CoreEdge, child: CoreTask, device: number): number[] =>
  edge.scatter
    ? child.lanes.map((_, slot) => child.firstInstance + slot)
    : [edge.mode === 'collect' ? child.firstInstance : instanceAt(child, device)].filter(
        (target) => target >= 0,
      )
