/**
 * When a ready invocation starts: `Serial`, the order of tasks that keep state, priority and deadline within the slots.
 * What runs on a device is scheduled there, by the same code.
 */
import {
  closeLater,
  describe,
  deviceOf,
  giveUpLater,
  instanceAt,
  instanceOf,
  lookAgain,
  loss,
  type Step,
  taskOf,
} from './context.ts'
import type { Part } from './events.ts'
import { forwardTo } from './forward.ts'
import { addInvocation, hasInvocations, invocationAt, invocationsOf } from './invocations.ts'
import type { CoreTask } from './plan.ts'
import { dequeue, dueAt, enqueue, firstOf, storeNext } from './queue.ts'
import { hasSeq } from './seq-set.ts'
import { isNext } from './sources.ts'
import type { Instance, Invocation } from './state.ts'

const RETRY_PAUSE_MS = 50

/** The inputs of an invocation are complete. */
export function ready(step: Step, instance: number, seq: number, parts: Part[]): void {
  const { s } = step
  const inst = instanceOf(step, instance)
  if (invocationAt(inst, seq) || hasSeq(inst.done, seq)) return
  s.lastOrder += 1
  const invocation: Invocation = {
    instance,
    seq,
    state: 'held',
    parts,
    readyAt: step.at,
    attempt: 1,
    delivery: 0,
    order: s.lastOrder,
  }
  addInvocation(inst, invocation)
  admit(step, invocation)
}

/** Starts or queues a held invocation if nothing is in its way. */
function admit(step: Step, invocation: Invocation): void {
  const task = taskOf(step, invocation.instance)
  // A device keeps order among its own tasks; what must wait for others waits here.
  if (task.ordered && (task.local || task.gated) && !mayStart(step, task, invocation)) return
  if (task.local) {
    invocation.state = 'queued'
    enqueue(step, invocation)
    step.pump = true
    return
  }
  if (task.gated) {
    const { instance, seq } = invocation
    if (task.tracked) {
      if (!isNext(step, task, instance, seq)) return
      lookAgain(step, instance)
    }
    const lane = deviceOf(step, invocation.instance)
    for (const edge of task.parents)
      if (!edge.wired) forwardTo(step, lane, edge, invocation.seq, invocation.parts[edge.slot] ?? null)
    closeLater(step, invocation.instance)
  }
  begin(step, task, invocation)
}

/** Looks again at what was held on an instance. */
export function releaseHeld(step: Step, instance: number): void {
  const inst = instanceOf(step, instance)
  const held = invocationsOf(inst).filter(({ state }) => state === 'held')
  for (const invocation of held.sort((a, b) => a.seq - b.seq)) admit(step, invocation)
}

function mayStart(step: Step, task: CoreTask, { instance, seq }: Invocation): boolean {
  if (task.stateful && instanceOf(step, instance).watermark !== seq && task.plan.kindIn === 'stream')
    return false
  const device = deviceOf(step, instance)
  for (const { task: id, swarm } of task.serialAfter) {
    const first = step.s.plan.tasks[id] as CoreTask
    // On a device, the service has seen to the order in the whole swarm.
    const inOrder = !swarm || step.s.plan.device === null
    if (inOrder && !isPast(step, first, task, device, seq)) return false
    if (isRunning(step, first, device, swarm)) return false
  }
  for (const { task: id, swarm } of task.serialBefore)
    if (isRunning(step, step.s.plan.tasks[id] as CoreTask, device, swarm)) return false
  return true
}

/** Whether the first task of a `Serial` pair has ended for this item, or never will be called for it. */
function isPast(step: Step, first: CoreTask, then: CoreTask, device: number, seq: number): boolean {
  const sameLane = device >= 0 && first.plan.scope !== 'swarm'
  const instances = sameLane
    ? [instanceAt(first, device)].filter((id) => id >= 0)
    : first.lanes.map((_, slot) => first.firstInstance + slot)
  const alike = sameLane || (device < 0 && first.plan.scope === 'swarm')
  const byItem = alike && first.plan.kindIn === 'stream' && then.plan.kindIn === 'stream'
  return instances.every((id) => {
    const inst = instanceOf(step, id)
    return inst.ended || (byItem && (hasSeq(inst.done, seq) || inst.watermark > seq))
  })
}

