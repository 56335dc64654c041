/** A client of an edge node: publishes, subscribes, fetches, and moves from node to node. */
import { randomUUID } from 'node:crypto'
import { ExchangeClosedError, ExchangeError } from './errors.ts'
import { countOf, countsOf } from './fields.ts'
import { Following } from './following.ts'
import { type Address, DEFAULT_TRIES, Link, type Tries } from './link.ts'
import { SharedObjects } from './objects/shared-objects.ts'
import { type Message, messageOf, numberOf, recordOf, splitRecords } from './records.ts'
import type { Session } from './session.ts'
import type { TlsOptions } from './tls.ts'

/** What a client fetches at once. */
export interface GetOptions {
  /** Largest number of messages; 1,000 without it. */
  max?: number
  /** Time to wait for the first message, in ms; 0 without it. */
  waitMs?: number
}

/** Who a client is, and where it connects. */
export interface ClientOptions {
  /** Name that no other client has. Its subscriptions are kept under it. */
  name: string
  /** Edge nodes: the first one that answers serves the client. */
  edges: readonly Address[]
  token?: string
  /** Certificates, for edge nodes that have some. */
  tls?: TlsOptions
  /** How often and how long a request is tried before it fails: three times, a second apart, without it. */
  tries?: Tries
}

/** Largest message, in bytes. */
export const MAX_MESSAGE_BYTES = 8 * 1024 * 1024

const DEFAULT_MAX = 1_000
const LARGEST_BATCH_BYTES = 1024 * 1024

interface Batch {
  records: Buffer[]
  bytes: number
  published: Promise<unknown>
}

/** A client of the exchange. */
export class ExchangeClient {
  readonly #link: Link
  /** Objects that all clients of the exchange share. */
  readonly objects: SharedObjects
  readonly #publisher = randomUUID()
  /** Topic to the number of the last message published to it. */
  readonly #published = new Map<string, number>()
  readonly #batches = new Map<string, Batch>()
  /** Topic to the number up to which its messages were received. Null until the client knows what it is subscribed to. */
  #offsets: Map<string, number> | null = null
  /** Topics whose messages the edge node sends as they come. */
  readonly #followings = new Map<string, Following>()
  #missed = 0

  private constructor({ name, edges, token, tries = DEFAULT_TRIES, tls }: ClientOptions) {
    if (edges.length === 0) throw new ExchangeError('A client needs the address of one edge node or more.')
    this.#link = new Link({
      addresses: edges,
      tries,
      tls,
      greet: async (session: Session) => {
        const topics = this.#offsets ? { topics: Object.fromEntries(this.#offsets) } : {}
        const { header } = await session.request({ type: 'hello-client', client: name, token, ...topics })
        // While the backend is away, the node knows nothing of subscriptions.
        if (header.isGuest !== true) this.#offsets ??= countsOf(header, 'topics')
        for (const following of this.#followings.values()) following.resume(session)
      },
      handler: (frame) => {
        if (frame.header.type === 'messages') this.#followings.get(String(frame.header.topic))?.receive(frame)
        return undefined
      },
    })
    this.objects = new SharedObjects(this.#link)
  }

  /**
   * Connects to an edge node. A client that has been here, or at another node, has its subscriptions again. Rejects with
   * `UnreachableError` when no node answers.
   */
  static async connect(options: ClientOptions): Promise<ExchangeClient> {
    const client = new ExchangeClient(options)
    try {
      await client.#link.request({ type: 'ping' })
      return client
    } catch (error) {
      client.close()
      throw error
    }
  }

  /** The edge node that serves the client. */
  get edge(): Address {
    return this.#link.address
  }

