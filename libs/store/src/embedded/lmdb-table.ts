/** The versions of a pool that are on disk. */
import { CHUNK_BYTES } from '../chunks.ts'
import type { ObjectInfo } from '../contract.ts'
import type { LmdbFile } from './lmdb-file.ts'
import {
  decodeWrite,
  encodeWrite,
  keyOf,
  keyRow,
  keysFrom,
  numbersKey,
  readNumber,
  singleRow,
  timestampOf,
  versionOf,
} from './lmdb-rows.ts'
import { type Ends, PoolEnds } from './pool-ends.ts'
import type { Blob, Entry, Head, Kept, VersionTable } from './table.ts'

/** Larger bytes have rows of their own, so that looking at versions does not read them. */
const INLINE_BYTES = 4096
const NOTHING = Buffer.alloc(0)

/** A `VersionTable` in an LMDB file. */
export class LmdbTable implements VersionTable {
  readonly #file: LmdbFile
  readonly #pool: number
  readonly #single: boolean

  readonly #ends: PoolEnds
  #changing = false

  /**
   * @param pool number of the pool in the file
   * @param single it keeps one version of each key
   */
  constructor(file: LmdbFile, pool: number, single: boolean) {
    this.#file = file
    this.#pool = pool
    this.#single = single
    this.#ends = new PoolEnds(() => this.#lastUpTo(Number.MAX_SAFE_INTEGER) ?? { version: 0, timestamp: 0 })
  }

  head(): Head {
    return this.#file.commits.working ? this.#ends.pending : this.#ends.committed
  }

