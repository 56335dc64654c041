/** What a simulation collects, and how it becomes an estimate. */
import type { Breakdown, Estimate } from '@hivemind/swarm'
import type { Outage } from '../devices/outages.ts'
import type { Tokens } from '../events/tokens.ts'
import type { Model } from '../model/model.ts'
import { Books, type Items, type TaskTimes } from './books.ts'
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

interface FinishedItem {
  item: number
  capturedAtMs: number
  latencyMs: number
}

/**
 * Books with a row for each item. Items are numbered in the order of their birth, so that those under way lie side by side.
 */
export class Ledger extends Books {
  readonly #bornAt: Float64Array
  /** A row of `ITEM` figures for each item. */
  readonly rows: Float64Array
  #count = 0
  /** Items of which some result was lost; 1 each. */
  readonly #lost: Uint8Array
  #lostCount = 0

  constructor(model: Model, items: number) {
    super(model)
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

  override items(): { count: Items; finishedAt: number[] } {
    const finishedAt: number[] = []
    for (let item = 0; item < this.#count; item++) {
      const end = this.rows[item * ITEM + END] as number
      if (end >= 0 && this.#lost[item] === 0) finishedAt.push(end)
    }
    const planned = this.#lost.length
    const count = { planned, emitted: this.#count, finished: finishedAt.length, lost: this.#lostCount }
    return { count, finishedAt }
  }

  override latencies(from = 0, to = Number.POSITIVE_INFINITY): { times: Quantiles; breakdown: Breakdown } {
    const times = new Quantiles(this.#count)
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

export function estimateOf(model: Model, ledger: Books): Estimate {
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
  ledger: Books,
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
