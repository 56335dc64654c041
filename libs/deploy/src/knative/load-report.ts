/** Tells Knative's queue-proxy of the calls of a container that go past it, so that the autoscaler counts them (Speedo 3). */

/** What goes on at one container: for each call that is under way at once, one request is held at the queue-proxy. */
export class LoadReport {
  readonly #hold: () => Promise<void>
  readonly #onFailure: () => void
  #calls = 0
  /** By how many calls there are beside it: whether a request is held, and whether another one is to follow. */
  readonly #held: boolean[] = []
  readonly #wanted: boolean[] = []

  /**
   * @param hold makes one request that is answered after a while; rejects when it is not held
   * @param onFailure told that the autoscaler does not see what goes on
   */
  constructor(hold: () => Promise<void>, onFailure: () => void) {
    this.#hold = hold
    this.#onFailure = onFailure
  }

  began(): void {
    const index = this.#calls
    this.#calls += 1
    this.#wanted[index] = true
    if (!this.#held[index]) void this.#keep(index)
  }

  ended(): void {
    this.#calls -= 1
  }

  /** Holds one request after the other, until there was no call for the length of one. */
  async #keep(index: number): Promise<void> {
    this.#held[index] = true
    try {
      do {
        this.#wanted[index] = this.#calls > index
        await this.#hold()
      } while (this.#wanted[index])
    } catch {
      this.#onFailure()
    } finally {
      this.#held[index] = false
    }
  }
}
