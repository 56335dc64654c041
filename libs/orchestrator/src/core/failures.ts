/** Invocations that failed: another try, given up, or the end of the run, by policy. */
import { afterFailure } from '../policy.ts'
import { describe, deviceOf, fail, instanceOf, loss, type Step, targetOf, taskOf } from './context.ts'
import { doneAgain, lostBelow } from './done.ts'
import { DROPPED, finish, GIVEN_UP } from './ending.ts'
import type { TaskFailed } from './events.ts'
import { invocationAt } from './invocations.ts'
import { rehouse } from './lanes.ts'
import type { CoreTask } from './plan.ts'
import { leave, retryLater } from './schedule.ts'
import { endOfSeqs, hasSeq } from './seq-set.ts'
import type { Invocation } from './state.ts'

export function taskFailed(step: Step, event: TaskFailed): void {
  const instance = targetOf(step, event.task, event.device)
  if (instance < 0) return
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const invocation = invocationAt(inst, event.seq)
  if (invocation?.state !== 'running') {
    if (!task.local && hasSeq(inst.done, event.seq)) failedAgain(step, task, instance, event)
    return
  }
  if (event.delivery !== undefined && event.delivery !== invocation.delivery) return
  if (event.kind === 'deadline') {
    countDropped(step, task)
    finish(step, invocation, 0, DROPPED)
    return lostBelow(step, task, instance, { ...event, items: 0 })
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
  { kind, message, detail, items: came, host }: TaskFailed,
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
    finish(step, invocation, items, GIVEN_UP)
    return
  }
  note(step, task, detail ? `${message}\n${detail}` : message, 'error')
  step.fx.push({ type: 'task', task: task.id })
  if (next === 'failRun') return fail(step, `${what} failed: ${message}`)
  loss(step, `${what} was given up: ${message}`)
  finish(step, invocation, items, GIVEN_UP)
  if (came !== undefined) lostBelow(step, task, instance, { seq, items: came, host })
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
  doneAgain(step, task, instance, { ...event, type: 'done', items: event.items ?? 0 })
}

function note(step: Step, task: CoreTask, text: string, level: 'warn' | 'error' = 'warn'): void {
  step.fx.push({ type: 'note', level, text, task: task.id })
}
