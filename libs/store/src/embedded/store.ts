/** The embedded engine: a store inside this process, persistent pools in an LMDB file, the others in memory. */
import type { EncodedValue } from '@hivemind/values'
import { checkMoment, checkType, checkValue, checkVersion, momentOf } from '../checks.ts'
import { rechunk } from '../chunks.ts'
import { type Clock, systemClock } from '../clock.ts'
import type {
  BatchEntry,
  Binding,
  HistoryRange,
  Lambda,
  LambdaOptions,
  Moment,
  ObjectInfo,
  ObjectStream,
  Persistence,
  Pool,
  PoolOptions,
  PutOptions,
  Snapshot,
  Store,
  StoredObject,
  TriggerOptions,
  Watch,
} from '../contract.ts'
import { InvalidOptionError, StoreClosedError, UnknownPoolError } from '../errors.ts'
import { Lambdas } from '../lambdas/lambdas.ts'
import { checkPath } from '../paths.ts'
import { PrefixTrie } from '../prefix-trie.ts'
import { Waits } from '../waits.ts'
import { prepareBufferedFolder } from './buffered-folder.ts'
import { lockFolder } from './folder-lock.ts'
import { LmdbFile } from './lmdb-file.ts'
import { inRange, type PoolLog, type Write } from './pool-log.ts'
import { type PoolFiles, Pools } from './pools.ts'
import type { Blob, Entry } from './table.ts'

/** Where an embedded store keeps persistent pools, and its time. */
export interface EmbeddedStoreOptions {
  /** Folder on a local disk; made when it is not there. One store at a time may use it. */
  folder: string
  /** The clock of this machine when absent. */
  clock?: Clock
}

/** A store in a folder of this process. */
export interface EmbeddedStore extends Store {
  /** Changes with each write to a persistent pool. */
  readonly position: number
  /** Writes the persistent pools, as they are at one moment, to a folder that a store can be opened in. Writers go on meanwhile. */
  copyTo(folder: string): Promise<void>
}

/** Opens the embedded engine. Rejects with `StoreError` when the folder is in use or cannot be made. */
export async function openEmbeddedStore({ folder, clock }: EmbeddedStoreOptions): Promise<EmbeddedStore> {
  const unlock = lockFolder(folder)
  try {
    const persistent = await LmdbFile.open(folder)
    const buffered = await LmdbFile.open(prepareBufferedFolder(folder), { sync: false })
    return new FolderStore({ persistent, buffered }, unlock, clock ?? systemClock())
  } catch (error) {
    unlock()
    throw error
  }
}

class FolderStore implements EmbeddedStore {
  readonly isShared = false
  readonly #persistent: LmdbFile
  readonly #files: PoolFiles
  readonly #unlock: () => void
  readonly #clock: Clock
  readonly #waits = new Waits()
  readonly #pools: Pools
  readonly #watches = new PrefixTrie<(change: ObjectInfo) => void>()
  readonly #lambdas = new Lambdas(this)
  /** Largest timestamp of an acknowledged write. */
  #latest = 0
  #closing: Promise<void> | null = null

  constructor(files: Record<'persistent' | 'buffered', LmdbFile>, unlock: () => void, clock: Clock) {
    this.#persistent = files.persistent
    this.#files = new Map<Persistence, LmdbFile>(Object.entries(files) as [Persistence, LmdbFile][])
    this.#unlock = unlock
    this.#clock = clock
    this.#pools = new Pools(this.#files, () => clock.now())
  }

  async createPool(path: string, options: PoolOptions = {}): Promise<Pool> {
    this.#check(path)
    return this.#pools.create(path, options)
  }

  async listPools(prefix?: string): Promise<Pool[]> {
    if (prefix !== undefined) checkPath(prefix)
    this.#check()
    return this.#pools.list(prefix)
  }

  async getPool(path: string): Promise<Pool | null> {
    this.#check(path)
    return this.#pools.list(path).find((pool) => pool.path === path) ?? null
  }

  async removePool(path: string): Promise<void> {
    this.#check(path)
    await this.#pools.remove(path)
  }

  async put(key: string, value: EncodedValue, options: PutOptions = {}): Promise<ObjectInfo> {
    const log = this.#poolOfKey(key)
    const [info] = await this.#change(log, [newWrite(key, value, options)])
    return info as ObjectInfo
  }

