/** A model prepared for simulation: each task with its links, samplers and random streams. */
import type { Distribution } from '@hivemind/swarm'
import { laneOf, type Sampler, sample, samplerOf, streamOf, uniform } from '../random.ts'
import { drawsOf } from './draws.ts'
import { isOfNode, laneCount, type Model, type ModelTask, type NodeChannel, scatterLanes } from './model.ts'

/** What a random number is drawn for; part of the name of its stream. */
const SERVICE = 0
const OUTPUT = 1
const GAP = 2
const PHASE = 3
const START = 11

/** An edge of the workflow, from its producer's side. */
export interface Link {
  child: number
  /** Position of the producer among the child's parents. */
  at: number
  data: boolean
}

/** What of a task's output goes over one link of an edge node. */
export interface Hop {
  channel: NodeChannel
  /** Whether it has a payload: a mere order has none. */
  payload: boolean
  links: Link[]
  /** The devices for which a result of the swarm goes over it; `null` for other tasks. */
  scattersTo: number[] | null
  /** It takes the task's result to the cloud. */
  returns: boolean
}

export interface TaskWiring {
  task: ModelTask
  inCloud: boolean
  onDevice: boolean
  inNode: boolean
  isSensor: boolean
  isBarrier: boolean
  /** Its invocations are numbered below it: what reads a stream keeps the number of the item, also below a filter. */
  numbers: number
  /** The same of its items. */
  itemNumbers: number
  /** Whether every invocation emits exactly one item. */
  emitsOne: boolean
  /** Whether an invocation emits one item or none. */
  filters: boolean
  returnsResult: boolean
  /** Whether its invocations wait for other ones: by `Serial`, or because it keeps state. */
  isGated: boolean
  /** From when its inputs are complete until its deadline, in ms; infinite when it has none. */
  deadlineMs: number
  /** Is neither a sensor, nor gated, nor has a deadline: starts as soon as its inputs are there. */
  isPlain: boolean
  /** Children on the same device, in the cloud behind a hand-over, and across the uplink. */
  wire: Link[]
  handOver: Link[]
  across: Link[]
  /** Over the links of edge nodes; empty where a fleet has none. */
  hops: Hop[]
  /** Whether its output leaves where it is, over the uplink or a hop; with how much over the uplink: a mere order has no payload. */
  crosses: boolean
  crossesUplink: boolean
  payload: boolean
  service: Sampler
  /** Service times at speed 1 drawn beforehand: that of invocation n of lane l at l · numbers + n; `null` when not kept. */
  draws: Float64Array | null
  output: Sampler
  /** Time to start a container of a cloud function. */
  start: Sampler
  /** The barriers that wait for the ends of its streams, where these come after their last items. */
  endsFor: number[]
  /** Items of a sensor in one stream, and the time between two of them. */
  items: number
  gap: Sampler
  /** Streams of random numbers for each lane; all 0 where nothing is drawn. */
  services: Int32Array
  outputs: Int32Array
  starts: Int32Array
  /** Streams of random numbers from which that of a lane follows. */
  gaps: number
  phases: number
  /** The devices it runs on; `null` when on all of them, or for the swarm. */
  runsOn: Uint8Array | null
  /** The devices that get its result, which is one for the swarm (scatter); `null` for others. */
  scattersTo: Int32Array | null
  /** Has one parent, and needs no joining. */
  single: boolean
  /** Has no children, and no result to return. */
  isLast: boolean
  /** Whether the end of an invocation may be the end of its items: a task on the devices, whose outputs are not each worked on by another that ends later and counts instead. */
  settles: boolean
}

export function wiringOf(model: Model, seed: number): TaskWiring[] {
  const devices = model.classOf.length
  const undrawn = new Int32Array(Math.max(1, devices))
  const lanes = (sampler: Sampler, stream: number) =>
    Number.isNaN(sampler.fixed) ? laneStreams(stream, undrawn.length) : undrawn
  const gated = new Set(model.serial.flatMap(({ a, b }) => [a, b]))
  for (const [index, { isStateful }] of model.tasks.entries()) if (isStateful) gated.add(index)
  const numbers: Numbers[] = []
  for (const task of model.tasks) numbers.push(numbersOf(task, numbers))
  const wiring = model.tasks.map((task, index): TaskWiring => {
    const stream = (purpose: number) => streamOf(seed, purpose, index)
    const speed = { devices: 1, nodes: model.nodes?.cpuSpeed ?? 1, cloud: model.cloud.cpuSpeed, fabric: 1 }
    const service = samplerFor(task.service, 1 / speed[task.hardware])
    const isReturned = task.returnsResult && task.hardware === 'devices'
    const output = samplerFor(task.outputBytes)
    const start = samplerFor(model.cloud.coldStart)
    return {
      task,
      inCloud: task.hardware === 'cloud',
      onDevice: task.hardware === 'devices',
      inNode: task.hardware === 'nodes',
      isSensor: task.gap !== null,
      isBarrier: task.barrier !== null,
      ...(numbers[index] as Numbers),
      emitsOne: task.outputs === 1,
      returnsResult: task.returnsResult,
      isGated: gated.has(index),
      deadlineMs: task.deadlineMs ?? Number.POSITIVE_INFINITY,
      isPlain: task.gap === null && !gated.has(index) && task.deadlineMs === null,
      wire: [],
      handOver: [],
      across: [],
      hops: [],
      crosses: task.returnsResult,
      crossesUplink: isReturned,
      payload: isReturned,
      service,
      draws: null,
      output,
      start,
      endsFor: [],
      items: Math.floor(task.outputs),
      gap: samplerFor(task.gap ?? task.service),
      services: lanes(service, stream(SERVICE)),
      // one result for the swarm has one size, whichever device gets it
      outputs: task.swarmWide ? undrawn.map(() => laneOf(stream(OUTPUT), 0)) : lanes(output, stream(OUTPUT)),
      starts: lanes(start, stream(START)),
      gaps: stream(GAP),
      phases: stream(PHASE),
      runsOn: task.swarmWide || task.lanes.length === devices ? null : membership(task.lanes, devices),
      scattersTo: null,
      single: task.parents.length === 1,
      isLast: !task.returnsResult,
      settles: !task.swarmWide,
    }
  })
  for (const [child, { parents }] of model.tasks.entries())
    for (const [at, { task, channel, data }] of parents.entries()) {
      const parent = wiring[task] as TaskWiring
      parent.isLast = false
      if (follows(model, task, child) && wiring[child]?.runsOn === null) parent.settles = false
      if (channel === 'wire') parent.wire.push({ child, at, data })
      else if (channel === 'handOver') parent.handOver.push({ child, at, data })
      else if (isOfNode(channel)) {
        const hop = hopOf(parent, channel)
        hop.links.push({ child, at, data })
        hop.payload ||= data
      } else {
        parent.across.push({ child, at, data })
        parent.crosses = true
        parent.crossesUplink = true
        parent.payload ||= data
      }
    }
  for (const [index, each] of wiring.entries()) {
    const lanes = scatterLanes(model, index)
    if (lanes.length > 0) each.scattersTo = Int32Array.from(lanes)
    if (each.returnsResult && each.inNode)
      Object.assign(hopOf(each, 'nodeUp'), { payload: true, returns: true })
    for (const hop of each.hops)
      if (each.task.swarmWide) hop.scattersTo = scatterLanes(model, index, 'nodeDown')
  }
  for (const each of wiring) if (each.task.endMs !== undefined) each.endsFor = barriersBelow(each, wiring)
  for (const [index, draws] of drawsOf(wiring).entries()) (wiring[index] as TaskWiring).draws = draws
  return wiring
}

