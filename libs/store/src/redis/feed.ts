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

/** Where a feed reads, and who is told. */
export interface FeedOptions {
  /** One of its own: reading blocks it. */
  connection: Redis | Cluster
  /** Redis key of the stream. */
  stream: string
  /** Only writes under this prefix. */
  prefix: string
  /** Version after which it begins. */
  after: number
  listener: (change: ObjectInfo) => void
  /** How long it waits for events in one call, in ms; 2,000 when absent. */
  blockMs?: number
  /** Called after each answer. All events up to the time it was asked for, by `performance.now`, have been told. */
  onAnswer?: (askedAt: number) => void | Promise<void>
  /** Called when a call fails. What was written meanwhile may be told later. */
  onFailure?: () => void
}

/** Calls a listener for the writes under a prefix after a version, until it is closed. */
export class Feed {
  readonly #options: FeedOptions
  /** Id of the last event that was read. */
  #last: string
  #closed = false

  constructor(options: FeedOptions) {
    this.#options = options
    this.#last = `${options.after}-${MAX_SEQUENCE}`
    void this.#follow()
  }

  close(): void {
    this.#closed = true
    this.#options.connection.disconnect()
  }

  async #follow(): Promise<void> {
    const { connection, stream, blockMs = BLOCK_MS, onAnswer, onFailure } = this.#options
    while (!this.#closed) {
      try {
        const askedAt = performance.now()
        const answer = await connection.xread('BLOCK', blockMs, 'STREAMS', stream, this.#last)
        for (const [, events] of (answer ?? []) as [string, Event[]][])
          for (const event of events) this.#emit(event)
        await onAnswer?.(askedAt)
      } catch {
        // The server is away: what was written meanwhile is in the stream.
        if (this.#closed) return
        onFailure?.()
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  #emit([id, fields]: Event): void {
    this.#last = id
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const { info } = entryOf(fields[at] as string, fields[at + 1] as string)
      if (holds(this.#options.prefix, info.key)) this.#notify(info)
    }
  }

  #notify(info: ObjectInfo): void {
    if (this.#closed) return
    try {
      this.#options.listener(info)
    } catch (error) {
      // It is the listener's fault: it surfaces as an uncaught exception.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
