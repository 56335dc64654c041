/** Transactions on serializable objects, as a client runs them (Vertex 4.3). */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { ConflictError, ExchangeError } from '../errors.ts'
import { countOf } from '../fields.ts'
import type { Link } from '../link.ts'
import { OBJECT_PATIENCE_MS } from '../objects/leases.ts'
import { bodyOfValues, expectSize, fieldsOfValues } from '../objects/messages.ts'

/** The objects of a transaction. */
export interface Transaction {
  /**
   * The value of an object in the snapshot of the transaction, or null when there was none. What the transaction has written itself is read
   * back.
   */
  read(name: string): Promise<Uint8Array | null>
  /** Writes an object when the transaction commits. */
  write(name: string, value: Uint8Array): void
  /** Removes an object when the transaction commits. It conflicts with other writes as a write does. */
  remove(name: string): void
}

/** How a transaction is run. */
export interface TransactionOptions {
  /** How often it is run before it fails with `ConflictError`; 10 without it. */
  attempts?: number
}

const DEFAULT_ATTEMPTS = 10
const FIRST_PAUSE_MS = 4
const MAX_PAUSE_MS = 500

/**
 * A sender of commits, one after another. Transactions that run at the same time have senders of their own: a commit that is sent again would
 * otherwise be taken for done when a later one of the same sender is.
 */
interface Committer {
  writer: string
  lastNumber: number
}

/** Runs the transactions of a client. */
export class Transactions {
  readonly #link: Link
  readonly #idle: Committer[] = []

  constructor(link: Link) {
    this.#link = link
  }

  /** Runs a function as a transaction: see `SharedObjects.transaction`. */
  async run<T>(
    run: (transaction: Transaction) => T | Promise<T>,
    { attempts = DEFAULT_ATTEMPTS }: TransactionOptions = {},
  ): Promise<T> {
    if (!Number.isInteger(attempts) || attempts < 1)
      throw new ExchangeError(`A transaction of ${attempts} attempts is refused: give a whole number from 1.`)
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#attempt(run)
      } catch (error) {
        if (!(error instanceof ConflictError)) throw error
        if (attempt === attempts)
          throw new ConflictError(
            `The transaction was aborted ${attempts} times, the last time because: ${error.message} Try again later, or write less in one transaction.`,
          )
        // Those that got into each other's way do not do so again in step.
        await sleep(Math.random() * Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** attempt))
      }
    }
  }

  async #attempt<T>(run: (transaction: Transaction) => T | Promise<T>): Promise<T> {
    const token = randomUUID()
    const begun = await this.#link.request(
      { type: 'transaction-begin', token },
      undefined,
      OBJECT_PATIENCE_MS,
    )
    const snapshot = countOf(begun.header, 'snapshot')
    const read = new Map<string, Promise<Uint8Array | null>>()
    const written = new Map<string, Uint8Array | null>()
    let isOver = false
    /** Why the snapshot can no longer be read: the transaction is aborted, whatever its function makes of it. */
    let abortedBy: ConflictError | null = null
    const expectRunning = () => {
      if (isOver)
        throw new ExchangeError('The transaction is over: read and write before its function returns.')
    }
    const fetch = async (name: string): Promise<Uint8Array | null> => {
      try {
        const request = { type: 'transaction-read', token, snapshot, name }
        const { header, body } = await this.#link.request(request, undefined, OBJECT_PATIENCE_MS)
        return header.exists ? body : null
      } catch (error) {
        if (error instanceof ConflictError) abortedBy = error
        throw error
      }
    }
    const transaction: Transaction = {
      async read(name) {
        expectRunning()
        const own = written.get(name)
        if (own !== undefined) return own
        const value = read.get(name) ?? fetch(name)
        read.set(name, value)
        return value
      },
      write(name, value) {
        expectRunning()
        expectSize(name, value)
        written.set(name, Buffer.from(value))
      },
      remove(name) {
        expectRunning()
        written.set(name, null)
      },
    }
    let hasCommitted = false
    try {
      const result = await run(transaction)
      isOver = true
      if (abortedBy) throw abortedBy
      if (written.size > 0) {
        hasCommitted = true
        await this.#commit(token, snapshot, written)
      }
      return result
    } catch (error) {
      throw abortedBy ?? error
    } finally {
      isOver = true
      // One that cannot be ended ends with its lease.
      if (!hasCommitted) void this.#link.request({ type: 'transaction-end', token }).catch(() => {})
    }
  }

  async #commit(
    token: string,
    snapshot: number,
    written: ReadonlyMap<string, Uint8Array | null>,
  ): Promise<void> {
    const committer = this.#idle.pop() ?? { writer: randomUUID(), lastNumber: 0 }
    const { writer } = committer
    const number = ++committer.lastNumber
    const header = { type: 'transaction-commit', token, snapshot, writer, number, ...fieldsOfValues(written) }
    try {
      await this.#link.request(header, bodyOfValues(written.values()), OBJECT_PATIENCE_MS)
    } finally {
      this.#idle.push(committer)
    }
  }
}
