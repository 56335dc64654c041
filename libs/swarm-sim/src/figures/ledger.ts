/** The books of a simulation by events: a row for each item. */
import type { Breakdown } from '@hivemind/swarm'
import type { Model } from '../model/model.ts'
import { Books, type Items } from './books.ts'
import { Quantiles } from './quantiles.ts'

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

  /** A task that works on the item has ended, so far the last one: where the time went on the way to its end. */
  settle(
    item: number,
    now: number,
    network: number,
    management: number,
    dataExchange: number,
    execution: number,
  ): void {
    const items = this.rows
    const to = item * ITEM
    items[to + END] = now
    items[to + NETWORK] = network
    items[to + MANAGEMENT] = management
    items[to + DATA_EXCHANGE] = dataExchange
    items[to + EXECUTION] = execution
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
