/**
 * The run core: `step(state, event, effects)` is the one meaning of a run, in the service and on every device. It has no
 * clock, I/O or randomness, looks only at what the event concerns, and leaves the rest to whoever carries out the effects.
 */
import { afterFailure } from '../policy.ts'
import {
  describe,
  deviceOf,
  endRun,
  fail,
  giveUpLater,
  instanceAt,
  instanceOf,
  loss,
  type Step,
  taskOf,
} from './context.ts'
import type {
  CoreEffect,
  CoreEvent,
  ItemArrived,
  ItemReached,
  LaneStart,
  OutsideEnded,
  TaskDone,
  TaskFailed,
} from './events.ts'
import { advance, close, emit, finish, parentEnded, reach, saveState, tooMany } from './flow.ts'
import { deviceLost, deviceUp, rehouse, startLanes } from './lanes.ts'
import type { CoreTask } from './plan.ts'
import { leave, pump, ready, releaseHeld, retryLater, timerFired } from './schedule.ts'
import { addSeq, endOfSeqs, fromRanges, hasSeq, newSeqSet } from './seq-set.ts'
import type { Instance, Invocation, RunState } from './state.ts'

/**
 * Takes one event in and appends what is to be done to `effects`. Events of a run that has ended are ignored, and so are
 * repetitions of what came before.
 */
export function step(state: RunState, event: CoreEvent, effects: CoreEffect[]): void {
  const context: Step = {
    s: state,
    fx: effects,
    at: event.at,
    closing: [],
    dropped: null,
    release: null,
    pump: false,
  }
  if (event.type === 'start' ? state.phase !== 'new' : state.phase !== 'running') {
    if (state.phase === 'new') before(context, event)
    return
  }
  take(context, event)
  settle(context)
}

/** What may come before the start. */
function before(step: Step, event: CoreEvent): void {
  if (event.type === 'resume') resume(step, event.lane)
  else if (event.type === 'deviceLost') deviceLost(step, event.device, event.returns, event.message)
  else if (event.type === 'deviceUp') deviceUp(step, event.device)
  else if (event.type === 'cancel') endRun(step, 'cancelled', event.message)
}

function take(step: Step, event: CoreEvent): void {
  switch (event.type) {
    case 'start':
      return start(step)
    case 'item':
      return itemArrived(step, event)
    case 'reached':
      return itemReached(step, event)
    case 'outsideEnded':
      return outsideEnded(step, event)
    case 'done':
      return taskDone(step, event)
    case 'failed':
      return taskFailed(step, event)
    case 'deviceUp':
      return deviceUp(step, event.device)
    case 'deviceLost':
      return deviceLost(step, event.device, event.returns, event.message)
    case 'timer':
      return timerFired(step, event.id)
    case 'cancel':
      return endRun(step, 'cancelled', event.message)
    case 'resume':
      return
  }
}

/** Carries on until nothing follows any more from the event. */
function settle(step: Step): void {
  const { s } = step
  while (s.phase === 'running') {
    if (step.closing.length > 0) close(step)
    else if (step.release !== null) {
      const instances = step.release
      step.release = null
      for (const instance of instances) releaseHeld(step, instance)
    } else if (step.dropped !== null && step.dropped.length > 0)
      finish(step, step.dropped.pop() as Invocation, 0, { givenUp: true, missed: true })
    else if (step.pump) {
      step.pump = false
      pump(step)
    } else break
  }
  if (s.phase === 'running' && s.plan.device === null) checkStuck(step)
}

function start(step: Step): void {
  const { s } = step
  s.phase = 'running'
  if (s.plan.device === null) startLanes(step)
  for (const task of s.plan.tasks) {
    if (task.external) continue
    task.lanes.forEach((_, slot) => {
      const instance = task.firstInstance + slot
      if (task.parents.length === 0) ready(step, instance, 0, [])
      if (instanceOf(step, instance).openParents === 0) step.closing.push(instance)
    })
  }
  if (s.instances.length === 0) endRun(step, 'succeeded')
}

/** On a device: what an agent did before it was lost is not done again. */
function resume(step: Step, { done, states, generators }: LaneStart): void {
  for (const task of step.s.plan.tasks) {
    const inst = instanceOf(step, task.firstInstance)
    const { name } = task.plan
    if (done[name]) inst.done = fromRanges(done[name])
    inst.state = states[name] ?? null
    const range = generators[name]
    if (!range) continue
    inst.range = range
    if (inst.state && task.plan.restore === 'checkpoint') inst.stateItems = range.first
  }
}

function target(step: Step, task: number, device: number): number {
  const found = step.s.plan.tasks[task]
  return found ? instanceAt(found, step.s.plan.device === null ? device : 0) : -1
}

function itemArrived(step: Step, event: ItemArrived): void {
  const instance = target(step, event.task, event.device)
  if (instance < 0) return
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const { plan } = task
  const seq = plan.kindOut === 'object' ? 0 : event.seq
  const call = plan.kindIn === 'stream' ? seq : 0
  if (event.delivery !== undefined && inst.invocations.get(call)?.delivery !== event.delivery) return
  if (event.state) {
    inst.state = event.state
    inst.stateItems = Math.max(inst.stateItems, event.seq + 1)
    if (!task.local) saveState(step, instance, event.seq, event.state)
  }
  if (plan.kindOut === 'object' && event.seq > 0) return tooMany(step, instance, call, event.seq + 1)
  if (!addSeq(inst.emitted, seq)) return
  emit(step, instance, seq, event.ref)
}

