/** The pools of a Redis store: a registry in one slot, and the data of each pool in a slot of its own. */
import type { Pool, PoolOptions } from '../contract.ts'
import { PoolConflictError, UnknownPoolError } from '../errors.ts'
import { comparePaths, holds } from '../paths.ts'
import { checkSamePool, newPool } from '../pool-options.ts'
import { PrefixTrie } from '../prefix-trie.ts'
import type { RedisServer } from './server.ts'

/** Part of all Redis keys: changes with what they hold, so that a store never misreads what an earlier one has written. */
const LAYOUT = 2

/** Creates, finds and removes pools. Pools of other processes are found when they are first asked for. */
export class RedisPools {
  readonly #server: RedisServer
  readonly #namespace: string
  readonly #registry: string
  #known = new PrefixTrie<string>()
  /** Of the pools that have been met. */
  readonly #keys = new Map<string, string>()
  /** Those that keep one row for a key, as far as is known. */
  readonly #single = new Set<string>()
  /** Those of which Redis has said whether they do. */
  readonly #asked = new Set<string>()

  constructor(server: RedisServer, namespace: string) {
    this.#server = server
    this.#namespace = namespace
    this.#registry = `${namespace}:${LAYOUT}:pools`
  }

  /** Begins the names of all Redis keys of a pool. Its hash tag keeps them in one slot, with those of the same affinity. */
  key(pool: string): string {
    return this.#keys.get(pool) ?? this.#keyOf(pool, undefined)
  }

  #keyOf(pool: string, affinity: string | undefined): string {
    const tag = encodeURIComponent(`${this.#namespace}:${affinity === undefined ? pool : `@${affinity}`}`)
    const name = affinity === undefined ? '' : encodeURIComponent(pool)
    return `${this.#namespace}:${LAYOUT}:{${tag}}${name}`
  }

  /** The Redis key of a chunk. */
  chunk(pool: string, blob: string, index: number): string {
    return `${this.key(pool)}:c:${blob}:${index}`
  }

  /** The command that gets the newest record of a key. */
  newest(pool: string, key: string): [string, ...(string | number)[]] {
    if (this.#single.has(pool)) return ['GET', `${this.key(pool)}:r:${key}`]
    return ['ZREVRANGE', `${this.key(pool)}:v:${key}`, 0, 0]
  }

  /** Whether `newest` is another command than it was: asks Redis once whether a pool of one version was created by an earlier version. */
  async looksElsewhere(pool: string): Promise<boolean> {
    if (!this.#single.has(pool) || this.#asked.has(pool)) return false
    this.#asked.add(pool)
    const head = await this.#server.read('head', this.key(pool), [])
    return head.text(1) !== '1' && this.#single.delete(pool)
  }

  /** The pool that holds a path, when this process has met it. */
  known(path: string): string | undefined {
    return this.#known.match(path)[0]
  }

  /** The pool that holds a path. Rejects with `UnknownPoolError`. */
  async holding(path: string): Promise<string> {
    const known = this.known(path) ?? (await this.#load()).match(path)[0]
    if (known === undefined) throw new UnknownPoolError(path)
    return known
  }

  /** Asks Redis again which pools there are, after one was found to be gone. */
  forget(): void {
    this.#known = new PrefixTrie()
  }

  async list(prefix: string | undefined): Promise<Pool[]> {
    return (await this.#server.command<Buffer[]>('HVALS', this.#registry))
      .map((row) => JSON.parse(row.toString()) as Pool)
      .filter(({ path }) => prefix === undefined || holds(prefix, path))
      .sort((a, b) => comparePaths(a.path, b.path))
  }

  /** When a pool was created, in microseconds since 1970: differs after it was removed and created again. Null when there is none. */
  async created(path: string): Promise<number | null> {
    const row = await this.#server.command<Buffer | null>('HGET', this.#registry, path)
    return row ? (JSON.parse(row.toString()) as Pool).created : null
  }

  async create(path: string, options: PoolOptions, created: number): Promise<Pool> {
    const wanted = newPool(path, options, created)
    const reply = await this.#server.write('register', this.#registry, [path, JSON.stringify(wanted)])
    if (reply.status === 'around')
      throw new PoolConflictError(
        `Pool '${path}' cannot be created: pool '${reply.text(0)}' is there, and no pool lies inside another.`,
      )
    const pool = reply.status === 'exists' ? (JSON.parse(reply.text(0)) as Pool) : wanted
    checkSamePool(pool, wanted)
    this.#meet(pool)
    // Again also for a pool that is there: the process that registered it may have ended before this.
    const { versions = '', ageMs } = pool.retention
    const ageUs = ageMs === undefined ? '' : Math.round(ageMs * 1000)
    await this.#server.write('open', this.key(path), [pool.persistence, versions, ageUs])
    this.#known.add(path, path)
    return pool
  }

  async remove(path: string, graceMs: number): Promise<void> {
    if (!(await this.#load()).match(path).includes(path)) throw new UnknownPoolError(path)
    await this.#server.write('drop', this.key(path), [graceMs])
    await this.#server.command('HDEL', this.#registry, path)
    this.#known = new PrefixTrie()
  }

  async #load(): Promise<PrefixTrie<string>> {
    const known = new PrefixTrie<string>()
    for (const pool of await this.list(undefined)) {
      known.add(pool.path, pool.path)
      this.#meet(pool)
    }
    this.#known = known
    return known
  }

  /** Other options than before may be those of a pool that was removed and created again. */
  #meet({ path, affinity, retention }: Pool): void {
    this.#keys.set(path, this.#keyOf(path, affinity))
    this.#asked.delete(path)
    if (retention.versions === 1 && retention.ageMs === undefined) this.#single.add(path)
    else this.#single.delete(path)
  }
}
