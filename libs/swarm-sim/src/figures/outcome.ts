/** What a simulation collects, and how it becomes an estimate. */
import type { Breakdown, Estimate } from '@hivemind/swarm'
import type { Outage } from '../devices/outages.ts'
import type { Tokens } from '../events/tokens.ts'
import type { Model } from '../model/model.ts'
import type { ContainerPool } from '../stations.ts'
import { costOf, energyOf } from './pricing.ts'
import { Quantiles } from './quantiles.ts'
import type { Series, Timeline } from './timeline.ts'

/** Figures kept of every item: its end, and where its time went. */
export const END = 0
export const NETWORK = 1
export const MANAGEMENT = 2
const DATA_EXCHANGE = 3
export const EXECUTION = 4
export const ITEM = 5

/** The times of a task's invocations, and where they went, summed up. */
export class TaskTimes {
  readonly times = new Quantiles()
  network = 0
  management = 0
  dataExchange = 0
  execution = 0

  mean(): Breakdown {
    const over = Math.max(1, this.times.count)
    return {
      network: this.network / over,
      management: this.management / over,
      dataExchange: this.dataExchange / over,
      execution: this.execution / over,
    }
  }
}

interface FinishedItem {
  item: number
  capturedAtMs: number
  latencyMs: number
}

/** The books of one run. Items are numbered in the order of their birth, so that those under way lie side by side. */
export class Ledger {
  readonly tasks: TaskTimes[]
  /** For every device: bytes sent, bytes received. */
  readonly bytes: Float64Array
  /** For every device: ms of busy cores. */
  busyMs: Float64Array = new Float64Array(0)
  /** End of the last task and of the last transfer of a result, in ms. */
  endMs = 0
  /** Core time of cloud containers, idle time included, in ms. */
  cloudMs = 0
  /** For how long before a time a device was switched on, in ms. */
  onMs = (_device: number, before: number): number => before
  readonly #bornAt: Float64Array
  /** A row of `ITEM` figures for each item. */
  readonly rows: Float64Array
  #count = 0
  /** Items of which some result was lost; 1 each. */
  readonly #lost: Uint8Array
  #lostCount = 0

  constructor(model: Model, items: number) {
    this.tasks = model.tasks.map(() => new TaskTimes())
    this.bytes = new Float64Array(2 * model.classOf.length)
    this.#bornAt = new Float64Array(items)
    this.rows = new Float64Array(items * ITEM)
    this.#lost = new Uint8Array(items)
  }

  /** Numbers a new item. */
  born(now: number): number {
    const item = this.#count++
    this.#bornAt[item] = now
    this.rows[item * ITEM + END] = -1
    return item
  }

  /** Something made of the item was lost: it will not be finished, whatever else is made of it. */
  lose(item: number): void {
    this.#lostCount += 1 - (this.#lost[item] as number)
    this.#lost[item] = 1
  }

  isSettled(item: number): boolean {
    return (this.rows[item * ITEM + END] as number) >= 0
  }

  /** A task that works on the item has ended: so far it is the last one. */
  settle(item: number, now: number, tokens: Tokens, token: number): void {
    const items = this.rows
    const to = item * ITEM
    items[to + END] = now
    items[to + NETWORK] = tokens.network[token] as number
    items[to + MANAGEMENT] = tokens.management[token] as number
    items[to + DATA_EXCHANGE] = tokens.dataExchange[token] as number
    items[to + EXECUTION] = tokens.execution[token] as number
  }

  /** An invocation has ended. */
  ended(index: number, took: number, now: number): void {
    this.tasks[index]?.times.add(took)
    this.end(now)
  }

  moved(lane: number, bytes: number, isUp: boolean): void {
    const at = 2 * lane + (isUp ? 0 : 1)
    this.bytes[at] = (this.bytes[at] as number) + bytes
  }

  end(now: number): void {
    if (now > this.endMs) this.endMs = now
  }

  close(busyMs: Float64Array, pool: ContainerPool): void {
    this.busyMs = busyMs
    this.cloudMs = pool.coreTime(this.endMs)
  }

