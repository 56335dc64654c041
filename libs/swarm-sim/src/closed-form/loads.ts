/** How much of what is asked of each resource of a model, over which time: the input of the closed form. */
import {
  type Channel,
  isOfNode,
  itemsOf,
  laneCount,
  type Model,
  type ModelTask,
  scatterLanes,
} from '../model/model.ts'
import { type NodeCrossing, nodeCrossingsOf, nodeVisitsOf, perNodeOf, sharedNodeLink } from './nodes.ts'
import { type Moments, momentsFor, NO_AIR, type ResourceName, serviceOf, type Visit } from './visits.ts'
import { type Wait, waitOf } from './waiting.ts'

export interface Loads {
  /** Wait of a customer that is part of a stream, by resource. */
  stream: Record<ResourceName, Wait>
  /** Wait of an invocation for the server that is its task's own on each device, where that is so. */
  ownServerOf(task: number): Wait
  /** By how much longer an invocation takes than alone, as it shares the host's cores. */
  sharingOf(task: number): Wait
  /** Wait when all lanes ask once at the same time, by visit. */
  burstOf(task: number, resource: ResourceName): Wait
  /** Time over which the invocations of each task arrive, in ms; 0 when they come at once. */
  spanMs: number[]
}

const APART: ResourceName[] = ['up', 'core', 'cloud', 'store', 'down']
const ON_A_HOST: ResourceName[] = ['up', 'core', 'cloud', 'store', 'host', 'down']
const WITH_NODES: ResourceName[] = [
  'up',
  'toNode',
  'core',
  'node',
  'nodeUp',
  'cloud',
  'store',
  'nodeDown',
  'fromNode',
  'down',
]
const NO_WAIT: Wait = { mean: 0, variance: 0, backlog: 0 }

/** What of each task's output crosses the uplink, and what one item of it takes there. */
export interface Crossings {
  /** Whether anything crosses, and whether with payload. */
  across: boolean[]
  payload: boolean[]
  /** Air time of one item. */
  air: Moments[]
  /** For every task, the devices that its result for the swarm is sent to. */
  scatter: number[][]
  /** For every task, what of its output goes over the links of edge nodes. */
  nodes: NodeCrossing[][]
}

export function crossingsOf(model: Model): Crossings {
  const across = model.tasks.map((task) => task.returnsResult && task.hardware === 'devices')
  const payload = across.slice()
  for (const task of model.tasks)
    for (const parent of task.parents)
      if (parent.channel === 'up' || parent.channel === 'down') {
        across[parent.task] = true
        if (parent.data) payload[parent.task] = true
      }
  const factor = model.link.msPerByte
  const air = model.tasks.map((task, index) => {
    if (!payload[index]) return NO_AIR
    const { mean, variance } = momentsFor(task.outputBytes)
    return { mean: mean * factor, variance: variance * factor * factor }
  })
  return {
    across,
    payload,
    air,
    scatter: model.tasks.map((_, index) => scatterLanes(model, index)),
    nodes: nodeCrossingsOf(model),
  }
}

/** The resource that stands for one direction of a link: where both share it, that of the way up. */
export function sharedLink(model: Model, resource: ResourceName): ResourceName {
  if (resource === 'down') return model.link.shared ? 'up' : 'down'
  return resource === 'fromNode' || resource === 'nodeDown' ? sharedNodeLink(model, resource) : resource
}

/** Functions that read a task's output through a store that all share; 0 when none does. */
function storeReaders(model: Model, index: number): number {
  if (!model.cloud.handOver.isShared) return 0
  let readers = 0
  for (const { parents } of model.tasks)
    for (const { task, channel, data } of parents)
      if (task === index && channel === 'handOver' && data) readers++
  return readers
}

/** Time that one item of output takes the store. */
function storeTime({ cloud }: Model, { outputBytes }: ModelTask): Moments {
  const { mean, variance } = momentsFor(outputBytes)
  const { msPerByte } = cloud.handOver
  return { mean: mean * msPerByte, variance: variance * msPerByte * msPerByte }
}

