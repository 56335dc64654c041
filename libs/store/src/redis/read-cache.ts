/**
 * Objects that were read from Redis, kept in this process (Cascade, section 3.5). A feed of each pool drops those that are
 * written. They are served only while the feed is fresh, and has come as far as what this store has seen of the pool.
 */
import type { ObjectInfo, StoredObject } from '../contract.ts'
import { InvalidOptionError } from '../errors.ts'
import { beginFeed, Feed } from './feed.ts'
import type { RedisPools } from './pools.ts'
import type { RedisServer } from './server.ts'

/** Which reads are kept. */
export interface ReadCacheOptions {
  /** Largest size of all kept objects together, in bytes. Those that were not read for longest are dropped first. */
  bytes: number
  /** A read has all writes that were acknowledged so long before it, in ms; 1,000 when absent. */
  maxAgeMs?: number
}

/** Pools whose reads are kept; each takes a connection. Reads of others go to Redis. */
const MAX_POOLS = 64
/** Size of what surrounds the bytes of an object, in bytes. */
const OBJECT_BYTES = 300
const RETRY_MS = 200

/** A read that is under way: the newest version of its object that the feed has told meanwhile. */
interface Fill {
  newest: number
}

/** What is known of one pool. */
class PoolFeed {
  feed: Feed | null = null
  /** Version up to which written objects were dropped. */
  fed = 0
  /** When the feed was last known to have told everything, by `performance.now`. */
  freshAt = Number.NEGATIVE_INFINITY
  closed = false
  readonly fills = new Map<string, Set<Fill>>()
}

/** Keeps the latest version of objects. */
export class ReadCache {
  readonly #server: RedisServer
  readonly #pools: RedisPools
  readonly #bytes: number
  readonly #maxAgeMs: number
  /** By key, those that were read last at the end. */
  readonly #objects = new Map<string, { pool: string; object: StoredObject; size: number }>()
  readonly #feeds = new Map<string, PoolFeed>()
  /** Newest version of each pool that this store has seen. */
  readonly #seen = new Map<string, number>()
  #size = 0
  #closed = false

  /** Throws `InvalidOptionError`. */
  constructor(server: RedisServer, pools: RedisPools, { bytes, maxAgeMs = 1_000 }: ReadCacheOptions) {
    if (!(Number.isSafeInteger(bytes) && bytes >= 1))
      throw new InvalidOptionError(`The option cache.bytes is ${bytes}; it must be a whole number from 1.`)
    if (!(Number.isFinite(maxAgeMs) && maxAgeMs >= 50))
      throw new InvalidOptionError(
        `The option cache.maxAgeMs is ${maxAgeMs}; it must be a number of ms from 50.`,
      )
    this.#server = server
    this.#pools = pools
    this.#bytes = bytes
    this.#maxAgeMs = maxAgeMs
  }

  /** The object as it is kept, or as `read` finds it. */
  async get(
    pool: string,
    key: string,
    read: () => Promise<StoredObject | null>,
  ): Promise<StoredObject | null> {
    const feed = this.#feedOf(pool)
    const kept = this.#objects.get(key)
    if (kept && feed && this.#isCurrent(pool, feed)) {
      this.#objects.delete(key)
      this.#objects.set(key, kept)
      return kept.object
    }
    // What is read before the feed begins may have been written meanwhile without being told.
    const follows = feed?.feed !== null
    const fill: Fill = { newest: 0 }
    const fills = feed?.fills.get(key) ?? new Set()
    feed?.fills.set(key, fills.add(fill))
    try {
      const object = await read()
      if (object) this.saw(pool, object.version)
      if (object && feed && follows && !feed.closed && object.version >= fill.newest) this.#keep(pool, object)
      return object
    } finally {
      fills.delete(fill)
      if (fills.size === 0) feed?.fills.delete(key)
    }
  }

  /** This store has seen a version of a pool: what is served from now on is not older. */
  saw(pool: string, version: number): void {
    const seen = this.#seen.get(pool) ?? 0
    if (version > seen) this.#seen.set(pool, version)
  }

