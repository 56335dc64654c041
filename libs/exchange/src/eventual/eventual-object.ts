/** An eventual object, as a client uses it (Vertex 4.2.2). */
import type { Link } from '../link.ts'
import { OBJECT_PATIENCE_MS } from '../objects/leases.ts'
import { expectSize } from '../objects/messages.ts'
import type { Declaration } from './declaration.ts'

/** How a client reads an eventual object. */
export interface EventualReadOptions {
  /**
   * Age that is allowed, in ms, in place of the recency bound of the object; 0 for what the backend has now. `Infinity` takes the copy of the
   * edge node at any age, also while the backend is away.
   */
  maxAgeMs?: number
}

const CHANGE_WAIT_MS = 10_000
const DEFAULT_SETTLE_MS = 10_000

/** An object whose writes take effect at the edge node at once and travel on; writes of different edge nodes are merged. */
export class EventualObject {
  readonly name: string
  /** How the object was made. */
  readonly declaration: Declaration
  readonly #link: Link

  constructor(link: Link, name: string, declaration: Declaration) {
    this.#link = link
    this.name = name
    this.declaration = declaration
  }

  /** The value, or null when nobody has written it. Rejects with `StaleError` when it would be too old and the backend does not answer. */
  async read({ maxAgeMs }: EventualReadOptions = {}): Promise<Uint8Array | null> {
    return (await this.#read(maxAgeMs)).value
  }

  /** Merges a value into the object. Resolves when the edge node has it on disk. */
  async write(value: Uint8Array): Promise<void> {
    expectSize(this.name, value)
    await this.#link.request(
      { type: 'eventual-write', name: this.name },
      Buffer.from(value),
      OBJECT_PATIENCE_MS,
    )
  }

  /**
   * Removes the value: what this edge node has of it, and what other edge nodes write before they have heard of the removal. A write after it makes the
   * object anew. Resolves when the edge node has it on disk.
   */
  async remove(): Promise<void> {
    await this.#link.request({ type: 'eventual-remove', name: this.name }, undefined, OBJECT_PATIENCE_MS)
  }

  /** Resolves when the backend has all writes of the object at this edge node. Rejects with `ExchangeError` after `waitMs`, 10 s without it. */
  async settled(waitMs = DEFAULT_SETTLE_MS): Promise<void> {
    const request = { type: 'eventual-settle', name: this.name, waitMs }
    await this.#link.request(request, undefined, waitMs + OBJECT_PATIENCE_MS)
  }

  /** The value as it is, and then as it changes, at any age. Of changes in quick succession, the last is certain to come. */
  async *changes(): AsyncGenerator<Uint8Array | null> {
    let last: Uint8Array | null | undefined
    for (;;) {
      const { value, token } = await this.#read(Number.POSITIVE_INFINITY)
      const isNew =
        last === undefined || (value === null ? last !== null : !last || !Buffer.from(value).equals(last))
      last = value
      if (isNew) yield value
      const request = { type: 'eventual-wait', name: this.name, seen: token, waitMs: CHANGE_WAIT_MS }
      await this.#link.request(request, undefined, CHANGE_WAIT_MS + OBJECT_PATIENCE_MS)
    }
  }

  async #read(maxAgeMs: number | undefined): Promise<{ value: Uint8Array | null; token: string }> {
    const age = maxAgeMs === Number.POSITIVE_INFINITY ? { isAnyAge: true } : { maxAgeMs }
    const request = { type: 'eventual-read', name: this.name, ...age }
    const { header, body } = await this.#link.request(request, undefined, OBJECT_PATIENCE_MS)
    return { value: header.exists ? body : null, token: String(header.token) }
  }
}
