/**
 * Turns of the whole swarm (`Serial` with `scope='swarm'`) for work that a lane does once more, since its values lay on a lost
 * device: it counts as under way like any other, and waits for its turn with its lane.
 */
import { deviceOf, instanceAt, instanceOf, type Step } from './context.ts'
import type { TaskDone } from './events.ts'
import type { CoreTask } from './plan.ts'
import { takesTurns, watchAll } from './schedule.ts'
import { hasSeq, type SeqSet, toRanges } from './seq-set.ts'
import type { Remote } from './state.ts'

/** Tasks that may not overlap with a task anywhere in the swarm. */
const othersOf = ({ serialAfter, serialBefore }: CoreTask): number[] =>
  [...serialAfter, ...serialBefore].flatMap(({ task, swarm }) => (swarm ? [task] : []))

/**
 * Whether a lane has to wait: another lane, or the cloud, is at what may not overlap with what the lane goes on with, or does once
 * more.
 */
export function mustWait(step: Step, device: number, needed: ReadonlyMap<number, SeqSet>): boolean {
  const { plan } = step.s
  return [...needed].some(([id, again]) => {
    const task = plan.tasks[id] as CoreTask
    const begins = toRanges(again).length > 0 || instanceOf(step, instanceAt(task, device)).running > 0
    return (
      begins && othersOf(task).some((other) => runsElsewhere(step, plan.tasks[other] as CoreTask, device))
    )
  })
}

function runsElsewhere(step: Step, other: CoreTask, device: number): boolean {
  if (other.local) return (step.s.tasks[other.id]?.running ?? 0) > 0
  return other.lanes.some(
    (lane, slot) =>
      lane !== device &&
      step.s.lanes[lane]?.homeless === false &&
      instanceOf(step, other.firstInstance + slot).running > 0,
  )
}

/** A lane has begun: what it does once more is under way. */
export function beginAgain(step: Step, device: number, needed: ReadonlyMap<number, SeqSet>): void {
  const { plan, lanes } = step.s
  for (const [id, again] of needed) {
    const task = plan.tasks[id] as CoreTask
    const ranges = toRanges(again)
    if (ranges.length === 0 || !takesTurns(task)) continue
    const inst = instanceOf(step, instanceAt(task, device))
    const { redone } = inst.remote as Remote
    if (!task.generator) {
      for (const [from, to] of ranges)
        for (let seq = from; seq < to; seq++) if (hasSeq(inst.done, seq)) redone.add(`${seq}`)
    } else if (hasSeq(inst.done, 0))
      for (const { host } of lanes[device]?.shares ?? []) redone.add(`on ${host}`)
    count(step, task, device, redone.size)
  }
}

/** An invocation has ended once more. */
export function endAgain(step: Step, task: CoreTask, instance: number, { seq, host }: TaskDone): void {
  const { redone } = instanceOf(step, instance).remote as Remote
  if (redone.delete(task.generator ? `on ${host}` : `${seq}`)) count(step, task, deviceOf(step, instance), -1)
}

/** The agents of a lane do nothing any more. */
export function stopAgain(step: Step, device: number): void {
  for (const task of step.s.plan.tasks) {
    if (task.local || task.external || !takesTurns(task)) continue
    const instance = instanceAt(task, device)
    if (instance < 0) continue
    const { redone } = instanceOf(step, instance).remote as Remote
    const { size } = redone
    redone.clear()
    count(step, task, device, -size)
  }
}

function count(step: Step, task: CoreTask, device: number, change: number): void {
  if (change === 0) return
  instanceOf(step, instanceAt(task, device)).running += change
  step.s.underWay += change
  const counts = step.s.tasks[task.id]
  if (counts) counts.running += change
  if (change > 0) return
  step.turn = true
  watchAll(step, task.serialBefore, device)
  watchAll(step, task.serialAfter, device)
}
