/** An edge node: serves the clients near it, and keeps the messages they have not fetched (Vertex 5.3). */
import { type Backend, DEFAULT_RETENTION } from './backend.ts'
import { deliveryHandlers } from './delivery.ts'
import { Disk } from './disk.ts'
import { type EdgeTopic, EdgeTopics } from './edge-topics.ts'
import { ExchangeError } from './errors.ts'
import { DEFAULT_PENDING_BOUNDS, EventualCopies, type PendingBounds } from './eventual/copies.ts'
import { edgeEventualHandlers } from './eventual/edge-handlers.ts'
import { type MergeFunctions, Merges } from './eventual/merges.ts'
import { checkNodeName, countOf, countsOf, nameOf } from './fields.ts'
import { Flusher } from './flusher.ts'
import type { Frame, Header } from './frame.ts'
import { handOverHandlers, takeOver } from './hand-over.ts'
import { type Address, DEFAULT_TRIES, Link, type Tries } from './link.ts'
import { Copies } from './objects/copies.ts'
import { edgeObjectHandlers } from './objects/edge-handlers.ts'
import { COPY_LEASE_MS } from './objects/leases.ts'
import { splitRecords } from './records.ts'
import { type Handlers, type ListenOptions, Server } from './server.ts'
import type { Answer, Session } from './session.ts'
import { EdgeTransactions } from './snapshots/edge-handlers.ts'
import type { Retention } from './topic-log.ts'

/** Who an edge node is, where it listens and what it keeps. */
export interface EdgeOptions extends ListenOptions {
  /** Name that no other edge node has. */
  name: string
  /** Where the backend listens, or the backend itself when it is in this process. */
  backend: Address | Pick<Backend, 'address' | 'connect'>
  /** Folder of its messages and offsets. */
  folder: string
  retention?: Retention
  tries?: Tries
  /** Merge functions of eventual objects: the same as at the backend. */
  merges?: MergeFunctions
  /** Bounds of the writes of eventual objects that it keeps for a backend that is away. */
  pending?: PendingBounds
}

interface Client {
  session: Session | null
  /** Whether the client is on its way here: the backend has not confirmed yet that this node serves it. */
  arriving: boolean
  /** Move of the client to another node, of which the backend told while it was arriving; 0 for none. */
  releasedBy: number
}

const TIDY_INTERVAL_MS = 50
const PING_INTERVAL_MS = 1_000
/** Time without the backend after which clients are served without it. */
const AWAY_MS = 1_000

/** An edge node. */
export class Edge {
  readonly #options: EdgeOptions
  readonly #disk: Disk
  readonly #topics: EdgeTopics
  readonly #clients = new Map<string, Client>()
  /** Connections of clients that came while the backend was away: eventual objects are all that they are served. */
  readonly #guests = new Set<Session>()
  readonly #copies = new Copies()
  readonly #eventual: EventualCopies
  readonly #transactions: EdgeTransactions
  #server: Server | null = null
  #backend: Link | null = null
  #timers: NodeJS.Timeout[] = []

