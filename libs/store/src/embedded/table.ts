/** What the embedded engine asks of the place where the versions of one pool are kept. Everything here is synchronous. */
import type { ObjectInfo } from '../contract.ts'

/** Bytes written in chunks before the object they belong to. */
export interface Blob {
  id: number
  chunks: number
  size: number
}

/** One kept version, without its bytes. */
export interface Kept {
  info: ObjectInfo
  /** Where the bytes are, when they are in chunks. */
  blob: Blob | null
}

/** One kept version. */
export interface Entry extends Kept {
  /** The bytes, when they are not in chunks. */
  bytes: Uint8Array
}

/** The last write to a pool; both are 0 before the first. */
export interface Head {
  version: number
  timestamp: number
}

/** The versions of one pool, in order. Changes of a table on disk must run inside a commit. */
export interface VersionTable {
  head(): Head
  /** Adds the next version. `content` is a `Blob` that `appendChunk` wrote before, or the bytes. */
  append(info: ObjectInfo, content: Uint8Array | Blob): void
  /** Newest version of a key that is not newer than `version`. */
  at(key: string, version: number): Entry | undefined
  /** Oldest version of a key that is newer than `version`. */
  after(key: string, version: number): Entry | undefined
  /** Newest version of a key. */
  newest(key: string): Kept | undefined
  /** Oldest kept version of a key. */
  oldest(key: string): Kept | undefined
  /** The kept version of a key behind one that is kept or was the last to be forgotten, as of the changes that are being made. */
  next(key: string, version: number): Kept | undefined
  /** Whether `append` of this, and the `forget` that follows, read nothing of the changes that are being made but what is in memory. */
  isBlind(content: Uint8Array | Blob): boolean
  /** Newest kept version that is not later than `timestamp`; 0 when there is none. */
  versionAt(timestamp: number): number
  /** Keys under a prefix that have a kept version, in the order of their bytes. */
  keys(prefix: string): Iterable<string>
  /** Kept versions of all keys that are newer than `version`, oldest first. */
  log(version: number): Iterable<ObjectInfo>
  /** Drops the oldest version of a key. */
  forget(oldest: Kept): void

  /** Number for a new blob. It stays loose, and goes when the store opens next, until `append` takes it. */
  newBlob(): number
  appendChunk(blob: number, index: number, bytes: Uint8Array): void
  chunk(blob: number, index: number): Uint8Array
  /** Keeps the chunks of a blob until `release`, even when no version refers to it (any more). */
  hold(blob: number): void
  release(blob: number): void
}
