/**
 * Sends spans to a collector (OTLP over HTTP, JSON). Whoever has spans never waits for it: they stand in a queue of bounded
 * length, and the oldest are dropped when it is full. https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { exportRequest, type ResourceSpan } from '@hivemind/orchestrator'
import { Inject, Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { sentenceOf } from '../common/text.ts'
import { CONFIG, type Config } from '../config/config.ts'
import type { TraceSettings } from './trace-settings.ts'

/** Most spans that wait for the collector: about 50 MB. */
export const MAX_WAITING_SPANS = 50_000
/** Most spans of one request. */
export const BATCH_SPANS = 512
const ANSWER_LIMIT_MS = 10_000
/** Wait after the first failure and after many, in ms; it doubles in between. */
const FIRST_WAIT_MS = 1_000
const MAX_WAIT_MS = 30_000
/** Time for what still waits when the service stops, in ms. */
const STOP_LIMIT_MS = 3_000
/** Answers after which a request may be made again. */
const PASSING = new Set([429, 502, 503, 504])

interface Batch {
  body: string
  spans: number
}

/** What became of spans so far. */
export interface SpanCounts {
  exported: number
  /** The collector refused them for good. */
  rejected: number
  /** There was no room for them, or the service stopped. */
  dropped: number
}

/** A failure after which the same request may succeed. */
class Passing extends Error {
  /** The collector's own wish, in ms. */
  readonly waitMs: number | undefined

  constructor(message: string, waitMs?: number) {
    super(message)
    this.waitMs = waitMs
  }
}

@Injectable()
export class SpanExporter {
  readonly counts: SpanCounts = { exported: 0, rejected: 0, dropped: 0 }
  private readonly settings: TraceSettings
  private readonly queue: Batch[] = []
  /** Aborts when nothing is to wait for its next try any more. */
  private readonly stopping = new AbortController()
  /** Aborts when nothing is to be sent any more. */
  private readonly ended = new AbortController()
  private waitingSpans = 0
  private sending: Promise<void> | undefined
  /** Whether the last request failed: it is told once. */
  private failing = false

  constructor(@Inject(CONFIG) { traces }: Config) {
    this.settings = traces
  }

  /** Whether there is a collector to send to. */
  get enabled(): boolean {
    return this.settings.url !== undefined
  }

  /** Spans that have not been sent yet. */
  get waiting(): number {
    return this.waitingSpans
  }

  /** Takes up to `BATCH_SPANS` spans, to be sent in one request. Returns at once. */
  add(spans: readonly ResourceSpan[]): void {
    if (!this.enabled || spans.length === 0) return
    this.queue.push({ body: JSON.stringify(exportRequest(spans)), spans: spans.length })
    this.waitingSpans += spans.length
    this.makeRoom()
    this.sending ??= this.send().finally(() => {
      this.sending = undefined
    })
  }

  /** Tries once more what waits, for 3 s, and then gives up. */
  async stop(): Promise<void> {
    const timer = setTimeout(() => this.ended.abort(), STOP_LIMIT_MS)
    this.stopping.abort()
    await this.sending
    clearTimeout(timer)
    this.counts.dropped += this.waitingSpans
    this.queue.length = 0
    this.waitingSpans = 0
  }

  private async send(): Promise<void> {
    const { signal } = this.stopping
    let waitMs = FIRST_WAIT_MS
    for (let batch = this.queue.shift(); batch; batch = this.queue.shift()) {
      try {
        this.settle(batch, await this.post(batch))
        this.tellSuccess()
        waitMs = FIRST_WAIT_MS
      } catch (error) {
        this.tellFailure(error as Error)
        if (!(error instanceof Passing)) {
          this.settle(batch, batch.spans)
          continue
        }
        this.queue.unshift(batch)
        this.makeRoom()
        if (signal.aborted) return
        await sleep(error.waitMs ?? waitMs * (0.5 + Math.random() / 2), undefined, {
          signal,
          ref: false,
        }).catch(() => {})
        waitMs = Math.min(MAX_WAIT_MS, waitMs * 2)
      }
    }
  }

  /** Sends one request; resolves with how many of its spans the collector refused. */
  private async post({ body, spans }: Batch): Promise<number> {
    const { url = '', headers } = this.settings
    let answer: Response
    let text: string
    try {
      answer = await fetch(url, {
        method: 'POST',
        headers: { ...headers, 'content-type': 'application/json' },
        body,
        signal: AbortSignal.any([this.ended.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
      })
      text = await answer.text()
    } catch (error) {
      const { cause } = error as { cause?: unknown }
      throw new Passing(sentenceOf(cause instanceof Error ? cause : error))
    }
    if (answer.ok) return Math.min(spans, rejectedIn(text))
    const said = `it answers ${answer.status}`
    if (!PASSING.has(answer.status)) throw new Error(said)
    const seconds = Number(answer.headers.get('retry-after'))
    throw new Passing(said, seconds > 0 ? Math.min(MAX_WAIT_MS, seconds * 1_000) : undefined)
  }

  private settle({ spans }: Batch, rejected: number): void {
    this.waitingSpans -= spans
    this.counts.rejected += rejected
    this.counts.exported += spans - rejected
  }

  private makeRoom(): void {
    while (this.waitingSpans > MAX_WAITING_SPANS) {
      const oldest = this.queue.shift()
      if (!oldest) return
      this.waitingSpans -= oldest.spans
      this.counts.dropped += oldest.spans
    }
  }

  private tellFailure(error: Error): void {
    if (this.failing || this.ended.signal.aborted) return
    this.failing = true
    log.warn(
      `Traces do not reach ${this.settings.url}: ${error.message}. ${
        error instanceof Passing ? `Up to ${MAX_WAITING_SPANS} spans wait for it` : 'Their spans are lost'
      }; runs are not affected.`,
    )
  }

  private tellSuccess(): void {
    if (!this.failing) return
    this.failing = false
    log.info(`Traces reach ${this.settings.url} again.`)
  }
}

/** How many spans an answer says were refused. */
function rejectedIn(text: string): number {
  try {
    const { partialSuccess } = JSON.parse(text) as { partialSuccess?: { rejectedSpans?: string | number } }
    return Number(partialSuccess?.rejectedSpans ?? 0) || 0
  } catch {
    return 0
  }
}
