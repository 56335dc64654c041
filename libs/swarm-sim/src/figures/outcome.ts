/** How the books of a simulation become an estimate. */
import type { Breakdown, Estimate } from '@hivemind/swarm'
import type { Outage } from '../devices/outages.ts'
import type { Model, ModelClass } from '../model/model.ts'
import type { Books, Items, TaskTimes } from './books.ts'
import { costOf, energyOf, shareOf, type Use } from './pricing.ts'
import type { Series, Timeline } from './timeline.ts'

export function estimateOf(model: Model, books: Books): Estimate {
  const { endMs } = books
  const { times, breakdown } = books.latencies()
  const { joules, share, bytes } = usedBy(model, books)
  const devices = Math.max(1, model.classOf.length)
  const [p50 = 0, p99 = 0] = times.at(0.5, 0.99)
  return {
    latencyMs: { p50, p99, mean: times.mean },
    breakdown,
    perTask: Object.fromEntries(
      model.tasks.map((task, index) => {
        const own = books.tasks[index] as TaskTimes
        const [p50Ms = 0, p99Ms = 0] = own.times.at(0.5, 0.99)
        return [task.name, { p50Ms, p99Ms, breakdown: own.mean(), tier: task.tier }]
      }),
    ),
    execTimeMs: endMs,
    throughput: endMs > 0 ? (times.count * 1000) / endMs : 0,
    energyJ: joules / devices,
    energyShare: share / devices,
    bandwidthMBps: endMs > 0 ? bytes / 1e3 / endMs : 0,
    ...costOf(model, books.cloudMs, endMs),
  }
}

/** What all devices have used, summed up. */
function usedBy(model: Model, books: Books): { joules: number; share: number; bytes: number } {
  const sums = { joules: 0, share: 0, bytes: 0 }
  const use: Use = { onMs: 0, busyMs: 0, sentBytes: 0, receivedBytes: 0 }
  for (let device = 0; device < model.classOf.length; device++) {
    const kind = model.classes[model.classOf[device] as number] as ModelClass
    use.onMs = books.onMs(device, books.endMs)
    use.busyMs = books.busyMs[device] as number
    use.sentBytes = books.bytes[2 * device] as number
    use.receivedBytes = books.bytes[2 * device + 1] as number
    const energy = energyOf(kind, use)
    sums.joules += energy
    sums.share += shareOf(kind, energy)
    sums.bytes += use.sentBytes + use.receivedBytes
  }
  return sums
}

/** What a simulation tells beside its estimate. */
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
  books: Books,
  { outages = [], timeline = null }: { outages?: Outage[]; timeline?: Timeline | null } = {},
): Detail {
  const { count, finishedAt } = books.items()
  const { endMs, onMs } = books
  const quantilesMs = books.latencies().times.at(...PERCENT)
  const at = (percent: number) => quantilesMs[percent] as number
  return {
    estimate: estimateOf(model, books),
    items: count,
    completed: count.planned > 0 ? (count.emitted - count.lost) / count.planned : 1,
    outages,
    ...(timeline && { series: timeline.series({ endMs, finishedAt, onMs }) }),
    quantilesMs,
    atMedian: books.latencies(at(45), at(55)).breakdown,
    atTail: books.latencies(at(99)).breakdown,
  }
}
