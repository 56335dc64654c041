/** The Redis engine: a store on a Redis server or cluster that several processes share. */
import { randomUUID } from 'node:crypto'
import type { EncodedValue } from '@hivemind/values'
import { checkMoment, checkType, checkValue, checkVersion } from '../checks.ts'
import { rechunk } from '../chunks.ts'
import type {
  BatchEntry,
  Binding,
  HistoryRange,
  Lambda,
  LambdaOptions,
  Moment,
  ObjectInfo,
  ObjectStream,
  Pool,
  PoolOptions,
  PutOptions,
  Snapshot,
  Store,
  StoredObject,
  TriggerOptions,
  Watch,
} from '../contract.ts'
import { InvalidOptionError, StoreClosedError, StoreError } from '../errors.ts'
import { bindingOptions } from '../lambdas/options.ts'
import { checkPath } from '../paths.ts'
import { Waits } from '../waits.ts'
import { beginFeed, Feed } from './feed.ts'
import { Member } from './member.ts'
import { RedisPools } from './pools.ts'
import { ReadCache, type ReadCacheOptions } from './read-cache.ts'
import { accepted, type Entry, entryOf, type Found, infosOf, recordOf } from './replies.ts'
import { RedisServer, type Reply } from './server.ts'
import { type RedisWrite, Writes } from './writes.ts'

/** Where a Redis store is, and how safe its writes are. */
export interface RedisStoreOptions {
  /** A Redis server of version 7 or later, such as `redis://127.0.0.1:6379`; of a cluster, any of its servers. */
  url: string
  /** PEM text of the authority that vouches for servers with TLS (`rediss:`); those that Node.js knows when absent. */
  authority?: string
  /** Begins all keys in Redis, so that several stores may share a server; `hivemind` when absent. */
  namespace?: string
  /**
   * A write is acknowledged when this many replicas have it, and is refused with `ReplicationError` when they do not within
   * 5 s; 0 when absent.
   */
  replicas?: number
  /**
   * Keeps objects that `get` has read in this process, and answers from there until they are written again; off when absent. Such a
   * read may miss the writes of others of the last moments: see `docs/consistency.md`. Its bytes are shared: do not change them.
   */
  cache?: ReadCacheOptions
  /** How long a member of a group of lambdas may be silent before its objects are given to others, in ms; 10,000 when absent. */
  leaseMs?: number
}

/** How long chunks are kept that no version refers to: those of an upload under way, or of a version being read, in ms. */
const UPLOAD_MS = 3_600_000
const READ_MS = 600_000
/** How often a writer that waits for a lambda looks for room, in microseconds. */
const ROOM_POLL_US = 5_000

/** Opens the Redis engine. Rejects with `StoreError` when the server cannot be used. */
export async function openRedisStore(options: RedisStoreOptions): Promise<Store> {
  const { url, authority, namespace = 'hivemind', replicas = 0, leaseMs = 10_000, cache } = options
  if (!(Number.isSafeInteger(replicas) && replicas >= 0))
    throw new InvalidOptionError(`The option replicas is ${replicas}; it must be a whole number from 0.`)
  if (!(Number.isSafeInteger(leaseMs) && leaseMs >= 100))
    throw new InvalidOptionError(
      `The option leaseMs is ${leaseMs}; it must be a whole number of ms from 100.`,
    )
  const server = await RedisServer.connect({ url, authority, replicas })
  const pools = new RedisPools(server, namespace)
  try {
    return new RedisStore(server, pools, leaseMs, cache ? new ReadCache(server, pools, cache) : null)
  } catch (error) {
    await server.close()
    throw error
  }
}

class RedisStore implements Store {
  readonly isShared = true
  readonly #server: RedisServer
  readonly #pools: RedisPools
  readonly #writes: Writes
  readonly #waits = new Waits()
  readonly #feeds = new Set<Feed>()
  readonly #members = new Set<Member>()
  readonly #leaseMs: number
  readonly #cache: ReadCache | null
  /** Largest timestamp of a write that this store has seen acknowledged. */
  #latest = 0
  #closing: Promise<void> | null = null

  constructor(server: RedisServer, pools: RedisPools, leaseMs: number, cache: ReadCache | null) {
    this.#server = server
    this.#pools = pools
    this.#writes = new Writes(server, READ_MS)
    this.#leaseMs = leaseMs
    this.#cache = cache
  }

  async createPool(path: string, options: PoolOptions = {}): Promise<Pool> {
    this.#check(path)
    return this.#pools.create(path, options, await this.time())
  }

