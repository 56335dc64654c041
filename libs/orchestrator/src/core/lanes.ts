/**
 * The lanes of devices: which agent does a lane's work, what it is told when it begins or takes over, and what becomes of
 * the work of an agent that is lost (HiveMind paper, section 4.6).
 */
import { MAX_ATTEMPTS } from '../policy.ts'
import { describe, fail, instanceAt, instanceOf, loss, type Step } from './context.ts'
import { finish, GIVEN_UP } from './ending.ts'
import type { LaneStart } from './events.ts'
import { forwardEnd, forwardTo } from './forward.ts'
import { hasInvocations, invocationAt, invocationsOf } from './invocations.ts'
import { isSettled } from './kept.ts'
import type { CoreTask } from './plan.ts'
import { takesTurns } from './schedule.ts'
import { EMPTY, endOfSeqs, hasSeq, lowOf, type SeqSet, toRanges, withSeq } from './seq-set.ts'
import { type Instance, type Lane, OBJECT, type Remote, type Share } from './state.ts'
import { beginAgain, mustWait, stopAgain } from './turns.ts'

/** Tells every agent to begin its lane. */
export function startLanes(step: Step): void {
  step.s.lanes.forEach((lane, device) => {
    if (edgeTasks(step, device).length === 0) return
    if (step.s.phase !== 'running') return
    lane.started = true
    if (step.s.agents[device] === 'gone') rehouse(step, device, lane, { divides: false, mayWait: false })
    else startIfAll(step, device)
  })
}

/** Starts a lane if all its agents are there and those that did its work before have stopped; otherwise it waits. */
function startIfAll(step: Step, device: number): void {
  const lane = step.s.lanes[device] as Lane
  stopAgain(step, device)
  lane.homeless = lane.stopping.size > 0 || lane.shares.some(({ host }) => step.s.agents[host] !== 'up')
  const needed = lane.homeless ? null : neededAgain(step, device)
  lane.waitsForTurn = needed !== null && mustWait(step, device, needed)
  lane.homeless ||= lane.waitsForTurn
  if (needed !== null && !lane.homeless) startShares(step, device, needed)
}

/** Starts lanes that waited for others to end. */
export function startInTurn(step: Step): void {
  for (const [device, lane] of step.s.lanes.entries()) if (lane.waitsForTurn) startIfAll(step, device)
}

/** Tasks of a lane that run on its device, with their instances, parents first. */
function edgeTasks(step: Step, device: number): { task: CoreTask; inst: Instance; remote: Remote }[] {
  return step.s.plan.tasks.flatMap((task) => {
    if (task.local || task.external) return []
    const id = instanceAt(task, device)
    if (id < 0) return []
    const inst = instanceOf(step, id)
    return [{ task, inst, remote: inst.remote as Remote }]
  })
}

const laneEnded = (step: Step, device: number): boolean =>
  edgeTasks(step, device).every(({ inst }) => inst.ended)

/** Starts the lane on the agents that share it, and sends again what came from outside and is not done. */
function startShares(step: Step, device: number, needed: ReadonlyMap<number, SeqSet>): void {
  const lane = step.s.lanes[device] as Lane
  lane.generation += 1
  lane.sharesDone.clear()
  beginAgain(step, device, needed)
  for (const share of lane.shares)
    step.fx.push({
      type: 'startLane',
      lane: device,
      host: share.host,
      generation: lane.generation,
      start: startOf(step, device, share, needed),
    })
  for (const { task, inst, remote } of edgeTasks(step, device)) {
    const isOver = inst.ended && firstOf(needed.get(task.id) ?? EMPTY) === Number.POSITIVE_INFINITY
    for (const edge of task.parents) {
      if (edge.wired) continue
      for (const [number, parts] of isOver ? [] : [...remote.kept].sort(([a], [b]) => a - b)) {
        const seq = Math.max(0, number)
        const waitsInOrder = remote.heldForwards.get(edge.slot)?.has(seq) === true
        const waitsInTurn =
          task.gated && !hasSeq(inst.done, seq) && invocationAt(inst, seq)?.state !== 'running'
        const goesAlong = number === OBJECT && task.plan.kindIn === 'stream'
        if (parts.has(edge.slot) && (goesAlong || !(waitsInOrder || waitsInTurn)))
          forwardTo(step, device, edge, seq, parts.get(edge.slot) ?? null)
      }
      if (remote.endTold) forwardEnd(step, device, edge)
    }
  }
}

