/**
 * The local directory of an edge node: its copies of shared objects, and whether it may serve them. A copy is *shared* or *exclusive*
 * (the backend knows which), *modified* while a write is under way, and otherwise *invalid*: not here (MESI, Vertex 4.1).
 */
import type { ReadObject } from './directory.ts'

/** A request whose answer may become a copy. */
export interface Fetch {
  names: readonly string[]
  isWrite: boolean
  /** Lowest version that may be kept, by object: earlier ones were invalidated meanwhile. */
  floors: Map<string, number>
}

const MAX_COPIES_BYTES = 64 * 1024 * 1024

/** Copies of objects. Beyond 64 MB, those that were not read for longest go. */
export class Copies {
  readonly #copies = new Map<string, ReadObject>()
  readonly #fetches = new Set<Fetch>()
  #bytes = 0
  #leaseEnd = 0

  /** The copy of an object, or null when it has to be fetched. */
  get(name: string): ReadObject | null {
    const copy = this.#copies.get(name)
    if (!copy || performance.now() >= this.#leaseEnd) return null
    this.#copies.delete(name)
    this.#copies.set(name, copy)
    return copy
  }

  /** Extends the time for which copies may be served. `end` is by `performance.now()`. */
  extendLease(end: number): void {
    this.#leaseEnd = Math.max(this.#leaseEnd, end)
  }

  /** Begins a request. What is written is not served until the answer has come. */
  begin(names: readonly string[], isWrite: boolean): Fetch {
    const fetch = { names, isWrite, floors: new Map<string, number>() }
    this.#fetches.add(fetch)
    if (isWrite) for (const name of names) this.#drop(name)
    return fetch
  }

  /** Ends a request, and keeps the objects that the backend has answered with. */
  end(fetch: Fetch, answer: ReadonlyMap<string, ReadObject> = new Map()): void {
    this.#fetches.delete(fetch)
    for (const [name, object] of answer) {
      if (object.version < (fetch.floors.get(name) ?? 0) || this.#isModified(name)) continue
      if (object.version < (this.#copies.get(name)?.version ?? 0)) continue
      this.#keep(name, object)
    }
  }

  /** Drops the copies of an object before a version, also those on their way. */
  invalidate(name: string, version: number): void {
    this.#drop(name)
    for (const { names, floors } of this.#fetches) if (names.includes(name)) floors.set(name, version)
  }

  /** Drops all copies, before a new connection to the backend. */
  clear(): void {
    this.#copies.clear()
    this.#bytes = 0
    this.#leaseEnd = 0
  }

  #isModified(name: string): boolean {
    for (const { isWrite, names } of this.#fetches) if (isWrite && names.includes(name)) return true
    return false
  }

  #keep(name: string, object: ReadObject): void {
    this.#drop(name)
    this.#copies.set(name, object)
    this.#bytes += object.value?.length ?? 0
    for (const oldest of this.#copies.keys()) {
      if (this.#bytes <= MAX_COPIES_BYTES) break
      this.#drop(oldest)
    }
  }

  #drop(name: string): void {
    this.#bytes -= this.#copies.get(name)?.value?.length ?? 0
    this.#copies.delete(name)
  }
}
