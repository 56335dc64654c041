/** Items that arrive: what tasks emit, and, on a device, what reaches them. */
import { closeLater, describe, fail, instanceOf, type Step, targetOf, taskOf } from './context.ts'
import { parentEnded } from './ending.ts'
import type { ItemArrived, ItemReached, OutsideEnded } from './events.ts'
import { emit, reach } from './flow.ts'
import { invocationAt } from './invocations.ts'
import { saveState } from './kept.ts'
import type { CoreTask } from './plan.ts'
import { EMPTY, hasSeq, withSeq } from './seq-set.ts'
import type { Arrivals } from './state.ts'
import { advance } from './watermark.ts'

export function itemArrived(step: Step, event: ItemArrived): void {
  const instance = targetOf(step, event.task, event.device)
  if (instance < 0) return
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const { plan } = task
  const seq = plan.kindOut === 'object' ? 0 : event.seq
  const call = plan.kindIn === 'stream' ? seq : 0
  if (event.delivery !== undefined && invocationAt(inst, call)?.delivery !== event.delivery) return
  // Its call, or one above it, was given up with the device, and those below have gone on without it.
  if (!task.local && !invocationAt(inst, call) && !hasSeq(inst.emitted, seq)) return
  if (event.state) {
    inst.state = event.state
    inst.stateItems = Math.max(inst.stateItems, event.seq + 1)
    if (!task.local) saveState(step, instance, event.seq, event.state)
  }
  if (plan.kindOut === 'object' && event.seq > 0) return tooMany(step, instance, call, event.seq + 1)
  if (hasSeq(inst.emitted, seq)) return
  inst.emitted = withSeq(inst.emitted, seq)
  emit(step, instance, seq, event.ref)
}

/** On a device. */
export function itemReached(step: Step, event: ItemReached): void {
  const child = step.s.plan.tasks[event.child]
  const edge = child?.parents.find(({ parent }) => parent === event.task)
  if (!child || !edge) return
  const inst = instanceOf(step, child.firstInstance)
  const arrivals = inst.arrivals as Arrivals
  arrivals.came[edge.slot] = withSeq(arrivals.came[edge.slot] ?? EMPTY, event.seq)
  const parent = instanceOf(step, (step.s.plan.tasks[edge.parent] as CoreTask).firstInstance)
  if (edge.wired && edge.mode === 'object' && !edge.early && !parent.ended)
    arrivals.heldObjects.set(edge.slot, event.ref)
  else reach(step, edge, child, child.firstInstance, 0, event.seq, event.ref)
  if (child.tracked) advance(step, child.firstInstance)
  closeLater(step, child.firstInstance)
}

/** On a device. */
export function outsideEnded(step: Step, event: OutsideEnded): void {
  const child = step.s.plan.tasks[event.child]
  const edge = child?.parents.find(({ parent }) => parent === event.task)
  if (!child || !edge) return
  const { outsideEnded: ended } = instanceOf(step, child.firstInstance).arrivals as Arrivals
  if (edge.wired || ended[edge.slot]) return
  ended[edge.slot] = true
  parentEnded(step, edge, child, child.firstInstance)
}

/** An object or a stream has more items than it may: the error of the task that sent them, with a sentence. */
export function tooMany(step: Step, instance: number, seq: number, items: number): void {
  const { plan } = taskOf(step, instance)
  const what = describe(step, instance, seq)
  fail(
    step,
    plan.kindIn === 'stream'
      ? `${what} emitted ${items} items for one item of a stream. A task that reads a stream may emit at most one for each; return a list instead.`
      : `${what} emitted ${items} values, but its output '${plan.dataOut ?? plan.name}' is one object. Return a list, or write Data(${plan.dataOut ?? plan.name}, kind='stream').`,
  )
}
