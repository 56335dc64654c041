/** The way of single items through a run: every invocation that worked on them, with where its time went. */
import type { Breakdown, Tier } from '@hivemind/swarm'
import {
  DATA_EXCHANGE,
  EXECUTION,
  LINK,
  MANAGEMENT,
  NETWORK,
  NO_LINK,
  type Origins,
  PRODUCED_AT,
  type Tokens,
} from '../engine/tokens.ts'
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

  /** All inputs of an invocation are there, the last one after `hop` ms; to be called before its waiting is added. */
  ready(token: number, hop: number): void {
    if (!this.#itemsOf(token).some((item) => this.spans.has(item))) return
    const tokens = this.#tokens
    const isHanded = tokens.ints[(token << 3) | LINK] !== NO_LINK
    this.#begun.set(this.#keyOf(token), {
      network: tokens.time(token, NETWORK) - (isHanded ? 0 : hop),
      dataExchange: tokens.time(token, DATA_EXCHANGE) - (isHanded ? hop : 0),
      management: tokens.time(token, MANAGEMENT),
      execution: tokens.time(token, EXECUTION),
      producedAt: tokens.time(token, PRODUCED_AT),
    })
  }

  /** An invocation has ended. */
  done(token: number, now: number): void {
    const key = this.#keyOf(token)
    const begun = this.#begun.get(key)
    if (!begun) return
    this.#begun.delete(key)
    const tokens = this.#tokens
    const { name, tier } = this.#model.tasks[tokens.task(token)] as Model['tasks'][number]
    for (const item of this.#itemsOf(token))
      this.spans.get(item)?.push({
        task: name,
        tier,
        fromMs: begun.producedAt,
        toMs: now,
        network: tokens.time(token, NETWORK) - begun.network,
        management: tokens.time(token, MANAGEMENT) - begun.management,
        dataExchange: tokens.time(token, DATA_EXCHANGE) - begun.dataExchange,
        execution: tokens.time(token, EXECUTION) - begun.execution,
      })
  }

  #itemsOf(token: number): readonly number[] {
    return this.#origins.listOf(this.#tokens.origin(token))
  }

  #keyOf(token: number): string {
    const tokens = this.#tokens
    return `${tokens.task(token)} ${tokens.lane(token)} ${tokens.seq(token)}`
  }
}
