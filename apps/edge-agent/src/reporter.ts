/** What the agent tells the gateway about its work: items, ends, spans and log lines, in the order they happened. */
import { dataFunction, type Plan } from '@hivemind/synthesis'
import type { GatewayLink } from './gatewayLink.ts'
import { now, type WireValue } from './values.ts'

/** Log lines go together, at most so long after the first of them, in ms. */
const LOG_PAUSE_MS = 100
/** Most characters of one log line that are sent. */
const LONGEST_LINE = 4_000
/** Most lines that wait to be sent; more are counted and dropped. */
const MOST_LINES = 1_000

export interface WireKey {
  run: string
  task: string
  device: string
  seq: number
}

/** Fields of the Thrift struct `SpanRecord`; instants in ms since 1970, durations in ms, sizes in bytes. */
export interface SpanRecord {
  key: WireKey
  worker: string
  queuedAt: number
  startedAt: number
  endedAt: number
  network: number
  management: number
  dataExchange: number
  execution: number
  bytesIn: number
  bytesOut: number
  items: number
  ok: boolean
  error: string
  attempt: number
}

export class Reporter {
  readonly #plan: Plan
  readonly #link: GatewayLink
  #lines: { at: number; level: string; source: string; device: string; text: string }[] = []
  #dropped = 0
  #timer: NodeJS.Timeout | undefined

  constructor(plan: Plan, link: GatewayLink) {
    this.#plan = plan
    this.#link = link
  }

  /** Resolves when the gateway has the item. */
  item(key: WireKey, data: string, value: WireValue): Promise<void> {
    return this.#link.call(dataFunction(this.#plan, data), { key, value })
  }

  done(span: SpanRecord): void {
    this.#tell('spans', { spans: [span] })
    this.#flush()
    this.#tell('taskDone', { key: span.key, items: span.items })
  }

  /** One try failed: its span, and a line when another follows. */
  tryFailed(span: SpanRecord): void {
    this.#tell('spans', { spans: [span] })
  }

  failed(key: WireKey, kind: string, message: string, detail: string): void {
    this.#flush()
    this.#tell('taskFailed', { key, kind, message, detail })
  }

  entryDone(key: WireKey, epoch: number): void {
    this.#tell('entryDone', { key, epoch })
  }

  log(level: string, source: string, device: string, text: string): void {
    if (this.#lines.length >= MOST_LINES) {
      this.#dropped += 1
      return
    }
    const cut = text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} ...` : text
    this.#lines.push({ at: now(), level, source, device, text: cut })
    this.#timer ??= setTimeout(() => this.#flush(), LOG_PAUSE_MS)
  }

  #flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    if (this.#lines.length === 0) return
    const lines = this.#lines
    this.#lines = []
    if (this.#dropped > 0) {
      const text = `${this.#dropped} more lines were dropped: the task logs faster than they can be sent.`
      lines.push({ at: now(), level: 'warn', source: 'agent', device: '', text })
      this.#dropped = 0
    }
    this.#tell('logs', { lines })
  }

  #tell(fn: string, args: Record<string, unknown>): void {
    // Fails only when the link ends, and with it the agent.
    this.#link.call(fn, args).catch(() => {})
  }
}
