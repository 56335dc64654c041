/** How items flow: from a task to its children, through joins and barriers, to the end of each task. */
import {
  describe,
  deviceOf,
  endRun,
  fail,
  instanceAt,
  instanceOf,
  lookAgain,
  loss,
  type Step,
  taskOf,
} from './context.ts'
import type { Part } from './events.ts'
import { forwardEnd, forwardTo } from './forward.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { leave, ready, watch } from './schedule.ts'
import { addSeq, endOfSeqs, hasSeq, newSeqSet, type SeqSet, sizeOf } from './seq-set.ts'
import { type Instance, type Invocation, OBJECT } from './state.ts'

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
function deliver(step: Step, edge: CoreEdge, device: number, seq: number, part: Part): void {
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

function arriveObject(step: Step, child: CoreTask, target: number, slot: number, part: Part): void {
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

function collect(
  step: Step,
  edge: CoreEdge,
  child: CoreTask,
  target: number,
  { device, seq, part }: { device: number; seq: number; part: Part },
): void {
  const inst = instanceOf(step, target)
  const items = inst.collected?.[edge.slot]
  if (!items) return
  if (inst.opened) {
    inst.late += 1
    return
  }
  items.push({
    device: step.s.plan.devices[device]?.name ?? '*',
    seq,
    ref: part === null || part.kind === 'many' ? null : part.kind === 'parted' ? part.whole : part,
  })
  inst.collectCount += 1
  const wanted = wantedBy(child)
  if (wanted !== null && inst.collectCount >= wanted) open(step, child, target)
}

/** Items after which a barrier opens; `null` when it waits for all, or where there is none. */
function wantedBy({ plan: { barrier } }: CoreTask): number | null {
  if (!barrier || barrier.kind === 'all') return null
  return barrier.kind === 'any' ? 1 : barrier.count
}

/** The barrier opens with what has come. */
function open(step: Step, child: CoreTask, target: number): void {
  const inst = instanceOf(step, target)
  if (inst.opened) return
  inst.opened = true
  ready(
    step,
    target,
    0,
    child.parents.map(
      ({ slot }): Part => ({ kind: 'many', items: sorted(step, inst.collected?.[slot] ?? []) }),
    ),
  )
  inst.collected = child.parents.map(() => [])
}

function sorted<Item extends { device: string; seq: number }>({ s }: Step, items: Item[]): Item[] {
  const rank = ({ device }: Item): number => s.plan.deviceByName.get(device) ?? -1
  return [...items].sort((a, b) => rank(a) - rank(b) || a.seq - b.seq)
}

/** An invocation ended well, or was given up. Its items have been emitted. */
export function finish(
  step: Step,
  invocation: Invocation,
  items: number,
  how: { givenUp: boolean; missed: boolean },
): void {
  const { instance, seq } = invocation
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const counts = step.s.tasks[task.id]
  leave(step, task, invocation)
  inst.invocations.delete(seq)
  addSeq(inst.done, seq)
  if (counts && !how.givenUp) counts.done += 1
  if (counts && how.missed && !how.givenUp) counts.missed += 1
  const device = deviceOf(step, instance)
  const { givenUp, missed } = how
  step.fx.push({ type: 'ended', task: task.id, device, seq, items, missed, givenUp })
  step.fx.push({ type: 'task', task: task.id })
  if (inst.object !== undefined) {
    const part = inst.object
    inst.object = undefined
    for (const edge of task.children) if (!edge.early) deliver(step, edge, device, 0, part)
  }
  forget(step, task, instance, seq)
  if (task.tracked) advance(step, instance)
  for (const { task: other, swarm } of task.serialBefore) watch(step, other, swarm ? -1 : device)
  if (inst.openParents <= 0) step.closing.push(instance)
}

/** Drops the inputs from outside that no loss of the device can ask for any more. */
function forget(step: Step, task: CoreTask, instance: number, seq: number): void {
  if (task.local || task.keepers.length === 0) return
  const device = deviceOf(step, instance)
  for (const id of task.keepers) {
    const keeper = step.s.plan.tasks[id] as CoreTask
    const { kept } = instanceOf(step, instanceAt(keeper, device))
    const isOver = (number: number): boolean =>
      keeper.wiredBelow.every((below) => isSettled(step, below, device, number))
    if (!keeper.wiredBelow.some((below) => step.s.plan.tasks[below]?.stateful)) {
      if (kept.has(seq) && isOver(seq)) kept.delete(seq)
      continue
    }
    // A task that keeps state goes back to the first item that is asked for, and does all after it again.
    for (const number of [...kept.keys()].sort((a, b) => a - b)) {
      if (number === OBJECT) continue
      if (!isOver(number)) break
      kept.delete(number)
    }
  }
}

/** Remembers the state of a task on a device after an item, and forgets those that nothing can ask for any more. */
export function saveState(step: Step, instance: number, seq: number, state: Uint8Array): void {
  const task = taskOf(step, instance)
  const { savedStates } = instanceOf(step, instance)
  savedStates.set(seq, state)
  const device = deviceOf(step, instance)
  let oldest = -1
  for (const saved of savedStates.keys()) {
    const settled = task.wiredBelow.every(
      (below) => below === task.id || isSettled(step, below, device, saved),
    )
    if (!settled) return
    if (oldest >= 0) savedStates.delete(oldest)
    oldest = saved
  }
}

/** Whether a task on a device is done with an item, or will not be called for it. */
function isSettled(step: Step, id: number, device: number, seq: number): boolean {
  const task = step.s.plan.tasks[id] as CoreTask
  const target = instanceAt(task, device)
  if (target < 0) return true
  const inst = instanceOf(step, target)
  if (inst.ended || hasSeq(inst.done, seq)) return true
  if (inst.invocations.has(seq) || task.plan.kindIn === 'object') return false
  return task.parents.some(({ wired, parent }) => {
    const above = step.s.plan.tasks[parent] as CoreTask
    if (!wired || above.plan.kindOut !== 'stream') return false
    const from = instanceOf(step, instanceAt(above, device))
    return !hasSeq(from.emitted, seq) && (from.ended || hasSeq(from.done, seq))
  })
}

function hasEnded(step: Step, id: number, device: number): boolean {
  const target = instanceAt(step.s.plan.tasks[id] as CoreTask, device)
  return target < 0 || instanceOf(step, target).ended
}

/** Ends every instance that can get no more input and has nothing under way, and tells its children. */
export function close(step: Step): void {
  for (let instance = step.closing.pop(); instance !== undefined; instance = step.closing.pop()) {
    const inst = instanceOf(step, instance)
    const task = taskOf(step, instance)
    if (step.s.phase !== 'running') return
    if (inst.ended || inst.openParents > 0 || isOnWire(step, task, inst)) continue
    if (!task.local) tellEnd(step, task, inst, instance)
    if (inst.collected && !inst.opened && task.plan.barrier) {
      const short = (wantedBy(task) ?? 0) - inst.collectCount
      if (short > 0)
        loss(
          step,
          `The barrier of '${task.plan.name}' ran ${short} ${short === 1 ? 'instance' : 'instances'} short: no more came.`,
        )
      open(step, task, instance)
    }
    if (inst.invocations.size > 0) continue
    end(step, task, instance)
  }
}

/** Once no input of a task on a device is held back any more, its device hears that no more comes. */
function tellEnd(step: Step, task: CoreTask, inst: Instance, instance: number): void {
  if (inst.endTold || [...inst.invocations.values()].some(({ state }) => state === 'held')) return
  inst.endTold = true
  for (const edge of task.parents) if (!edge.wired) forwardEnd(step, deviceOf(step, instance), edge)
}

/** On a device: whether something that its parents emitted has not reached it yet. */
function isOnWire({ s }: Step, task: CoreTask, { came }: Instance): boolean {
  if (s.plan.device === null) return false
  return task.parents.some(({ wired, parent, slot }) => {
    if (!wired) return false
    const { emitted } = s.instances[(s.plan.tasks[parent] as CoreTask).firstInstance] as Instance
    const items = came[slot]
    return sizeOf(emitted) > (items ? sizeOf(items) : 0)
  })
}

function end(step: Step, task: CoreTask, instance: number): void {
  const { s } = step
  const inst = instanceOf(step, instance)
  const counts = s.tasks[task.id]
  inst.ended = true
  inst.waiting.clear()
  inst.heldForwards.clear()
  for (const id of task.keepers) {
    const keeper = s.plan.tasks[id] as CoreTask
    const above = deviceOf(step, instance)
    if (keeper.wiredBelow.every((below) => hasEnded(step, below, above)))
      instanceOf(step, instanceAt(keeper, above)).kept.clear()
  }
  if (inst.late > 0)
    step.fx.push({
      type: 'note',
      level: 'info',
      text: `The barrier of '${task.plan.name}' had opened already when ${inst.late} more ${inst.late === 1 ? 'instance' : 'instances'} came.`,
    })
  if (counts) {
    counts.open -= 1
    if (counts.open === 0) step.fx.push({ type: 'task', task: task.id })
  }
  s.openInstances -= 1
  if (task.tracked) advance(step, instance)
  const device = deviceOf(step, instance)
  for (const { task: other, swarm } of task.serialBefore) watch(step, other, swarm ? -1 : device)
  for (const edge of task.children) {
    const child = s.plan.tasks[edge.child] as CoreTask
    for (const target of targetsOf(edge, child, device)) {
      // On a device, the service says when what comes from outside has ended.
      if (s.plan.device === null || edge.wired) parentEnded(step, edge, child, target)
    }
  }
  if (s.openInstances === 0) endRun(step, 'succeeded')
}

const targetsOf = (edge: CoreEdge, child: CoreTask, device: number): number[] =>
  edge.scatter
    ? child.lanes.map((_, slot) => child.firstInstance + slot)
    : [edge.mode === 'collect' ? child.firstInstance : instanceAt(child, device)].filter(
        (target) => target >= 0,
      )

/** One parent instance of a child emits nothing more. */
export function parentEnded(step: Step, edge: CoreEdge, child: CoreTask, target: number): void {
  const inst = instanceOf(step, target)
  inst.openParents -= 1
  const held = inst.heldObjects.get(edge.slot)
  if (held !== undefined) {
    inst.heldObjects.delete(edge.slot)
    arriveObject(step, child, target, edge.slot, held)
  }
  if (edge.mode === 'collect' && inst.collectOpen && !child.plan.barrier) {
    const left = (inst.collectOpen[edge.slot] ?? 0) - 1
    inst.collectOpen[edge.slot] = left
    if (left === 0)
      arriveObject(step, child, target, edge.slot, {
        kind: 'many',
        items: sorted(step, inst.collected?.[edge.slot] ?? []),
      })
  }
  if (child.tracked) advance(step, target)
  step.closing.push(target)
}

/**
 * Moves the watermark of a tracked instance: past every item that has ended or will never come. What waits for it, here or
 * as a forward to a device, is looked at again.
 */
export function advance(step: Step, instance: number): void {
  const { s } = step
  const task = taskOf(step, instance)
  const inst = instanceOf(step, instance)
  const before = inst.watermark
  if (inst.ended) inst.watermark = Number.POSITIVE_INFINITY
  else if (task.plan.kindIn === 'object')
    inst.watermark = task.plan.kindOut === 'stream' ? inst.emitted.low : 0
  else inst.watermark = settledBelow(step, task, instance)
  if (inst.watermark === before) return
  if (task.stateful) lookAgain(step, instance)
  const device = deviceOf(step, instance)
  for (const { task: other, swarm } of task.serialBefore) watch(step, other, swarm ? -1 : device)
  for (const edge of task.children) {
    const child = s.plan.tasks[edge.child] as CoreTask
    if (!child.tracked) continue
    for (const target of targetsOf(edge, child, device)) {
      const held = instanceOf(step, target).heldForwards.get(edge.slot) ?? new Map<number, Part>()
      for (const seq of [...held.keys()].filter((number) => number < inst.watermark).sort((a, b) => a - b)) {
        forwardTo(step, deviceOf(step, target), edge, seq, held.get(seq) ?? null)
        held.delete(seq)
      }
      advance(step, target)
    }
  }
}

function settledBelow(step: Step, task: CoreTask, instance: number): number {
  const inst = instanceOf(step, instance)
  const device = deviceOf(step, instance)
  const above = task.parents
    .filter(({ mode }) => mode === 'item')
    .map((edge) => sourceOf(step, inst, edge, device))
  const known = Math.min(...above.map(({ watermark }) => watermark))
  for (let seq = inst.watermark; ; seq++) {
    if (hasSeq(inst.done, seq)) continue
    if (inst.invocations.has(seq) || seq >= known) return seq
    if (above.every(({ items }) => hasSeq(items, seq))) return seq
    if (known === Number.POSITIVE_INFINITY && isBeyond(inst, above, seq)) return Number.POSITIVE_INFINITY
  }
}

/** What a child can know of one parent: the items there were, and below which number no more will come. */
interface Source {
  items: SeqSet
  watermark: number
}

function sourceOf(step: Step, inst: Instance, edge: CoreEdge, device: number): Source {
  if (step.s.plan.device !== null && !edge.wired) {
    // The service sends what comes from outside in order, to a task that needs it so.
    const items = inst.came[edge.slot] ?? newSeqSet()
    return { items, watermark: inst.outsideEnded[edge.slot] ? Number.POSITIVE_INFINITY : endOfSeqs(items) }
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
  [...inst.invocations.keys()].every((number) => number < seq) &&
  above.every(({ items }) => endOfSeqs(items) <= seq) &&
  endOfSeqs(inst.done) <= seq

/** An object or a stream has more items than it may: the error of the task that sent them, with a sentence. */
export function tooMany(step: Step, instance: number, seq: number, items: number): void {
  const { plan } = taskOf(step, instance)
  const what = describe(step, instance, seq)
  fail(
    step,
    plan.kindIn === 'stream'
      ? `${what} emitted ${items} items for one item of a stream. A task that reads a stream may emit at most one for each; return a list instead.`
      : `${what} emitted ${items} values, but its output '${plan.dataOut ?? plan.name}' is one object. Return a list, or write Data(${plan.dataOut ?? plan.name}, kind='stream').`,
  )
}