  /** This store has written objects of a pool. */
  wrote(pool: string, infos: readonly ObjectInfo[]): void {
    for (const { key, version } of infos) {
      this.saw(pool, version)
      this.#drop(key, version)
    }
  }

  /** Drops all objects of a pool, and follows it anew at the next read. */
  forget(pool: string): void {
    const known = this.#feeds.get(pool)
    if (known) {
      known.closed = true
      known.feed?.close()
    }
    this.#feeds.delete(pool)
    this.#seen.delete(pool)
    for (const [key, kept] of this.#objects) if (kept.pool === pool) this.#remove(key, kept.size)
  }

  close(): void {
    this.#closed = true
    for (const pool of [...this.#feeds.keys()]) this.forget(pool)
  }

  #isCurrent(pool: string, { freshAt, fed }: PoolFeed): boolean {
    return performance.now() - freshAt <= this.#maxAgeMs && fed >= (this.#seen.get(pool) ?? 0)
  }

  #feedOf(pool: string): PoolFeed | undefined {
    const known = this.#feeds.get(pool)
    if (known || this.#closed || this.#feeds.size >= MAX_POOLS) return known
    const feed = new PoolFeed()
    this.#feeds.set(pool, feed)
    this.#follow(pool, feed).catch(() => this.#retry(pool, feed))
    return feed
  }

  async #follow(pool: string, feed: PoolFeed): Promise<void> {
    const created = await this.#pools.created(pool)
    const key = this.#pools.key(pool)
    const after = await beginFeed(this.#server, pool, key)
    if (feed.closed) return
    feed.fed = after
    const connection = this.#server.duplicate()
    // Another server may answer after it, which lacks versions that were told.
    for (const event of ['close', '-node']) connection.on(event, () => this.#retry(pool, feed))
    feed.feed = new Feed({
      server: this.#server,
      connection,
      key,
      prefix: pool,
      after,
      blockMs: Math.ceil(this.#maxAgeMs / 3),
      listener: (change) => this.#changed(pool, feed, change),
      onAnswer: async (askedAt) => {
        // A pool that was removed and created again begins with version 1, which the feed would take for told.
        if ((await this.#pools.created(pool)) !== created) this.forget(pool)
        else feed.freshAt = askedAt
      },
      onFailure: () => this.#retry(pool, feed),
    })
  }

  #changed(pool: string, feed: PoolFeed, { key, version, previousVersion }: ObjectInfo): void {
    if (feed.closed) return
    // Versions in between are not kept any more.
    if (previousVersion > feed.fed) return this.#retry(pool, feed)
    feed.fed = version
    this.#drop(key, version)
    for (const fill of feed.fills.get(key) ?? []) fill.newest = version
  }

  /** Follows a pool anew: reads go to Redis for a moment. */
  #retry(pool: string, feed: PoolFeed): void {
    if (feed.closed) return
    const seen = this.#seen.get(pool)
    this.forget(pool)
    if (seen !== undefined) this.#seen.set(pool, seen)
    const paused = new PoolFeed()
    paused.closed = true
    this.#feeds.set(pool, paused)
    setTimeout(() => this.#feeds.get(pool) === paused && this.#feeds.delete(pool), RETRY_MS).unref()
  }

  #keep(pool: string, object: StoredObject): void {
    const size = object.bytes.length + 2 * object.key.length + OBJECT_BYTES
    if (size > this.#bytes) return
    const kept = this.#objects.get(object.key)
    if (kept) this.#remove(object.key, kept.size)
    this.#objects.set(object.key, { pool, object, size })
    this.#size += size
    for (const [key, oldest] of this.#objects) {
      if (this.#size <= this.#bytes) break
      this.#remove(key, oldest.size)
    }
  }

  /** Drops an object unless it is of this version, or newer. */
  #drop(key: string, version: number): void {
    const kept = this.#objects.get(key)
    if (kept && kept.object.version < version) this.#remove(key, kept.size)
  }

  #remove(key: string, size: number): void {
    this.#objects.delete(key)
    this.#size -= size
  }
}