/** What an agent need not do again, and from where on the rest. */
function startOf(step: Step, device: number, share: Share, needed: ReadonlyMap<number, SeqSet>): LaneStart {
  const start: LaneStart = { done: {}, states: {}, generators: {} }
  for (const { task, inst, remote } of edgeTasks(step, device)) {
    const { name } = task.plan
    const again = needed.get(task.id) ?? EMPTY
    const saved = savedBefore(task, inst, remote, again)
    if (saved.state) start.states[name] = saved.state
    if (!task.generator) {
      let done = EMPTY
      for (const [from, to] of toRanges(inst.done))
        for (let seq = from; seq < to; seq++) if (!hasSeq(again, seq)) done = withSeq(done, seq)
      if (task.tracked) done = withNeverToCome(step, task, device, done)
      const ranges = toRanges(done)
      if (ranges.length > 0) start.done[name] = ranges
      continue
    }
    const range = numbersOf(inst, again, saved, share, step.s.options.itemsPerDevice)
    if (range === null) start.done[name] = [[0, 1]]
    else if (range.first > 0 || range.count !== undefined) start.generators[name] = range
  }
  return start
}

/** With the items that will never come to a task, since one above it has dropped them: a device cannot know that any more. */
function withNeverToCome(step: Step, task: CoreTask, device: number, done: SeqSet): SeqSet {
  const ends = task.parents.map(({ parent }) => {
    const above = instanceAt(step.s.plan.tasks[parent] as CoreTask, device)
    return above < 0 ? 0 : endOfSeqs(instanceOf(step, above).emitted)
  })
  let all = done
  for (let seq = lowOf(done); seq < Math.max(0, ...ends); seq++)
    if (!hasSeq(all, seq) && !hasSeq(instanceOf(step, instanceAt(task, device)).done, seq))
      if (isSettled(step, task.id, device, seq)) all = withSeq(all, seq)
  return all
}

/** A saved state, and the number of items it was saved after. */
interface Saved {
  state: Uint8Array | null
  items: number
}

/** The state a task goes on from: the last one, or that before the first item that it has to do again. */
function savedBefore(task: CoreTask, inst: Instance, { savedStates }: Remote, again: SeqSet): Saved {
  const first = firstOf(again)
  if (first === Number.POSITIVE_INFINITY) return { state: inst.state, items: inst.stateItems }
  const saved: Saved = { state: null, items: 0 }
  if (!task.stateful && !task.generator) return saved
  for (const [seq, state] of savedStates) if (seq < first) Object.assign(saved, { state, items: seq + 1 })
  return saved
}

/**
 * The numbers that a generator is to emit for a share of its lane: from the first that did not come, or is needed again, or
 * is not in the saved state. `null` when there is nothing to emit.
 */
function numbersOf(
  { emitted, done }: Instance,
  again: SeqSet,
  saved: Saved,
  { from, to }: Share,
  most = Number.POSITIVE_INFINITY,
): { first: number; count?: number } | null {
  const isDone = hasSeq(done, 0)
  const firstNeeded = firstOf(again)
  if (isDone && firstNeeded === Number.POSITIVE_INFINITY) return null
  let first = from
  while (first < to && hasSeq(emitted, first) && first < firstNeeded) first += 1
  if (saved.state) first = Math.max(from, Math.min(first, saved.items))
  const last = Math.min(to, most, isDone ? endOfSeqs(emitted) : Number.POSITIVE_INFINITY)
  return { first, ...(last < Number.POSITIVE_INFINITY && { count: Math.max(0, last - first) }) }
}

/** The least number in a set; `Infinity` when it is empty. */
const firstOf = (set: SeqSet): number => toRanges(set)[0]?.[0] ?? Number.POSITIVE_INFINITY

/**
 * Items that must be emitted again on a device, by task: their values lay on the lost one and something wired below still
 * needs them.
 */
