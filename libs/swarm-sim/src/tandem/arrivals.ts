/** The books of queues in series: sums, unless the parts of each item's latency are asked for. */
import type { Breakdown } from '@hivemind/swarm'
import { Books, type Items } from '../figures/books.ts'
import { Quantiles } from '../figures/quantiles.ts'
import { type Model, totalItems } from '../model/model.ts'
import type { Flow } from './flow.ts'
import { EXECUTION, type ItemsUnderWay, MANAGEMENT, NETWORK, PART } from './items.ts'

export class Arrivals extends Books {
  readonly #planned: number
  readonly #latencies = new Quantiles()
  #column = new Float64Array(0)
  /** Of each item its latency, and where it went; only when asked for. */
  readonly #kept: { latencies: Float64Array; parts: Float64Array } | null

  constructor(model: Model, keepsParts: boolean) {
    super(model)
    this.#planned = totalItems(model)
    this.#kept = keepsParts
      ? {
          latencies: new Float64Array(this.#planned),
          parts: new Float64Array(this.#planned * PART),
        }
      : null
  }

  /** Their last task has ended. */
  take({ items, count }: Flow, underWay: ItemsUnderWay): void {
    const { born, ended, parts } = underWay
    if (this.#column.length < count) this.#column = new Float64Array(items.length)
    const latencies = this.#column
    const kept = this.#kept
    const before = this.#latencies.count
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const latency = (ended[item] as number) - (born[item] as number)
      latencies[at] = latency
      if (kept && parts) {
        const arrived = before + at
        kept.latencies[arrived] = latency
        for (let part = 0; part < PART; part++)
          kept.parts[arrived * PART + part] = parts[item * PART + part] as number
      }
    }
    underWay.leave(items.subarray(0, count))
    this.#latencies.addAll(latencies, count)
  }

  override items(): { count: Items; finishedAt: number[] } {
    const { count } = this.#latencies
    return { count: { planned: this.#planned, emitted: count, finished: count, lost: 0 }, finishedAt: [] }
  }

  override latencies(from = 0, to = Number.POSITIVE_INFINITY): { times: Quantiles; breakdown: Breakdown } {
    if (from === 0 && to === Number.POSITIVE_INFINITY)
      return { times: this.#latencies, breakdown: this.#breakdown() }
    if (!this.#kept) throw new Error('the parts of latencies were not asked for')
    const { latencies, parts } = this.#kept
    const times = new Quantiles()
    const sums = new Float64Array(PART)
    for (const [at, latency] of latencies.entries()) {
      if (latency < from || latency > to) continue
      times.add(latency)
      for (let part = 0; part < PART; part++)
        sums[part] = (sums[part] as number) + (parts[at * PART + part] as number)
    }
    const mean = (part: number) => (sums[part] as number) / Math.max(1, times.count)
    return {
      times,
      breakdown: {
        network: mean(NETWORK),
        management: mean(MANAGEMENT),
        dataExchange: 0,
        execution: mean(EXECUTION),
      },
    }
  }

  /** Every item passes every task: what its tasks take is what it takes. */
  #breakdown(): Breakdown {
    const over = Math.max(1, this.#latencies.count)
    const mean = (part: 'network' | 'management' | 'execution') =>
      this.tasks.reduce((sum, task) => sum + task[part], 0) / over
    return {
      network: mean('network'),
      management: mean('management'),
      dataExchange: 0,
      execution: mean('execution'),
    }
  }
}
