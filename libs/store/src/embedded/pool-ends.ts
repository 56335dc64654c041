/** What a pool on disk has in memory: its head, and the ends of the histories of keys that are written. */
import type { Head, Kept } from './table.ts'

/** Oldest and newest kept version of a key. The oldest is null until it is asked for. */
export interface Ends {
  oldest: Kept | null
  newest: Kept | null
  /** The last version that was forgotten; 0 where none was since the ends are in memory. */
  forgotten: number
  /** Versions of the transaction that is under way, the oldest first. */
  fresh: Kept[]
}

/** Keys of a pool whose ends are remembered. */
const MAX_KEYS = 16_384

/** The ends of a pool, as of the transaction that is under way, or else of the last one. */
export class PoolEnds {
  readonly #load: () => Head
  #committed: Head
  #pending: Head | null = null
  readonly #keys = new Map<string, Ends>()
  /** Those with fresh versions. */
  #changed: Ends[] = []

  /** @param load reads the head from the disk */
  constructor(load: () => Head) {
    this.#load = load
    this.#committed = load()
  }

  /** The last write that is on disk. */
  get committed(): Head {
    return this.#committed
  }

  /** The last write of the transaction that is under way. */
  get pending(): Head {
    return this.#pending ?? this.#committed
  }

  /** Notes a write to a key of these ends. */
  add(ends: Ends, kept: Kept): void {
    this.#pending = { version: kept.info.version, timestamp: kept.info.timestamp }
    if (ends.fresh.length === 0) this.#changed.push(ends)
    if (!ends.newest) ends.oldest = kept
    ends.newest = kept
    ends.fresh.push(kept)
  }

  /** The transaction has been written, or nothing of it has. */
  end(written: boolean): void {
    if (!written) this.#keys.clear()
    for (const ends of this.#changed) ends.fresh = []
    this.#changed = []
    this.#drop()
    this.#committed = written ? this.pending : this.#load()
    this.#pending = null
  }

  /** The ends of a key, when they are in memory. */
  known(key: string): Ends | undefined {
    return this.#keys.get(key)
  }

  /** The ends of a key; `load` reads its newest version from the disk. */
  of(key: string, load: () => Kept | undefined): Ends {
    const known = this.#keys.get(key)
    if (known) return known
    // while a transaction is under way, what it has changed is to stay
    if (this.#changed.length === 0) this.#drop()
    const ends: Ends = { newest: load() ?? null, oldest: null, forgotten: 0, fresh: [] }
    this.#keys.set(key, ends)
    return ends
  }

  /** Forgets the keys that were looked at first, where there are too many. */
  #drop(): void {
    for (const key of this.#keys.keys()) {
      if (this.#keys.size < MAX_KEYS) return
      this.#keys.delete(key)
    }
  }
}
