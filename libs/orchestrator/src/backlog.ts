/** Whoever brings work waits while too much of it waits already: devices before functions, and a sensor before its device. */
import type { RunState } from './core/state.ts'

/**
 * Counts the ready invocations of a run core that wait for a free slot. Only those count that have all their inputs: they end by
 * themselves, whatever those do who bring more.
 */
export class Backlog {
  readonly #state: RunState
  readonly #max: number
  /** Those that were held back, the longest first. */
  readonly #held: (() => void)[] = []

  /** @param max invocations that may wait before those who bring more are held back */
  constructor(state: RunState, max: number) {
    this.#state = state
    this.#max = max
  }

  /** Resolves when there is room for another; `undefined`: at once. */
  whenRoom(): Promise<void> | undefined {
    if (this.#state.phase === 'ended' || this.#waiting() <= this.#max) return undefined
    return new Promise((resolve) => this.#held.push(resolve))
  }

  /** The state has changed: as many go on as there is room for, and all when nothing waits: no other change may come. */
  changed(): void {
    if (this.#held.length === 0) return
    const waiting = this.#waiting()
    const room = waiting === 0 || this.#state.phase === 'ended' ? this.#held.length : this.#max - waiting
    for (const resolve of this.#held.splice(0, Math.max(0, room))) resolve()
  }

  /** Nothing will be worked on any more: nobody waits for it. */
  stop(): void {
    for (const resolve of this.#held.splice(0)) resolve()
  }

  #waiting(): number {
    let count = this.#state.queue.length
    for (const invocations of this.#state.blocked.values()) count += invocations.length
    return count
  }
}
