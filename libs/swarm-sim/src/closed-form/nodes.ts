/** Edge nodes in closed form: what goes over their links, and what asks for their cores. */
import {
  type Channel,
  isBackhaul,
  isOfNode,
  isUpwards,
  itemsOf,
  type Model,
  type ModelNodes,
  type NodeChannel,
  nodeLinkOf,
  scatterLanes,
} from '../model/model.ts'
import { type Moments, momentsFor, NO_AIR, serviceOf, type Visit } from './visits.ts'

/** What of a task's output goes over one link of an edge node. */
export interface NodeCrossing {
  channel: NodeChannel
  /** Whether with payload, and the time on the link of one item. */
  payload: boolean
  air: Moments
  /** The devices for which it does. */
  lanes: readonly number[]
}

/** For every task, its crossings of the links of edge nodes; none where the fleet has none. */
export function nodeCrossingsOf(model: Model): NodeCrossing[][] {
  const crossings: NodeCrossing[][] = model.tasks.map(() => [])
  const { nodes } = model
  if (!nodes) return crossings
  const cross = (index: number, channel: Channel, payload: boolean) => {
    const task = model.tasks[index]
    if (!task || !isOfNode(channel)) return
    const own = crossings[index] as NodeCrossing[]
    const known = own.find((each) => each.channel === channel)
    if (known?.payload || (known && !payload)) return
    const { msPerByte } = nodeLinkOf(nodes, channel)
    const { mean, variance } = payload ? momentsFor(task.outputBytes) : NO_AIR
    const air = { mean: mean * msPerByte, variance: variance * msPerByte * msPerByte }
    const lanes = task.swarmWide ? scatterLanes(model, index, 'nodeDown') : task.lanes
    if (known) Object.assign(known, { payload, air })
    else own.push({ channel, payload, air, lanes })
  }
  for (const { parents } of model.tasks)
    for (const { task, channel, data } of parents) cross(task, channel, data)
  for (const [index, task] of model.tasks.entries())
    if (task.returnsResult && task.hardware === 'nodes') cross(index, 'nodeUp', true)
  return crossings
}

/** Devices of the fullest edge node. */
export function perNodeOf({ nodes }: Model): number {
  return nodes ? Math.ceil(servedBy(nodes) / nodes.count) : 0
}

const servedBy = ({ nodeOf }: ModelNodes): number => nodeOf.filter((node) => node >= 0).length

/** The channel that stands for one direction of a link: where both share it, that of the way up. */
export function sharedNodeLink({ nodes }: Model, channel: NodeChannel): NodeChannel {
  if (isUpwards(channel) || !nodes || !nodeLinkOf(nodes, channel).shared) return channel
  return isBackhaul(channel) ? 'nodeUp' : 'toNode'
}

/** What visits the fullest edge node and its links. */
export function nodeVisitsOf(
  model: Model,
  crossings: readonly (readonly NodeCrossing[])[],
  classIndex: number,
): Visit[] {
  const { nodes } = model
  if (!nodes) return []
  const share = perNodeOf(model) / Math.max(1, servedBy(nodes))
  return model.tasks.flatMap((task, index) => {
    const visits = (crossings[index] ?? []).map(
      ({ channel, air, lanes }): Visit => ({
        resource: sharedNodeLink(model, channel),
        task: index,
        customers: itemsOf(task) * lanes.length * share,
        service: air,
        isOutput: true,
        burst: false,
      }),
    )
    if (task.hardware === 'nodes')
      visits.unshift({
        resource: 'node',
        task: index,
        customers: task.invocations * task.lanes.length * share,
        service: serviceOf(model, task, classIndex),
        isOutput: false,
        burst: false,
      })
    return visits
  })
}

/** Bytes of a run over the radio between the devices of a class and their nodes, and between nodes and cloud: sums over the class. */
export function nodeBytesOf(
  model: Model,
  crossings: readonly (readonly NodeCrossing[])[],
  classIndex: number,
): { sent: number; received: number; backhaul: number } {
  const bytes = { sent: 0, received: 0, backhaul: 0 }
  if (!model.nodes) return bytes
  for (const [index, task] of model.tasks.entries()) {
    const inClass = (lanes: readonly number[]) =>
      lanes.filter((lane) => model.classOf[lane] === classIndex).length
    if (task.hardware === 'nodes') bytes.backhaul += inClass(task.lanes) * task.inputBytes
    for (const { channel, payload, lanes } of crossings[index] ?? []) {
      if (!payload) continue
      const moved = inClass(lanes) * itemsOf(task) * task.outputBytes.mean
      if (isBackhaul(channel)) bytes.backhaul += moved
      else if (channel === 'toNode') bytes.sent += moved
      else bytes.received += moved
    }
  }
  return bytes
}

/** Ms of work on the cores of an edge node in a run: the mean of all nodes. */
export function nodeWorkOf(model: Model): number {
  let work = 0
  for (const task of model.tasks)
    if (task.hardware === 'nodes')
      work += task.invocations * task.lanes.length * serviceOf(model, task, 0).mean
  return model.nodes ? work / model.nodes.count : 0
}
