/** Values that `Persist` keeps and that came with messages: written to the data port while the run goes on. */
import type { DataPort, EncodedValue } from '@hivemind/values'

/** Writes under way at the same time: a store puts them on the disk together. */
const MAX_WRITES = 64
/** Values that wait for their write, before those who send more have to wait. */
const MAX_WAITING = 256

/** The values of one run that are being written. */
export class KeptValues {
  readonly #port: DataPort
  readonly #pool: string
  readonly #waiting: { key: string; value: EncodedValue }[] = []
  readonly #rooms: (() => void)[] = []
  readonly #idle: (() => void)[] = []
  #writes = 0
  #failures = 0
  #failure: unknown

  constructor(port: DataPort, pool: string) {
    this.#port = port
    this.#pool = pool
  }

  add(key: string, value: EncodedValue): void {
    this.#waiting.push({ key, value })
    this.#next()
  }

  /** A promise when too many values wait: it resolves when there is room. */
  whenRoom(): Promise<void> | undefined {
    if (this.#waiting.length < MAX_WAITING) return undefined
    return new Promise((resolve) => this.#rooms.push(resolve))
  }

  /** Resolves when all values are kept. Rejects when any could not be. */
  async flush(): Promise<void> {
    if (this.#writes > 0) await new Promise<void>((resolve) => this.#idle.push(resolve))
    if (this.#failures > 0)
      throw new Error(
        `${this.#failures} values that Persist keeps could not be written to the store: ${(this.#failure as Error).message}`,
      )
  }

  #next(): void {
    while (this.#writes < MAX_WRITES) {
      const next = this.#waiting.shift()
      if (!next) break
      this.#writes++
      this.#port
        .put(this.#pool, next.key, next.value)
        .catch((error: unknown) => {
          this.#failures++
          this.#failure = error
        })
        .then(() => {
          this.#writes--
          this.#next()
        })
    }
    if (this.#waiting.length < MAX_WAITING) for (const resolve of this.#rooms.splice(0)) resolve()
    if (this.#writes === 0) for (const resolve of this.#idle.splice(0)) resolve()
  }
}
