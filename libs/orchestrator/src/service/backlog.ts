/** Items of devices that wait, so that a fast sensor before a slow function does not fill the memory of the service. */
import type { RunState } from '../core/state.ts'

/** Invocations that wait for their function, before devices are held back. */
export const MAX_WAITING = 1_000

/**
 * Holds back the acknowledgement of items while too many invocations wait for a function to be free. Only those count that
 * have all their inputs: they end by themselves, whatever devices do.
 */
export class Backlog {
  readonly #state: RunState
  readonly #max: number
  /** Those that were held back, the longest first. */
  readonly #held: (() => void)[] = []

  constructor(state: RunState, max = MAX_WAITING) {
    this.#state = state
    this.#max = max
  }

  /** An item has been taken. Resolves when there is room for another; `undefined`: at once. */
  whenRoom(): Promise<void> | undefined {
    if (this.#state.phase === 'ended' || this.#waiting() <= this.#max) return undefined
    return new Promise((resolve) => this.#held.push(resolve))
  }

  /** The state has changed: as many go on as there is room for. */
  changed(): void {
    if (this.#held.length === 0) return
    const room = this.#state.phase === 'ended' ? this.#held.length : this.#max - this.#waiting()
    for (const resolve of this.#held.splice(0, Math.max(0, room))) resolve()
  }

  #waiting(): number {
    let count = this.#state.queue.length
    for (const invocations of this.#state.blocked.values()) count += invocations.length
    return count
  }
}
