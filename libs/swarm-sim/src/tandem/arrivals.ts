/** The books of queues in series: sums, unless the parts of each item's latency are asked for. */
import type { Breakdown } from '@hivemind/swarm'
import { Books, type Items } from '../figures/books.ts'
import { Quantiles } from '../figures/quantiles.ts'
import { type Model, totalItems } from '../model/model.ts'
import type { Flow } from './flow.ts'
import { EXECUTION, type ItemsUnderWay, MANAGEMENT, NETWORK, PART } from './items.ts'

export class Arrivals extends Books {
  readonly #planned: number
  readonly #latencies: Quantiles
  #column = new Float64Array(0)
  /** Of each item its latency, and where it went; only when asked for. */
  readonly #kept: { latencies: Float64Array; parts: Float64Array } | null

  constructor(model: Model, keepsParts: boolean) {
    super(model)
    this.#planned = totalItems(model)
    const [, task, another] = this.tasks
    this.#latencies = task && !another ? task.times : new Quantiles()
    this.#kept = keepsParts
      ? {
          latencies: new Float64Array(this.#planned),
          parts: new Float64Array(this.#planned * PART),
        }
      : null
  }

  /** Their last task has ended. */
  take(flow: Flow, underWay: ItemsUnderWay): void {
    const { items, count } = flow
    // the times of the only task behind the sensor are latencies
    if (this.tasks.length > 2) this.#time(flow, underWay)
    if (this.#kept) this.#keep(flow, underWay)
    underWay.leave(items.subarray(0, count))
  }

  #time({ items, count }: Flow, { born, ended }: ItemsUnderWay): void {
    if (this.#column.length < count) this.#column = new Float64Array(items.length)
    const latencies = this.#column
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      latencies[at] = (ended[item] as number) - (born[item] as number)
    }
    this.#latencies.addAll(latencies, count)
  }

  #keep({ items, count }: Flow, { born, ended, parts: all }: ItemsUnderWay): void {
    if (!this.#kept || !all) return
    const { latencies, parts } = this.#kept
    let arrived = this.#latencies.count - count
    for (const item of items.subarray(0, count)) {
      latencies[arrived] = (ended[item] as number) - (born[item] as number)
      parts.set(all.subarray(item * PART, (item + 1) * PART), arrived * PART)
      arrived++
    }
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
