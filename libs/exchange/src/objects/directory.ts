/**
 * The backend's directory of shared objects (Vertex 4.1): their values, and the edge nodes that hold copies. A write invalidates all
 * other copies before it takes effect. An edge node that does not answer has lost its copies when its lease is over.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Disk } from '../disk.ts'
import { LastNumbers } from '../last-numbers.ts'
import type { Session } from '../session.ts'
import type { ObjectKinds } from './kinds.ts'
import { COPY_LEASE_MS } from './leases.ts'
import { Locks } from './locks.ts'

/** An edge node, as a holder of copies. */
export interface Holder {
  session: Session | null
  /** End of its lease, by `performance.now()`. */
  leaseEnd: number
}

/** An object as it was read. */
export interface ReadObject {
  /** Number of writes and removals that the object has had. */
  version: number
  /** Null when there is no object: nobody has written it, or it was removed last. */
  value: Buffer | null
}

/** A write or removal (null) of one or more objects that takes effect as a whole. */
export interface Commit {
  /** Sender of the write, and its number among the writes of the sender: the same ones again change nothing. */
  writer: string
  number: number
  values: ReadonlyMap<string, Buffer | null>
}

interface Entry extends ReadObject {
  holders: Set<Holder>
}

const senderOf = (writer: string, name: string): string => `${writer}\n${name}`

const LEASE_CHECK_INTERVAL_MS = 20

/** The objects of a backend. */
export class ObjectDirectory {
  readonly locks = new Locks()
  readonly #disk: Disk
  readonly #kinds: ObjectKinds
  readonly #written: LastNumbers
  readonly #entries = new Map<string, Entry>()
  /** Until then, edge nodes may hold copies that were given out before a restart. */
  readonly #unknownCopiesEnd: number

  constructor(disk: Disk, kinds: ObjectKinds) {
    this.#disk = disk
    this.#kinds = kinds
    this.#written = new LastNumbers(disk, 'writer')
    for (const [[name = ''], [version, value]] of disk.stateOf<[number, string | null]>('object')) {
      const bytes = value === null ? null : Buffer.from(value, 'base64')
      this.#entries.set(name, { version, value: bytes, holders: new Set() })
      kinds.claim([name], 'linearizable')
    }
    this.#unknownCopiesEnd = this.#entries.size > 0 ? performance.now() + COPY_LEASE_MS : 0
  }

  /** Reads an object for an edge node, which holds a copy from now on. Call it in a turn of the object. */
  read(name: string, reader: Holder): ReadObject {
    this.#kinds.expect(name, 'linearizable')
    const entry = this.#entries.get(name)
    // An object that nobody has written has no copies: it may become one of another consistency.
    if (!entry) return { version: 0, value: null }
    entry.holders.add(reader)
    return { version: entry.version, value: entry.value }
  }

  /**
   * Invalidates the copies of others, and then writes. Call it in a turn of the objects. Returns the version of each object, or null
   * when the write has been here before. The writing edge node holds the copies afterwards.
   */
  async commit(commit: Commit, holder: Holder): Promise<Map<string, number> | null> {
    if (this.hasTaken(commit)) return null
    const { writer, number, values } = commit
    const names = [...values.keys()]
    this.#kinds.claim(names, 'linearizable')
    await Promise.all(names.map((name) => this.#invalidate(name, this.#entry(name), holder)))
    const remaining = this.#unknownCopiesEnd - performance.now()
    if (remaining > 0) await sleep(remaining)
    const versions = new Map<string, number>()
    for (const [name, value] of values) {
      const entry = this.#entry(name)
      entry.version++
      entry.value = value
      entry.holders = new Set([holder])
      versions.set(name, entry.version)
      this.#written.set(senderOf(writer, name), number)
      this.#disk.save(['object', name], [entry.version, value?.toString('base64') ?? null])
    }
    return versions
  }

  /** Number of writes that an object has had. */
  versionOf(name: string): number {
    return this.#entries.get(name)?.version ?? 0
  }

  /** Whether a write, or a later one of the same sender, has taken effect. */
  hasTaken({ writer, number, values }: Commit): boolean {
    return [...values.keys()].some((name) => this.#written.get(senderOf(writer, name)) >= number)
  }

  /** Takes all copies of an edge node back: it has said that it has none. */
  forget(holder: Holder): void {
    for (const { holders } of this.#entries.values()) holders.delete(holder)
  }

  #entry(name: string): Entry {
    let entry = this.#entries.get(name)
    if (!entry) {
      entry = { version: 0, value: null, holders: new Set() }
      this.#entries.set(name, entry)
    }
    return entry
  }

  async #invalidate(name: string, entry: Entry, writer: Holder): Promise<void> {
    const others = [...entry.holders].filter((holder) => holder !== writer)
    await Promise.all(
      others.map(async (holder) => {
        const answered = holder.session
          ?.request({ type: 'invalidate', name, version: entry.version + 1 })
          .then(
            () => void entry.holders.delete(holder),
            () => {},
          )
        await Promise.race([answered, this.#leaseOver(entry, holder)])
        // The connection was lost before the answer.
        await this.#leaseOver(entry, holder)
      }),
    )
  }

  async #leaseOver(entry: Entry, holder: Holder): Promise<void> {
    while (entry.holders.has(holder) && performance.now() < holder.leaseEnd)
      await sleep(LEASE_CHECK_INTERVAL_MS)
  }
}