function isRunning(step: Step, other: CoreTask, device: number, swarm: boolean): boolean {
  if (swarm || device < 0) return (step.s.tasks[other.id]?.running ?? 0) > 0
  const id = instanceAt(other, device)
  return id >= 0 && instanceOf(step, id).running > 0
}

/** Marks an invocation as under way. */
function begin(step: Step, task: CoreTask, invocation: Invocation): void {
  const counts = step.s.tasks[task.id]
  invocation.state = 'running'
  instanceOf(step, invocation.instance).running += 1
  if (task.local) count(step, invocation, 1)
  step.s.underWay += 1
  if (!counts) return
  counts.running += 1
  if (invocation.attempt > 1) return
  counts.started += 1
  if (!task.local) step.fx.push({ type: 'task', task: task.id })
}

/** A sensor on a device mostly waits for its next item: it takes no slot from the others. */
const takesSlot = ({ s }: Step, { generator, plan }: CoreTask): boolean =>
  s.plan.device === null || !generator || plan.parents.length > 0

/** The opposite of `begin`: it ended, failed, or is lost. */
export function leave(step: Step, task: CoreTask, invocation: Invocation): void {
  if (invocation.state !== 'running') return
  const counts = step.s.tasks[task.id]
  instanceOf(step, invocation.instance).running -= 1
  step.s.underWay -= 1
  if (counts) counts.running -= 1
  if (task.local) {
    count(step, invocation, -1)
    if (takesSlot(step, task)) step.s.slotsUsed -= 1
    unblock(step, invocation)
    step.pump = true
  }
  if (!task.ordered) return
  const device = deviceOf(step, invocation.instance)
  watchAll(step, task.serialBefore, device)
  watchAll(step, task.serialAfter, device)
  step.turn ||= takesTurns(task)
}

const functionOf = ({ s }: Step, { instance }: Invocation): number =>
  s.plan.functionOfInstance[instance] as number

function count(step: Step, invocation: Invocation, change: number): void {
  const at = functionOf(step, invocation)
  step.s.calls[at] = (step.s.calls[at] as number) + change
}

/** One more invocation of the function of this one may be looked at. */
function unblock(step: Step, invocation: Invocation): void {
  const { blocked } = step.s
  const waiting = blocked.size > 0 ? blocked.get(functionOf(step, invocation))?.shift() : undefined
  if (waiting) enqueue(step, waiting)
}

/** Something that held invocations of these tasks may be waiting for has changed on a device. */
export function watchAll(step: Step, serials: CoreTask['serialBefore'], device: number): void {
  for (const { task, swarm } of serials) watch(step, task, swarm ? -1 : device)
}

function watch(step: Step, id: number, device: number): void {
  const task = step.s.plan.tasks[id] as CoreTask
  const look = (instance: number): void => {
    if (hasInvocations(instanceOf(step, instance))) lookAgain(step, instance)
  }
  const own = device < 0 ? -1 : instanceAt(task, device)
  if (own >= 0) look(own)
  else task.lanes.forEach((_, slot) => look(task.firstInstance + slot))
}

/** Dispatches what may start now, in order of priority, deadline and arrival. */
export function pump(step: Step): void {
  const { s } = step
  const slots = s.options.slots ?? Number.POSITIVE_INFINITY
  const perFunction = s.options.slotsPerFunction ?? Number.POSITIVE_INFINITY
  for (let first = firstOf(step); first && s.phase === 'running'; first = firstOf(step)) {
    const task = taskOf(step, first.instance)
    if (takesSlot(step, task) && s.slotsUsed >= slots) break
    dequeue(step)
    if (first.state !== 'queued') continue
    const at = functionOf(step, first)
    if ((s.calls[at] as number) >= perFunction) {
      const blocked = s.blocked.get(at) ?? []
      blocked.push(first)
      s.blocked.set(at, blocked)
      continue
    }
    if (task.ordered && !mayStart(step, task, first)) {
      first.state = 'held'
      unblock(step, first)
      continue
    }
    if (task.plan.onMiss === 'drop' && step.at > dueAt(task, first)) {
      drop(step, task, first)
      unblock(step, first)
      continue
    }
    if (takesSlot(step, task)) s.slotsUsed += 1
    dispatch(step, task, first)
  }
  storeNext(step)
}

