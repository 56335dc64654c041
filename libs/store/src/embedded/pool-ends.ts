/** What a pool on disk has in memory: its head, and the ends of the histories of keys that are written. */
import type { Head, Kept } from './table.ts'

/** Oldest and newest kept version of a key. The oldest is null until it is asked for. */
export interface Ends {
  oldest: Kept | null
  newest: Kept | null
}

/** Keys of a pool whose ends are remembered. */
const MAX_KEYS = 16_384

/** The ends of a pool, as of the transaction that is under way, or else of the last one. */
export class PoolEnds {
  readonly #load: () => Head
  #committed: Head
  #pending: Head | null = null
  readonly #keys = new Map<string, Ends>()

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

  /** Notes a write. */
  advance(head: Head): void {
    this.#pending = head
  }

  /** The transaction has been written, or nothing of it has. */
  end(written: boolean): void {
    if (!written) this.#keys.clear()
    this.#committed = written ? this.pending : this.#load()
    this.#pending = null
  }

  /** The ends of a key, when they are in memory. */
  known(key: string): Ends | undefined {
    return this.#keys.get(key)
  }

  /** The ends of a key. */
  of(key: string, load: () => Ends): Ends {
    const known = this.#keys.get(key)
    if (known) return known
    const [first] = this.#keys.keys()
    if (first !== undefined && this.#keys.size >= MAX_KEYS) this.#keys.delete(first)
    const ends = load()
    this.#keys.set(key, ends)
    return ends
  }
}
