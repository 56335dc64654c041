/** The versions of a pool that live in memory. */
import type { ObjectInfo } from '../contract.ts'
import { comparePaths, holds } from '../paths.ts'
import type { Blob, Entry, Head, Kept, VersionTable } from './table.ts'

/** A `VersionTable` in memory. */
export class MemoryTable implements VersionTable {
  readonly #keep: boolean
  #head: Head = { version: 0, timestamp: 0 }
  readonly #versions = new Map<string, Entry[]>()
  /** Every kept version in order; those in `#forgotten` are gone. */
  #log: ObjectInfo[] = []
  #forgotten = new Set<ObjectInfo>()
  readonly #blobs = new Map<number, { chunks: Uint8Array[]; holders: number; used: boolean }>()
  #lastBlob = 0

  /** @param keep whether objects are kept, or only counted */
  constructor(keep: boolean) {
    this.#keep = keep
  }

  head(): Head {
    return this.#head
  }

  append(info: ObjectInfo, content: Uint8Array | Blob): void {
    this.#head = { version: info.version, timestamp: info.timestamp }
    if (!this.#keep) return
    const inline = content instanceof Uint8Array
    const entry: Entry = { info, blob: inline ? null : content, bytes: inline ? content : new Uint8Array() }
    const versions = this.#versions.get(info.key)
    if (versions) versions.push(entry)
    else this.#versions.set(info.key, [entry])
    if (entry.blob) this.#blob(entry.blob.id).used = true
    this.#log.push(info)
  }

  at(key: string, version: number): Entry | undefined {
    const versions = this.#versions.get(key) ?? []
    return versions[countUpTo(versions, ({ info }) => info.version <= version) - 1]
  }

  after(key: string, version: number): Entry | undefined {
    const versions = this.#versions.get(key) ?? []
    return versions[countUpTo(versions, ({ info }) => info.version <= version)]
  }

  newest(key: string): Entry | undefined {
    return this.#versions.get(key)?.at(-1)
  }

  oldest(key: string): Entry | undefined {
    return this.#versions.get(key)?.[0]
  }

  next(key: string, version: number): Entry | undefined {
    return this.after(key, version)
  }

  isBlind(): boolean {
    return true
  }

  versionAt(timestamp: number): number {
    for (let at = countUpTo(this.#log, (info) => info.timestamp <= timestamp) - 1; at >= 0; at--) {
      const info = this.#log[at] as ObjectInfo
      if (!this.#forgotten.has(info)) return info.version
    }
    return 0
  }

  keys(prefix: string): Iterable<string> {
    return [...this.#versions.keys()].filter((key) => holds(prefix, key)).sort(comparePaths)
  }

  *log(version: number): Iterable<ObjectInfo> {
    for (let at = countUpTo(this.#log, (info) => info.version <= version); at < this.#log.length; at++) {
      const info = this.#log[at] as ObjectInfo
      if (!this.#forgotten.has(info)) yield info
    }
  }

  forget(entry: Kept): void {
    this.#versions.get(entry.info.key)?.shift()
    this.#forgotten.add(entry.info)
    if (this.#forgotten.size > 64 && this.#forgotten.size * 2 > this.#log.length) {
      this.#log = this.#log.filter((info) => !this.#forgotten.has(info))
      this.#forgotten = new Set()
    }
    if (entry.blob) {
      this.#blob(entry.blob.id).used = false
      this.#sweep(entry.blob.id)
    }
  }

  newBlob(): number {
    this.#blobs.set(++this.#lastBlob, { chunks: [], holders: 0, used: false })
    return this.#lastBlob
  }

  appendChunk(blob: number, index: number, bytes: Uint8Array): void {
    this.#blob(blob).chunks[index] = bytes
  }

  chunk(blob: number, index: number): Uint8Array {
    return this.#blob(blob).chunks[index] as Uint8Array
  }

  hold(blob: number): void {
    this.#blob(blob).holders++
  }

  release(blob: number): void {
    this.#blob(blob).holders--
    this.#sweep(blob)
  }

  #sweep(id: number): void {
    const blob = this.#blob(id)
    if (!blob.used && blob.holders === 0) this.#blobs.delete(id)
  }

  #blob(id: number) {
    const blob = this.#blobs.get(id)
    if (!blob) throw new Error(`The chunks of blob ${id} are gone.`)
    return blob
  }
}

/** How many leading elements of an ordered array fulfil a condition, by bisection. */
function countUpTo<T>(ordered: readonly T[], condition: (element: T) => boolean): number {
  let low = 0
  let high = ordered.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (condition(ordered[middle] as T)) low = middle + 1
    else high = middle
  }
  return low
}
