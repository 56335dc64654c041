/** How items flow: from a task to its children, through joins and over devices. */
import { collect } from './barrier.ts'
import { deviceOf, instanceAt, instanceOf, type Step, taskOf } from './context.ts'
import type { Part } from './events.ts'
import { forwardTo } from './forward.ts'
import { invocationAt } from './invocations.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { ready } from './schedule.ts'
import { hasSeq } from './seq-set.ts'
import { type Join, OBJECT, type Remote } from './state.ts'
import { advance } from './watermark.ts'

/** An item leaves a task: to its children, and to the results. `part` is `null` for a value that stays on a device. */
export function emit(step: Step, instance: number, seq: number, part: Part): void {
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const device = deviceOf(step, instance)
  if (task.isOutput && (part === null || part.kind !== 'many'))
    step.fx.push({ type: 'output', task: task.id, device, seq, ref: part })
  const held = task.plan.kindOut === 'object' && !task.external
  if (held) inst.object = part
  for (const edge of task.children) if (!held || edge.early) deliver(step, edge, device, seq, part)
  if (task.tracked && task.plan.kindIn === 'object') advance(step, instance)
}

/** Hands an item to one child, on every lane it concerns. */
export function deliver(step: Step, edge: CoreEdge, device: number, seq: number, part: Part): void {
  // On a device, what is wired comes over the wires of its flow, and the rest comes back from the service.
  if (step.s.plan.device !== null && step.s.plan.tasks[edge.parent]?.external !== true) return
  const child = step.s.plan.tasks[edge.child] as CoreTask
  if (edge.scatter) {
    child.lanes.forEach((lane, slot) => {
      const own = partFor(step, part, lane)
      if (own !== undefined) reach(step, edge, child, child.firstInstance + slot, lane, seq, own)
    })
    return
  }
  const target = edge.mode === 'collect' ? child.firstInstance : instanceAt(child, device)
  if (target < 0) return
  const whole = part !== null && part.kind === 'parted' ? part.whole : part
  reach(step, edge, child, target, device, seq, whole)
}

/** The part of a device in a scattered result; `undefined` when it has none. */
function partFor(step: Step, part: Part, device: number): Part | undefined {
  if (part === null || part.kind !== 'parted') return part
  const name = step.s.plan.devices[device]?.name ?? ''
  return Object.hasOwn(part.parts, name) ? part.parts[name] : undefined
}

/** An item has reached a child on one lane. */
export function reach(
  step: Step,
  edge: CoreEdge,
  child: CoreTask,
  target: number,
  device: number,
  seq: number,
  part: Part,
): void {
  const inst = instanceOf(step, target)
  if (inst.ended) return
  if (inst.remote && !edge.wired)
    keepAndForward(step, edge, child, inst.remote, deviceOf(step, target), seq, part)
  if (edge.mode === 'collect') collect(step, edge, child, target, { device, seq, part })
  else if (edge.mode === 'object') arriveObject(step, child, target, edge.slot, part)
  else arriveItem(step, child, target, edge.slot, seq, part)
}

function keepAndForward(
  step: Step,
  edge: CoreEdge,
  child: CoreTask,
  remote: Remote,
  device: number,
  seq: number,
  part: Part,
): void {
  const number = edge.mode === 'item' ? seq : OBJECT
  const kept = remote.kept.get(number) ?? new Map<number, Part>()
  kept.set(edge.slot, part)
  remote.kept.set(number, kept)
  if (child.gated) return
  const parent = step.s.plan.tasks[edge.parent] as CoreTask
  if (child.tracked && edge.mode === 'item') {
    const from = instanceOf(step, edge.scatter ? parent.firstInstance : instanceAt(parent, device))
    if (from.watermark <= seq) {
      // A task that keeps state reads in order, so nothing goes ahead of what may still come.
      const held = remote.heldForwards.get(edge.slot) ?? new Map<number, Part>()
      held.set(seq, part)
      remote.heldForwards.set(edge.slot, held)
      return
    }
  }
  forwardTo(step, device, edge, seq, part)
}

function arriveItem(
  step: Step,
  child: CoreTask,
  target: number,
  slot: number,
  seq: number,
  part: Part,
): void {
  const inst = instanceOf(step, target)
  const { join } = inst
  if (!join) return ready(step, target, seq, [part])
  if (invocationAt(inst, seq) || hasSeq(inst.done, seq)) return
  let waiting = join.waiting.get(seq)
  if (!waiting) {
    waiting = { parts: [], count: 0 }
    join.waiting.set(seq, waiting)
  }
  if (waiting.parts[slot] !== undefined) return
  waiting.parts[slot] = part
  waiting.count += 1
  if (waiting.count === child.itemParents && join.objectsHere === child.objectParents)
    complete(step, child, join, target, seq)
}

export function arriveObject(step: Step, child: CoreTask, target: number, slot: number, part: Part): void {
  const join = instanceOf(step, target).join as Join
  if (join.objects[slot] !== undefined) return
  join.objects[slot] = part
  join.objectsHere += 1
  if (join.objectsHere < child.objectParents) return
  if (child.itemParents === 0) complete(step, child, join, target, 0)
  else
    for (const seq of [...join.waiting]
      .flatMap(([number, { count }]) => (count === child.itemParents ? [number] : []))
      .sort((a, b) => a - b))
      complete(step, child, join, target, seq)
}

/** All inputs of an item are there. */
function complete(step: Step, child: CoreTask, join: Join, target: number, seq: number): void {
  const items = join.waiting.get(seq)?.parts ?? []
  join.waiting.delete(seq)
  ready(
    step,
    target,
    seq,
    child.parents.map(({ slot, mode }) =>
      mode === 'item' ? (items[slot] ?? null) : (join.objects[slot] ?? null),
    ),
  )
}