  private constructor(options: EdgeOptions) {
    this.#options = options
    this.#disk = new Disk(options.folder)
    this.#topics = new EdgeTopics(this.#disk, options.retention ?? DEFAULT_RETENTION)
    this.#eventual = new EventualCopies({
      node: options.name,
      disk: this.#disk,
      flusher: new Flusher(this.#disk),
      merges: new Merges(options.merges),
      bounds: options.pending ?? DEFAULT_PENDING_BOUNDS,
      ask: (header, body) => this.#ask(header, body),
      tell: (header) => this.#backend?.send(header),
      ping: () => this.#ping(),
    })
    this.#transactions = new EdgeTransactions({
      clientOf: (session) => this.#clientOf(session),
      ask: (header, body, waitMs) => this.#ask(header, body, waitMs),
    })
    for (const topic of this.#topics)
      for (const name of topic.offsets.keys())
        this.#clients.set(name, { session: null, arriving: false, releasedBy: 0 })
  }

  /**
   * Starts an edge node with what its folder holds. It serves clients as soon as it reaches the backend, and
   * its eventual objects while the backend is away.
   */
  static async start(options: EdgeOptions): Promise<Edge> {
    checkNodeName(options.name)
    const edge = new Edge(options)
    try {
      const withBackend = edge.#withBackend({
        subscribe: (header, _, session) => edge.#subscribe(header, session),
        unsubscribe: (header, _, session) => edge.#unsubscribe(header, session),
        publish: (header, body, session) => edge.#publish(header, body, session),
        ...deliveryHandlers({ topics: edge.#topics, clientOf: (session) => edge.#clientOf(session) }),
        ...edgeObjectHandlers({
          copies: edge.#copies,
          clientOf: (session) => edge.#clientOf(session),
          ask: (header, body, waitMs) => edge.#ask(header, body, waitMs),
        }),
        ...edge.#transactions.handlers,
      })
      edge.#server = await Server.listen(options, {
        'hello-client': (header, _, session) => edge.#hello(header, session),
        'hello-peer': () => ({}),
        ping: () => ({}),
        ...withBackend,
        ...handOverHandlers(edge.#topics),
        ...edgeEventualHandlers(edge.#eventual, (session) => edge.#clientOrGuestOf(session)),
      })
      const { backend } = options
      const isHere = typeof backend !== 'string'
      edge.#backend = new Link({
        addresses: [isHere ? backend.address : backend],
        connect: isHere ? () => backend.connect() : undefined,
        tries: options.tries ?? DEFAULT_TRIES,
        tls: options.tls,
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
    this.#eventual.close()
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
      eventual: this.#eventual.versions,
    }
    this.#copies.clear()
    const sentAt = performance.now()
    const { header } = await session.request(hello)
    this.#copies.extendLease(sentAt + COPY_LEASE_MS)
    for (const client of header.released as string[]) this.#release(client)
    this.#eventual.resume()
    // They connect again, with all they were.
    for (const guest of this.#guests) guest.close()
  }

  async #ping(): Promise<void> {
    const sentAt = performance.now()
    await this.#ask({ type: 'ping', snapshots: this.#transactions.snapshots })
    this.#copies.extendLease(sentAt + COPY_LEASE_MS)
    this.#eventual.synced(sentAt)
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
    else if (header.type === 'eventual-push') this.#eventual.receive(header, body)
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
    const wasLast = this.#topics.forget(topic, client)
    for (const waiter of [...topic.waiters]) if (waiter.client === client) waiter.wake()
    if (!wasLast) return Promise.resolve()
    // A backend that is told nothing learns it from the next greeting.
    return this.#ask({ type: 'unsubscribe', topic: topic.name }).catch(() => {})
  }

  /** A client arrives: with the numbers up to which it has messages, or with nothing when it has just started. */
  async #hello(header: Header, session: Session): Promise<Answer> {
    const name = nameOf(header, 'client')
    if ((this.#backend?.lostForMs ?? 0) > AWAY_MS) {
      session.peer = name
      this.#guests.add(session)
      void session.closed.then(() => this.#guests.delete(session))
      return { fields: { isGuest: true } }
    }
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
    const { name: node, token, tls, tries = DEFAULT_TRIES } = this.#options
    const isElsewhere = header.edge && header.edge !== node
    const previous = isElsewhere
      ? await takeOver(name, told, header, { topics: this.#topics, token, tries, tls })
      : null
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

  #clientOrGuestOf(session: Session): string {
    return this.#guests.has(session) ? session.peer : this.#clientOf(session)
  }

  /** Requests of guests have no answer: they are tried again, on a connection that is made when the backend is back. */
  #withBackend(handlers: Handlers): Handlers {
    return Object.fromEntries(
      Object.entries(handlers).map(([type, handler]) => [
        type,
        (header, body, session) =>
          this.#guests.has(session) ? new Promise<Answer>(() => {}) : handler(header, body, session),
      ]),
    ) satisfies Handlers
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
