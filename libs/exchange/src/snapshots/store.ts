/**
 * The backend's serializable objects (Vertex 4.3.1): versions numbered by commits, which snapshots read. Snapshot isolation as in Berenson
 * et al., "A critique of ANSI SQL isolation levels" (1995): of two transactions that write one object, the first to commit wins.
 */
import type { Disk } from '../disk.ts'
import { ConflictError } from '../errors.ts'
import type { Flusher } from '../flusher.ts'
import { LastNumbers } from '../last-numbers.ts'
import type { ObjectKinds } from '../objects/kinds.ts'
import { ChangeLog } from './change-log.ts'
import { SnapshotLeases } from './leases.ts'

/** A version of an object that a snapshot sees. */
export interface SeenVersion {
  /** Number of the commit that wrote it; 0 when the snapshot sees no object. */
  version: number
  value: Buffer | null
  /** Number of the commit up to which it is known to be the newest version; 0 when there is a newer one. */
  through: number
}

/** The writes of a transaction. */
export interface SnapshotCommit {
  /** The transaction. */
  token: string
  /** Number of the last commit that its snapshot has. */
  snapshot: number
  /** Sender of the commit, and its number among the commits of the sender: the same ones again change nothing. */
  writer: string
  number: number
  /** Null removes an object. */
  values: ReadonlyMap<string, Buffer | null>
}

interface Version {
  number: number
  /** Null where the object was removed. */
  value: Buffer | null
}

interface Entry {
  /** Number of the commit that made the object. */
  first: number
  /** Ascending; the last one is the newest. Earlier ones are kept for snapshots. */
  versions: Version[]
}

/** What the store needs of its backend. */
export interface SnapshotParts {
  disk: Disk
  flusher: Flusher
  kinds: ObjectKinds
}

/** Earlier versions beyond this are given up, with the oldest snapshots. */
const MAX_HISTORY_BYTES = 64 * 1024 * 1024

/** The serializable objects of a backend. */
export class SnapshotStore {
  readonly #parts: SnapshotParts
  readonly #entries = new Map<string, Entry>()
  readonly #committed: LastNumbers
  readonly #leases = new SnapshotLeases()
  readonly #log: ChangeLog
  /** Objects with earlier versions. */
  readonly #withHistory = new Set<string>()
  #historyBytes = 0
  #last = 0

  constructor(parts: SnapshotParts) {
    this.#parts = parts
    this.#committed = new LastNumbers(parts.disk, 'committer')
    for (const [[name = ''], [number, first, value]] of parts.disk.stateOf<[number, number, string | null]>(
      'versioned',
    )) {
      const bytes = value === null ? null : Buffer.from(value, 'base64')
      this.#entries.set(name, { first, versions: [{ number, value: bytes }] })
      this.#last = Math.max(this.#last, number)
      parts.kinds.claim([name], 'serializable')
    }
    this.#log = new ChangeLog(this.#last)
  }

  /**
   * Begins a transaction: its snapshot has all commits so far. Also returns what has changed since the commit `known`, with the numbers of the
   * newest versions; null when that is not known.
   */
  async begin(
    token: string,
    known: number,
  ): Promise<{ snapshot: number; changed: Map<string, number> | null }> {
    const snapshot = this.#last
    const changed = this.#log.since(known)
    this.#leases.renew(token, snapshot)
    // A kill must not take back what a snapshot has.
    await this.#parts.flusher.flushed()
    return { snapshot, changed }
  }

  /** The version of an object that a snapshot sees. Rejects with `ConflictError` when it is no longer kept. */
  async read(token: string, snapshot: number, name: string): Promise<SeenVersion> {
    this.#parts.kinds.expect(name, 'serializable')
    this.#leases.renew(token, snapshot)
    const seen = this.#see(name, snapshot)
    await this.#parts.flusher.flushed()
    return seen
  }

  /**
   * Commits the writes of a transaction as a whole. Resolves to the number of the commit once it is on disk, or to 0 when it has been here
   * before. Rejects with `ConflictError`, and writes nothing, when another transaction has written one of the objects since the snapshot.
   */
  async commit({ token, snapshot, writer, number, values }: SnapshotCommit): Promise<number> {
    // Nothing is waited for before the commit has taken effect: commits of a sender keep their order.
    this.#leases.end(token)
    const hasTaken = this.#committed.get(writer) >= number
    const commit = hasTaken ? 0 : this.#apply(snapshot, values)
    if (!hasTaken) this.#committed.set(writer, number)
    await this.#parts.flusher.flushed()
    return commit
  }

  /** Keeps the snapshots of transactions that go on. */
  renew(snapshots: ReadonlyMap<string, number>): void {
    for (const [token, snapshot] of snapshots) this.#leases.renew(token, snapshot)
  }

  /** Ends a transaction without a commit. */
  end(token: string): void {
    this.#leases.end(token)
  }

  /** Number of the commit that wrote an object last; 0 for none. */
  versionOf(name: string): number {
    return this.#entries.get(name)?.versions.at(-1)?.number ?? 0
  }

  /** Number of versions that are kept of an object. */
  kept(name: string): number {
    return this.#entries.get(name)?.versions.length ?? 0
  }

  /** Drops versions that no snapshot sees any more. */
  tidy(): void {
    this.#leases.expire()
    for (const name of [...this.#withHistory]) this.#prune(name)
  }

  #see(name: string, snapshot: number): SeenVersion {
    if (snapshot > this.#last)
      throw new ConflictError('The snapshot of the transaction is not of this backend: begin again.')
    const entry = this.#entries.get(name)
    if (!entry) return { version: 0, value: null, through: this.#last }
    if (snapshot < entry.first) return { version: 0, value: null, through: 0 }
    const seen = entry.versions.findLast(({ number }) => number <= snapshot)
    if (!seen)
      throw new ConflictError(
        `The snapshot of the transaction is over: '${name}' was written since, and its earlier version is no longer kept.`,
      )
    const isNewest = seen === entry.versions.at(-1)
    return { version: seen.number, value: seen.value, through: isNewest ? this.#last : 0 }
  }

  #apply(snapshot: number, values: SnapshotCommit['values']): number {
    const names = [...values.keys()]
    const written = names.find((name) => this.versionOf(name) > snapshot)
    if (written !== undefined)
      throw new ConflictError(`'${written}' was written by another transaction first. Nothing was written.`)
    this.#parts.kinds.claim(names, 'serializable')
    const number = ++this.#last
    for (const [name, value] of values) {
      const entry = this.#entries.get(name) ?? { first: number, versions: [] }
      this.#entries.set(name, entry)
      this.#historyBytes += entry.versions.at(-1)?.value?.length ?? 0
      // A copy: the value is a view of a larger chunk, which it would keep in memory.
      entry.versions.push({ number, value: value && Buffer.from(value) })
      this.#parts.disk.save(['versioned', name], [number, entry.first, value?.toString('base64') ?? null])
      this.#withHistory.add(name)
      this.#prune(name)
    }
    this.#log.add(number, names)
    while (this.#historyBytes > MAX_HISTORY_BYTES && this.#leases.endOldest()) this.tidy()
    return number
  }

  /** Keeps the newest version, and those that are the newest for some snapshot. */
  #prune(name: string): void {
    const entry = this.#entries.get(name)
    if (!entry) return
    const { versions } = entry
    entry.versions = versions.filter(({ number, value }, at) => {
      const next = versions[at + 1]
      if (!next || this.#leases.hasWithin(number, next.number)) return true
      this.#historyBytes -= value?.length ?? 0
      return false
    })
    if (entry.versions.length === 1) this.#withHistory.delete(name)
  }
}