function dispatch(step: Step, task: CoreTask, invocation: Invocation): void {
  const { s, fx } = step
  const inst = instanceOf(step, invocation.instance)
  begin(step, task, invocation)
  s.lastDelivery += 1
  invocation.delivery = s.lastDelivery
  const most = s.options.itemsPerDevice ?? Number.POSITIVE_INFINITY
  const range = task.generator ? rangeOf(task, inst, invocation, most) : null
  fx.push({
    type: 'dispatch',
    task: task.id,
    device: deviceOf(step, invocation.instance),
    seq: invocation.seq,
    delivery: invocation.delivery,
    attempt: invocation.attempt,
    parts: invocation.parts,
    readyAt: invocation.readyAt,
    dueAt: dueAt(task, invocation),
    state: task.stateful || task.plan.restore === 'checkpoint' ? inst.state : null,
    firstItem: range?.first ?? invocation.seq,
    maxItems: range?.max ?? most,
  })
}

/** The numbers that a generator is to emit: all, those after a checkpoint, or those of its share of a lost device's work. */
function rangeOf(
  task: CoreTask,
  inst: Instance,
  { attempt }: Invocation,
  most: number,
): { first: number; max: number } {
  const saved =
    task.plan.restore === 'checkpoint' && inst.state !== null && (attempt > 1 || inst.stateItems > 0)
  const first = Math.max(saved ? inst.stateItems : 0, inst.range?.first ?? 0)
  const end = inst.range?.count === undefined ? most : inst.range.first + inst.range.count
  return { first, max: Math.max(0, end - first) }
}

/** Its deadline passed before it could start. */
function drop(step: Step, task: CoreTask, invocation: Invocation): void {
  const counts = step.s.tasks[task.id]
  if (counts) {
    counts.dropped += 1
    counts.missed += 1
  }
  loss(
    step,
    `${describe(step, invocation.instance, invocation.seq)} was dropped: it could not start within its deadline of ${task.plan.deadlineMs} ms.`,
  )
  giveUpLater(step, invocation)
}

/** Another try, after a pause that doubles. */
export function retryLater(step: Step, invocation: Invocation): void {
  const { s, fx } = step
  invocation.attempt += 1
  invocation.state = 'pausing'
  s.lastTimer += 1
  s.timers.set(s.lastTimer, { instance: invocation.instance, seq: invocation.seq })
  fx.push({ type: 'setTimer', id: s.lastTimer, at: step.at + RETRY_PAUSE_MS * 2 ** (invocation.attempt - 2) })
}

/** Asks for all timers again. Those who wait for them wait for a whole pause from now. */
export function renewTimers({ s, fx, at }: Step): void {
  for (const id of s.timers.keys()) fx.push({ type: 'setTimer', id, at: at + RETRY_PAUSE_MS })
}

export function timerFired(step: Step, id: number): void {
  const { timers } = step.s
  const timer = timers.get(id)
  timers.delete(id)
  const invocation = timer && invocationAt(instanceOf(step, timer.instance), timer.seq)
  if (invocation?.state !== 'pausing') return
  invocation.state = 'held'
  admit(step, invocation)
}

/** Whether a task may not overlap with another one anywhere in the swarm. */
export const takesTurns = ({ serialAfter, serialBefore }: CoreTask): boolean =>
  serialAfter.some(({ swarm }) => swarm) || serialBefore.some(({ swarm }) => swarm)