  async listPools(prefix?: string): Promise<Pool[]> {
    this.#check(prefix)
    return this.#pools.list(prefix)
  }

  async getPool(path: string): Promise<Pool | null> {
    this.#check(path)
    return (await this.#pools.list(path)).find((pool) => pool.path === path) ?? null
  }

  async removePool(path: string): Promise<void> {
    this.#check(path)
    this.#cache?.forget(path)
    await this.#pools.remove(path, READ_MS)
    this.#cache?.forget(path)
  }

  async put(key: string, value: EncodedValue, options: PutOptions = {}): Promise<ObjectInfo> {
    const [info] = await this.#write(this.#poolOf(key), [this.#checked({ key, value, ...options })])
    return info as ObjectInfo
  }

  async putBatch(entries: readonly BatchEntry[]): Promise<ObjectInfo[]> {
    if (entries.length === 0) return []
    const writes = entries.map((entry) => this.#checked(entry))
    return this.#write(this.#poolOfAll(entries.map(({ key }) => key)), writes)
  }

  async putStream(
    key: string,
    type: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { expectedVersion }: PutOptions = {},
  ): Promise<ObjectInfo> {
    checkType(type)
    checkVersion(expectedVersion)
    const pool = await this.#poolOf(key)
    const blob = randomUUID()
    let chunks = 0
    let size = 0
    for await (const chunk of rechunk(source)) {
      this.#check()
      const name = this.#pools.chunk(pool, blob, chunks++)
      await this.#server.command('SET', name, Buffer.from(chunk.buffer, 0, chunk.length), 'PX', UPLOAD_MS)
      size += chunk.length
    }
    const content =
      chunks === 0
        ? { kind: 'bytes' as const, content: '' }
        : { kind: 'chunks' as const, content: `${blob}|${chunks}|${size}` }
    const [info] = await this.#write(pool, [{ key, type, ...content, expectedVersion }])
    return info as ObjectInfo
  }

  async remove(key: string, { expectedVersion }: PutOptions = {}): Promise<ObjectInfo | null> {
    checkVersion(expectedVersion)
    const pool = await this.#poolOf(key)
    const [info] = await this.#write(pool, [{ key, type: '', kind: 'removal', content: '', expectedVersion }])
    return info ?? null
  }

  async get(key: string, at?: Moment): Promise<StoredObject | null> {
    checkMoment(at)
    if (at !== undefined || !this.#cache) return this.#get(key, at)
    return this.#cache.get(await this.#poolOf(key), key, () => this.#get(key, at))
  }

  async #get(key: string, at: Moment | undefined): Promise<StoredObject | null> {
    const found = await this.#past(key, at)
    if (!found) return (await this.multiGet([key], at)).objects.get(key) ?? null
    const { entry, bytes } = found
    if (entry.info.removed) return null
    return { ...entry.info, bytes: entry.blob ? await this.#whole(await this.#poolOf(key), entry) : bytes }
  }

  async getStream(key: string, at?: Moment): Promise<ObjectStream | null> {
    const pool = await this.#poolOf(key)
    const [found] = (await this.#read(pool, at, 'bytes', 'keys', [key])).entries
    if (!found) return null
    const { info, blob } = found.entry
    return { ...info, chunks: blob ? this.#chunks(pool, found.entry) : once(found.bytes) }
  }

  async getSize(key: string, at?: Moment): Promise<number | null> {
    const pool = await this.#poolOf(key)
    const [found] = (await this.#read(pool, at, 'info', 'keys', [key])).entries
    return found?.entry.info.size ?? null
  }

  async multiGet(prefixOrKeys: string | readonly string[], at?: Moment): Promise<Snapshot> {
    const byPrefix = typeof prefixOrKeys === 'string'
    const keys = byPrefix ? [prefixOrKeys] : prefixOrKeys
    if (keys.length === 0) return { version: 0, objects: new Map() }
    const pool = await this.#poolOfAll(keys)
    const { version, entries } = await this.#read(pool, at, 'bytes', byPrefix ? 'prefix' : 'keys', keys)
    const objects = new Map<string, StoredObject>()
    for (const { entry, bytes } of entries) {
      const whole = entry.blob ? await this.#whole(pool, entry) : bytes
      objects.set(entry.info.key, { ...entry.info, bytes: whole })
    }
    return { version, objects }
  }

  async listObjects(prefix: string, at?: Moment): Promise<ObjectInfo[]> {
    const pool = await this.#poolOf(prefix)
    return (await this.#read(pool, at, 'info', 'prefix', [prefix])).entries.map(({ entry }) => entry.info)
  }

  async listKeys(prefix: string, at?: Moment): Promise<string[]> {
    return (await this.listObjects(prefix, at)).map(({ key }) => key)
  }

  async history(key: string, range: HistoryRange = {}): Promise<ObjectInfo[]> {
    return this.#history('key', key, range)
  }

  async changes(prefix: string, range: HistoryRange = {}): Promise<ObjectInfo[]> {
    return this.#history('prefix', prefix, range)
  }

  async watch(prefix: string, listener: (change: ObjectInfo) => void): Promise<Watch> {
    const pool = await this.#poolOf(prefix)
    const key = this.#pools.key(pool)
    const after = await beginFeed(this.#server, pool, key)
    const feed = new Feed({
      server: this.#server,
      connection: this.#server.duplicate(),
      key,
      prefix,
      after,
      listener: (change) => {
        this.#cache?.saw(pool, change.version)
        listener(change)
      },
    })
    this.#feeds.add(feed)
    return {
      close: () => {
        this.#feeds.delete(feed)
        feed.close()
      },
    }
  }

  async triggerPut(
    key: string,
    { type, bytes }: EncodedValue,
    { member = '' }: TriggerOptions = {},
  ): Promise<void> {
    checkValue(key, { type, bytes })
    const args = [key, type, randomUUID(), Buffer.from(bytes), member]
    const pool = await this.#poolOf(key)
    const reply = this.#accepted(await this.#server.write('trigger', this.#pools.key(pool), args), pool)
    if (reply.status === 'absent')
      throw new InvalidOptionError(
        `No group of lambdas for trigger puts to '${key}' has a member '${member}' now: bind one with this name, or leave member out.`,
      )
    await this.#room(pool, reply.values)
  }

  async bind(prefix: string, lambda: Lambda, options: LambdaOptions = {}): Promise<Binding> {
    const complete = bindingOptions(options)
    const pool = await this.#poolOf(prefix)
    const at = {
      server: this.#server,
      pool,
      key: this.#pools.key(pool),
      prefix,
      leaseMs: this.#leaseMs,
      onDelivery: (version: number) => this.#cache?.saw(pool, version),
      onClosed: () => void this.#members.delete(member),
    }
    const member = new Member(at, lambda, complete, { store: this, config: options.config })
    this.#members.add(await member.join())
    return member
  }

  async time(): Promise<number> {
    this.#check()
    // The clocks of the servers of a cluster differ.
    return Math.max(this.#latest, ...(await this.#server.times()))
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#waits.close()
    this.#writes.flush()
    for (const feed of this.#feeds) feed.close()
    await Promise.all([...this.#members].map((member) => member.close()))
    this.#cache?.close()
    await this.#server.close()
  }

  #check(path?: string): void {
    if (this.#closing) throw new StoreClosedError()
    if (path !== undefined) checkPath(path)
  }

  /** The path of the pool that holds a path: at once when it is known. */
  #poolOf(path: string): string | Promise<string> {
    this.#check(path)
    return this.#pools.known(path) ?? this.#pools.holding(path)
  }

  async #poolOfAll(paths: readonly string[]): Promise<string> {
    const pools = new Set<string>()
    for (const path of paths) pools.add(await this.#poolOf(path))
    const [pool, other] = pools
    if (pool !== undefined && other === undefined) return pool
    throw new InvalidOptionError(
      `The keys lie in ${pools.size} pools (${[...pools].join(', ')}): ask each pool by itself.`,
    )
  }

  #checked({ key, value, expectedVersion }: BatchEntry): RedisWrite {
    this.#check(key)
    checkValue(key, value)
    checkVersion(expectedVersion)
    // A copy: the caller may use its buffer again before it is sent.
    return { key, type: value.type, kind: 'bytes', content: Buffer.from(value.bytes), expectedVersion }
  }

  /** Writes, and waits for room where lambdas ask for that. Returns nothing when there was nothing to remove. */
  async #write(pool: string | Promise<string>, writes: readonly RedisWrite[]): Promise<ObjectInfo[]> {
    const path = typeof pool === 'string' ? pool : await pool
    this.#check()
    const reply = this.#accepted(await this.#writes.send(this.#pools.key(path), writes), path)
    if (reply.status === 'absent') return []
    const infos = writes.map(({ key }, at) => entryOf(key, reply.values[at] as Buffer).info)
    for (const { timestamp } of infos) this.#latest = Math.max(this.#latest, timestamp)
    this.#cache?.wrote(path, infos)
    if (reply.values.length > writes.length) await this.#room(path, reply.values.slice(writes.length))
    return infos
  }

  #accepted(reply: Reply, pool: string, asked = 0): Reply {
    if (reply.status === 'unknown') this.#pools.forget()
    return accepted(reply, pool, asked)
  }

  /** The record of a key, also of a removal, at a moment that is past; null when only `#read` can tell. */
  async #past(key: string, at: Moment | undefined): Promise<Found | null> {
    const pool = this.#poolOf(key)
    const path = typeof pool === 'string' ? pool : await pool
    if (at === undefined) {
      let newest = await this.#newest(path, key)
      if (!newest && (await this.#pools.looksElsewhere(path))) newest = await this.#newest(path, key)
      return newest ? recordOf(key, newest) : null
    }
    const record = await this.#server.call('get', this.#pools.key(path), [key, ...momentArguments(at)])
    return record ? recordOf(key, record as Buffer) : null
  }

  async #newest(pool: string, key: string): Promise<Buffer | null | undefined> {
    const found = await this.#server.command<Buffer | Buffer[] | null>(...this.#pools.newest(pool, key))
    return Array.isArray(found) ? found[0] : found
  }

  /** Waits until the objects of these tickets are within the limits of their queues. */
  async #room(pool: string, tickets: readonly Buffer[]): Promise<void> {
    for (let waiting = tickets; waiting.length > 0; ) {
      await this.#waits.sleep(ROOM_POLL_US)
      waiting = (await this.#server.read('room', this.#pools.key(pool), waiting)).values
    }
  }

  async #read(
    pool: string,
    at: Moment | undefined,
    what: 'bytes' | 'info',
    kind: 'prefix' | 'keys',
    paths: readonly string[],
  ): Promise<{ version: number; entries: Found[] }> {
    checkMoment(at)
    const args = [...momentArguments(at), what, kind, ...paths]
    const asked = at !== undefined && 'version' in at ? at.version : 0
    const reply = await this.#whenDue('read', pool, args, asked)
    const { values } = reply
    this.#cache?.saw(pool, Number(reply.text(0)))
    const entries = []
    for (let index = 1; index + 1 < values.length; index += 2)
      entries.push(recordOf(values[index] as Buffer, values[index + 1] as Buffer))
    return { version: Number(reply.text(0)), entries }
  }

  async #history(kind: 'key' | 'prefix', path: string, range: HistoryRange): Promise<ObjectInfo[]> {
    const pool = await this.#poolOf(path)
    const { afterVersion = 0, toVersion = '', fromTime = '', toTime = '', limit = '' } = range
    const args = [kind, path, afterVersion, toVersion, fromTime, toTime, limit]
    const infos = infosOf((await this.#whenDue('history', pool, args)).values)
    this.#cache?.saw(pool, infos.at(-1)?.version ?? 0)
    return infos
  }

  /** Calls a reading function, again when the time it asks for has come. */
  async #whenDue(name: string, pool: string, args: readonly (string | number)[], asked = 0): Promise<Reply> {
    for (;;) {
      this.#check()
      const reply = await this.#server.read(name, this.#pools.key(pool), args)
      if (reply.status !== 'early') return this.#accepted(reply, pool, asked)
      await this.#waits.sleep(Number(reply.text(0)))
    }
  }

  async #whole(pool: string, entry: Entry): Promise<Buffer> {
    const chunks: Uint8Array[] = []
    for await (const chunk of this.#chunks(pool, entry)) chunks.push(chunk)
    return Buffer.concat(chunks)
  }

  async *#chunks(pool: string, { info, blob }: Entry): AsyncGenerator<Uint8Array> {
    for (let index = 0; blob && index < blob.chunks; index++) {
      this.#check()
      const chunk = await this.#server.command<Buffer | null>('GET', this.#pools.chunk(pool, blob.id, index))
      if (!chunk)
        throw new StoreError(
          `'${info.key}' (version ${info.version}) was dropped more than ${READ_MS / 60_000} minutes ago, before it was read to the end.`,
        )
      yield chunk
    }
  }
}

const momentArguments = (at: Moment | undefined): [string, string | number] => {
  if (at === undefined) return ['latest', '']
  return 'time' in at ? ['time', at.time] : ['version', at.version]
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}
