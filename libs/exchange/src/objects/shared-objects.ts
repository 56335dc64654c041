/** Shared objects, as a client uses them (Vertex 4.3). */
import { randomUUID } from 'node:crypto'
import { ExchangeError } from '../errors.ts'
import type { Declaration } from '../eventual/declaration.ts'
import { EventualObject } from '../eventual/eventual-object.ts'
import { countOf, nameOf } from '../fields.ts'
import type { Link } from '../link.ts'
import { type Transaction, type TransactionOptions, Transactions } from '../snapshots/transaction.ts'
import { LOCK_PATIENCE_MS, OBJECT_PATIENCE_MS } from './leases.ts'
import { bodyOfValues, expectSize, fieldsOfValues } from './messages.ts'

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
  /** Removes an object, which it declares as written, when the function ends. */
  remove(name: string): void
}

/** Objects that a client has for itself. Ends with `unlock`, or after 5 s. */
export interface ObjectLock {
  readonly token: string
  readonly names: readonly string[]
}

const CHANGE_WAIT_MS = 10_000

/**
 * Objects that all clients of the exchange share. Names are texts of up to 200 characters. An object has the consistency that it was made
 * with: `write` and `sharedFn` make linearizable ones, `transaction` serializable ones, `eventual` eventual ones. Calls of another kind reject
 * with `ConsistencyError`.
 */
export class SharedObjects {
  readonly #link: Link
  readonly #writer = randomUUID()
  readonly #transactions: Transactions
  #lastNumber = 0

  constructor(link: Link) {
    this.#link = link
    this.#transactions = new Transactions(link)
  }

  /**
   * Opens an eventual object, and makes it when it is not there (Vertex 4.2.2). Without options, it is taken as it was made, or made with
   * last writer wins and a recency bound of 1,000 ms. Rejects with `ConsistencyError` when it was made otherwise.
   */
  async eventual(name: string, { merge, recencyMs }: Partial<Declaration> = {}): Promise<EventualObject> {
    const request = { type: 'eventual-open', name, merge, recencyMs }
    const { header } = await this.#link.request(request, undefined, OBJECT_PATIENCE_MS)
    const declared = { merge: nameOf(header, 'merge'), recencyMs: countOf(header, 'recencyMs') }
    return new EventualObject(this.#link, name, declared)
  }

  /**
   * Runs a function as a transaction on serializable objects (Vertex 4.3.1, snapshot isolation). It reads a snapshot: what was committed
   * before it began. Its writes take effect together when it returns, unless another transaction has written one of the objects meanwhile:
   * then it is run again. Rejects with what the function throws, and then writes nothing; with `ConflictError` after all attempts; and with
   * other `ExchangeError`s when it is not known whether it has committed.
   */
  transaction<T>(
    run: (transaction: Transaction) => T | Promise<T>,
    options: TransactionOptions = {},
  ): Promise<T> {
    return this.#transactions.run(run, options)
  }

  /**
   * The value of a linearizable or serializable object as it is, and then as it changes. Of changes in quick succession, the last is certain to
   * come.
   */
  async *changes(name: string): AsyncGenerator<Uint8Array | null> {
    let seen: number | undefined
    for (;;) {
      const request = { type: 'object-wait', name, seen, waitMs: CHANGE_WAIT_MS }
      const { header } = await this.#link.request(request, undefined, CHANGE_WAIT_MS + OBJECT_PATIENCE_MS)
      const version = countOf(header, 'version')
      if (version === seen) continue
      seen = version
      if (header.consistency === 'serializable') yield await this.transaction((each) => each.read(name))
      else yield await this.read(name)
    }
  }

  /** The value of an object, or null when nobody has written it, or it was removed. */
  async read(name: string, lock?: ObjectLock): Promise<Uint8Array | null> {
    const request = { type: 'object-read', name, lock: lock?.token }
    const { header, body } = await this.#link.request(request, undefined, OBJECT_PATIENCE_MS)
    return header.exists === true ? body : null
  }

  /**
   * Writes an object. Resolves when the backend has it on disk and no edge node serves an earlier value. Rejects with `ExchangeError` when
   * that is not known, or when the lock is over; after an error other than that of a lock, the write may take effect later.
   */
  write(name: string, value: Uint8Array, lock?: ObjectLock): Promise<void> {
    return this.#commit(new Map([[name, value]]), lock)
  }

  /**
   * Removes a linearizable object: it is as if nobody had written it. A write that comes later makes it again, with the same consistency. Resolves and
   * rejects as `write`; one that is not there is fine.
   */
  remove(name: string, lock?: ObjectLock): Promise<void> {
    return this.#commit(new Map([[name, null]]), lock)
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
      const written = new Map<string, Uint8Array | null>()
      const put = (name: string, value: Uint8Array | null) => {
        if (!writes.includes(name)) throw undeclared('write', name, writes)
        written.set(name, value)
      }
      const result = await run({
        read(name) {
          if (!values.has(name)) throw undeclared('read', name, names)
          return (written.has(name) ? written.get(name) : values.get(name)) ?? null
        },
        write: put,
        remove: (name) => put(name, null),
      })
      if (written.size > 0) await this.#commit(written, lock)
      return result
    } finally {
      // A lock that cannot be released ends by itself.
      await this.unlock(lock).catch(() => {})
    }
  }

  async #commit(values: ReadonlyMap<string, Uint8Array | null>, lock?: ObjectLock): Promise<void> {
    for (const [name, value] of values) if (value) expectSize(name, value)
    const header = {
      type: 'object-commit',
      // A write in a lock may overtake one that waits for the lock: its numbers are its own.
      writer: lock?.token ?? this.#writer,
      number: ++this.#lastNumber,
      ...fieldsOfValues(values),
      lock: lock?.token,
    }
    await this.#link.request(header, bodyOfValues(values.values()), OBJECT_PATIENCE_MS)
  }
}

const undeclared = (verb: string, name: string, declared: readonly string[]): ExchangeError =>
  new ExchangeError(
    `The function may not ${verb} '${name}': it declares ${declared.join(', ') || 'nothing'}. Add the object to its ${verb}s.`,
  )
