/** The way of single items through a run: every invocation that worked on them, with where its time went. */
import type { Breakdown, Tier } from '@hivemind/swarm'
import { NOT_HANDED, type Origins, type Tokens } from '../events/tokens.ts'
import type { Model } from '../model/model.ts'

/** One invocation, split as the spans of a run are; the four parts add up to its length. Times in ms since the capture. */
export interface TraceSpan extends Breakdown {
  task: string
  tier: Tier
  /** When its last input was produced, and when it ended. */
  fromMs: number
  toMs: number
}

/** The way of one item of sensor data. */
export interface ItemTrace {
  /** The quantile of latency that it stands for. */
  quantile: number
  /** The device that it was captured for; 1 is `device-1`. */
  device: number
  capturedAtMs: number
  latencyMs: number
  /** In the order in which they ended. */
  spans: TraceSpan[]
}

/** An invocation under way. */
interface Begun extends Breakdown {
  producedAt: number
}

export class Tracer {
  readonly #model: Model
  readonly #tokens: Tokens
  readonly #origins: Origins
  /** For every item to be traced its spans, times since the start of the run. */
  readonly spans: ReadonlyMap<number, TraceSpan[]>
  readonly devices = new Map<number, number>()
  readonly #begun = new Map<string, Begun>()

  constructor(items: Iterable<number>, model: Model, tokens: Tokens, origins: Origins) {
    this.#model = model
    this.#tokens = tokens
    this.#origins = origins
    this.spans = new Map([...items].map((item) => [item, []]))
  }

  /** An item is captured for a device. */
  captured(item: number, lane: number): void {
    if (this.spans.has(item)) this.devices.set(item, lane + 1)
  }

  /** All inputs of an invocation are there, the last one after `hop` ms; to be told before its waiting is added. */
  ready(token: number, hop: number): void {
    if (!this.#itemsOf(token).some((item) => this.spans.has(item))) return
    const { network, management, dataExchange, execution, producedAt, handOver } = this.#tokens
    const isHanded = handOver[token] !== NOT_HANDED
    this.#begun.set(this.#keyOf(token), {
      network: (network[token] as number) - (isHanded ? 0 : hop),
      dataExchange: (dataExchange[token] as number) - (isHanded ? hop : 0),
      management: management[token] as number,
      execution: execution[token] as number,
      producedAt: producedAt[token] as number,
    })
  }

  /** An invocation has ended. */
  done(token: number, now: number): void {
    const key = this.#keyOf(token)
    const begun = this.#begun.get(key)
    if (!begun) return
    this.#begun.delete(key)
    const { network, management, dataExchange, execution, task } = this.#tokens
    const { name, tier } = this.#model.tasks[task[token] as number] as Model['tasks'][number]
    for (const item of this.#itemsOf(token))
      this.spans.get(item)?.push({
        task: name,
        tier,
        fromMs: begun.producedAt,
        toMs: now,
        network: (network[token] as number) - begun.network,
        management: (management[token] as number) - begun.management,
        dataExchange: (dataExchange[token] as number) - begun.dataExchange,
        execution: (execution[token] as number) - begun.execution,
      })
  }

  #itemsOf(token: number): readonly number[] {
    return this.#origins.listOf(this.#tokens.origin[token] as number)
  }

  #keyOf(token: number): string {
    const { task, lane, seq } = this.#tokens
    return `${task[token]} ${lane[token]} ${seq[token]}`
  }
}
