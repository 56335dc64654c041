/** An edge node: serves the clients near it, and keeps the messages they have not fetched (Vertex 5.3). */
import { DEFAULT_RETENTION } from './backend.ts'
import { Disk } from './disk.ts'
import { type EdgeTopic, EdgeTopics } from './edge-topics.ts'
import { ExchangeError, UnreachableError } from './errors.ts'
import { countOf, countsOf, nameOf } from './fields.ts'
import type { Frame, Header } from './frame.ts'
import { type Address, DEFAULT_TRIES, Link, type Tries } from './link.ts'
import { Copies } from './objects/copies.ts'
import { edgeObjectHandlers } from './objects/edge-handlers.ts'
import { COPY_LEASE_MS } from './objects/leases.ts'
import { splitRecords } from './records.ts'
import { type ListenOptions, Server } from './server.ts'
import type { Answer, Session } from './session.ts'
import type { Retention } from './topic-log.ts'

/** Who an edge node is, where it listens and what it keeps. */
export interface EdgeOptions extends ListenOptions {
  /** Name that no other edge node has. */
  name: string
  backend: Address
  /** Folder of its messages and offsets. */
  folder: string
  retention?: Retention
  tries?: Tries
}

interface Client {
  session: Session | null
  /** Whether the client is on its way here: the backend has not confirmed yet that this node serves it. */
  arriving: boolean
  /** Move of the client to another node, of which the backend told while it was arriving; 0 for none. */
  releasedBy: number
}

const MAX_READ_BYTES = 4 * 1024 * 1024
const MAX_HANDED_OVER_BYTES = 16 * 1024 * 1024
const TIDY_INTERVAL_MS = 50
const PING_INTERVAL_MS = 1_000

/** An edge node. */
export class Edge {
  readonly #options: EdgeOptions
  readonly #disk: Disk
  readonly #topics: EdgeTopics
  readonly #clients = new Map<string, Client>()
  readonly #copies = new Copies()
  #server: Server | null = null
  #backend: Link | null = null
  #timers: NodeJS.Timeout[] = []

