/**
 * The run core: `step(state, event, effects)` is the one meaning of a run, in the service and on every device. It has no
 * clock, I/O or randomness, looks only at what the event concerns, and leaves the rest to whoever carries out the effects.
 */
import { closeLater, endRun, fail, instanceOf, type Step } from './context.ts'
import { taskDone } from './done.ts'
import { close, DROPPED, finish } from './ending.ts'
import type { CoreEffect, CoreEvent, LaneStart } from './events.ts'
import { taskFailed } from './failures.ts'
import { interrupted } from './interruption.ts'
import { itemArrived, itemReached, outsideEnded } from './items.ts'
import { deviceLost, deviceUp, laneStopped, startInTurn, startLanes } from './lanes.ts'
import { pump, ready, releaseHeld, timerFired } from './schedule.ts'
import { fromRanges } from './seq-set.ts'
import type { Invocation, RunState } from './state.ts'

/**
 * Takes one event in and appends what is to be done to `effects`. Events of a run that has ended are ignored, and so are
 * repetitions of what came before.
 */
export function step(state: RunState, event: CoreEvent, effects: CoreEffect[]): void {
  const context: Step = {
    s: state,
    fx: effects,
    at: event.at,
    closing: null,
    dropped: null,
    release: null,
    pump: false,
    turn: false,
    next: null,
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
  else if (event.type === 'capacity') step.s.capacities[event.device] = event.capacity
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
    case 'capacity':
      step.s.capacities[event.device] = event.capacity
      return
    case 'interrupted':
      return interrupted(step, event.message)
    case 'laneStopped':
      return laneStopped(step, event.lane, event.host)
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
    if (step.closing !== null && step.closing.length > 0) close(step)
    else if (step.turn) {
      step.turn = false
      startInTurn(step)
    } else if (step.release !== null) {
      const instances = step.release
      step.release = null
      for (const instance of instances) releaseHeld(step, instance)
    } else if (step.dropped !== null && step.dropped.length > 0)
      finish(step, step.dropped.pop() as Invocation, 0, DROPPED)
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
      if (instanceOf(step, instance).openParents === 0) closeLater(step, instance)
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