function neededAgain(step: Step, device: number): Map<number, SeqSet> {
  const needed = new Map<number, SeqSet>()
  const tasks = edgeTasks(step, device)
  for (const { task, inst, remote } of [...tasks].reverse()) {
    let again = EMPTY
    for (const { child, wired } of task.children) {
      if (!wired) continue
      const below = tasks.find((each) => each.task.id === child)
      if (!below) continue
      const belowAgain = needed.get(child) ?? EMPTY
      const { ended } = below.inst
      if (ended && firstOf(belowAgain) === Number.POSITIVE_INFINITY) continue
      if (task.plan.kindOut === 'object') {
        if (lowOf(inst.emitted) > 0) again = withSeq(again, 0)
        continue
      }
      for (const [from, to] of toRanges(inst.emitted))
        for (let seq = from; seq < to; seq++)
          if (hasSeq(belowAgain, seq) || !isSettled(step, child, device, seq)) again = withSeq(again, seq)
    }
    // What keeps state goes on in order from there.
    if (task.stateful)
      for (const seq of remote.savedStates.keys()) if (seq > firstOf(again)) again = withSeq(again, seq)
    needed.set(task.id, again)
  }
  return needed
}

export function deviceUp(step: Step, device: number): void {
  const { s } = step
  s.agents[device] = 'up'
  if (s.phase !== 'running') return
  s.lanes.forEach((lane, index) => {
    if (!lane.started || !lane.homeless) return
    if (!laneEnded(step, index)) startIfAll(step, index)
    else if (lane.shares.some(({ host }) => host === device)) stopAgain(step, index)
  })
}

/** An agent has stopped to work for a lane: those that take it over may begin. */
export function laneStopped(step: Step, index: number, host: number): void {
  const lane = step.s.lanes[index]
  if (lane?.stopping.delete(host) && lane.homeless && !laneEnded(step, index)) startIfAll(step, index)
}

/** An agent is gone. What it had not finished is begun anew, divided, given up or the end of the run, by policy. */
export function deviceLost(step: Step, device: number, returns: boolean, message: string): void {
  const { s } = step
  const before = s.agents[device]
  s.agents[device] = returns ? 'returning' : 'gone'
  if (s.phase !== 'running') return
  s.lanes.forEach((_, index) => laneStopped(step, index, device))
  s.lanes.forEach((lane, index) => {
    if (s.phase !== 'running' || !lane.started) return
    if (!lane.shares.some(({ host }) => host === device)) return
    if (before === 'up' && !laneEnded(step, index)) recall(step, index, lane, device, message)
    if (s.phase !== 'running') return
    // What it was doing once more is of use to nobody.
    if (laneEnded(step, index)) return stopAgain(step, index)
    const divides = edgeTasks(step, index).some(
      ({ task, inst }) => !inst.ended && task.plan.restore === 'repartition',
    )
    if (divides || !returns) rehouse(step, index, lane, { divides, mayWait: returns })
    else {
      awaitAgent(step, index)
      stopAgain(step, index)
    }
  })
}

/** A lane has no agent that is known to be there. It may be at work all the same. */
export function awaitAgent(step: Step, index: number): void {
  const lane = step.s.lanes[index] as Lane
  lane.homeless = true
  lane.waitsForTurn = false
  step.turn = true
}

/** What the lost agent had under way is given up where the policy says so; the rest is to be begun anew. */
function recall(step: Step, index: number, lane: Lane, host: number, message: string): void {
  const { s } = step
  lane.homeless = true
  for (const { task, inst } of edgeTasks(step, index)) {
    if (task.plan.restore !== 'ignore') continue
    for (const invocation of invocationsOf(inst)) {
      if (!lane.shares.some((share) => share.host === host && isIn(share, invocation.seq))) continue
      loss(step, `${describe(step, invocation.instance, invocation.seq)} was given up: ${message}`)
      const counts = s.tasks[task.id]
      if (counts) counts.failed += 1
      finish(step, invocation, endOfSeqs(inst.emitted), GIVEN_UP)
    }
  }
  giveUpOrphans(step, index, message)
  const unfinished = edgeTasks(step, index).filter(({ inst }) => hasInvocations(inst) || !inst.ended)
  if (unfinished.every(({ inst }) => !hasInvocations(inst))) return
  lane.attempt += 1
  if (lane.attempt > MAX_ATTEMPTS)
    fail(
      step,
      `${message} It was lost ${MAX_ATTEMPTS} times during ${workOf(step, index)}, which could not be finished.`,
    )
}

const isIn = ({ from, to }: Share, seq: number): boolean => seq >= from && seq < to

/** Invocations whose input lay on the lost device, and comes of a task that is not called again. */
function giveUpOrphans(step: Step, index: number, message: string): void {
  for (const { task, inst } of edgeTasks(step, index))
    for (const invocation of invocationsOf(inst)) {
      const orphaned = task.parents.some(({ wired, parent }) => {
        const above = step.s.plan.tasks[parent] as CoreTask
        return wired && above.plan.restore === 'ignore'
      })
      if (!orphaned) continue
      loss(step, `${describe(step, invocation.instance, invocation.seq)} was given up: ${message}`)
      finish(step, invocation, Number(hasSeq(inst.emitted, invocation.seq)), GIVEN_UP)
    }
}