  append(info: ObjectInfo, content: Uint8Array | Blob): void {
    const { writes, keys, loose } = this.#file
    const inline = content instanceof Uint8Array && content.length <= INLINE_BYTES
    const blob = inline ? null : content instanceof Uint8Array ? this.#split(content) : content
    const entry: Entry = { info, blob, bytes: inline ? content : NOTHING }
    const ends = this.#endsOf(info.key)
    writes.put(numbersKey(this.#pool, info.version), encodeWrite(entry))
    if (this.#single) {
      keys.put(singleRow(this.#pool, info.key), numbersKey(info.version))
      ends.oldest ??= ends.newest
    } else keys.put(keyRow(this.#pool, info.key, info.version), NOTHING)
    if (blob) loose.remove(numbersKey(blob.id))
    this.#changes()
    this.#ends.add(ends, { info, blob })
  }

  isBlind(content: Uint8Array | Blob): boolean {
    return content instanceof Uint8Array && content.length <= INLINE_BYTES
  }

  at(key: string, version: number): Entry | undefined {
    const newest = this.#ends.known(key)?.newest?.info.version
    if (newest !== undefined && newest <= version) return this.#read(newest)
    if (this.#single) {
      const only = this.#only(key)
      return only <= version ? this.#read(only) : undefined
    }
    const start = keyRow(this.#pool, key, version)
    const end = keyRow(this.#pool, key, 0)
    return this.#first({ start, end, reverse: true })
  }

  after(key: string, version: number): Entry | undefined {
    if (this.#single) {
      const only = this.#only(key)
      return only > version ? this.#read(only) : undefined
    }
    const start = keyRow(this.#pool, key, version + 1)
    const end = keyRow(this.#pool, key, Number.MAX_SAFE_INTEGER)
    return this.#first({ start, end })
  }

  newest(key: string): Kept | undefined {
    return this.#endsOf(key).newest ?? undefined
  }

  oldest(key: string): Kept | undefined {
    const ends = this.#endsOf(key)
    ends.oldest ??= this.next(key, ends.forgotten) ?? null
    return ends.oldest ?? undefined
  }

  next(key: string, version: number): Kept | undefined {
    // what is being written may not be on the disk yet; what is there is older
    return this.after(key, version) ?? this.#endsOf(key).fresh.find(({ info }) => info.version > version)
  }

  versionAt(timestamp: number): number {
    // Versions and timestamps grow together.
    let found = 0
    for (let low = 1, high = this.head().version; low <= high; ) {
      const middle = Math.floor((low + high) / 2)
      const last = this.#lastUpTo(middle)
      if (last && last.timestamp > timestamp) high = last.version - 1
      else {
        if (last) found = last.version
        low = middle + 1
      }
    }
    return found
  }

  *keys(prefix: string): Iterable<string> {
    if (this.after(prefix, 0)) yield prefix
    const end = keysFrom(this.#pool, `${prefix}0`) // '0' follows '/'
    let start = keysFrom(this.#pool, `${prefix}/`)
    for (;;) {
      const [row] = this.#file.keys.getKeys({ start, end, limit: 1 })
      if (!row) return
      const key = keyOf(row)
      yield key
      start = keysFrom(this.#pool, `${key}\u0001`)
    }
  }

  *log(version: number): Iterable<ObjectInfo> {
    const start = numbersKey(this.#pool, version + 1)
    const end = numbersKey(this.#pool, Number.MAX_SAFE_INTEGER)
    for (const { key, value } of this.#file.writes.getRange({ start, end }))
      yield decodeWrite(readNumber(key, 8), value).info
  }

  forget({ info, blob }: Kept): void {
    const { writes, keys, loose } = this.#file
    writes.remove(numbersKey(this.#pool, info.version))
    // the row of a single pool has the version that replaced this one
    if (!this.#single) keys.remove(keyRow(this.#pool, info.key, info.version))
    this.#changes()
    const ends = this.#endsOf(info.key)
    ends.forgotten = info.version
    ends.oldest = ends.newest?.info.previousKeyVersion === info.version ? ends.newest : null
    if (!blob) return
    loose.put(numbersKey(blob.id), numbersKey(blob.chunks))
    this.#file.sweepSoon()
  }

  newBlob(): number {
    const id = this.#file.nextNumber('blob')
    this.#file.loose.put(numbersKey(id), numbersKey(0))
    return id
  }

  appendChunk(blob: number, index: number, bytes: Uint8Array): void {
    this.#file.chunks.put(numbersKey(blob, index), Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length))
  }

  chunk(blob: number, index: number): Uint8Array {
    const bytes = this.#file.chunks.get(numbersKey(blob, index))
    if (!bytes) throw new Error(`Chunk ${index} of blob ${blob} is gone.`)
    return bytes
  }

  hold(blob: number): void {
    this.#file.hold(blob)
  }

  release(blob: number): void {
    this.#file.release(blob)
  }

  #endsOf(key: string): Ends {
    return this.#ends.of(key, () => this.at(key, Number.MAX_SAFE_INTEGER))
  }

  /** To be called with each change: what is in memory follows the end of the transaction. */
  #changes(): void {
    if (this.#changing) return
    this.#changing = true
    this.#file.commits.atEnd((written) => {
      this.#changing = false
      this.#ends.end(written)
    })
  }

  /** The newest kept write that is not newer than a version. */
  #lastUpTo(version: number): Head | undefined {
    const start = numbersKey(this.#pool, version)
    const end = numbersKey(this.#pool, 0)
    for (const { key, value } of this.#file.writes.getRange({ start, end, reverse: true, limit: 1 }))
      return { version: readNumber(key, 8), timestamp: timestampOf(value) }
    return undefined
  }

  /** Writes bytes in chunks. */
  #split(bytes: Uint8Array): Blob {
    const id = this.#file.nextNumber('blob')
    let chunks = 0
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
      this.appendChunk(id, chunks++, bytes.subarray(at, at + CHUNK_BYTES))
    return { id, chunks, size: bytes.length }
  }

  #first(range: { start: Buffer; end: Buffer; reverse?: boolean }): Entry | undefined {
    for (const row of this.#file.keys.getKeys({ ...range, limit: 1 })) return this.#read(versionOf(row))
    return undefined
  }

  /** The version of a key that a single pool has on disk; 0 when there is none. */
  #only(key: string): number {
    const row = this.#file.keys.get(singleRow(this.#pool, key))
    return row ? readNumber(row, 0) : 0
  }

  #read(version: number): Entry | undefined {
    const row = this.#file.writes.get(numbersKey(this.#pool, version))
    return row && decodeWrite(version, row)
  }
}