  private constructor(options: EdgeOptions) {
    this.#options = options
    this.#disk = new Disk(options.folder)
    this.#topics = new EdgeTopics(this.#disk, options.retention ?? DEFAULT_RETENTION)
    for (const topic of this.#topics)
      for (const name of topic.offsets.keys())
        this.#clients.set(name, { session: null, arriving: false, releasedBy: 0 })
  }

  /** Starts an edge node with what its folder holds. It serves clients as soon as it reaches the backend. */
  static async start(options: EdgeOptions): Promise<Edge> {
    const edge = new Edge(options)
    try {
      edge.#server = await Server.listen(options, {
        'hello-client': (header, _, session) => edge.#hello(header, session),
        'hello-peer': () => ({}),
        ping: () => ({}),
        subscribe: (header, _, session) => edge.#subscribe(header, session),
        unsubscribe: (header, _, session) => edge.#unsubscribe(header, session),
        publish: (header, body, session) => edge.#publish(header, body, session),
        get: (header, _, session) => edge.#get(header, session),
        'hand-over': (header) => edge.#handOver(header),
        read: (header) => edge.#read(header),
        ...edgeObjectHandlers({
          copies: edge.#copies,
          clientOf: (session) => edge.#clientOf(session),
          ask: (header, body, waitMs) => edge.#ask(header, body, waitMs),
        }),
      })
      edge.#backend = new Link({
        addresses: [options.backend],
        tries: options.tries ?? DEFAULT_TRIES,
        greet: (session) => edge.#greet(session),
        handler: (frame) => edge.#fromBackend(frame),
      })
      edge.#timers = [
        setInterval(() => edge.#tidy(), TIDY_INTERVAL_MS),
        // A connection that does not answer is made again.
        setInterval(() => void edge.#ping().catch(() => {}), PING_INTERVAL_MS),
      ]
      return edge
    } catch (error) {
      await edge.close()
      throw error
    }
  }

  get address(): Address {
    return (this.#server as Server).address
  }

  /** Number of messages that the node keeps of a topic. */
  kept(topic: string): number {
    return this.#topics.get(topic)?.log?.length ?? 0
  }

  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#backend?.close()
    await this.#server?.close()
    this.#topics.tidy()
    await this.#disk.close()
  }

  /** Tells the backend who is calling and what is here. */
  async #greet(session: Session): Promise<void> {
    const have: Record<string, number> = {}
    const delivered: Record<string, number> = {}
    const generations: Record<string, number> = {}
    for (const topic of this.#topics) {
      if (!topic.log) continue
      have[topic.name] = topic.log.last
      delivered[topic.name] = this.#topics.deliveredOf(topic)
      generations[topic.name] = topic.generation
    }
    const { name: edge, token } = this.#options
    const settled = [...this.#clients].filter(([, { arriving }]) => !arriving)
    const clients = Object.fromEntries(settled.map(([client]) => [client, true]))
    const hello = {
      type: 'hello-edge',
      token,
      edge,
      address: this.address,
      have,
      delivered,
      generations,
      clients,
    }
    this.#copies.clear()
    const sentAt = performance.now()
    const { header } = await session.request(hello)
    this.#copies.extendLease(sentAt + COPY_LEASE_MS)
    for (const client of header.released as string[]) this.#release(client)
  }

  async #ping(): Promise<void> {
    const sentAt = performance.now()
    await this.#ask({ type: 'ping' })
    this.#copies.extendLease(sentAt + COPY_LEASE_MS)
  }

  #fromBackend({ header, body }: Frame): undefined {
    if (header.type === 'messages')
      this.#topics.receive(
        nameOf(header, 'topic'),
        countOf(header, 'generation'),
        countOf(header, 'since'),
        splitRecords(body),
      )
    else if (header.type === 'release') {
      const client = this.#clients.get(nameOf(header, 'client'))
      if (client?.arriving) client.releasedBy = countOf(header, 'move')
      else this.#release(nameOf(header, 'client'))
    } else if (header.type === 'invalidate')
      this.#copies.invalidate(nameOf(header, 'name'), countOf(header, 'version'))
  }

  #ask(header: Header, body?: Buffer, waitMs = 0): Promise<Frame> {
    return (this.#backend as Link).request(header, body, waitMs)
  }

  /** Another node serves a client now. */
  #release(name: string): void {
    const client = this.#clients.get(name)
    this.#clients.delete(name)
    client?.session?.close()
    for (const topic of [...this.#topics]) if (topic.offsets.has(name)) this.#forget(topic, name)
  }

  #forget(topic: EdgeTopic, client: string): Promise<unknown> {
    for (const waiter of [...topic.waiters]) if (waiter.client === client) waiter.wake()
    if (!this.#topics.forget(topic, client)) return Promise.resolve()
    // A backend that is told nothing learns it from the next greeting.
    return this.#ask({ type: 'unsubscribe', topic: topic.name }).catch(() => {})
  }

  /** A client arrives: with the numbers up to which it has messages, or with nothing when it has just started. */
  async #hello(header: Header, session: Session): Promise<Answer> {
    const name = nameOf(header, 'client')
    const client: Client = { session, arriving: true, releasedBy: 0 }
    session.peer = name
    this.#clients.get(name)?.session?.close()
    this.#clients.set(name, client)
    void session.closed.then(() => {
      client.session = null
    })
    try {
      const told = header.topics === undefined ? null : countsOf(header, 'topics')
      const topics = await this.#receive(name, client, told)
      return { fields: { topics } }
    } finally {
      client.arriving = false
    }
  }

  /** Takes a client over from where it was. Returns its topics and offsets. */
  async #receive(
    name: string,
    client: Client,
    told: Map<string, number> | null,
  ): Promise<Record<string, number>> {
    // What is here of the client is out of date when the backend says that another node serves it.
    const { header } = await this.#ask({ type: 'locate', client: name })
    const previous = await this.#previousOf(name, told, header)
    const own = new Map<string, number>()
    for (const topic of this.#topics) {
      const offset = topic.offsets.get(name)
      if (offset !== undefined) own.set(topic.name, offset)
    }
    const offsets = told ?? previous?.offsets ?? own
    const have: Record<string, number> = {}
    const generations: Record<string, number> = {}
    for (const [topicName, after] of offsets) {
      const topic = this.#topics.adopt(topicName, after, previous?.records.get(topicName) ?? [])
      this.#topics.setOffset(topic, name, after)
      have[topicName] = topic.log?.last ?? after
      generations[topicName] = topic.generation
    }
    const topics = Object.fromEntries(offsets)
    // Before the backend counts on this node: it must know the client when it is killed now.
    this.#tidy()
    const { header: attached } = await this.#ask({ type: 'attach', client: name, topics, have, generations })
    if (client.releasedBy > countOf(attached, 'move')) this.#release(name)
    if (this.#clients.get(name) !== client)
      throw new ExchangeError(`Client '${name}' has gone to another node.`)
    for (const topicName of own.keys()) {
      const topic = this.#topics.get(topicName)
      if (topic && !offsets.has(topicName)) await this.#forget(topic, name)
    }
    return topics
  }

  /**
   * Offsets of a client at the node that served it before, and the messages that it holds for the client and this node does not. Null
   * when there is no such node, or when it does not answer and the client knows its offsets itself.
   */
  async #previousOf(
    client: string,
    told: Map<string, number> | null,
    located: Header,
  ): Promise<{ offsets: Map<string, number>; records: Map<string, Buffer[]> } | null> {
    if (!located.edge || located.edge === this.#options.name) return null
    const { token, tries = DEFAULT_TRIES } = this.#options
    const link = new Link({
      addresses: [String(located.address)],
      // The backend has all the client needs, if it knows its offsets.
      tries: told ? { ...tries, count: 1 } : tries,
      greet: async (session) => void (await session.request({ type: 'hello-peer', token })),
      handler: () => undefined,
    })
    try {
      const answer = await link.request({ type: 'hand-over', client })
      const offsets = told ?? countsOf(answer.header, 'topics')
      const missing = [...offsets].filter(([topic, after]) => !this.#topics.covers(topic, after))
      const records = await Promise.all(
        missing.map(async ([topic, after]): Promise<[string, Buffer[]]> => {
          const { body } = await link.request({ type: 'read', topic, after })
          return [topic, splitRecords(body)]
        }),
      )
      return { offsets, records: new Map(records) }
    } catch (error) {
      if (told) return null
      throw error instanceof UnreachableError
        ? new ExchangeError(
            `Client '${client}' was at edge node '${located.edge}', which does not answer: try again when it is back, or connect from the process that knows what it has received.`,
          )
        : error
    } finally {
      link.close()
    }
  }

  #clientOf(session: Session): string {
    if (this.#clients.get(session.peer)?.session !== session)
      throw new ExchangeError('This connection has no client: say hello-client first.')
    return session.peer
  }

  async #subscribe(header: Header, session: Session): Promise<Answer> {
    const client = this.#clientOf(session)
    const topic = this.#topics.open(nameOf(header, 'topic'))
    const offset = topic.offsets.get(client)
    if (offset !== undefined && topic.log) return { fields: { after: offset } }
    // What is here now stays until the backend has said where the client begins.
    this.#topics.setOffset(topic, client, topic.log?.since ?? 0)
    const { generation } = topic
    const answer = await this.#ask({ type: 'subscribe', topic: topic.name, generation })
    const after = countOf(answer.header, 'after')
    if (!topic.offsets.has(client)) throw new ExchangeError(`Client '${client}' has gone to another node.`)
    this.#topics.begin(topic, after)
    this.#topics.setOffset(topic, client, after)
    this.#tidy()
    return { fields: { after } }
  }

  async #unsubscribe(header: Header, session: Session): Promise<Answer> {
    const client = this.#clientOf(session)
    const topic = this.#topics.get(nameOf(header, 'topic'))
    if (topic?.offsets.has(client)) await this.#forget(topic, client)
    return {}
  }

  async #publish(header: Header, body: Buffer, session: Session): Promise<Answer> {
    this.#clientOf(session)
    const { topic, publisher } = header
    await this.#ask({ type: 'publish', topic, publisher }, body)
    return {}
  }

  /** The messages after the number up to which the client has them; waits for the first one if the client wants to. */
  #get(header: Header, session: Session): Answer | Promise<Answer> {
    const client = this.#clientOf(session)
    const name = nameOf(header, 'topic')
    const after = countOf(header, 'after')
    const max = countOf(header, 'max')
    const waitMs = countOf(header, 'waitMs')
    const topic = this.#topics.get(name)
    const offset = topic?.offsets.get(client)
    if (!topic || offset === undefined)
      throw new ExchangeError(`Client '${client}' is not subscribed to '${name}': subscribe to it first.`)
    if (after > offset) this.#topics.setOffset(topic, client, after)
    const read = (): Answer => ({ body: Buffer.concat(topic.log?.read(after, max, MAX_READ_BYTES) ?? []) })
    if (waitMs === 0 || (topic.log && topic.log.last > after)) return read()
    return new Promise((resolve) => {
      const waiter = {
        client,
        wake: () => {
          clearTimeout(timer)
          topic.waiters.delete(waiter)
          resolve(read())
        },
      }
      const timer = setTimeout(waiter.wake, waitMs)
      topic.waiters.add(waiter)
    })
  }

  /** What a client of this node has, for the node it has moved to. */
  #handOver(header: Header): Answer {
    const client = nameOf(header, 'client')
    const offsets = [...this.#topics].flatMap((topic) => {
      const offset = topic.offsets.get(client)
      return offset === undefined ? [] : [[topic.name, offset]]
    })
    return { fields: { topics: Object.fromEntries(offsets) } }
  }

  /** Messages of a topic, for another node; none when this node does not have all of them. */
  #read(header: Header): Answer {
    const name = nameOf(header, 'topic')
    const after = countOf(header, 'after')
    if (!this.#topics.covers(name, after)) return {}
    const records = this.#topics.get(name)?.log?.read(after, Number.POSITIVE_INFINITY, MAX_HANDED_OVER_BYTES)
    return { body: Buffer.concat(records ?? []) }
  }

  #tidy(): void {
    const topics = this.#topics.tidy()
    // Not sent again when it is lost: the next greeting says it.
    if (Object.keys(topics).length > 0) this.#backend?.send({ type: 'delivered', topics })
    try {
      this.#disk.flush()
    } catch (error) {
      console.error((error as Error).message)
    }
  }
}
