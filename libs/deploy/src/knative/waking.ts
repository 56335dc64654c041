/** Functions that have gone to zero, started before they are called (HiveMind 4.3). */
import { Agent, request } from 'undici'

/** A cold start that takes longer is left to the call, in ms. */
const START_LIMIT_MS = 120_000

/** Starts containers by asking for them on Knative's route; the function itself is not called. */
export class Waking {
  readonly #agent = new Agent({ headersTimeout: START_LIMIT_MS })
  /** When each revision was asked for, by the clock of `performance`. */
  readonly #asked = new Map<string, number>()
  /** Those that have not answered yet; each signal aborts when it has, or does not start. */
  readonly #starting = new Map<string, AbortSignal>()
  readonly #againMs: number

  /** @param againMs for so long after it was asked for, a revision is not asked for again */
  constructor(againMs: number) {
    this.#againMs = againMs
  }

  /** Asks for a revision, and does not wait. One that does not start is no error here: its call says why. */
  start(revision: string, { url, host }: { url: string; host?: string }): void {
    const asked = this.#asked.get(revision)
    if (asked !== undefined && performance.now() - asked < this.#againMs) return
    this.#asked.set(revision, performance.now())
    const answered = new AbortController()
    this.#starting.set(revision, answered.signal)
    request(new URL('/readyz', url), { dispatcher: this.#agent, headers: host === undefined ? {} : { host } })
      .then(({ body }) => body.dump())
      .catch(() => this.#asked.delete(revision))
      .finally(() => {
        this.#starting.delete(revision)
        answered.abort()
      })
  }

  /** While a revision that was asked for has not answered: a signal that aborts as soon as Knative's route leads to it, or it does not start. */
  starting(revision: string): AbortSignal | undefined {
    return this.#starting.get(revision)
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}
