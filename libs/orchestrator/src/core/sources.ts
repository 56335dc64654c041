/** What an instance can know of the items of its parents: which there were, and which will never come. */
import { deviceOf, instanceAt, instanceOf, type Step } from './context.ts'
import { invocationAt, invocationsOf } from './invocations.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { EMPTY, endOfSeqs, hasSeq, type SeqSet } from './seq-set.ts'
import type { Arrivals, Instance } from './state.ts'

/** Below which number every item of an instance has ended or will never come. */
export function settledBelow(step: Step, task: CoreTask, instance: number): number {
  const inst = instanceOf(step, instance)
  const above = sourcesOf(step, task, instance)
  const known = knownBelow(above)
  for (let seq = inst.watermark; ; seq++) {
    if (hasSeq(inst.done, seq)) continue
    if (invocationAt(inst, seq) || seq >= known) return seq
    if (above.every(({ items }) => hasSeq(items, seq))) return seq
    if (known === Number.POSITIVE_INFINITY && isBeyond(inst, above, seq)) return Number.POSITIVE_INFINITY
  }
}

/** Of a task whose device gets its inputs in order: whether it was sent, or will never get, every item below a number. */
export function isNext(step: Step, task: CoreTask, instance: number, seq: number): boolean {
  const inst = instanceOf(step, instance)
  const above = sourcesOf(step, task, instance)
  const known = knownBelow(above)
  for (let number = inst.watermark; number < seq; number++) {
    if (hasSeq(inst.done, number)) continue
    const invocation = invocationAt(inst, number)
    const mayCome = number >= known || above.every(({ items }) => hasSeq(items, number))
    if (invocation ? invocation.state === 'held' : mayCome) return false
  }
  return true
}

/** What a child can know of one parent: the items there were, and below which number no more will come. */
interface Source {
  items: SeqSet
  watermark: number
}

const knownBelow = (above: readonly Source[]): number => Math.min(...above.map(({ watermark }) => watermark))

function sourcesOf(step: Step, task: CoreTask, instance: number): Source[] {
  const inst = instanceOf(step, instance)
  const device = deviceOf(step, instance)
  return task.parents.filter(({ mode }) => mode === 'item').map((edge) => sourceOf(step, inst, edge, device))
}

function sourceOf(step: Step, inst: Instance, edge: CoreEdge, device: number): Source {
  if (step.s.plan.device !== null && !edge.wired) {
    // The service sends what comes from outside in order, to a task that needs it so.
    const { came, outsideEnded } = inst.arrivals as Arrivals
    const items = came[edge.slot] ?? EMPTY
    return { items, watermark: outsideEnded[edge.slot] ? Number.POSITIVE_INFINITY : endOfSeqs(items) }
  }
  const parent = step.s.plan.tasks[edge.parent] as CoreTask
  const { emitted, watermark } = instanceOf(
    step,
    edge.scatter ? parent.firstInstance : instanceAt(parent, device),
  )
  return { items: emitted, watermark }
}

/** Whether nothing is known of an instance at this number or above. */
const isBeyond = (inst: Instance, above: readonly Source[], seq: number): boolean =>
  invocationsOf(inst).every((each) => each.seq < seq) &&
  above.every(({ items }) => endOfSeqs(items) <= seq) &&
  endOfSeqs(inst.done) <= seq