  async putBatch(entries: readonly BatchEntry[]): Promise<ObjectInfo[]> {
    const [first] = entries
    if (!first) return []
    const log = this.#poolOfKeys(entries.map(({ key }) => key))
    return this.#change(
      log,
      entries.map(({ key, value, ...options }) => newWrite(key, value, options)),
    )
  }

  async putStream(
    key: string,
    type: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    { expectedVersion }: PutOptions = {},
  ): Promise<ObjectInfo> {
    const log = this.#poolOfKey(key)
    checkType(type)
    const blob: Blob = { id: 0, chunks: 0, size: 0 }
    const { table } = log
    try {
      for await (const chunk of rechunk(source)) {
        await this.#commit(log, () => {
          if (blob.id === 0) {
            blob.id = table.newBlob()
            table.hold(blob.id)
          }
          table.appendChunk(blob.id, blob.chunks, chunk)
        })
        blob.chunks++
        blob.size += chunk.length
      }
      const content = blob.id === 0 ? new Uint8Array() : blob
      const [info] = await this.#change(log, [{ key, type, content, expectedVersion }])
      return info as ObjectInfo
    } finally {
      if (blob.id !== 0) table.release(blob.id)
    }
  }

  async remove(key: string, { expectedVersion }: PutOptions = {}): Promise<ObjectInfo | null> {
    const log = this.#poolOfKey(key)
    checkVersion(expectedVersion)
    let removed: ObjectInfo | null = null
    await this.#commit(
      log,
      () => {
        removed = log.remove(key, expectedVersion)
      },
      () => removed && this.#announce(removed),
      true,
    )
    return removed
  }

  async get(key: string, at?: Moment): Promise<StoredObject | null> {
    const log = await this.#readable(key, at)
    const entry = log.read(key, log.versionOf(at))
    return entry ? wholeObject(log, entry) : null
  }

  async getStream(key: string, at?: Moment): Promise<ObjectStream | null> {
    const log = await this.#readable(key, at)
    const entry = log.read(key, log.versionOf(at))
    return entry ? { ...entry.info, chunks: chunksOf(log, entry, () => this.#check()) } : null
  }

  async getSize(key: string, at?: Moment): Promise<number | null> {
    const log = await this.#readable(key, at)
    return log.read(key, log.versionOf(at))?.info.size ?? null
  }

  async multiGet(prefixOrKeys: string | readonly string[], at?: Moment): Promise<Snapshot> {
    const byPrefix = typeof prefixOrKeys === 'string'
    const keys = byPrefix ? [prefixOrKeys] : prefixOrKeys
    if (keys.length === 0) return { version: 0, objects: new Map() }
    const pool = this.#poolOfKeys(keys)
    const log = await this.#readable(pool.pool.path, at)
    const version = log.versionOf(at)
    const entries = byPrefix ? log.list(prefixOrKeys, version) : keys.map((key) => log.read(key, version))
    const objects = new Map<string, StoredObject>()
    for (const entry of entries) if (entry) objects.set(entry.info.key, wholeObject(log, entry))
    return { version, objects }
  }

  async listObjects(prefix: string, at?: Moment): Promise<ObjectInfo[]> {
    const log = await this.#readable(prefix, at)
    return Array.from(log.list(prefix, log.versionOf(at)), ({ info }) => info)
  }

  async listKeys(prefix: string, at?: Moment): Promise<string[]> {
    return (await this.listObjects(prefix, at)).map(({ key }) => key)
  }

  async history(key: string, range: HistoryRange = {}): Promise<ObjectInfo[]> {
    const log = await this.#readable(key, momentOf(range))
    return inRange(log.history(key, range), range)
  }

  async changes(prefix: string, range: HistoryRange = {}): Promise<ObjectInfo[]> {
    const log = await this.#readable(prefix, momentOf(range))
    return inRange(log.changes(prefix, range), range)
  }

  async watch(prefix: string, listener: (change: ObjectInfo) => void): Promise<Watch> {
    this.#check(prefix)
    this.#pools.holding(prefix)
    // A function of its own, so that one listener may watch twice.
    return { close: this.#watches.add(prefix, (change) => listener(change)) }
  }

  async triggerPut(
    key: string,
    { type, bytes }: EncodedValue,
    { member }: TriggerOptions = {},
  ): Promise<void> {
    this.#poolOfKey(key)
    if (member !== undefined)
      throw new InvalidOptionError(
        `The option member is '${member}', but an embedded store has no groups: leave it out, or open a store on Redis.`,
      )
    checkType(type)
    if (!this.#lambdas.some) return
    const room = this.#lambdas.dispatch(key, type, new Uint8Array(bytes), null)
    if (room) await room
  }

  async bind(prefix: string, lambda: Lambda, options: LambdaOptions = {}): Promise<Binding> {
    this.#poolOfKey(prefix)
    return this.#lambdas.bind(prefix, lambda, options)
  }

  async time(): Promise<number> {
    this.#check()
    return Math.max(this.#clock.now(), this.#latest)
  }

  get position(): number {
    this.#check()
    return this.#persistent.lastTransaction
  }

  async copyTo(folder: string): Promise<void> {
    this.#check()
    await this.#persistent.copyTo(folder)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#waits.close()
    await this.#lambdas.close()
    for (const file of this.#files.values()) await file.close()
    this.#unlock()
  }

  #check(path?: string): void {
    if (this.#closing) throw new StoreClosedError()
    if (path !== undefined) checkPath(path)
  }

  #poolOfKey(key: string): PoolLog {
    this.#check(key)
    return this.#pools.holding(key)
  }

  #poolOfKeys(keys: readonly string[]): PoolLog {
    const pools = new Set(keys.map((key) => this.#poolOfKey(key)))
    const [log, other] = pools
    if (log && !other) return log
    throw new InvalidOptionError(
      `The keys lie in ${pools.size} pools (${[...pools].map((each) => each.pool.path).join(', ')}): ask each pool by itself.`,
    )
  }

  /** The pool that holds a path, when what a read at this moment sees can no longer change. */
  async #readable(path: string, at: Moment | undefined): Promise<PoolLog> {
    const log = this.#poolOfKey(path)
    checkMoment(at)
    if (at === undefined || !('time' in at)) return log
    if (log.table.head().timestamp >= at.time) return log
    for (;;) {
      const early = at.time - this.#clock.now()
      if (early < 0) break
      await this.#waits.sleep(early)
    }
    // A write that has its timestamp already may be on its way to the disk.
    await this.#files.get(log.pool.persistence)?.commits.settled()
    this.#check()
    return log
  }

  async #change(log: PoolLog, writes: readonly Write[]): Promise<ObjectInfo[]> {
    for (const { expectedVersion } of writes) checkVersion(expectedVersion)
    const room: Promise<unknown>[] = []
    const infos = await this.#commit(
      log,
      () => log.write(writes),
      (written) => {
        for (let at = 0; at < written.length; at++) {
          const info = written[at] as ObjectInfo
          this.#announce(info)
          const waiting = this.#dispatch(info, (writes[at] as Write).content)
          if (waiting) room.push(waiting)
        }
      },
      writes.every(({ content }) => content === null || log.table.isBlind(content)),
    )
    if (room.length > 0) await Promise.all(room)
    return infos
  }

  #dispatch(info: ObjectInfo, content: Write['content']): Promise<unknown> | undefined {
    if (!this.#lambdas.some) return undefined
    return this.#lambdas.dispatch(info.key, info.type, content instanceof Uint8Array ? content : null, info)
  }

  /** Runs a change of a pool, in a commit when the pool is on disk; `blind` as of `Commits.run`. */
  #commit<T>(
    log: PoolLog,
    work: () => T,
    committed: (result: T) => void = () => {},
    blind = false,
  ): T | Promise<T> {
    this.#check()
    const checked = () => {
      if (!this.#pools.has(log)) throw new UnknownPoolError(log.pool.path)
      return work()
    }
    const file = this.#files.get(log.pool.persistence)
    if (file) return file.commits.run(checked, committed, blind)
    const result = checked()
    committed(result)
    return result
  }

  #announce(info: ObjectInfo): void {
    this.#latest = Math.max(this.#latest, info.timestamp)
    if (this.#watches.size === 0) return
    for (const listener of this.#watches.match(info.key))
      try {
        listener(info)
      } catch (error) {
        // It is the listener's fault and not the writer's: it surfaces as an uncaught exception.
        queueMicrotask(() => {
          throw error
        })
      }
  }
}

function newWrite(key: string, value: EncodedValue, { expectedVersion }: PutOptions): Write {
  checkValue(key, value)
  // A copy: the caller may use its buffer again.
  return { key, type: value.type, content: new Uint8Array(value.bytes), expectedVersion }
}

function wholeObject(log: PoolLog, { info, blob, bytes: inline }: Entry): StoredObject {
  if (!blob) return { ...info, bytes: inline }
  const bytes = new Uint8Array(info.size)
  for (let index = 0, at = 0; index < blob.chunks; index++) {
    const chunk = log.table.chunk(blob.id, index)
    bytes.set(chunk, at)
    at += chunk.length
  }
  return { ...info, bytes }
}

/** The chunks of an object. They are kept from now on, until the iterator ends. */
function chunksOf(
  { table }: PoolLog,
  { blob, bytes }: Entry,
  checkOpen: () => void,
): AsyncIterable<Uint8Array> {
  if (!blob) return once(bytes)
  table.hold(blob.id)
  let index = 0
  let open = true
  const end = async (): Promise<IteratorResult<Uint8Array>> => {
    if (open) table.release(blob.id)
    open = false
    return { done: true, value: undefined }
  }
  return {
    [Symbol.asyncIterator]: () => ({
      async next() {
        if (!open || index === blob.chunks) return end()
        checkOpen()
        return { done: false, value: table.chunk(blob.id, index++) }
      },
      return: end,
    }),
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  if (bytes.length > 0) yield bytes
}
