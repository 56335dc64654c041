/** The last commits of a backend, by which edge nodes learn which of their copies are out of date. */

interface Change {
  number: number
  names: readonly string[]
}

const MAX_CHANGES = 10_000

/** Up to 10,000 commits. */
export class ChangeLog {
  #changes: Change[] = []
  /** Everything after this commit is here. */
  #start: number
  #last: number

  constructor(last: number) {
    this.#start = last
    this.#last = last
  }

  add(number: number, names: readonly string[]): void {
    this.#changes.push({ number, names })
    this.#last = number
    if (this.#changes.length < 2 * MAX_CHANGES) return
    this.#start = this.#changes[MAX_CHANGES - 1]?.number ?? this.#start
    this.#changes = this.#changes.slice(MAX_CHANGES)
  }

  /** The objects that were written after a commit, with the numbers of their newest versions; null when that is not known. */
  since(known: number): Map<string, number> | null {
    if (known < this.#start || known > this.#last) return null
    const changed = new Map<string, number>()
    for (let at = this.#changes.length - 1; at >= 0; at--) {
      const { number, names } = this.#changes[at] as Change
      if (number <= known) break
      for (const name of names) if (!changed.has(name)) changed.set(name, number)
    }
    return changed
  }
}
