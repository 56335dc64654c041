/** Those who wait at the backend for the next change of an object. */

/** Waiters by object. */
export class Changes {
  readonly #waiters = new Map<string, Set<() => void>>()

  /** Resolves with the next change of an object, and after `waitMs` without one. */
  next(name: string, waitMs: number): Promise<void> {
    const waiters = this.#waiters.get(name) ?? new Set()
    this.#waiters.set(name, waiters)
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        waiters.delete(wake)
        if (waiters.size === 0 && this.#waiters.get(name) === waiters) this.#waiters.delete(name)
        resolve()
      }
      const timer = setTimeout(wake, waitMs).unref()
      waiters.add(wake)
    })
  }

  /** Objects have changed. */
  notify(names: Iterable<string>): void {
    for (const name of names) for (const wake of [...(this.#waiters.get(name) ?? [])]) wake()
  }
}
