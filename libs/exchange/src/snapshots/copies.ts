/**
 * The copies of serializable objects at an edge node: newest versions, which snapshots of transactions read without the backend. Whenever a
 * transaction begins, the backend says which objects have been written since the edge node asked last.
 */

interface Copy {
  /** Number of the commit that wrote it. */
  version: number
  /** Null where the object was removed. */
  value: Buffer | null
  /** Number of the commit up to which it is the newest version; more when the node knows of more commits. */
  through: number
}

const MAX_COPIES_BYTES = 64 * 1024 * 1024

/** Copies of newest versions. Beyond 64 MB, those that were not read for longest go. */
export class SnapshotCopies {
  readonly #copies = new Map<string, Copy>()
  #bytes = 0
  #known = 0

  /** Number of the last commit of which the node knows what it wrote. */
  get known(): number {
    return this.#known
  }

  /** The version of an object that a snapshot sees, or null when the backend must be asked. */
  get(name: string, snapshot: number): Copy | null {
    const copy = this.#copies.get(name)
    if (!copy || copy.version > snapshot || snapshot > Math.max(copy.through, this.#known)) return null
    this.#copies.delete(name)
    this.#copies.set(name, copy)
    return copy
  }

  /** Keeps a version that is the newest one up to the commit `through`. Values are kept as they are. */
  put(name: string, { version, value, through }: Copy): void {
    // It may have been written again in a commit that the node knows of already.
    if (through < this.#known) return
    this.#drop(name)
    this.#copies.set(name, { version, value, through })
    this.#bytes += value?.length ?? 0
    for (const oldest of this.#copies.keys()) {
      if (this.#bytes <= MAX_COPIES_BYTES) break
      this.#drop(oldest)
    }
  }

  /** Takes what was written up to a commit: drops those copies, and all of them when it is not known (`null`). */
  advance(snapshot: number, changed: ReadonlyMap<string, number> | null): void {
    if (!changed) {
      this.#copies.clear()
      this.#bytes = 0
      this.#known = snapshot
      return
    }
    for (const [name, version] of changed) {
      const copy = this.#copies.get(name)
      if (copy && copy.version < version) this.#drop(name)
    }
    this.#known = Math.max(this.#known, snapshot)
  }

  #drop(name: string): void {
    this.#bytes -= this.#copies.get(name)?.value?.length ?? 0
    this.#copies.delete(name)
  }
}
