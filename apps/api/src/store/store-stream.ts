/** A stream of server-sent events about the store. */
import { once } from 'node:events'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { principalOf } from '../auth/principal.ts'

const HEARTBEAT_MS = 15_000
/** Events that wait for a slow client, before their sender does, in bytes. */
const MAX_WAITING_BYTES = 1_000_000
/** A client that reads so slowly is cut off, where the sender does not wait; it comes back with the last id it saw. */
const MAX_UNSENT_BYTES = 8_000_000

/** An event as text. */
export const eventOf = (event: string, data: unknown, id?: string | number): string =>
  `${id === undefined ? '' : `id: ${id}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`

/** Id of the last event that a client saw. A browser that connects again by itself sends the header; it is newer than the address. */
export function lastEventOf(request: FastifyRequest, after: string | undefined): string | undefined {
  const header = request.headers['last-event-id']
  return typeof header === 'string' ? header : after
}

/** Events to one client. What is sent before `open` waits for it, so that a refusal can be answered until then. */
export class StoreStream {
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  #waiting: string[] | null = []

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.#request = request
    this.#reply = reply
  }

  send(text: string): void {
    if (this.#waiting) this.#waiting.push(text)
    else if (this.#reply.raw.writableLength > MAX_UNSENT_BYTES) this.#reply.raw.destroy()
    else this.#reply.raw.write(text)
  }

  /** Resolves when the client has read most of what it was sent, or is gone. */
  async whenRoom(): Promise<void> {
    const { raw } = this.#reply
    while (raw.writableLength > MAX_WAITING_BYTES && !raw.destroyed)
      await Promise.race([once(raw, 'drain'), once(raw, 'close')]).catch(() => {})
  }

  /** Begins the answer. `closed` is called when the client is gone, or its session or its access key has ended. */
  open(closed: () => void): void {
    const { raw } = this.#reply
    this.#reply.hijack()
    if (raw.destroyed) return closed()
    const ended = principalOf(this.#request)?.ended
    raw.writeHead(200, {
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Content-Type-Options': 'nosniff',
    })
    this.#request.raw.socket.setNoDelay(true)
    const heartbeat = setInterval(() => this.send(': alive\n\n'), HEARTBEAT_MS)
    const end = () => raw.end()
    ended?.addEventListener('abort', end, { once: true })
    raw.on('error', () => raw.destroy())
    raw.on('close', () => {
      clearInterval(heartbeat)
      ended?.removeEventListener('abort', end)
      closed()
    })
    raw.write(': connected\n\n')
    for (const text of this.#waiting ?? []) raw.write(text)
    this.#waiting = null
    // It ended while the stream was prepared.
    if (ended?.aborted) end()
  }
}