function visitsOf(model: Model, crossings: Crossings, classIndex: number): Visit[] {
  const visits: Visit[] = []
  const devices = Math.max(1, model.classOf.length)
  // the fullest access point
  const perPoint = Math.ceil(devices / model.link.accessPoints)
  for (const [index, task] of model.tasks.entries()) {
    const lanes = laneCount(task)
    const wide = task.swarmWide
    if (!task.gap && task.hardware !== 'fabric' && task.hardware !== 'nodes') {
      const resource = task.hardware === 'cloud' ? 'cloud' : 'core'
      const onClass = task.lanes.some((lane) => model.classOf[lane] === classIndex)
      visits.push({
        resource,
        task: index,
        customers: task.invocations * (resource === 'cloud' ? lanes : onClass || wide ? 1 : 0),
        service: serviceOf(model, task, classIndex),
        isOutput: false,
        burst: false,
      })
      if (model.host)
        visits.push({
          resource: 'host',
          task: index,
          customers: task.invocations * lanes,
          service: serviceOf(model, task, classIndex),
          isOutput: false,
          burst: false,
        })
    }
    const readers = storeReaders(model, index)
    if (readers > 0)
      visits.push({
        resource: 'store',
        task: index,
        customers: itemsOf(task) * lanes * readers,
        service: storeTime(model, task),
        isOutput: false,
        burst: false,
      })
    const crossing = wide ? (crossings.scatter[index] as number[]).length : lanes
    const lanesHere = (crossing / devices) * perPoint
    const direction = task.hardware === 'devices' ? 'up' : 'down'
    if (crossings.across[index])
      visits.push({
        resource: model.link.shared ? 'up' : direction,
        task: index,
        customers: itemsOf(task) * lanesHere,
        service: crossings.air[index] ?? NO_AIR,
        isOutput: true,
        burst: false,
      })
  }
  visits.push(...nodeVisitsOf(model, crossings.nodes, classIndex))
  return visits
}

/** The resource over which each task's output crosses, if it does. */
function outputResources(model: Model, visits: readonly Visit[]): (ResourceName | undefined)[] {
  const resources: (ResourceName | undefined)[] = model.tasks.map(() => undefined)
  for (const { isOutput, resource, task } of visits)
    if (isOutput && (resource === 'up' || resource === 'down')) resources[task] ??= resource
  return resources
}

/** Time over which the invocations of each task arrive, when saturated resources stretch what passes them. */
function spread(
  model: Model,
  outputs: readonly (ResourceName | undefined)[],
  stretch: Partial<Record<ResourceName, number>>,
  /** Work of each task's own server; empty where tasks share one. */
  own: readonly number[],
): number[] {
  const through = (span: number, resource: ResourceName | undefined) =>
    span > 0 && resource ? Math.max(span, stretch[resource] ?? 0) : span
  const computed = (span: number, index: number, task: ModelTask) => {
    if (task.hardware === 'fabric') return span
    if (task.hardware === 'nodes') return through(span, 'node')
    const shared = through(span, 'host')
    if (task.hardware === 'cloud') return through(shared, 'cloud')
    return own.length === 0 ? through(shared, 'core') : shared > 0 ? Math.max(shared, own[index] ?? 0) : 0
  }
  const usedBy = (channel: Channel, output: ResourceName | undefined): ResourceName | undefined => {
    if (channel === 'up' || channel === 'down') return output
    if (channel === 'handOver') return 'store'
    return isOfNode(channel) ? sharedNodeLink(model, channel) : undefined
  }
  const spans: number[] = []
  for (const [index, task] of model.tasks.entries()) {
    let span = 0
    for (const parent of task.parents) {
      const of = model.tasks[parent.task] as ModelTask
      const processed = of.gap
        ? Math.max(spans[parent.task] as number, streamLength(of))
        : computed(spans[parent.task] as number, parent.task, of)
      span = Math.max(span, through(processed, usedBy(parent.channel, outputs[parent.task])))
    }
    spans[index] = task.barrier ? 0 : span
  }
  return spans
}

/** Length of the stream one invocation of a sensor emits, in ms. */
export function streamLength(task: ModelTask): number {
  return task.gap ? task.gap.mean * Math.floor(task.outputs) : 0
}

