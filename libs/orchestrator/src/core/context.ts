/** What the parts of one step share. */
import type { CoreEffect } from './events.ts'
import { invocationsOf } from './invocations.ts'
import type { CoreTask } from './plan.ts'
import type { Instance, Invocation, RunState } from './state.ts'

export interface Step {
  s: RunState
  /** Effects so far. */
  fx: CoreEffect[]
  /** Time of the event, in ms. */
  at: number
  /** Instances that may have ended, to be looked at once what is under way is done. */
  closing: number[] | null
  /** Instances with held invocations that may be able to start now. */
  release: Set<number> | null
  /** Given up before they started. */
  dropped: Invocation[] | null
  /** Lanes that wait for their turn may be able to start. */
  turn: boolean
  /** Slots or workers became free, or something was queued. */
  pump: boolean
  /** The only ready invocation, which needs no place in the queue unless it has to wait beyond this step. */
  next: Invocation | null
}

/** The instance may have ended. */
export function closeLater(step: Step, instance: number): void {
  step.closing ??= []
  step.closing.push(instance)
}

/** An invocation that is dropped ends once what is under way in this step is done. */
export function giveUpLater(step: Step, invocation: Invocation): void {
  step.dropped ??= []
  step.dropped.push(invocation)
}

/** What is held on an instance may be able to start now. */
export function lookAgain(step: Step, instance: number): void {
  step.release ??= new Set()
  step.release.add(instance)
}

export const taskOf = ({ s }: Step, instance: number): CoreTask =>
  s.plan.tasks[s.plan.taskOfInstance[instance] as number] as CoreTask

export const instanceOf = ({ s }: Step, instance: number): Instance => s.instances[instance] as Instance

/** Index of the device of an instance; -1 for the swarm. */
export const deviceOf = ({ s }: Step, instance: number): number => s.plan.deviceOfInstance[instance] as number

/** Id of a task's instance for a device (or -1, the swarm); -1 where it has none. */
export function instanceAt(task: CoreTask, device: number): number {
  if (device < 0) return task.plan.scope === 'swarm' ? task.firstInstance : -1
  if (task.plan.scope === 'swarm' && task.lanes[0] === -1) return task.firstInstance
  const slot = task.slotOfDevice[device]
  return slot === undefined || slot < 0 ? -1 : task.firstInstance + slot
}

/** Id of the instance that an event is about; -1 where there is none. */
export function targetOf(step: Step, task: number, device: number): number {
  const found = step.s.plan.tasks[task]
  return found ? instanceAt(found, step.s.plan.device === null ? device : 0) : -1
}

/** `'recognise' on device-2, item 5`, for people. */
export function describe(step: Step, instance: number, seq: number): string {
  const task = taskOf(step, instance)
  const device = deviceOf(step, instance)
  if (device < 0)
    return task.plan.kindIn === 'stream' ? `'${task.plan.name}', item ${seq}` : `'${task.plan.name}'`
  return `'${task.plan.name}' on ${step.s.plan.devices[device]?.name}, item ${seq}`
}

/** States a loss: something that the result of the run lacks. */
export function loss(step: Step, text: string): void {
  step.fx.push({ type: 'note', level: 'warn', text, loss: true })
}

/** Ends the run as failed. What is under way is taken back by `finish` of the step. */
export function fail(step: Step, message: string): void {
  endRun(step, 'failed', message)
}

export function endRun(step: Step, state: 'succeeded' | 'failed' | 'cancelled', message?: string): void {
  const { s, fx } = step
  if (s.phase === 'ended') return
  s.phase = 'ended'
  if (s.underWay > 0)
    for (const [id, instance] of s.instances.entries())
      for (const { seq, state: of, delivery } of invocationsOf(instance))
        if (of === 'running' && taskOf(step, id).local)
          fx.push({
            type: 'cancelDispatch',
            task: taskOf(step, id).id,
            device: deviceOf(step, id),
            seq,
            delivery,
          })
  for (const [lane, { started, shares }] of s.lanes.entries())
    if (started) for (const { host } of shares) fx.push({ type: 'stopLane', lane, host })
  s.queue = []
  step.next = null
  s.blocked.clear()
  s.timers.clear()
  fx.push({ type: 'end', state, ...(message !== undefined && { message }) })
}
