/** Clocks of an invocation: how long its code may still take, and when its next item may be asked for. */

/** A time limit that can be stopped and goes on. */
export class TimeLimit {
  readonly #onExpiry: () => void
  #leftMs: number
  #since = 0
  #timer: NodeJS.Timeout | undefined

  constructor(limitMs: number, onExpiry: () => void) {
    this.#leftMs = limitMs
    this.#onExpiry = onExpiry
    this.resume()
  }

  pause(): void {
    if (this.#timer === undefined) return
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#leftMs -= performance.now() - this.#since
  }

  resume(): void {
    if (this.#timer !== undefined) return
    this.#since = performance.now()
    this.#timer = setTimeout(this.#onExpiry, Math.max(1, this.#leftMs))
  }
}

/** Spaces items: the next is due `paceMs` after the last was, or now when it is late by more than that. The first sets the time. */
export class Pacer {
  readonly #paceMs: number
  #due: number | undefined

  /** @param paceMs 0 for none */
  constructor(paceMs: number) {
    this.#paceMs = paceMs
  }

  /** Resolves when the next item is due; gives how long that took, in ms. `null` when it is due already. */
  next(): Promise<number> | null {
    if (this.#paceMs <= 0) return null
    const now = performance.now()
    const due = Math.max((this.#due ?? now) + this.#paceMs, now)
    this.#due = due
    const waitMs = due - now
    if (waitMs <= 0) return null
    return new Promise((resolve) => setTimeout(() => resolve(performance.now() - now), waitMs))
  }
}