  /** The items that stand for quantiles (0 to 1) of latency: of those finished, in the order of latency, the nearest. */
  standingFor(quantiles: readonly number[]): FinishedItem[] {
    const finished: FinishedItem[] = []
    for (let item = 0; item < this.#count; item++) {
      const end = this.rows[item * ITEM + END] as number
      const capturedAtMs = this.#bornAt[item] as number
      if (end >= 0 && this.#lost[item] === 0)
        finished.push({ item, capturedAtMs, latencyMs: end - capturedAtMs })
    }
    finished.sort((a, b) => a.latencyMs - b.latencyMs || a.item - b.item)
    return quantiles.flatMap((at) => finished[Math.round(at * (finished.length - 1))] ?? [])
  }

  /** What became of the items, and when each of those that were finished was. */
  items(): { count: Items; finishedAt: number[] } {
    const finishedAt: number[] = []
    for (let item = 0; item < this.#count; item++) {
      const end = this.rows[item * ITEM + END] as number
      if (end >= 0 && this.#lost[item] === 0) finishedAt.push(end)
    }
    const planned = this.#lost.length
    const count = { planned, emitted: this.#count, finished: finishedAt.length, lost: this.#lostCount }
    return { count, finishedAt }
  }

  /** Latency of every item that ended, and the mean of where its time went; of those between two latencies on demand. */
  latencies(from = 0, to = Number.POSITIVE_INFINITY): { times: Quantiles; breakdown: Breakdown } {
    const times = new Quantiles()
    const { rows } = this
    let network = 0
    let management = 0
    let dataExchange = 0
    let execution = 0
    for (let item = 0; item < this.#count; item++) {
      const row = item * ITEM
      const end = rows[row + END] as number
      if (end < 0 || this.#lost[item] === 1) continue
      const latency = end - (this.#bornAt[item] as number)
      if (latency < from || latency > to) continue
      times.add(latency)
      network += rows[row + NETWORK] as number
      management += rows[row + MANAGEMENT] as number
      dataExchange += rows[row + DATA_EXCHANGE] as number
      execution += rows[row + EXECUTION] as number
    }
    const over = Math.max(1, times.count)
    const breakdown = {
      network: network / over,
      management: management / over,
      dataExchange: dataExchange / over,
      execution: execution / over,
    }
    return { times, breakdown }
  }
}

export function estimateOf(model: Model, ledger: Ledger): Estimate {
  const { endMs } = ledger
  const { times, breakdown } = ledger.latencies()
  let joules = 0
  let share = 0
  let bytes = 0
  for (let device = 0; device < model.classOf.length; device++) {
    const sentBytes = ledger.bytes[2 * device] as number
    const receivedBytes = ledger.bytes[2 * device + 1] as number
    const busyMs = ledger.busyMs[device] as number
    const onMs = ledger.onMs(device, endMs)
    const energy = energyOf(model, device, { onMs, busyMs, sentBytes, receivedBytes })
    joules += energy.joules
    share += energy.share
    bytes += sentBytes + receivedBytes
  }
  const devices = Math.max(1, model.classOf.length)
  const [p50 = 0, p99 = 0] = times.at(0.5, 0.99)
  return {
    latencyMs: { p50, p99, mean: times.mean },
    breakdown,
    perTask: Object.fromEntries(
      model.tasks.map((task, index) => {
        const own = ledger.tasks[index] as TaskTimes
        const [p50Ms = 0, p99Ms = 0] = own.times.at(0.5, 0.99)
        return [task.name, { p50Ms, p99Ms, breakdown: own.mean(), tier: task.tier }]
      }),
    ),
    execTimeMs: endMs,
    throughput: endMs > 0 ? (times.count * 1000) / endMs : 0,
    energyJ: joules / devices,
    energyShare: share / devices,
    bandwidthMBps: endMs > 0 ? bytes / 1e3 / endMs : 0,
    ...costOf(model, ledger.cloudMs, endMs),
  }
}

/** What became of the items of sensor data of a run, over all devices. */
export interface Items {
  /** As many as the run has when nothing befalls it. */
  planned: number
  emitted: number
  finished: number
  /** Those of which something was lost on a device that failed. */
  lost: number
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
  ledger: Ledger,
  { outages = [], timeline = null }: { outages?: Outage[]; timeline?: Timeline | null } = {},
): Detail {
  const { count, finishedAt } = ledger.items()
  const { endMs, onMs } = ledger
  const quantilesMs = ledger.latencies().times.at(...PERCENT)
  const at = (percent: number) => quantilesMs[percent] as number
  return {
    estimate: estimateOf(model, ledger),
    items: count,
    completed: count.planned > 0 ? (count.emitted - count.lost) / count.planned : 1,
    outages,
    ...(timeline && { series: timeline.series({ endMs, finishedAt, onMs }) }),
    quantilesMs,
    atMedian: ledger.latencies(at(45), at(55)).breakdown,
    atTail: ledger.latencies(at(99)).breakdown,
  }
}
