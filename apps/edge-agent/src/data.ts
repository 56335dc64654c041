/** Values that the service keeps, for a device whose connection to it may break. */
import { setTimeout as pause } from 'node:timers/promises'
import type { DataPort, EncodedValue, StoredRef, ValueRef } from '@hivemind/values'
import { DataEndpointError, type HttpDataPort } from '@hivemind/values/node'

const FIRST_PAUSE_MS = 200
const MAX_PAUSE_MS = 3_000

/** A data port that asks again while the service is away, until it is closed. */
export class PatientDataPort implements DataPort {
  readonly #port: HttpDataPort
  readonly #closed = new AbortController()

  constructor(port: HttpDataPort) {
    this.#port = port
  }

  put(pool: string, key: string, value: EncodedValue): Promise<StoredRef> {
    return this.#patiently(() => this.#port.put(pool, key, value))
  }

  get(ref: ValueRef): Promise<EncodedValue> {
    return ref.kind === 'inline' ? this.#port.get(ref) : this.#patiently(() => this.#port.get(ref))
  }

  drop(pool: string): Promise<void> {
    return this.#patiently(() => this.#port.drop(pool))
  }

  /** The bytes of a blob; see `HttpDataPort.blob`. */
  blob(hash: string): Promise<AsyncIterable<Uint8Array>> {
    return this.#patiently(() => this.#port.blob(hash))
  }

  /** Requests under way and later ones fail when the service is away. */
  close(): void {
    this.#closed.abort()
  }

  async #patiently<T>(request: () => Promise<T>): Promise<T> {
    const { signal } = this.#closed
    for (let wait = FIRST_PAUSE_MS; ; wait = Math.min(wait * 2, MAX_PAUSE_MS)) {
      try {
        return await request()
      } catch (error) {
        const away = error instanceof DataEndpointError && (error.status === 0 || error.status >= 500)
        if (!away || signal.aborted) throw error
        await pause(wait * (1 + Math.random() / 2), undefined, { signal }).catch(() => {
          throw error
        })
      }
    }
  }
}