/** The loads of all resources, as devices of one class see them. */
export function loadsOf(model: Model, crossings: Crossings, classIndex: number): Loads {
  const visits = visitsOf(model, crossings, classIndex)
  const resources = model.host ? ON_A_HOST : model.nodes ? WITH_NODES : APART
  const outputs = outputResources(model, visits)
  const servers: Record<ResourceName, number> = {
    core: model.classes[classIndex]?.cores ?? 1,
    cloud: model.cloud.slots,
    host: model.host?.cores ?? 1,
    up: 1,
    down: 1,
    store: 1,
    node: model.nodes?.cores ?? 1,
    toNode: 1,
    fromNode: 1,
    nodeUp: 1,
    nodeDown: 1,
  }
  const outSpan = (visit: Visit, spans: number[]): number => {
    const task = model.tasks[visit.task] as ModelTask
    return visit.isOutput && task.gap ? streamLength(task) : (spans[visit.task] as number)
  }
  const own = model.classes[classIndex]?.serverPerTask
    ? model.tasks.map((task) => task.invocations * serviceOf(model, task, classIndex).mean)
    : []
  const stretch: Partial<Record<ResourceName, number>> = {}
  const span: Partial<Record<ResourceName, number>> = {}
  for (let round = 0; round < 3; round++)
    for (const resource of resources) {
      // its own saturation does not slow down what arrives at it, nor does that of a host, whose work it is a part of
      const others = { ...stretch, [resource]: 0 }
      if (resource === 'core' || resource === 'cloud') others.host = 0
      const spans = spread(model, outputs, others, own)
      let arrives = 0
      let work = 0
      for (const visit of visits) {
        const over = outSpan(visit, spans)
        if (visit.resource !== resource || over <= 0) continue
        arrives = Math.max(arrives, over)
        work += visit.customers * visit.service.mean
      }
      span[resource] = arrives
      stretch[resource] = work / servers[resource]
    }
  const spanMs = spread(model, outputs, stretch, own)
  for (const visit of visits) visit.burst = outSpan(visit, spanMs) <= 0
  const perPoint = Math.ceil(model.classOf.length / model.link.accessPoints)
  const perNode = perNodeOf(model)
  const sources: Record<ResourceName, number> = {
    core: 1,
    cloud: model.classOf.length,
    host: model.classOf.length,
    up: perPoint,
    down: perPoint,
    store: model.classOf.length,
    node: perNode,
    toNode: perNode,
    fromNode: perNode,
    nodeUp: perNode,
    nodeDown: perNode,
  }
  const stream = {} as Record<ResourceName, Wait>
  for (const resource of resources)
    stream[resource] = mixed(
      visits.filter((visit) => visit.resource === resource && !visit.burst),
      servers[resource],
      span[resource] ?? 0,
      sources[resource],
    )
  if (model.link.shared) stream.down = stream.up
  const visitOf = (task: number, resource: ResourceName) =>
    visits.find((each) => each.task === task && each.resource === resource)
  const burstOf = (task: number, resource: ResourceName): Wait => {
    const name = sharedLink(model, resource)
    const visit = visitOf(task, name)
    return visit?.burst
      ? mixed([visit], name === 'core' && own.length > 0 ? 1 : servers[name], 0, 1)
      : NO_WAIT
  }
  const ownServerOf = (task: number): Wait => {
    const visit = visitOf(task, 'core')
    return visit ? mixed([visit], 1, spanMs[task] as number, 1) : NO_WAIT
  }
  const serverWaitOf = (task: number): Wait => {
    const resource = model.tasks[task]?.hardware === 'cloud' ? 'cloud' : 'core'
    if (visitOf(task, resource)?.burst) return burstOf(task, resource)
    return resource === 'core' && own.length > 0 ? ownServerOf(task) : stream[resource]
  }
  const sharing =
    model.host &&
    sharedHost(
      visits.filter(({ resource, burst }) => resource === 'host' && !burst),
      stream.host,
      serverWaitOf,
    )
  return {
    stream,
    spanMs,
    burstOf,
    ownServerOf,
    sharingOf(task) {
      const visit = visitOf(task, 'host')
      if (!visit || !sharing) return NO_WAIT
      if (!visit.burst) return sharing(visit)
      return beyond(burstOf(task, 'host'), serverWaitOf(task))
    },
  }
}

/**
 * By how much work on a shared host takes longer than alone. As many jobs are there as in a queue of as many cores (the
 * mean of M/M/c is that of M/M/c-PS); what waits for a server does not share, and of the rest each job bears as much as it
 * is long. A backlog is worked off when all work is done, whatever a job's length.
 */
function sharedHost(visits: readonly Visit[], all: Wait, serverWaitOf: (task: number) => Wait) {
  let customers = 0
  let work = 0
  let waited = 0
  for (const visit of visits) {
    customers += visit.customers
    work += visit.customers * visit.service.mean
    waited += visit.customers * serverWaitOf(visit.task).mean
  }
  const rest = beyond(all, { mean: waited / Math.max(1, customers), variance: 0, backlog: 0 })
  return ({ task, service }: Visit): Wait => {
    const share = work > 0 ? (service.mean * customers) / work : 0
    return {
      mean: rest.mean * share,
      variance: rest.variance * share * share,
      backlog: Math.max(0, all.backlog - serverWaitOf(task).backlog),
    }
  }
}

/** What of a wait is left when another one is part of it. */
function beyond(all: Wait, part: Wait): Wait {
  const mean = Math.max(0, all.mean - part.mean)
  return {
    mean,
    variance: all.mean > 0 ? (all.variance * mean) / all.mean : 0,
    backlog: Math.max(0, all.backlog - part.backlog),
  }
}

/** The wait of a random customer among several kinds. */
function mixed(visits: Visit[], servers: number, spanMs: number, sources: number): Wait {
  let customers = 0
  let first = 0
  let second = 0
  for (const { customers: count, service } of visits) {
    customers += count
    first += count * service.mean
    second += count * (service.variance + service.mean * service.mean)
  }
  if (customers === 0 || first === 0) return NO_WAIT
  const serviceMs = first / customers
  return waitOf({
    servers,
    customers,
    spanMs,
    serviceMs,
    serviceScv: Math.max(0, second / customers / (serviceMs * serviceMs) - 1),
    sources: sources * visits.length,
  })
}
