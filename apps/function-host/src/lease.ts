/** Ends what nobody asks for any more. */
export class Lease {
  readonly #ms: number
  readonly #isUsed: () => boolean
  readonly #onEnd: () => void
  #timer: NodeJS.Timeout | undefined

  /**
   * @param ms how long it lasts without being renewed
   * @param isUsed asked when it runs out; while it holds, the lease goes on
   * @param onEnd called once, when it has run out
   */
  constructor(ms: number, isUsed: () => boolean, onEnd: () => void) {
    this.#ms = ms
    this.#isUsed = isUsed
    this.#onEnd = onEnd
  }

  /** It lasts its whole time from now on. */
  renew(): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => {
      if (this.#isUsed()) this.renew()
      else this.#onEnd()
    }, this.#ms)
  }

  /** It never runs out. */
  end(): void {
    clearTimeout(this.#timer)
  }
}