  /** Topics the client is subscribed to. */
  get topics(): string[] {
    return [...(this.#offsets?.keys() ?? [])]
  }

  /** Number of messages that the retention of the nodes dropped before this client fetched them. */
  get missed(): number {
    return this.#missed
  }

  /** Receives the messages of a topic from now on. */
  async subscribe(topic: string): Promise<void> {
    if (this.#offsets?.has(topic)) return
    const { header } = await this.#link.request({ type: 'subscribe', topic })
    this.#offsets?.set(topic, countOf(header, 'after'))
  }

  /** Forgets a topic, and how far it was received. */
  async unsubscribe(topic: string): Promise<void> {
    this.#offsets?.delete(topic)
    this.#followings.get(topic)?.end()
    this.#followings.delete(topic)
    await this.#link.request({ type: 'unsubscribe', topic })
  }

  /**
   * Publishes a message. Resolves when the backend has it on disk. Rejects with `UnreachableError` when it is not known to after all tries. Messages of
   * one client to one topic keep their order; those of one turn are sent together.
   */
  publish(topic: string, bytes: Uint8Array): Promise<void> {
    if (bytes.length > MAX_MESSAGE_BYTES)
      return Promise.reject(
        new ExchangeError(
          `A message of ${bytes.length} bytes is refused: the limit is ${MAX_MESSAGE_BYTES}.`,
        ),
      )
    const number = (this.#published.get(topic) ?? 0) + 1
    this.#published.set(topic, number)
    const batch = this.#batchOf(topic)
    const record = recordOf(number, bytes)
    batch.records.push(record)
    batch.bytes += record.length
    if (batch.bytes > LARGEST_BATCH_BYTES) this.#batches.delete(topic)
    return batch.published as Promise<void>
  }

  /** Fetches the next messages of a topic: none twice, in their order. */
  async getMessages(topic: string, { max = DEFAULT_MAX, waitMs = 0 }: GetOptions = {}): Promise<Message[]> {
    const after = this.#offsets?.get(topic)
    if (after === undefined)
      throw new ExchangeError(`The client is not subscribed to '${topic}': subscribe to it first.`)
    const { body } = await this.#link.request({ type: 'get', topic, after, max, waitMs }, undefined, waitMs)
    // Another call, or an end of the subscription, came first.
    if (this.#offsets?.get(topic) !== after) return []
    const records = splitRecords(body)
    const last = records.at(-1)
    if (!last) return []
    this.#missed += numberOf(last) - after - records.length
    this.#offsets.set(topic, numberOf(last))
    return records.map(messageOf)
  }

  /**
   * The messages of a topic as they come, until the client is closed or unsubscribed: none twice, in their order. The edge node sends them without
   * being asked for each, up to 1 MB more than were dealt with. Asking for the next message says that this one was.
   */
  async *messages(topic: string): AsyncGenerator<Message> {
    const after = this.#offsets?.get(topic)
    if (after === undefined) return
    const following = this.#followings.get(topic) ?? this.#follow(topic, after)
    following.users++
    try {
      for (;;) {
        const message = await following.next()
        const offset = this.#offsets?.get(topic)
        if (!message || offset === undefined) return
        // A call of getMessages may have fetched it.
        if (message.number > offset) {
          this.#offsets?.set(topic, message.number)
          yield message
        }
        following.dealtWith(message.number)
      }
    } finally {
      if (--following.users === 0) this.#unfollow(topic, following)
    }
  }

  /**
   * Moves to another edge node, with subscriptions and messages that are not fetched. Resolves when that node, or an earlier one if it
   * does not answer, serves the client.
   */
  async migrate(edge: Address): Promise<void> {
    this.#link.moveTo(edge)
    await this.#link.request({ type: 'ping' })
  }

  /** Disconnects. The nodes keep the subscriptions; messages that are under way reject. */
  close(): void {
    this.#link.close()
    for (const following of this.#followings.values()) following.end(new ExchangeClosedError())
  }

  #follow(topic: string, after: number): Following {
    const following = new Following({
      topic,
      after,
      request: (header, waitMs) => this.#link.request(header, undefined, waitMs),
      onMissed: (count) => {
        this.#missed += count
      },
    })
    this.#followings.set(topic, following)
    return following
  }

  /** What has come and was not dealt with is sent again when somebody asks for it. */
  #unfollow(topic: string, following: Following): void {
    following.end()
    if (this.#followings.get(topic) !== following) return
    this.#followings.delete(topic)
    if (this.#offsets?.has(topic)) this.#link.request({ type: 'unfollow', topic }).catch(() => {})
  }

  #batchOf(topic: string): Batch {
    let batch = this.#batches.get(topic)
    if (!batch) {
      const records: Buffer[] = []
      const published = Promise.resolve().then(() => {
        if (this.#batches.get(topic)?.records === records) this.#batches.delete(topic)
        const body = records.length === 1 ? records[0] : Buffer.concat(records)
        return this.#link.request({ type: 'publish', topic, publisher: this.#publisher }, body)
      })
      batch = { records, bytes: 0, published: published.then(() => {}) }
      this.#batches.set(topic, batch)
    }
    return batch
  }
}
