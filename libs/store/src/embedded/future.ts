/** Waiting for a time of the store's clock to pass. */
import type { Clock } from '../clock.ts'
import { StoreClosedError } from '../errors.ts'

/** Longest delay of a timer, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Lets readers wait until the clock has passed a time, and lets `close` end the waiting. */
export class Future {
  readonly #clock: Clock
  readonly #waiting = new Set<() => void>()
  #closed = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Resolves when the clock is past `time` (microseconds). Rejects with `StoreClosedError` after `close`. */
  async past(time: number): Promise<void> {
    for (;;) {
      if (this.#closed) throw new StoreClosedError()
      const missing = time - this.#clock.now()
      if (missing < 0) return
      await this.#sleep(Math.min(Math.floor(missing / 1000) + 1, MAX_TIMER_MS))
    }
  }

  /** Rejects all who wait. */
  close(): void {
    this.#closed = true
    for (const wake of [...this.#waiting]) wake()
  }

  #sleep(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiting.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, ms)
      this.#waiting.add(wake)
    })
  }
}
