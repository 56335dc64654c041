/** From the statistics of a run to an estimate. */
import { type Breakdown, batteryShareOf, costOf, type Estimate, energyOf, type Use } from '@hivemind/swarm'
import type { Outage } from '../devices/outages.ts'
import { edgeNodesUsed, type Model, type ModelClass } from '../model/model.ts'
import type { Items, Statistics, TaskTimes } from './statistics.ts'
import type { Series, Timeline } from './timeline.ts'

export function estimateOf(model: Model, statistics: Statistics): Estimate {
  const { endMs } = statistics
  const { times, breakdown } = statistics.latencies()
  const { joules, share, bytes, maxJoules, maxShare } = usedBy(model, statistics)
  const devices = Math.max(1, model.classOf.length)
  const [p50 = 0, p99 = 0] = times.at(0.5, 0.99)
  return {
    latencyMs: { p50, p99, mean: times.mean },
    breakdown,
    perTask: Object.fromEntries(
      model.tasks.map((task, index) => {
        const own = statistics.tasks[index] as TaskTimes
        const [p50Ms = 0, p99Ms = 0] = own.times.at(0.5, 0.99)
        return [task.name, { p50Ms, p99Ms, breakdown: own.mean(), tier: task.tier }]
      }),
    ),
    execTimeMs: endMs,
    throughput: endMs > 0 ? (times.count * 1000) / endMs : 0,
    energyJ: joules / devices,
    energyShare: share / devices,
    maxEnergyJ: maxJoules,
    maxEnergyShare: maxShare,
    bandwidthMBps: endMs > 0 ? bytes / 1e3 / endMs : 0,
    ...costOf(model.cloud.pricePerCoreMs, statistics.cloudMs, endMs),
    ...missedDeadlinesOf(model, statistics),
    ...nodesUsed(model, statistics),
  }
}

/** For tasks with a deadline, the share of their invocations that ended after it or were given up. */
function missedDeadlinesOf(model: Model, { tasks }: Statistics): Pick<Estimate, 'missedDeadlines'> {
  const missed = model.tasks.flatMap(({ name, deadlineMs }, index): [string, number][] => {
    if (deadlineMs === null) return []
    const { times, late, dropped } = tasks[index] as TaskTimes
    return [[name, (late + dropped) / Math.max(1, times.count + dropped)]]
  })
  return missed.length > 0 ? { missedDeadlines: Object.fromEntries(missed) } : {}
}

/** How busy the edge nodes were, and what energy one of them has used. */
function nodesUsed(model: Model, { busyMs, endMs }: Statistics): Pick<Estimate, 'edgeNodes'> {
  if (!model.nodes) return {}
  const busy = busyMs.subarray(model.classOf.length).reduce((sum, ms) => sum + ms, 0)
  return { edgeNodes: edgeNodesUsed(model.nodes, busy / model.nodes.count, endMs) }
}

/** What all devices have used, summed up, and the energy of the one that has used most. */
function usedBy(model: Model, statistics: Statistics) {
  const { nodeBytes } = statistics
  const sums = { joules: 0, share: 0, bytes: statistics.backhaulBytes, maxJoules: 0, maxShare: 0 }
  const use: Use = { onMs: 0, busyMs: 0, sentBytes: 0, receivedBytes: 0 }
  for (let device = 0; device < model.classOf.length; device++) {
    const kind = model.classes[model.classOf[device] as number] as ModelClass
    use.onMs = statistics.onMs(device, statistics.endMs)
    use.busyMs = statistics.busyMs[device] as number
    use.sentBytes = statistics.bytes[2 * device] as number
    use.receivedBytes = statistics.bytes[2 * device + 1] as number
    sums.bytes += use.sentBytes + use.receivedBytes
    if (nodeBytes !== null) {
      use.sentBytes += nodeBytes[2 * device] as number
      use.receivedBytes += nodeBytes[2 * device + 1] as number
    }
    const energy = energyOf(kind, use)
    sums.joules += energy
    const share = batteryShareOf(kind, energy)
    sums.share += share
    sums.maxJoules = Math.max(sums.maxJoules, energy)
    sums.maxShare = Math.max(sums.maxShare, share)
  }
  return sums
}

/** An estimate with what it leaves out. */
export interface Detail {
  estimate: Estimate
  items: Items
  /** Share of the planned items that were emitted and not lost: 1 when the mission was completed. */
  completed: number
  /** Every time a device was down, in order of time. */
  outages: Outage[]
  /** The run over time; only when asked for. */
  series?: Series
  /** Latency in ms at 0, 1, ... 100 % of the items. */
  quantilesMs: number[]
  /** Where the time goes for the tenth of items around the median, and for the slowest hundredth. */
  atMedian: Breakdown
  atTail: Breakdown
}

const PERCENT = Array.from({ length: 101 }, (_, index) => index / 100)

export function detailOf(
  model: Model,
  statistics: Statistics,
  { outages = [], timeline = null }: { outages?: Outage[]; timeline?: Timeline | null } = {},
): Detail {
  const { count, finishedAt } = statistics.items()
  const { endMs, onMs } = statistics
  const quantilesMs = statistics.latencies().times.at(...PERCENT)
  const at = (percent: number) => quantilesMs[percent] as number
  return {
    estimate: estimateOf(model, statistics),
    items: count,
    completed: count.planned > 0 ? (count.emitted - count.lost) / count.planned : 1,
    outages,
    ...(timeline && { series: timeline.series({ endMs, finishedAt, onMs }) }),
    quantilesMs,
    atMedian: statistics.latencies(at(45), at(55)).breakdown,
    atTail: statistics.latencies(at(99)).breakdown,
  }
}
