/** Ready invocations in order of dispatch: by priority, deadline and arrival. */
import { type Step, taskOf } from './context.ts'
import type { CoreTask } from './plan.ts'
import type { Invocation } from './state.ts'

/** Adds a ready invocation. While there is no other one, it takes no place in the heap. */
export function enqueue(step: Step, invocation: Invocation): void {
  const { queue } = step.s
  if (queue.length === 0 && step.next === null) {
    step.next = invocation
    return
  }
  storeNext(step)
  push(queue, invocation, step)
}

/** The invocation that goes first. */
export const firstOf = ({ s, next }: Step): Invocation | undefined => next ?? s.queue[0]

/** Takes the invocation that goes first out. */
export function dequeue(step: Step): void {
  if (step.next === null) pop(step.s.queue, step)
  else step.next = null
}

/** Puts an invocation that waits beyond this step, or is not the only one, into the heap. */
export function storeNext(step: Step): void {
  if (step.next !== null) push(step.s.queue, step.next, step)
  step.next = null
}

/** When an invocation should have ended; `Infinity` without a deadline. */
export const dueAt = ({ plan }: CoreTask, { readyAt }: Invocation): number =>
  plan.deadlineMs === undefined ? Number.POSITIVE_INFINITY : readyAt + plan.deadlineMs

/** Whether `a` goes before `b`. */
function before(step: Step, a: Invocation, b: Invocation): boolean {
  const [first, second] = [taskOf(step, a.instance), taskOf(step, b.instance)]
  if (first.plan.priority !== second.plan.priority) return first.plan.priority > second.plan.priority
  const [due, otherDue] = [dueAt(first, a), dueAt(second, b)]
  return due !== otherDue ? due < otherDue : a.order < b.order
}

function push(heap: Invocation[], invocation: Invocation, step: Step): void {
  let at = heap.length
  heap.push(invocation)
  while (at > 0) {
    const up = (at - 1) >> 1
    if (!before(step, invocation, heap[up] as Invocation)) break
    heap[at] = heap[up] as Invocation
    at = up
  }
  heap[at] = invocation
}

function pop(heap: Invocation[], step: Step): void {
  const last = heap.pop() as Invocation
  if (heap.length === 0) return
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && before(step, heap[child + 1] as Invocation, heap[child] as Invocation))
      child += 1
    if (!before(step, heap[child] as Invocation, last)) break
    heap[at] = heap[child] as Invocation
    at = child
  }
  heap[at] = last
}
