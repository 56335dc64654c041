/** What the service keeps for the case that a device is lost: inputs from outside, and the states of tasks. */
import { deviceOf, instanceAt, instanceOf, type Step, taskOf } from './context.ts'
import { invocationAt } from './invocations.ts'
import type { CoreTask } from './plan.ts'
import { hasSeq } from './seq-set.ts'
import { OBJECT, type Remote } from './state.ts'

/** Drops the inputs from outside that no loss of the device can ask for any more. */
export function forget(step: Step, task: CoreTask, instance: number, seq: number): void {
  if (task.local || task.keepers.length === 0) return
  const device = deviceOf(step, instance)
  for (const id of task.keepers) {
    const keeper = step.s.plan.tasks[id] as CoreTask
    const { kept } = instanceOf(step, instanceAt(keeper, device)).remote as Remote
    const isOver = (number: number): boolean =>
      keeper.wiredBelow.every((below) => isSettled(step, below, device, number))
    if (!keeper.wiredBelow.some((below) => step.s.plan.tasks[below]?.stateful)) {
      if (kept.has(seq) && isOver(seq)) kept.delete(seq)
      continue
    }
    // A task that keeps state goes back to the first item that is asked for, and does all after it again.
    for (const number of [...kept.keys()].sort((a, b) => a - b)) {
      if (number === OBJECT) continue
      if (!isOver(number)) break
      kept.delete(number)
    }
  }
}

/** Remembers the state of a task on a device after an item, and forgets those that nothing can ask for any more. */
export function saveState(step: Step, instance: number, seq: number, state: Uint8Array): void {
  const task = taskOf(step, instance)
  const { savedStates } = instanceOf(step, instance).remote as Remote
  savedStates.set(seq, state)
  const device = deviceOf(step, instance)
  let oldest = -1
  for (const saved of savedStates.keys()) {
    const settled = task.wiredBelow.every(
      (below) => below === task.id || isSettled(step, below, device, saved),
    )
    if (!settled) return
    if (oldest >= 0) savedStates.delete(oldest)
    oldest = saved
  }
}

/** Whether a task on a device is done with an item, or will not be called for it. */
export function isSettled(step: Step, id: number, device: number, seq: number): boolean {
  const task = step.s.plan.tasks[id] as CoreTask
  const target = instanceAt(task, device)
  if (target < 0) return true
  const inst = instanceOf(step, target)
  if (inst.ended || hasSeq(inst.done, seq)) return true
  if (invocationAt(inst, seq) || task.plan.kindIn === 'object') return false
  return task.parents.some(({ wired, parent }) => {
    const above = step.s.plan.tasks[parent] as CoreTask
    if (!wired || above.plan.kindOut !== 'stream') return false
    const from = instanceOf(step, instanceAt(above, device))
    return !hasSeq(from.emitted, seq) && (from.ended || hasSeq(from.done, seq))
  })
}
