/** Keeps apart what may not overlap for the same item (`Serial`). */
export class Exclusion {
  readonly #held = new Map<string, Promise<void>>()

  /** Waits for all names, takes them, and returns what gives them back. */
  async take(names: readonly string[]): Promise<() => void> {
    for (let blocked = this.#blocker(names); blocked; blocked = this.#blocker(names)) await blocked
    let free: () => void = () => {}
    const until = new Promise<void>((resolve) => {
      free = resolve
    })
    for (const name of names) this.#held.set(name, until)
    return () => {
      for (const name of names) this.#held.delete(name)
      free()
    }
  }

  #blocker(names: readonly string[]): Promise<void> | undefined {
    for (const name of names) {
      const holder = this.#held.get(name)
      if (holder) return holder
    }
    return undefined
  }
}