/** The first barrier on each way down from a task. */
function barriersBelow(from: TaskWiring, wiring: readonly TaskWiring[]): number[] {
  const found = new Set<number>()
  const visit = ({ wire, handOver, across, hops }: TaskWiring): void => {
    for (const { child } of [...wire, ...handOver, ...across, ...hops.flatMap(({ links }) => links)]) {
      const below = wiring[child] as TaskWiring
      if (below.isBarrier) found.add(child)
      else visit(below)
    }
  }
  visit(from)
  return [...found]
}

/** The hop of a task's output over a channel, which is added where it is missing. */
function hopOf(wiring: TaskWiring, channel: NodeChannel): Hop {
  let hop = wiring.hops.find((each) => each.channel === channel)
  if (!hop) {
    hop = { channel, payload: false, links: [], scattersTo: null, returns: false }
    wiring.hops.push(hop)
    wiring.crosses = true
  }
  return hop
}

type Numbers = Pick<TaskWiring, 'numbers' | 'itemNumbers' | 'filters'>

/** How the invocations and items of a task are numbered, by those of its parents. */
function numbersOf(task: ModelTask, above: readonly Numbers[]): Numbers {
  const streams = task.barrier ? [] : task.parents.filter(({ isObject }) => !isObject)
  const numbers =
    streams.length > 0
      ? Math.min(...streams.map((parent) => (above[parent.task] as Numbers).itemNumbers))
      : task.invocations
  const filters = streams.length > 0 && task.gap === null && task.outputs < 1
  return { numbers, filters, itemNumbers: filters ? numbers : Math.floor(numbers * task.outputs + 1e-9) }
}

function laneStreams(stream: number, lanes: number): Int32Array {
  const streams = new Int32Array(lanes)
  for (let lane = 0; lane < lanes; lane++) streams[lane] = laneOf(stream, lane)
  return streams
}

/** Time from the beginning of a sensor's stream on a device to its first item. */
export function untilFirst({ task, gap, gaps, phases }: TaskWiring, lane: number): number {
  const phase = uniform(laneOf(phases, lane), 0)
  if (task.begin) return task.begin.afterMs + phase * task.begin.spreadMs
  return phase * sample(gap, laneOf(gaps, lane), 0)
}

/** Whether a task runs once for each output of its parent. */
function follows(model: Model, parent: number, child: number): boolean {
  const from = model.tasks[parent] as ModelTask
  const to = model.tasks[child] as ModelTask
  return from.outputs === 1 && !to.swarmWide && !to.barrier && to.invocations === from.invocations
}

/** Samplers of the distributions seen so far: candidates and replications share them. */
const samplers = new WeakMap<Distribution, Map<number, Sampler>>()

function samplerFor(distribution: Distribution, factor = 1): Sampler {
  let known = samplers.get(distribution)
  if (!known) {
    known = new Map()
    samplers.set(distribution, known)
  }
  let sampler = known.get(factor)
  if (!sampler) {
    sampler = samplerOf(distribution, factor)
    known.set(factor, sampler)
  }
  return sampler
}

function membership(lanes: readonly number[], devices: number): Uint8Array {
  const runs = new Uint8Array(devices)
  for (const lane of lanes) runs[lane] = 1
  return runs
}

/** Items that the parents of a barrier may deliver, if all of their numbers come, and the ends of streams that it waits for. */
export function deliveriesTo(index: number, wiring: readonly TaskWiring[]): number {
  const { task } = wiring[index] as TaskWiring
  const items = task.parents.reduce((sum, parent) => {
    const of = wiring[parent.task] as TaskWiring
    return sum + laneCount(of.task) * of.itemNumbers
  }, 0)
  return wiring.reduce((sum, each) => sum + (each.endsFor.includes(index) ? laneCount(each.task) : 0), items)
}
