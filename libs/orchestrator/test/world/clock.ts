/** Virtual time: actions in order of their instant, and of being asked for. */
export class Clock {
  now = 0
  #order = 0
  readonly #entries: { at: number; order: number; action: () => void; off: boolean }[] = []

  /** Calls `action` after so many ms of virtual time, unless the returned function is called before. */
  after(ms: number, action: () => void): () => void {
    const entry = { at: this.now + Math.max(0, ms), order: this.#order++, action, off: false }
    const entries = this.#entries
    // The next one is last; among equals, the one asked for first.
    let [low, high] = [0, entries.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((entries[middle]?.at ?? 0) > entry.at) low = middle + 1
      else high = middle
    }
    entries.splice(low, 0, entry)
    return () => {
      entry.off = true
    }
  }

  /** Takes the next action; false when there is none. */
  turn(): boolean {
    for (let next = this.#entries.pop(); next; next = this.#entries.pop()) {
      if (next.off) continue
      this.now = next.at
      next.action()
      return true
    }
    return false
  }
}
