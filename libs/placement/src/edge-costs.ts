/** Costs of each edge of the workflow under one placement. */
import { type Estimate, momentsOf } from '@hivemind/swarm'
import {
  type Channel,
  isBackhaul,
  isOfNode,
  type Model,
  type ModelTask,
  nodeLinkOf,
} from '@hivemind/swarm-sim'

/** Time and bytes that one edge of the workflow costs under a placement. */
export interface EdgeCost {
  from: string
  to: string
  channel: Channel
  /** Mean time an item spends on it, in ms: transfer or hand-over, and waiting for the link. */
  timeMs: number
  /** Bytes to or from the cloud in a run because of this edge; edges that share a transfer each count it. */
  bytes: number
}

/**
 * Edges by the time they take, longest first. Times without contention follow from the model. The time that a child's input waits
 * for a link beyond them, by the estimate, is added to each of the child's edges over the uplink or a link of an edge node.
 */
export function edgeCosts(model: Model, estimate: Estimate): EdgeCost[] {
  const { link, nodes, cloud } = model
  const free = (parent: ModelTask, channel: Channel, data: boolean): number => {
    const bytes = data ? momentsOf(parent.outputBytes).mean : 0
    if (channel === 'wire') return 0
    if (isOfNode(channel)) {
      const { msPerByte, delayMs } = nodes ? nodeLinkOf(nodes, channel) : link
      return bytes * msPerByte + delayMs
    }
    return channel === 'handOver'
      ? cloud.handOver.fixedMs + bytes * cloud.handOver.msPerByte
      : bytes * link.msPerByte + link.delayMs
  }
  const isUplink = (channel: Channel) => channel === 'up' || channel === 'down'
  const crosses = (channel: Channel) => isUplink(channel) || isOfNode(channel)
  const edges = model.tasks.flatMap((task) => {
    const network = estimate.perTask[task.name]?.breakdown.network ?? 0
    const times = task.parents.map((each) =>
      free(model.tasks[each.task] as ModelTask, each.channel, each.data),
    )
    const longest = Math.max(
      0,
      ...task.parents.map((each, at) => (crosses(each.channel) ? (times[at] as number) : 0)),
    )
    const waiting = longest > 0 ? Math.max(0, network - longest) : 0
    return task.parents.map((each, at): EdgeCost => {
      const parent = model.tasks[each.task] as ModelTask
      const scattered = parent.swarmWide && (each.channel === 'down' || each.channel === 'nodeDown')
      const lanes = scattered ? task.lanes.length : parent.swarmWide ? 1 : parent.lanes.length
      const items = Math.floor(parent.invocations * parent.outputs + 1e-9)
      const over = crosses(each.channel)
      return {
        from: parent.name,
        to: task.name,
        channel: each.channel,
        timeMs: (times[at] as number) + (over ? waiting : 0),
        bytes:
          (isUplink(each.channel) || isBackhaul(each.channel)) && each.data
            ? momentsOf(parent.outputBytes).mean * items * lanes
            : 0,
      }
    })
  })
  return edges.sort(
    (a, b) => b.timeMs - a.timeMs || b.bytes - a.bytes || (a.from + a.to < b.from + b.to ? -1 : 1),
  )
}
