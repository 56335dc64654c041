/** The part of a workflow from one task on, fed with what an earlier run has recorded instead of with the tasks before. Pure. */
import { tierRow } from '@hivemind/swarm'
import type { Plan, PlanTask } from '@hivemind/synthesis'
import type { ValueRef } from '@hivemind/values'
import { SWARM } from './core/plan.ts'
import type { CloudItem, CloudResult, CloudWork } from './service/ports.ts'

/** Why a workflow cannot be run from a task; the message says how to mend it. */
export class FromTaskError extends Error {
  override readonly name = 'FromTaskError'
}

/** A workflow from a task on: the plan, and the tasks in it that only give what was recorded of them. */
export interface PartOfPlan {
  plan: Plan
  recorded: string[]
}

/** Recorded values by task and lane (a device, or `*` for the swarm), in the order of their items. */
export type RecordedValues = Readonly<Record<string, Readonly<Record<string, readonly ValueRef[]>>>>

/**
 * The plan of a task and of all that follows it. Their parents outside the part become sources without code.
 * @throws FromTaskError when there is no such task, when nothing comes before it, or when a task of the part runs on devices
 */
export function planFrom(plan: Plan, from: string): PartOfPlan {
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  if (!byName.has(from))
    throw new FromTaskError(
      `There is no task '${from}' in what is deployed; it has ${[...byName.keys()].join(', ')}.`,
    )
  const part = new Set([from])
  for (const name of part) for (const child of byName.get(name)?.children ?? []) part.add(child)
  const inPart = plan.tasks.filter(({ name }) => part.has(name))
  const onDevices = inPart.filter(({ tier }) => tierRow(tier).perDevice).map(({ name }) => name)
  if (onDevices.length > 0)
    throw new FromTaskError(
      `${onDevices.map((name) => `'${name}'`).join(', ')} would run on devices, which get their inputs from their own tasks: choose a later task, or deploy a placement with ${onDevices.length === 1 ? 'it' : 'them'} in the cloud.`,
    )
  const isSource = ({ name, dataOut, children }: PlanTask): boolean =>
    !part.has(name) &&
    children.some((child) => part.has(child) && byName.get(child)?.dataIn.includes(dataOut ?? ''))
  const sources = plan.tasks.filter(isSource)
  if (sources.length === 0)
    throw new FromTaskError(
      `'${from}' reads nothing of other tasks, so that nothing can be recorded for it: run the whole workflow.`,
    )
  const divided = sources.find(
    ({ scope, children }) =>
      scope === 'swarm' && children.some((child) => part.has(child) && byName.get(child)?.scope !== 'swarm'),
  )
  if (divided)
    throw new FromTaskError(
      `What '${divided.name}' gave was divided among the devices, and the parts are not recorded: run from '${divided.name}'.`,
    )
  const recorded = sources.map(({ name }) => name)
  const kept = new Set([...part, ...recorded])
  const tasks = [...sources.map(asSource), ...inPart].map((task) => ({
    ...task,
    parents: task.parents.filter((name) => part.has(task.name) && kept.has(name)),
    children: task.children.filter((name) => part.has(name)),
    ...(task.serialAfter && { serialAfter: task.serialAfter.filter(({ task: other }) => part.has(other)) }),
  }))
  return {
    plan: {
      ...plan,
      tasks,
      links: plan.links.filter(({ from: parent, to }) => kept.has(parent) && part.has(to)),
      placement: Object.fromEntries(tasks.map(({ name, tier }) => [name, tier])),
      sinks: plan.sinks.filter((name) => part.has(name)),
    },
    recorded,
  }
}

/** A task as a source of its recorded items: called once, it emits them all. */
function asSource(task: PlanTask): PlanTask {
  const { barrier: _, stateKey: __, deadlineMs: ___, onMiss: ____, paceMs: _____, ...rest } = task
  return {
    ...rest,
    tier: 'cloud',
    dataIn: [],
    kindIn: 'object',
    serialAfter: [],
    overlaps: [],
    persist: false,
  }
}

/** An item that a run has recorded. */
export interface RecordedItem {
  task: string
  /** Name of the device, or `*` for the swarm. */
  device: string
  seq: number
}

/** The one item that a run is to be about. */
export type ChosenItem = Omit<RecordedItem, 'task'>

/**
 * Which of the items that a run has recorded the sources of a part give, by task and lane, in their order. Of sources that give
 * items on the same lane, those that all of them have; with `chosen`, that one alone, and all of the swarm.
 * @throws FromTaskError when a source has recorded nothing, or no item is left
 */
export function recordedItems<T extends RecordedItem>(
  { plan, recorded }: PartOfPlan,
  items: Iterable<T>,
  chosen?: ChosenItem,
): Record<string, Record<string, T[]>> {
  const found = new Map(recorded.map((task) => [task, new Map<string, Map<number, T>>()]))
  for (const item of items) {
    const lanes = found.get(item.task)
    const lane = lanes?.get(item.device) ?? new Map<number, T>()
    lanes?.set(item.device, lane.set(item.seq, item))
  }
  const missing = recorded.filter((task) => found.get(task)?.size === 0)
  if (missing.length > 0)
    throw new FromTaskError(
      `The run has not kept what ${missing.map((name) => `'${name}'`).join(', ')} gave: put ${missing.length === 1 ? 'it' : 'them'} under Persist, deploy that version, and run it once.`,
    )
  const sources = plan.tasks.filter(({ name }) => found.has(name))
  /** What each source of streams has on a lane; a task of the swarm has one lane, any other those of the devices. */
  const streamsOn = (lane: string) =>
    sources
      .filter(({ kindOut, scope }) => kindOut === 'stream' && (scope === 'swarm') === (lane === SWARM))
      .map(({ name }) => found.get(name)?.get(lane))
  const isChosen = (lane: string, seq: number, isStream: boolean): boolean =>
    !chosen || lane === SWARM || (lane === chosen.device && (!isStream || seq === chosen.seq))
  const chosenOf = (lane: string, own: ReadonlyMap<number, T>, isStream: boolean): T[] => {
    const all = isStream ? streamsOn(lane) : []
    return [...own]
      .filter(([seq]) => isChosen(lane, seq, isStream) && all.every((items) => items?.has(seq)))
      .sort(([a], [b]) => a - b)
      .map(([, item]) => item)
  }
  const given = Object.fromEntries(
    sources.map(({ name, kindOut }) => [
      name,
      Object.fromEntries(
        [...(found.get(name) ?? [])].map(([lane, own]) => [lane, chosenOf(lane, own, kindOut === 'stream')]),
      ),
    ]),
  )
  const empty = sources.find(({ name }) =>
    Object.values(given[name] ?? {}).every((lane) => lane.length === 0),
  )
  if (empty)
    throw new FromTaskError(
      chosen
        ? `Item ${chosen.seq} of ${chosen.device} is not among what the run has kept.`
        : 'The tasks before have no item in common among what the run has kept.',
    )
  return given
}

/** Gives the recorded items of a source, as if its code had emitted them. Times in ms since 1970. */
export function giveRecorded(
  work: CloudWork,
  values: RecordedValues,
  onItem: (item: CloudItem, index: number) => void,
  now: () => number,
): CloudResult {
  const startedAt = now()
  const items = (values[work.task.name]?.[work.device] ?? []).slice(work.firstItem)
  for (const [index, ref] of items.entries()) onItem({ ref }, index)
  return {
    worker: 'recorded',
    startedAt,
    endedAt: now(),
    breakdown: { network: 0, management: 0, dataExchange: 0, execution: 0 },
    bytesIn: 0,
    bytesOut: 0,
    items: items.length,
  }
}