/** Gives a lane to other agents: to one, or divided among several by free capacity. */
export function rehouse(
  step: Step,
  index: number,
  lane: Lane,
  { divides, mayWait }: { divides: boolean; mayWait: boolean },
): boolean {
  const { s, fx } = step
  const others = hostsFor(step, index)
  const name = s.plan.devices[index]?.name ?? ''
  if (others.length === 0) {
    lane.homeless = true
    if (!mayWait)
      fail(
        step,
        `Device ${name} was lost and no other device is left: ${workOf(step, index)} could not be finished.`,
      )
    return false
  }
  const shares = divides
    ? divide(step, index, others)
    : [{ host: others[0] as number, from: 0, to: Number.POSITIVE_INFINITY }]
  for (const { host } of lane.shares) {
    if (shares.some((share) => share.host === host)) continue
    // One that is away may still get what it was sent before.
    if (s.agents[host] === 'up') lane.stopping.add(host)
    fx.push({ type: 'stopLane', lane: index, host })
  }
  lane.shares = shares
  const names = shares.map(({ host }) => s.plan.devices[host]?.name ?? '')
  const text = `${capital(workOf(step, index))} moves from ${name} to ${names.join(', ')}.`
  if (s.agents[index] === 'gone')
    loss(step, `Device ${name} was given up; ${workOf(step, index)} moves to ${names.join(', ')}.`)
  else fx.push({ type: 'note', level: 'warn', text, device: index })
  startIfAll(step, index)
  return true
}

/** Agents that can take over a lane: up, of the same class if there is one, those with least work and most capacity first. */
function hostsFor({ s }: Step, index: number): number[] {
  const { devices } = s.plan
  const up = devices.flatMap((_, host) => (host !== index && s.agents[host] === 'up' ? [host] : []))
  const alike = up.filter((host) => devices[host]?.class === devices[index]?.class)
  const lanesOf = (host: number): number =>
    s.lanes.filter(({ shares }) => shares.some((share) => share.host === host)).length
  const load = (host: number): number => lanesOf(host) / (s.capacities[host] ?? 1)
  return [...(alike.length > 0 ? alike : up)].sort((a, b) => load(a) - load(b) || a - b)
}

/**
 * Divides the numbers that are left among the agents, in proportion to their capacity. A lane goes to one agent when its
 * number of items is not known, when its tasks keep state, or when they take turns in the whole swarm: an agent keeps them
 * apart from each other, and calls what runs once for the device once.
 */
function divide(step: Step, index: number, hosts: number[]): Share[] {
  const { s } = step
  const tasks = edgeTasks(step, index)
  const whole = [{ host: hosts[0] as number, from: 0, to: Number.POSITIVE_INFINITY }]
  const most = s.options.itemsPerDevice
  const streams = tasks.some(({ task }) => task.generator)
  const isWhole = tasks.some(({ task }) => task.stateful || takesTurns(task))
  if (most === undefined || !streams || isWhole) return whole
  const begun = Math.min(
    ...tasks.filter(({ task }) => task.plan.kindOut === 'stream').map(({ inst }) => lowOf(inst.done)),
  )
  const from = Math.max(
    0,
    Math.min(begun, ...tasks.filter(({ task }) => task.generator).map(({ inst }) => lowOf(inst.emitted))),
  )
  const left = most - from
  if (left < 2) return whole
  const capacity = (host: number): number => s.capacities[host] ?? 1
  const total = hosts.reduce((sum, host) => sum + capacity(host), 0)
  const shares: Share[] = []
  let at = from
  let sum = 0
  for (const host of hosts) {
    sum += capacity(host)
    const to = from + Math.round((left * sum) / total)
    if (to > at) shares.push({ host, from: shares.length === 0 ? 0 : at, to })
    at = Math.max(at, to)
  }
  const last = shares.at(-1)
  if (last) last.to = Number.POSITIVE_INFINITY
  return shares
}

function workOf(step: Step, index: number): string {
  const names = edgeTasks(step, index).map(({ task }) => `'${task.plan.name}'`)
  return `the work of ${names.join(', ')} for ${step.s.plan.devices[index]?.name}`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
