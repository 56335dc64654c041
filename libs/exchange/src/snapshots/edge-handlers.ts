/** The requests of transactions that an edge node answers: reads from its copies where it can, all else by asking the backend. */
import { countOf, countsOf, nameOf } from '../fields.ts'
import type { Frame, Header } from '../frame.ts'
import { OBJECT_PATIENCE_MS } from '../objects/leases.ts'
import { valuesOf } from '../objects/messages.ts'
import type { Handlers } from '../server.ts'
import type { Answer, Session } from '../session.ts'
import { SnapshotCopies } from './copies.ts'
import { MAX_SNAPSHOT_MS } from './leases.ts'

/** What the handlers need of their edge node. */
export interface TransactionParts {
  /** The client of a connection. Throws when there is none. */
  clientOf(session: Session): string
  /** Sends a request to the backend. */
  ask(header: Header, body: Buffer | undefined, waitMs: number): Promise<Frame>
}

interface Running {
  snapshot: number
  session: Session
  /** By `performance.now()`. */
  since: number
}

const answerOf = (value: Buffer | null): Answer =>
  value ? { fields: { exists: true }, body: value } : { fields: { exists: false } }

/** The transactions of the clients of an edge node. */
export class EdgeTransactions {
  readonly #parts: TransactionParts
  readonly #copies = new SnapshotCopies()
  readonly #running = new Map<string, Running>()

  constructor(parts: TransactionParts) {
    this.#parts = parts
  }

  /** Snapshots of transactions whose clients are connected, for the next sign of life to the backend. */
  get snapshots(): Record<string, number> {
    const tooOld = performance.now() - MAX_SNAPSHOT_MS
    for (const [token, { session, since }] of this.#running)
      if (!session.isOpen || since < tooOld) this.#running.delete(token)
    return Object.fromEntries([...this.#running].map(([token, { snapshot }]) => [token, snapshot]))
  }

  /** Handlers of `transaction-begin`, `-read`, `-commit` and `-end`. */
  get handlers(): Handlers {
    return {
      'transaction-begin': (header, _, session) => this.#begin(header, session),
      'transaction-read': (header, _, session) => this.#read(header, session),
      'transaction-commit': (header, body, session) => this.#commit(header, body, session),
      'transaction-end': (header, _, session) => this.#end(header, session),
    }
  }

  #ask(header: Header, body?: Buffer): Promise<Frame> {
    return this.#parts.ask(header, body, OBJECT_PATIENCE_MS)
  }

  async #begin(header: Header, session: Session): Promise<Answer> {
    this.#parts.clientOf(session)
    const token = nameOf(header, 'token')
    const answer = await this.#ask({ type: 'transaction-begin', token, known: this.#copies.known })
    const snapshot = countOf(answer.header, 'snapshot')
    this.#copies.advance(snapshot, answer.header.changed == null ? null : countsOf(answer.header, 'changed'))
    this.#running.set(token, { snapshot, session, since: performance.now() })
    return { fields: { snapshot } }
  }

  async #read(header: Header, session: Session): Promise<Answer> {
    this.#parts.clientOf(session)
    const [name, token, snapshot] = [
      nameOf(header, 'name'),
      nameOf(header, 'token'),
      countOf(header, 'snapshot'),
    ]
    // A client that has moved here goes on with its transaction.
    const since = this.#running.get(token)?.since ?? performance.now()
    this.#running.set(token, { snapshot, session, since })
    const copy = this.#copies.get(name, snapshot)
    if (copy) return answerOf(copy.value)
    const answer = await this.#ask({ type: 'transaction-read', token, snapshot, name })
    const version = countOf(answer.header, 'version')
    const through = countOf(answer.header, 'through')
    // An object that nobody has written has no copies: it may become one of another consistency.
    if (version === 0) return answerOf(null)
    const value = answer.header.exists === true ? Buffer.from(answer.body) : null
    if (through > 0) this.#copies.put(name, { version, value, through })
    return answerOf(value)
  }

  async #commit(header: Header, body: Buffer, session: Session): Promise<Answer> {
    this.#parts.clientOf(session)
    const values = valuesOf(header, body)
    const { token, snapshot, writer, number, names, removed } = header
    this.#running.delete(nameOf(header, 'token'))
    const request = { type: 'transaction-commit', token, snapshot, writer, number, names, removed }
    const answer = await this.#ask(request, body)
    const version = countOf(answer.header, 'version')
    // What was committed before, and is answered again, may have been written again since.
    if (version > 0)
      for (const [name, value] of values)
        this.#copies.put(name, { version, value: value && Buffer.from(value), through: version })
    return {}
  }

  #end(header: Header, session: Session): Answer {
    this.#parts.clientOf(session)
    const token = nameOf(header, 'token')
    this.#running.delete(token)
    // A snapshot whose end is not heard of ends with its lease.
    void this.#parts.ask({ type: 'transaction-end', token }, undefined, 0).catch(() => {})
    return {}
  }
}
