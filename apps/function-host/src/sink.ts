/** Sends items to where a caller wants them, as functions on Knative do. */
import { Agent, request } from 'undici'
import type { Message } from './event.ts'

/** Longest time that a sink may take for one event, in ms. */
const SINK_LIMIT_MS = 60_000

/** A client of sinks, which keeps its connections. */
export class Sink {
  readonly #client = new Agent({ headersTimeout: SINK_LIMIT_MS, bodyTimeout: SINK_LIMIT_MS })

  /** Resolves when the sink has taken the event. Rejects with a sentence when it does not. */
  async send(url: string, { headers, body }: Message): Promise<void> {
    const answer = await request(url, { method: 'POST', headers, body, dispatcher: this.#client })
    const text = await answer.body.text()
    if (answer.statusCode >= 300)
      throw new Error(`the sink ${url} answered ${answer.statusCode}: ${text.slice(0, 200)}`)
  }

  async close(): Promise<void> {
    await this.#client.destroy()
  }
}