/** On a device. */
function itemReached(step: Step, event: ItemReached): void {
  const child = step.s.plan.tasks[event.child]
  const edge = child?.parents.find(({ parent }) => parent === event.task)
  if (!child || !edge) return
  const inst = instanceOf(step, child.firstInstance)
  const items = inst.came[edge.slot] ?? newSeqSet()
  inst.came[edge.slot] = items
  addSeq(items, event.seq)
  const parent = instanceOf(step, (step.s.plan.tasks[edge.parent] as CoreTask).firstInstance)
  if (edge.wired && edge.mode === 'object' && !edge.early && !parent.ended)
    inst.heldObjects.set(edge.slot, event.ref)
  else reach(step, edge, child, child.firstInstance, 0, event.seq, event.ref)
  if (child.tracked) advance(step, child.firstInstance)
  step.closing.push(child.firstInstance)
}

/** On a device. */
function outsideEnded(step: Step, event: OutsideEnded): void {
  const child = step.s.plan.tasks[event.child]
  const edge = child?.parents.find(({ parent }) => parent === event.task)
  if (!child || !edge) return
  const inst = instanceOf(step, child.firstInstance)
  if (edge.wired || inst.outsideEnded[edge.slot]) return
  inst.outsideEnded[edge.slot] = true
  parentEnded(step, edge, child, child.firstInstance)
}

function taskDone(step: Step, event: TaskDone): void {
  const instance = target(step, event.task, event.device)
  if (instance < 0) return
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const invocation = inst.invocations.get(event.seq)
  if (invocation?.state !== 'running') {
    if (!task.local && hasSeq(inst.done, event.seq)) doneAgain(step, task, instance, event)
    return
  }
  if (event.delivery !== undefined && event.delivery !== invocation.delivery) return
  if (!task.local && step.s.plan.device === null && !cameWhole(step, task, inst, event)) return
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
  if (!shareIsLast(step, task, event)) return
  lostBelow(step, task, instance, event.seq, event.items)
  const late = task.plan.deadlineMs !== undefined && event.at > invocation.readyAt + task.plan.deadlineMs
  finish(step, invocation, event.items, { givenUp: false, missed: event.missed ?? (task.local && late) })
}

/**
 * Whether the items that a device says it has emitted have all come. Otherwise it speaks of an earlier beginning of the
 * lane, or of another share of it; the present one will say so itself.
 */
