/** What the operations on one pool mean, over the table that keeps its versions. Everything here is synchronous. */
import type { HistoryRange, Moment, ObjectInfo, Pool } from '../contract.ts'
import { ForgottenVersionError, FutureVersionError, VersionConflictError } from '../errors.ts'
import { holds } from '../paths.ts'
import type { Blob, Entry, Kept, VersionTable } from './table.ts'

/** One write: bytes, chunks that are written already, or null for a removal. */
export interface Write {
  key: string
  type: string
  content: Uint8Array | Blob | null
  expectedVersion?: number | undefined
}

const NOTHING = new Uint8Array()

/** The versions of one pool and their rules: conditions, order, time, retention. */
export class PoolLog {
  readonly pool: Pool
  readonly table: VersionTable
  readonly #now: () => number

  constructor(pool: Pool, table: VersionTable, now: () => number) {
    this.pool = pool
    this.table = table
    this.#now = now
  }

  /** Writes all or, throwing `VersionConflictError`, none. */
  write(writes: readonly Write[]): ObjectInfo[] {
    for (const { key, expectedVersion } of writes) {
      if (expectedVersion === undefined) continue
      const current = this.table.newest(key)?.info
      const actual = current && !current.removed ? current.version : 0
      if (actual !== expectedVersion) throw new VersionConflictError(key, expectedVersion, actual)
    }
    return writes.map((write) => this.#append(write))
  }

  /** Writes a removal; null when there is no object. */
  remove(key: string, expectedVersion: number | undefined): ObjectInfo | null {
    const current = this.table.newest(key)?.info
    if ((!current || current.removed) && !expectedVersion) return null
    return this.write([{ key, type: '', content: null, expectedVersion }])[0] ?? null
  }

  /** Version of the pool that a moment means. Throws `FutureVersionError`. */
  versionOf(at: Moment | undefined): number {
    const { version } = this.table.head()
    if (at === undefined) return version
    if ('time' in at) return this.table.versionAt(at.time)
    if (at.version > version) throw new FutureVersionError(this.pool.path, at.version, version)
    return at.version
  }

  /** The object as of a version of the pool, if there was one. Throws `ForgottenVersionError`. */
  read(key: string, version: number): Entry | undefined {
    const entry = this.table.at(key, version)
    if (entry) return entry.info.removed ? undefined : entry
    const oldest = this.table.after(key, version)?.info
    if (oldest && oldest.ordinal > 1) throw new ForgottenVersionError(key, version, oldest.version)
    return undefined
  }

  /** The objects under a prefix as of a version of the pool, in the order of their keys. */
  *list(prefix: string, version: number): Iterable<Entry> {
    for (const key of this.table.keys(prefix)) {
      const entry = this.read(key, version)
      if (entry) yield entry
    }
  }

  /** The kept versions of one key in a range. */
  *history(key: string, range: HistoryRange): Iterable<ObjectInfo> {
    for (let version = range.afterVersion ?? 0; ; ) {
      const entry = this.table.after(key, version)
      if (!entry) return
      version = entry.info.version
      yield entry.info
    }
  }

  /** The kept versions under a prefix. */
  *changes(prefix: string, range: HistoryRange): Iterable<ObjectInfo> {
    for (const info of this.table.log(range.afterVersion ?? 0)) if (holds(prefix, info.key)) yield info
  }

  #append({ key, type, content }: Write): ObjectInfo {
    const { table } = this
    const head = table.head()
    const previous = table.newest(key)?.info
    const info: ObjectInfo = {
      key,
      version: head.version + 1,
      timestamp: Math.max(this.#now(), head.timestamp + 1),
      previousVersion: head.version,
      previousKeyVersion: previous?.version ?? 0,
      ordinal: (previous?.ordinal ?? 0) + 1,
      removed: content === null,
      type,
      size: content === null ? 0 : sizeOf(content),
    }
    table.append(info, content ?? NOTHING)
    this.#retain(info)
    return info
  }

  /** Drops what the retention of the pool no longer keeps of a key. */
  #retain(latest: ObjectInfo): void {
    const { versions = Number.POSITIVE_INFINITY, ageMs = Number.POSITIVE_INFINITY } = this.pool.retention
    if (versions === Number.POSITIVE_INFINITY && ageMs === Number.POSITIVE_INFINITY) return
    for (;;) {
      const oldest = this.table.oldest(latest.key)
      if (!oldest || oldest.info.version === latest.version) return
      const tooMany = latest.ordinal - oldest.info.ordinal + 1 > versions
      if (!tooMany && !this.#isReplacedBefore(oldest.info, latest.timestamp - ageMs * 1000)) return
      this.table.forget(oldest)
    }
  }

  #isReplacedBefore({ key, version }: ObjectInfo, time: number): boolean {
    return time > 0 && (this.table.next(key, version) as Kept).info.timestamp < time
  }
}

/** The versions of an ordered history that lie in a range. */
export function inRange(infos: Iterable<ObjectInfo>, range: HistoryRange): ObjectInfo[] {
  const { toVersion = Number.POSITIVE_INFINITY, fromTime = 0, limit = Number.POSITIVE_INFINITY } = range
  const { toTime = Number.POSITIVE_INFINITY } = range
  const found: ObjectInfo[] = []
  if (limit <= 0) return found
  for (const info of infos) {
    if (info.version > toVersion || info.timestamp > toTime) break
    if (info.timestamp < fromTime) continue
    found.push(info)
    if (found.length >= limit) break
  }
  return found
}

const sizeOf = (content: Uint8Array | Blob): number =>
  content instanceof Uint8Array ? content.length : content.size
