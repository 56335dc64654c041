/** Shared objects, as a client uses them (Vertex 4.3). */
import { randomUUID } from 'node:crypto'
import { ExchangeError } from '../errors.ts'
import type { Link } from '../link.ts'
import { LOCK_PATIENCE_MS, OBJECT_PATIENCE_MS } from './leases.ts'
import { bodyOfValues } from './messages.ts'

/** Largest object, in bytes. */
export const MAX_OBJECT_BYTES = 8 * 1024 * 1024

/** Objects that a function reads and writes. It may read what it writes. */
export interface Access {
  reads?: readonly string[]
  writes?: readonly string[]
}

/** The objects of a shared function. Other objects than the declared ones are refused with `ExchangeError`. */
export interface FunctionObjects {
  /** The value of an object, or null when there is none. What the function has written itself is read back. */
  read(name: string): Uint8Array | null
  /** Writes an object when the function ends. */
  write(name: string, value: Uint8Array): void
}

/** Objects that a client has for itself. Ends with `unlock`, or after 5 s. */
export interface ObjectLock {
  readonly token: string
  readonly names: readonly string[]
}

/** Linearizable objects that all clients of the exchange share. Names are texts of up to 200 characters. */
export class SharedObjects {
  readonly #link: Link
  readonly #writer = randomUUID()
  #lastNumber = 0

  constructor(link: Link) {
    this.#link = link
  }

  /** The value of an object, or null when nobody has written it. */
  async read(name: string, lock?: ObjectLock): Promise<Uint8Array | null> {
    const request = { type: 'object-read', name, lock: lock?.token }
    const { header, body } = await this.#link.request(request, undefined, OBJECT_PATIENCE_MS)
    return header.version === 0 ? null : body
  }

  /**
   * Writes an object. Resolves when the backend has it on disk and no edge node serves an earlier value. Rejects with `ExchangeError` when
   * that is not known, or when the lock is over; after an error other than that of a lock, the write may take effect later.
   */
  write(name: string, value: Uint8Array, lock?: ObjectLock): Promise<void> {
    return this.#commit(new Map([[name, value]]), lock)
  }

  /** Takes objects: other clients' reads past a copy, writes and locks wait until `unlock`, or for 5 s. */
  async lock(names: readonly string[]): Promise<ObjectLock> {
    const token = randomUUID()
    await this.#link.request({ type: 'object-lock', lock: token, names }, undefined, LOCK_PATIENCE_MS)
    return { token, names }
  }

  /** Ends a lock. A lock that has ended already is fine. */
  async unlock(lock: ObjectLock): Promise<void> {
    await this.#link.request({ type: 'object-unlock', lock: lock.token })
  }

  /**
   * Runs a function on objects that nobody else writes meanwhile. Its writes take effect together when it ends, none of them if it throws.
   * Rejects with what the function throws, and with `ExchangeError` when the lock of 5 s ended first.
   */
  async sharedFn<T>(
    { reads = [], writes = [] }: Access,
    run: (objects: FunctionObjects) => T | Promise<T>,
  ): Promise<T> {
    const names = [...new Set([...reads, ...writes])]
    const lock = await this.lock(names)
    try {
      const values = new Map(
        await Promise.all(
          names.map(
            async (name): Promise<[string, Uint8Array | null]> => [name, await this.read(name, lock)],
          ),
        ),
      )
      const written = new Map<string, Uint8Array>()
      const result = await run({
        read(name) {
          if (!values.has(name)) throw undeclared('read', name, names)
          return written.get(name) ?? values.get(name) ?? null
        },
        write(name, value) {
          if (!writes.includes(name)) throw undeclared('write', name, writes)
          written.set(name, value)
        },
      })
      if (written.size > 0) await this.#commit(written, lock)
      return result
    } finally {
      // A lock that cannot be released ends by itself.
      await this.unlock(lock).catch(() => {})
    }
  }

  async #commit(values: ReadonlyMap<string, Uint8Array>, lock?: ObjectLock): Promise<void> {
    for (const [name, { length }] of values)
      if (length > MAX_OBJECT_BYTES)
        throw new ExchangeError(
          `The object '${name}' of ${length} bytes is refused: the limit is ${MAX_OBJECT_BYTES}.`,
        )
    const header = {
      type: 'object-commit',
      // A write in a lock may overtake one that waits for the lock: its numbers are its own.
      writer: lock?.token ?? this.#writer,
      number: ++this.#lastNumber,
      names: [...values.keys()],
      lock: lock?.token,
    }
    await this.#link.request(header, bodyOfValues(values.values()), OBJECT_PATIENCE_MS)
  }
}

const undeclared = (verb: string, name: string, declared: readonly string[]): ExchangeError =>
  new ExchangeError(
    `The function may not ${verb} '${name}': it declares ${declared.join(', ') || 'nothing'}. Add the object to its ${verb}s.`,
  )
