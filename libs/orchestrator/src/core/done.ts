/** Invocations that went well, and what is lost below one that a device has done once more with fewer items. */
import {
  closeLater,
  describe,
  deviceOf,
  fail,
  instanceAt,
  instanceOf,
  loss,
  type Step,
  targetOf,
  taskOf,
} from './context.ts'
import { finish, GIVEN_UP, LATE, ON_TIME } from './ending.ts'
import type { TaskDone } from './events.ts'
import { invocationAt, invocationsOf } from './invocations.ts'
import { tooMany } from './items.ts'
import { saveState } from './kept.ts'
import type { CoreTask } from './plan.ts'
import { endOfSeqs, hasSeq, toRanges, withSeq } from './seq-set.ts'
import type { Invocation, Join } from './state.ts'
import { endAgain } from './turns.ts'
import { advance } from './watermark.ts'

export function taskDone(step: Step, event: TaskDone): void {
  const instance = targetOf(step, event.task, event.device)
  if (instance < 0) return
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const invocation = invocationAt(inst, event.seq)
  if (invocation?.state !== 'running') {
    if (!task.local && hasSeq(inst.done, event.seq)) doneAgain(step, task, instance, event)
    return
  }
  if (event.delivery !== undefined && event.delivery !== invocation.delivery) return
  const tooFew = task.plan.exactlyOne === true && event.items === 0
  if (event.items > 1 && !task.generator) return tooMany(step, instance, event.seq, event.items)
  if (tooFew)
    return fail(
      step,
      `${describe(step, instance, event.seq)} emitted nothing, but Data(${task.plan.dataOut}, kind='object') promises one value for each call.`,
    )
  if (event.state) {
    inst.state = event.state
    inst.stateItems = Math.max(inst.stateItems, endOfSeqs(inst.emitted))
    if (!task.local && task.stateful && !task.generator) saveState(step, instance, event.seq, event.state)
  }
  if (shareIsLast(step, task, event)) {
    const late = task.plan.deadlineMs !== undefined && event.at > invocation.readyAt + task.plan.deadlineMs
    finish(step, invocation, event.items, (event.missed ?? (task.local && late)) ? LATE : ON_TIME)
  }
  lostBelow(step, task, instance, event)
}

/** Of a generator whose numbers several agents share: whether all of them have ended now. */
function shareIsLast(step: Step, task: CoreTask, { device, host }: TaskDone): boolean {
  const lane = task.local ? undefined : step.s.lanes[device]
  if (!lane || !task.generator || lane.shares.length < 2 || host === undefined) return true
  const ended = lane.sharesDone.get(task.id) ?? new Set<number>()
  ended.add(host)
  lane.sharesDone.set(task.id, ended)
  return lane.shares.every((share) => ended.has(share.host))
}

/** A device has done something once more, for the sake of what is wired below. What did not come again is lost. */
export function doneAgain(step: Step, task: CoreTask, instance: number, event: TaskDone): void {
  const inst = instanceOf(step, instance)
  endAgain(step, task, instance, event)
  const saved = inst.remote?.savedStates
  if (event.state && saved?.has(event.seq)) saved.set(event.seq, event.state)
  lostBelow(step, task, instance, event)
}

/** A device ended an invocation with so many items: those that an earlier beginning had emitted beyond them are lost. */
export function lostBelow(
  step: Step,
  task: CoreTask,
  instance: number,
  { seq, items, host }: { seq: number; items: number; host?: number | undefined },
): void {
  if (task.local || step.s.plan.device !== null) return
  const { emitted } = instanceOf(step, instance)
  const device = deviceOf(step, instance)
  if (task.generator) {
    // Of a divided lane, an agent knows its own share only.
    const shares = step.s.lanes[device]?.shares ?? []
    const share = shares.length > 1 ? shares.find((each) => each.host === host) : shares[0]
    if (!share) return
    const end = Math.min(endOfSeqs(emitted), share.to)
    for (let number = Math.max(items, share.from); number < end; number++)
      inputLost(step, task, device, number)
  } else if (items === 0 && hasSeq(emitted, seq)) inputLost(step, task, device, seq)
}

/** An item on a lost device did not come again: what still waits for it below, over wires, is given up. */
function inputLost(step: Step, { children, plan }: CoreTask, device: number, seq: number): void {
  for (const edge of children) {
    const task = step.s.plan.tasks[edge.child] as CoreTask
    const below = edge.wired ? instanceAt(task, device) : -1
    if (below < 0) continue
    if (plan.kindOut === 'object') objectLost(step, task, below, edge.slot)
    else itemLost(step, task, below, seq)
  }
}

/** No item of a child can be computed without the object; those that were, and are needed again, are lost as well. */
function objectLost(step: Step, task: CoreTask, below: number, slot: number): void {
  const inst = instanceOf(step, below)
  const join = inst.join as Join
  if (join.objects[slot] === undefined) return
  join.objects[slot] = undefined
  join.objectsHere -= 1
  const device = deviceOf(step, below)
  for (const [from, to] of toRanges(inst.done))
    for (let seq = from; seq < to; seq++) inputLost(step, task, device, seq)
  for (const invocation of invocationsOf(inst)) giveUpBelow(step, invocation)
  closeLater(step, below)
}

function itemLost(step: Step, task: CoreTask, below: number, seq: number): void {
  const inst = instanceOf(step, below)
  const invocation = invocationAt(inst, seq)
  if (invocation) giveUpBelow(step, invocation)
  else if (inst.join?.waiting.delete(seq)) {
    lossBelow(step, below, seq)
    inst.done = withSeq(inst.done, seq)
    if (task.tracked) advance(step, below)
    closeLater(step, below)
  } else if (hasSeq(inst.done, seq)) inputLost(step, task, deviceOf(step, below), seq)
}

/** What it had emitted lay on the lost device as well. */
function giveUpBelow(step: Step, invocation: Invocation): void {
  const { instance, seq } = invocation
  lossBelow(step, instance, seq)
  finish(step, invocation, 0, GIVEN_UP)
  if (hasSeq(instanceOf(step, instance).emitted, seq))
    inputLost(step, taskOf(step, instance), deviceOf(step, instance), seq)
}

const lossBelow = (step: Step, instance: number, seq: number): void =>
  loss(
    step,
    `${describe(step, instance, seq)} was given up: its input did not come again after the device was lost.`,
  )
