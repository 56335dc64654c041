/** The writes to one pool as they come, from its stream of events. */
import type { Cluster, Redis } from 'ioredis'
import type { ObjectInfo } from '../contract.ts'
import { holds } from '../paths.ts'
import { accepted, entryOf, infosOf } from './replies.ts'
import type { RedisServer } from './server.ts'

const BLOCK_MS = 2_000
const RETRY_MS = 200

/** Events of one version have ids up to this number. */
const MAX_SEQUENCE = 2 ** 32

/** Redis keeps events of the next 10,000 versions for a feed that has asked for them: it asks again after this many, or this time. */
const ASK_VERSIONS = 2_500
const ASK_MS = 30_000

/** Versions that one call for what was missed gets. */
const PAGE = 1_000

type Event = [id: string, fields: string[]]

/** Where a feed reads, and who is told. */
export interface FeedOptions {
  server: RedisServer
  /** One of its own: reading blocks it. */
  connection: Redis | Cluster
  /** Begins the names of the Redis keys of the pool. */
  key: string
  /** Only writes under this prefix. */
  prefix: string
  /** Version after which it begins: see `beginFeed`. */
  after: number
  listener: (change: ObjectInfo) => void
  /** How long it waits for events in one call, in ms; 2,000 when absent. */
  blockMs?: number
  /** Called after each answer. All events up to the time it was asked for, by `performance.now`, have been told. */
  onAnswer?: (askedAt: number) => void | Promise<void>
  /** Called when a call fails. What was written meanwhile may be told later. */
  onFailure?: () => void
}

/** Has the next writes to a pool told by events. Resolves with the version of the last one. Rejects with `UnknownPoolError`. */
export async function beginFeed(server: RedisServer, pool: string, key: string): Promise<number> {
  return Number(accepted(await server.read('watch', key, []), pool).text(0))
}

/**
 * Calls a listener for the writes under a prefix after a version, until it is closed. What the events do not tell, since the feed was
 * away for too long, it tells as far as the pool still has it.
 */
export class Feed {
  readonly #options: FeedOptions
  /** Version up to which all was read. */
  #last: number
  /** When it has asked for events, by `performance.now`, and up to which version it had read then. */
  #asked: { at: number; version: number }
  #closed = false

  constructor(options: FeedOptions) {
    this.#options = options
    this.#last = options.after
    this.#asked = { at: performance.now(), version: options.after }
    void this.#follow()
  }

  close(): void {
    this.#closed = true
    this.#options.connection.disconnect()
  }

  async #follow(): Promise<void> {
    const { connection, key, blockMs = BLOCK_MS, onAnswer, onFailure } = this.#options
    while (!this.#closed) {
      try {
        const askedAt = performance.now()
        const after = `${this.#last}-${MAX_SEQUENCE}`
        const answer = await connection.xread('BLOCK', blockMs, 'STREAMS', `${key}:events`, after)
        for (const [, events] of (answer ?? []) as [string, Event[]][])
          for (const event of events) await this.#emit(event)
        if (this.#last - this.#asked.version >= ASK_VERSIONS || askedAt - this.#asked.at >= ASK_MS)
          await this.#ask()
        await onAnswer?.(askedAt)
      } catch {
        if (this.#closed) return
        // The server is away, or another has its place, which may not know that there is a feed.
        this.#asked.at = Number.NEGATIVE_INFINITY
        onFailure?.()
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
      }
    }
  }

  /** Asks for events of the next versions, and makes up for those that it was not told. */
  async #ask(): Promise<void> {
    const { server, key } = this.#options
    const at = performance.now()
    const reply = await server.read('watch', key, [])
    // Otherwise the pool was removed.
    if (reply.status === 'ok') await this.#catchUp(Number(reply.text(1)))
    this.#asked = { at, version: this.#last }
  }

  async #emit([id, fields]: Event): Promise<void> {
    for (let at = 0; at + 1 < fields.length; at += 2) {
      const { info } = entryOf(fields[at] as string, fields[at + 1] as string)
      if (at === 0) await this.#catchUp(info.previousVersion)
      this.#notify(info)
    }
    this.#last = Number.parseInt(id, 10)
  }

  /** Tells what the pool still has of the versions up to one. */
  async #catchUp(version: number): Promise<void> {
    const { server, key, prefix } = this.#options
    for (let after = this.#last; after < version && !this.#closed; ) {
      const reply = await server.read('history', key, ['prefix', prefix, after, version, '', '', PAGE])
      const infos = infosOf(reply.values)
      for (const info of infos) this.#notify(info)
      after = infos.length < PAGE ? version : (infos.at(-1)?.version ?? version)
      this.#last = after
    }
  }

  #notify(info: ObjectInfo): void {
    if (this.#closed || !holds(this.#options.prefix, info.key)) return
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
