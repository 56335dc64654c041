/** The end of invocations, of instances and of tasks, and what their children learn of it. */
import { endOfList, openShort } from './barrier.ts'
import { closeLater, deviceOf, endRun, instanceAt, instanceOf, type Step, taskOf } from './context.ts'
import { arriveObject, deliver } from './flow.ts'
import { forwardEnd } from './forward.ts'
import { hasInvocations, invocationsOf, removeInvocation } from './invocations.ts'
import { forget } from './kept.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { leave, watchAll } from './schedule.ts'
import { EMPTY, sizeOf, withSeq } from './seq-set.ts'
import type { Instance, Invocation, Remote } from './state.ts'
import { advance, targetsOf } from './watermark.ts'

/** How an invocation ended; `missed`: after its deadline. */
interface Outcome {
  givenUp: boolean
  missed: boolean
}

export const ON_TIME: Outcome = { givenUp: false, missed: false }
export const LATE: Outcome = { givenUp: false, missed: true }
export const GIVEN_UP: Outcome = { givenUp: true, missed: false }
export const DROPPED: Outcome = { givenUp: true, missed: true }

/** An invocation ended well, or was given up. Its items have been emitted. */
export function finish(
  step: Step,
  invocation: Invocation,
  items: number,
  { givenUp, missed }: Outcome,
): void {
  const { instance, seq } = invocation
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const counts = step.s.tasks[task.id]
  leave(step, task, invocation)
  removeInvocation(inst, seq)
  inst.done = withSeq(inst.done, seq)
  if (counts && !givenUp) counts.done += 1
  if (counts && missed && !givenUp) counts.missed += 1
  const device = deviceOf(step, instance)
  step.fx.push({ type: 'ended', task: task.id, device, seq, items, missed, givenUp })
  if (inst.object !== undefined) {
    const part = inst.object
    inst.object = undefined
    for (const edge of task.children) if (!edge.early) deliver(step, edge, device, 0, part)
  }
  forget(step, task, instance, seq)
  if (task.tracked) advance(step, instance)
  watchAll(step, task.serialBefore, device)
  if (inst.openParents <= 0) closeLater(step, instance)
}

/** Ends every instance that can get no more input and has nothing under way, and tells its children. */
export function close(step: Step): void {
  for (let instance = step.closing?.pop(); instance !== undefined; instance = step.closing?.pop()) {
    const inst = instanceOf(step, instance)
    const task = taskOf(step, instance)
    if (step.s.phase !== 'running') return
    if (inst.ended || inst.openParents > 0 || isOnWire(step, task, inst)) continue
    if (inst.remote) tellEnd(step, task, inst, inst.remote, instance)
    openShort(step, task, instance)
    if (hasInvocations(inst)) continue
    end(step, task, instance)
  }
}

/** Once no input of a task on a device is held back any more, its device hears that no more comes. */
function tellEnd(step: Step, task: CoreTask, inst: Instance, remote: Remote, instance: number): void {
  if (remote.endTold || invocationsOf(inst).some(({ state }) => state === 'held')) return
  remote.endTold = true
  for (const edge of task.parents) if (!edge.wired) forwardEnd(step, deviceOf(step, instance), edge)
}

/** On a device: whether something that its parents emitted has not reached it yet. */
function isOnWire({ s }: Step, task: CoreTask, { arrivals }: Instance): boolean {
  if (!arrivals) return false
  return task.parents.some(({ wired, parent, slot }) => {
    if (!wired) return false
    const { emitted } = s.instances[(s.plan.tasks[parent] as CoreTask).firstInstance] as Instance
    const items = arrivals.came[slot]
    return sizeOf(emitted) > sizeOf(items ?? EMPTY)
  })
}

function end(step: Step, task: CoreTask, instance: number): void {
  const { s } = step
  const inst = instanceOf(step, instance)
  const counts = s.tasks[task.id]
  inst.ended = true
  inst.join?.waiting.clear()
  inst.remote?.heldForwards.clear()
  for (const id of task.keepers) {
    const keeper = s.plan.tasks[id] as CoreTask
    const above = deviceOf(step, instance)
    if (keeper.wiredBelow.every((below) => hasEnded(step, below, above)))
      instanceOf(step, instanceAt(keeper, above)).remote?.kept.clear()
  }
  const late = inst.collector?.late ?? 0
  if (late > 0)
    step.fx.push({
      type: 'note',
      level: 'info',
      text: `The barrier of '${task.plan.name}' had opened already when ${late} more ${late === 1 ? 'instance' : 'instances'} came.`,
    })
  if (counts) {
    counts.open -= 1
    if (counts.open === 0) step.fx.push({ type: 'task', task: task.id })
  }
  s.openInstances -= 1
  if (task.tracked) advance(step, instance)
  const device = deviceOf(step, instance)
  watchAll(step, task.serialBefore, device)
  for (const edge of task.children) {
    const child = s.plan.tasks[edge.child] as CoreTask
    for (const target of targetsOf(edge, child, device)) {
      // On a device, the service says when what comes from outside has ended.
      if (s.plan.device === null || edge.wired) parentEnded(step, edge, child, target)
    }
  }
  if (s.openInstances === 0) endRun(step, 'succeeded')
}

function hasEnded(step: Step, id: number, device: number): boolean {
  const target = instanceAt(step.s.plan.tasks[id] as CoreTask, device)
  return target < 0 || instanceOf(step, target).ended
}

/** One parent instance of a child emits nothing more. */
export function parentEnded(step: Step, edge: CoreEdge, child: CoreTask, target: number): void {
  const inst = instanceOf(step, target)
  inst.openParents -= 1
  const held = inst.arrivals?.heldObjects.get(edge.slot)
  if (held !== undefined) {
    inst.arrivals?.heldObjects.delete(edge.slot)
    arriveObject(step, child, target, edge.slot, held)
  }
  const list = endOfList(step, edge, child, target)
  if (list !== undefined) arriveObject(step, child, target, edge.slot, list)
  if (child.tracked) advance(step, target)
  closeLater(step, target)
}
