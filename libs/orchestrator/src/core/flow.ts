/** How items flow: from a task to its children, through joins and over devices. */
import { collect } from './barrier.ts'
import { deviceOf, instanceAt, instanceOf, type Step, taskOf } from './context.ts'
import type { Part } from './events.ts'
import { forwardTo } from './forward.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { ready } from './schedule.ts'
import { hasSeq } from './seq-set.ts'
import { type Instance, OBJECT } from './state.ts'
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
  if (!child.local && !edge.wired) keepAndForward(step, edge, child, inst, deviceOf(step, target), seq, part)
  if (edge.mode === 'collect') collect(step, edge, child, target, { device, seq, part })
  else if (edge.mode === 'object') arriveObject(step, child, target, edge.slot, part)
  else arriveItem(step, child, target, edge.slot, seq, part)
}

function keepAndForward(
  step: Step,
  edge: CoreEdge,
  child: CoreTask,
  inst: Instance,
  device: number,
  seq: number,
  part: Part,
): void {
  const number = edge.mode === 'item' ? seq : OBJECT
  const kept = inst.kept.get(number) ?? new Map<number, Part>()
  kept.set(edge.slot, part)
  inst.kept.set(number, kept)
  if (child.gated) return
  const parent = step.s.plan.tasks[edge.parent] as CoreTask
  if (child.tracked && edge.mode === 'item') {
    const from = instanceOf(step, edge.scatter ? parent.firstInstance : instanceAt(parent, device))
    if (from.watermark <= seq) {
      // A task that keeps state reads in order, so nothing goes ahead of what may still come.
      const held = inst.heldForwards.get(edge.slot) ?? new Map<number, Part>()
      held.set(seq, part)
      inst.heldForwards.set(edge.slot, held)
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
  if (inst.invocations.has(seq) || hasSeq(inst.done, seq)) return
  if (child.parents.length === 1) {
    ready(step, target, seq, [part])
    return
  }
  let waiting = inst.waiting.get(seq)
  if (!waiting) {
    waiting = { parts: [], count: 0 }
    inst.waiting.set(seq, waiting)
  }
  if (waiting.parts[slot] !== undefined) return
  waiting.parts[slot] = part
  waiting.count += 1
  if (waiting.count === child.itemParents && inst.objectsHere === child.objectParents)
    complete(step, child, target, seq)
}

export function arriveObject(step: Step, child: CoreTask, target: number, slot: number, part: Part): void {
  const inst = instanceOf(step, target)
  if (inst.objects[slot] !== undefined) return
  inst.objects[slot] = part
  inst.objectsHere += 1
  if (inst.objectsHere < child.objectParents) return
  if (child.itemParents === 0) complete(step, child, target, 0)
  else
    for (const seq of [...inst.waiting]
      .flatMap(([number, { count }]) => (count === child.itemParents ? [number] : []))
      .sort((a, b) => a - b))
      complete(step, child, target, seq)
}

/** All inputs of an item are there. */
function complete(step: Step, child: CoreTask, target: number, seq: number): void {
  const inst = instanceOf(step, target)
  const items = inst.waiting.get(seq)?.parts ?? []
  inst.waiting.delete(seq)
  ready(
    step,
    target,
    seq,
    child.parents.map(({ slot, mode }) =>
      mode === 'item' ? (items[slot] ?? null) : (inst.objects[slot] ?? null),
    ),
  )
}
