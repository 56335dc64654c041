/** Work on one thing at a time: what is asked for the same key runs one after the other, in order. */
export class Turns {
  private readonly last = new Map<string, Promise<unknown>>()

  /** Runs `act` when all that was asked for this key before has ended, well or not. */
  async run<T>(key: string, act: () => Promise<T>): Promise<T> {
    const before = this.last.get(key) ?? Promise.resolve()
    const now = before.catch(() => {}).then(act)
    this.last.set(key, now)
    try {
      return await now
    } finally {
      if (this.last.get(key) === now) this.last.delete(key)
    }
  }
}
