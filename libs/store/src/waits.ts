/** Waiting that ends when the store closes. */
import { StoreClosedError } from './errors.ts'

/** Longest delay of a timer, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Readers that wait for a time. */
export class Waits {
  readonly #waiting = new Set<() => void>()
  #closed = false

  /** Resolves after this time, or earlier when it is longer than timers go. Rejects with `StoreClosedError` after `close`. */
  async sleep(microseconds: number): Promise<void> {
    if (!this.#closed)
      await new Promise<void>((resolve) => {
        const wake = () => {
          clearTimeout(timer)
          this.#waiting.delete(wake)
          resolve()
        }
        const timer = setTimeout(wake, Math.min(Math.floor(microseconds / 1000) + 1, MAX_TIMER_MS))
        this.#waiting.add(wake)
      })
    if (this.#closed) throw new StoreClosedError()
  }

  /** Rejects all who wait. */
  close(): void {
    this.#closed = true
    for (const wake of [...this.#waiting]) wake()
  }
}