function cameWhole(step: Step, task: CoreTask, { emitted }: Instance, event: TaskDone): boolean {
  if (!task.generator)
    return event.items === 0 || hasSeq(emitted, task.plan.kindIn === 'stream' ? event.seq : 0)
  const share = step.s.lanes[event.device]?.shares.find(({ host }) => host === event.host)
  const end = Math.min(event.items, share?.to ?? Number.POSITIVE_INFINITY)
  for (let seq = Math.max(emitted.low, share?.from ?? 0); seq < end; seq++)
    if (!hasSeq(emitted, seq)) return false
  return true
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
function doneAgain(step: Step, task: CoreTask, instance: number, event: TaskDone): void {
  const inst = instanceOf(step, instance)
  if (event.state && inst.savedStates.has(event.seq)) inst.savedStates.set(event.seq, event.state)
  lostBelow(step, task, instance, event.seq, event.items)
}

/** A device ended an invocation with so many items: those that an earlier beginning had emitted beyond them are lost. */
function lostBelow(step: Step, task: CoreTask, instance: number, seq: number, items: number): void {
  if (task.local || step.s.plan.device !== null) return
  const { emitted } = instanceOf(step, instance)
  const device = deviceOf(step, instance)
  if (task.generator) {
    // Of a divided lane, an agent knows its own share only.
    if ((step.s.lanes[device]?.shares.length ?? 1) > 1) return
    const end = endOfSeqs(emitted)
    for (let number = items; number < end; number++) inputLost(step, task, device, number)
  } else if (items === 0 && hasSeq(emitted, seq)) inputLost(step, task, device, seq)
}

/** An item on a lost device did not come again: what still waits for it below, over wires, is given up. */
function inputLost(step: Step, { children, plan }: CoreTask, device: number, seq: number): void {
  if (plan.kindOut === 'object') return
  for (const { child, wired } of children) {
    const task = step.s.plan.tasks[child] as CoreTask
    const below = wired ? instanceAt(task, device) : -1
    if (below < 0) continue
    const { invocations, waiting, done } = instanceOf(step, below)
    const invocation = invocations.get(seq)
    if (invocation || waiting.has(seq))
      loss(
        step,
        `${describe(step, below, seq)} was given up: its input did not come again after the device was lost.`,
      )
    if (invocation) finish(step, invocation, 0, { givenUp: true, missed: false })
    else if (waiting.delete(seq)) {
      addSeq(done, seq)
      if (task.tracked) advance(step, below)
      step.closing.push(below)
    } else if (hasSeq(done, seq)) inputLost(step, task, device, seq)
  }
}

function taskFailed(step: Step, event: TaskFailed): void {
  const instance = target(step, event.task, event.device)
  if (instance < 0) return
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const invocation = inst.invocations.get(event.seq)
  if (invocation?.state !== 'running') {
    if (!task.local && hasSeq(inst.done, event.seq)) failedAgain(step, task, instance, event)
    return
  }
  if (event.delivery !== undefined && event.delivery !== invocation.delivery) return
  if (event.kind === 'deadline') {
    lostBelow(step, task, instance, event.seq, 0)
    giveUpLater(step, invocation)
    return countDropped(step, task)
  }
  const what = describe(step, instance, event.seq)
  const next = policyFor(step, task, invocation, event)
  if (next === 'retry') {
    if (!task.local) {
      const lane = step.s.lanes[event.device]
      if (lane && lane.attempt < 3) {
        lane.attempt += 1
        if (rehouse(step, event.device, lane, { divides: true, mayWait: true })) return
        lane.homeless = false
      }
      return giveUp(step, task, invocation, event, 'failRun')
    }
    note(step, task, `${what} failed (${event.message}); try ${invocation.attempt + 1} follows.`)
    leave(step, task, invocation)
    retryLater(step, invocation)
    return
  }
  giveUp(step, task, invocation, event, next)
}

function policyFor(
  step: Step,
  task: CoreTask,
  invocation: Invocation,
  { kind }: TaskFailed,
): 'retry' | 'giveUp' | 'failRun' {
  const divides = task.plan.restore === 'repartition'
  // A device tries again itself, except what other devices are to take over; what it reports is final.
  if (step.s.plan.device !== null && divides) return 'failRun'
  if (task.local) return afterFailure(task.plan, kind, invocation.attempt)
  return afterFailure(task.plan, kind, divides ? 1 : Number.MAX_SAFE_INTEGER)
}

function giveUp(
  step: Step,
  task: CoreTask,
  invocation: Invocation,
  { kind, message, detail, items: came }: TaskFailed,
  next: 'giveUp' | 'failRun',
): void {
  const { instance, seq } = invocation
  const inst = instanceOf(step, instance)
  const counts = step.s.tasks[task.id]
  const what = describe(step, instance, seq)
  const items = task.plan.kindIn === 'stream' ? Number(hasSeq(inst.emitted, seq)) : endOfSeqs(inst.emitted)
  if (counts) counts.failed += 1
  if (step.s.plan.device !== null) {
    const device = deviceOf(step, instance)
    step.fx.push({ type: 'gaveUp', task: task.id, device, seq, kind, message, detail, items })
    if (next === 'failRun') {
      // The service ends the run, or gives the lane to others: nothing goes on past this item here.
      leave(step, task, invocation)
      invocation.state = 'pausing'
      return
    }
    finish(step, invocation, items, { givenUp: true, missed: false })
    return
  }
  note(step, task, detail ? `${message}\n${detail}` : message, 'error')
  step.fx.push({ type: 'task', task: task.id })
  if (next === 'failRun') return fail(step, `${what} failed: ${message}`)
  loss(step, `${what} was given up: ${message}`)
  if (came !== undefined) lostBelow(step, task, instance, seq, came)
  finish(step, invocation, items, { givenUp: true, missed: false })
}

/** A device has dropped an invocation that could not start within its deadline. */
function countDropped(step: Step, task: CoreTask): void {
  const counts = step.s.tasks[task.id]
  if (counts) {
    counts.dropped += 1
    counts.missed += 1
  }
  loss(step, `An item of '${task.plan.name}' was dropped: it could not start within its deadline.`)
}

/** It went well before, but what is wired below it was lost with its device and waits for it once more. */
function failedAgain(step: Step, task: CoreTask, instance: number, event: TaskFailed): void {
  const text = `${describe(step, instance, event.seq)} failed when begun anew: ${event.message}`
  const policy = afterFailure(task.plan, event.kind, Number.MAX_SAFE_INTEGER)
  if (policy === 'failRun' && event.kind !== 'deadline') return fail(step, text)
  loss(step, text)
  doneAgain(step, task, instance, { ...event, type: 'done', items: 0 })
}

function note(step: Step, task: CoreTask, text: string, level: 'warn' | 'error' = 'warn'): void {
  step.fx.push({ type: 'note', level, text, task: task.id })
}

/** Nothing is under way and nothing will come, yet not everything has ended: the run says so instead of waiting for ever. */
function checkStuck(step: Step): void {
  const { s } = step
  if (s.underWay > 0 || s.timers.size > 0 || s.queue.length > 0 || s.openInstances === 0) return
  if (s.lanes.some(({ homeless }) => homeless)) return
  const stuck = s.plan.tasks
    .filter((_, id) => (s.tasks[id]?.open ?? 0) > 0)
    .map(({ plan }) => `'${plan.name}'`)
  fail(step, `The run cannot go on: nothing is under way, but ${stuck.join(', ')} did not end.`)
}
