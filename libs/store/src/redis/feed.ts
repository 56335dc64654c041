/** The writes to one pool as they come, from its stream of events. */
import type { Cluster, Redis } from 'ioredis'
import type { ObjectInfo } from '../contract.ts'
import { holds } from '../paths.ts'
import { entryOf } from './replies.ts'

const BLOCK_MS = 2_000
const RETRY_MS = 200

/** Events of one version have ids up to this number. */
const MAX_SEQUENCE = 2 ** 32

type Event = [id: string, fields: string[]]

/** Calls a listener for the writes under a prefix after a version, until it is closed. */
export class Feed {
  readonly #connection: Redis | Cluster
  readonly #stream: string
  readonly #prefix: string
  readonly #listener: (change: ObjectInfo) => void
  /** Id of the last event that was read. */
  #last: string
  #closed = false

  /** @param connection one of its own: reading blocks it */
  constructor(
    connection: Redis | Cluster,
    stream: string,
    prefix: string,
    after: number,
    listener: (change: ObjectInfo) => void,
  ) {
    this.#connection = connection
    this.#stream = stream
    this.#prefix = prefix
    this.#last = `${after}-${MAX_SEQUENCE}`
    this.#listener = listener
    void this.#follow()
  }

  close(): void {
    this.#closed = true
    this.#connection.disconnect()
  }

  async #follow(): Promise<void> {
    while (!this.#closed) {
      try {
        const answer = await this.#connection.xread('BLOCK', BLOCK_MS, 'STREAMS', this.#stream, this.#last)
        for (const [, events] of (answer ?? []) as [string, Event[]][])
          for (const event of events) this.#emit(event)
      } catch {
        // The server is away: what was written meanwhile is in the stream.
        if (!this.#closed) await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  #emit([id, fields]: Event): void {
    this.#last = id
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const { info } = entryOf(fields[at] as string, fields[at + 1] as string)
      if (holds(this.#prefix, info.key)) this.#notify(info)
    }
  }

  #notify(info: ObjectInfo): void {
    if (this.#closed) return
    try {
      this.#listener(info)
    } catch (error) {
      // It is the listener's fault: it surfaces as an uncaught exception.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
