/** The versions of a pool that are on disk. */
import { CHUNK_BYTES } from '../chunks.ts'
import type { ObjectInfo } from '../contract.ts'
import type { LmdbFile } from './lmdb-file.ts'
import {
  decodeRecord,
  encodeRecord,
  keyOf,
  keysFrom,
  numbersKey,
  readNumber,
  recordKey,
} from './lmdb-rows.ts'
import type { Blob, Entry, Head, VersionTable } from './table.ts'

/** Larger bytes have rows of their own, so that looking at versions does not read them. */
const INLINE_BYTES = 4096
const NOTHING = new Uint8Array()

/** A `VersionTable` in an LMDB file. */
export class LmdbTable implements VersionTable {
  readonly #file: LmdbFile
  readonly #pool: number

  /** @param pool number of the pool in the file */
  constructor(file: LmdbFile, pool: number) {
    this.#file = file
    this.#pool = pool
  }

  head(): Head {
    const row = this.#file.heads.get(numbersKey(this.#pool))
    return row ? { version: readNumber(row, 0), timestamp: readNumber(row, 8) } : { version: 0, timestamp: 0 }
  }

  advance(head: Head): void {
    this.#file.heads.put(numbersKey(this.#pool), numbersKey(head.version, head.timestamp))
  }

  append(info: ObjectInfo, content: Uint8Array | Blob): void {
    const { records, log, times, loose } = this.#file
    const inline = content instanceof Uint8Array && content.length <= INLINE_BYTES
    const blob = inline ? null : content instanceof Uint8Array ? this.#split(content) : content
    const entry: Entry = { info, blob, bytes: inline ? content : NOTHING }
    records.put(recordKey(this.#pool, info.key, info.version), encodeRecord(entry))
    log.put(numbersKey(this.#pool, info.version), Buffer.from(info.key))
    times.put(numbersKey(this.#pool, info.timestamp), numbersKey(info.version))
    if (blob) loose.remove(numbersKey(blob.id))
    this.advance(info)
  }

  at(key: string, version: number): Entry | undefined {
    const start = recordKey(this.#pool, key, version)
    const end = recordKey(this.#pool, key, 0)
    return this.#first({ start, end, reverse: true })
  }

  after(key: string, version: number): Entry | undefined {
    const start = recordKey(this.#pool, key, version + 1)
    const end = recordKey(this.#pool, key, Number.MAX_SAFE_INTEGER)
    return this.#first({ start, end })
  }

  versionAt(timestamp: number): number {
    const start = numbersKey(this.#pool, timestamp)
    const end = numbersKey(this.#pool, 0)
    for (const { value } of this.#file.times.getRange({ start, end, reverse: true, limit: 1 }))
      return readNumber(value, 0)
    return 0
  }

  *keys(prefix: string): Iterable<string> {
    if (this.after(prefix, 0)) yield prefix
    const end = keysFrom(this.#pool, `${prefix}0`) // '0' follows '/'
    let start = keysFrom(this.#pool, `${prefix}/`)
    for (;;) {
      const [row] = this.#file.records.getKeys({ start, end, limit: 1 })
      if (!row) return
      const key = keyOf(row)
      yield key
      start = keysFrom(this.#pool, `${key}\u0001`)
    }
  }

  *log(version: number): Iterable<ObjectInfo> {
    const start = numbersKey(this.#pool, version + 1)
    const end = numbersKey(this.#pool, Number.MAX_SAFE_INTEGER)
    for (const { key, value } of this.#file.log.getRange({ start, end })) {
      const written = readNumber(key, 8)
      const entry = this.at(value.toString(), written)
      if (entry?.info.version === written) yield entry.info
    }
  }

  forget({ info, blob }: Entry): void {
    const { records, log, times, loose } = this.#file
    records.remove(recordKey(this.#pool, info.key, info.version))
    log.remove(numbersKey(this.#pool, info.version))
    times.remove(numbersKey(this.#pool, info.timestamp))
    if (!blob) return
    loose.put(numbersKey(blob.id), numbersKey(blob.chunks))
    this.#file.sweep()
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

  /** Writes bytes in chunks. */
  #split(bytes: Uint8Array): Blob {
    const id = this.#file.nextNumber('blob')
    let chunks = 0
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES)
      this.appendChunk(id, chunks++, bytes.subarray(at, at + CHUNK_BYTES))
    return { id, chunks, size: bytes.length }
  }

  #first(range: { start: Buffer; end: Buffer; reverse?: boolean }): Entry | undefined {
    for (const { key, value } of this.#file.records.getRange({ ...range, limit: 1 }))
      return decodeRecord(keyOf(key), readNumber(key, key.length - 8), value)
    return undefined
  }
}
