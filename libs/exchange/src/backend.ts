/**
 * The backend node: numbers the messages of each topic, passes them to the edge nodes with subscribers, and keeps what an edge node
 * has not reported as delivered to all its clients (Vertex 5.2: the rendezvous).
 */
import { Disk } from './disk.ts'
import { ExchangeError } from './errors.ts'
import { backendEventualHandlers } from './eventual/backend-handlers.ts'
import { EventualDirectory } from './eventual/directory.ts'
import { type MergeFunctions, Merges } from './eventual/merges.ts'
import { countOf, countsOf, nameOf } from './fields.ts'
import { Flusher } from './flusher.ts'
import type { Header } from './frame.ts'
import { LastNumbers } from './last-numbers.ts'
import type { Address } from './link.ts'
import { backendObjectHandlers } from './objects/backend-handlers.ts'
import { Changes } from './objects/changes.ts'
import { type Holder, ObjectDirectory } from './objects/directory.ts'
import { ObjectKinds } from './objects/kinds.ts'
import { COPY_LEASE_MS } from './objects/leases.ts'
import { numberOf, renumber, splitRecords } from './records.ts'
import { type ListenOptions, Server } from './server.ts'
import type { Answer, Session } from './session.ts'
import { backendTransactionHandlers } from './snapshots/backend-handlers.ts'
import { SnapshotStore } from './snapshots/store.ts'
import { type Retention, TopicLog } from './topic-log.ts'
import type { Wire } from './wire.ts'

/** Bounds of a topic where none are given: 100,000 messages, 64 MB. */
export const DEFAULT_RETENTION: Retention = { messages: 100_000, bytes: 64 * 1024 * 1024 }

/** Where a backend listens and what it keeps. */
export interface BackendOptions extends ListenOptions {
  /** Folder of its messages and of who is where. */
  folder: string
  retention?: Retention
  /** Merge functions of eventual objects: the same as at all edge nodes. */
  merges?: MergeFunctions
}

interface Subscription {
  edge: Edge
  /** Number up to which all clients of the edge node have the messages. */
  delivered: number
  /** Number up to which the messages were sent to it. */
  sent: number
  /** Set by the edge node, which ignores what was sent for an earlier one. */
  generation: number
}

interface Topic {
  name: string
  log: TopicLog
  /** Number up to which the records are dropped from the disk. */
  dropped: number
  subscriptions: Map<string, Subscription>
}

interface Edge extends Holder {
  name: string
  address: Address
}

const MAX_PUSH_BYTES = 1024 * 1024
const TIDY_INTERVAL_MS = 500

/** A backend node. */
export class Backend {
  readonly #disk: Disk
  readonly #retention: Retention
  readonly #topics = new Map<string, Topic>()
  readonly #edges = new Map<string, Edge>()
  /** Client to the edge node that serves it. */
  readonly #clients = new Map<string, string>()
  /** Number of the last move of a client; larger than those before a restart. */
  #lastMove = Date.now() * 1_000
  /** By topic and publisher. */
  readonly #published: LastNumbers
  readonly #kinds = new ObjectKinds()
  readonly #objects: ObjectDirectory
  readonly #eventual: EventualDirectory
  readonly #snapshots: SnapshotStore
  readonly #flusher: Flusher
  #server: Server | null = null
  #tidying: NodeJS.Timeout | null = null

  private constructor({ folder, retention = DEFAULT_RETENTION, merges = {} }: BackendOptions) {
    this.#retention = retention
    this.#disk = new Disk(folder)
    this.#flusher = new Flusher(this.#disk)
    this.#published = new LastNumbers(this.#disk, 'publisher')
    const parts = { disk: this.#disk, flusher: this.#flusher, kinds: this.#kinds }
    this.#objects = new ObjectDirectory(this.#disk, this.#kinds)
    this.#eventual = new EventualDirectory({ ...parts, merges: new Merges(merges) })
    this.#snapshots = new SnapshotStore(parts)
    this.#load()
  }

  /** Starts a backend with what its folder holds. Throws `ExchangeError` when the folder cannot be used. */
  static async start(options: BackendOptions): Promise<Backend> {
    const backend = new Backend(options)
    const changes = new Changes()
    const callerOf = (session: Session) => backend.#callerOf(session)
    try {
      backend.#server = await Server.listen(options, {
        'hello-edge': (header, _, session) => backend.#hello(header, session),
        subscribe: (header, _, session) => backend.#subscribe(header, session),
        unsubscribe: (header, _, session) => backend.#unsubscribe(header, session),
        delivered: (header, _, session) => backend.#delivered(header, session),
        ping: (header, _, session) => backend.#ping(header, session),
        publish: (header, body) => backend.#publish(header, body),
        locate: (header) => backend.#locate(header),
        attach: (header, _, session) => backend.#attach(header, session),
        ...backendObjectHandlers({
          directory: backend.#objects,
          kinds: backend.#kinds,
          changes,
          snapshotVersionOf: (name) => backend.#snapshots.versionOf(name),
          callerOf,
          flushed: () => backend.#flusher.flushed(),
        }),
        ...backendEventualHandlers(backend.#eventual, callerOf),
        ...backendTransactionHandlers(backend.#snapshots, changes, callerOf),
      })
      backend.#tidying = setInterval(() => backend.#tidy(), TIDY_INTERVAL_MS)
      return backend
    } catch (error) {
      await backend.close()
      throw error
    }
  }

  get address(): Address {
    return (this.#server as Server).address
  }

  /** A connection from an edge node in the same process. */
  connect(): Wire {
    return (this.#server as Server).connect()
  }

  /** Number of messages that the backend keeps of a topic. */
  kept(topic: string): number {
    return this.#topics.get(topic)?.log.length ?? 0
  }

  async close(): Promise<void> {
    clearInterval(this.#tidying ?? undefined)
    await this.#server?.close()
    this.#flusher.flush()
    await this.#disk.close()
  }

  #load(): void {
    for (const [[name = ''], address] of this.#disk.stateOf<Address>('edge'))
      this.#edges.set(name, { name, address, session: null, leaseEnd: 0 })
    for (const [[name = ''], head] of this.#disk.stateOf<number>('head')) {
      const records = this.#disk.recordsOf(name, 0)
      const log = new TopicLog(records[0] ? numberOf(records[0]) - 1 : head, this.#retention)
      log.append(records)
      this.#topics.set(name, { name, log, dropped: 0, subscriptions: new Map() })
    }
    for (const [[edge = '', topic = ''], delivered] of this.#disk.stateOf<number>('delivered')) {
      const subscription = { edge: this.#edge(edge), delivered, sent: delivered, generation: 0 }
      this.#topic(topic).subscriptions.set(edge, subscription)
    }
    for (const [[client = ''], edge] of this.#disk.stateOf<string>('client')) this.#clients.set(client, edge)
  }

  #topic(name: string): Topic {
    let topic = this.#topics.get(name)
    if (!topic) {
      topic = { name, log: new TopicLog(0, this.#retention), dropped: 0, subscriptions: new Map() }
      this.#topics.set(name, topic)
    }
    return topic
  }

  #edge(name: string): Edge {
    let edge = this.#edges.get(name)
    if (!edge) {
      edge = { name, address: '', session: null, leaseEnd: 0 }
      this.#edges.set(name, edge)
    }
    return edge
  }

  /** An edge node connects: what it says of its topics replaces what is known of them. */
  #hello(header: Header, session: Session): Promise<Answer> {
    const edge = this.#edge(nameOf(header, 'edge'))
    const have = countsOf(header, 'have')
    const delivered = countsOf(header, 'delivered')
    const generations = countsOf(header, 'generations')
    const address = nameOf(header, 'address')
    session.peer = edge.name
    edge.session?.close()
    edge.session = session
    this.#objects.forget(edge)
    this.#eventual.join(edge, countsOf(header, 'eventual'))
    edge.leaseEnd = performance.now() + COPY_LEASE_MS
    void session.closed.then(() => {
      if (edge.session === session) edge.session = null
    })
    if (edge.address !== address) this.#disk.save(['edge', edge.name], address)
    edge.address = address
    for (const topic of this.#topics.values())
      if (topic.subscriptions.has(edge.name) && !have.has(topic.name)) this.#leave(topic, edge)
    for (const [name, sent] of have)
      this.#join(this.#topic(name), edge, {
        delivered: delivered.get(name) ?? sent,
        sent,
        generation: generations.get(name) ?? 0,
      })
    const released = Object.keys(header.clients ?? {}).filter((client) => {
      const owner = this.#clients.get(client)
      if (!owner) this.#place(client, edge)
      return owner !== undefined && owner !== edge.name
    })
    return this.#answerFlushed({ fields: { released } }, () => {
      for (const name of have.keys()) this.#push(this.#topic(name), edge)
    })
  }

  #callerOf(session: Session): Edge {
    const edge = this.#edges.get(session.peer)
    if (edge?.session !== session)
      throw new ExchangeError('Another connection of this edge node has taken over.')
    return edge
  }

  /** A sign of life extends the leases of an edge node. What has changed of its eventual objects comes before the answer. */
  #ping(header: Header, session: Session): Answer {
    const edge = this.#callerOf(session)
    edge.leaseEnd = performance.now() + COPY_LEASE_MS
    this.#snapshots.renew(countsOf(header, 'snapshots'))
    this.#eventual.drain(edge)
    return {}
  }

  /** Subscribes an edge node from the next message on; it stays where it is when it is subscribed. */
  #subscribe(header: Header, session: Session): Promise<Answer> {
    const edge = this.#callerOf(session)
    const topic = this.#topic(nameOf(header, 'topic'))
    const after = topic.log.last
    if (!topic.subscriptions.has(edge.name))
      this.#join(topic, edge, { delivered: after, sent: after, generation: countOf(header, 'generation') })
    return this.#answerFlushed({ fields: { after } })
  }

  #unsubscribe(header: Header, session: Session): Promise<Answer> {
    this.#leave(this.#topic(nameOf(header, 'topic')), this.#callerOf(session))
    return this.#answerFlushed({})
  }

  #delivered(header: Header, session: Session): undefined {
    const edge = this.#callerOf(session)
    for (const [name, number] of countsOf(header, 'topics')) {
      const subscription = this.#topics.get(name)?.subscriptions.get(edge.name)
      if (!subscription || subscription.delivered >= number) continue
      subscription.delivered = number
      this.#disk.save(['delivered', edge.name, name], number)
    }
  }

  /** Numbers messages in the order they come in. Those that a publisher sends again are not taken twice. */
  #publish(header: Header, body: Buffer): Promise<Answer> {
    const topic = this.#topic(nameOf(header, 'topic'))
    const publisher = `${topic.name}\n${nameOf(header, 'publisher')}`
    const records = splitRecords(body)
    let last = this.#published.get(publisher)
    const added = records.filter((record) => numberOf(record) > last)
    if (added.length > 0) {
      last = numberOf(added.at(-1) as Buffer)
      let number = topic.log.last
      for (const record of added) renumber(record, ++number)
      topic.log.append(added)
      this.#published.set(publisher, last)
      this.#disk.save(['head', topic.name], number)
      if (topic.subscriptions.size > 0) this.#disk.saveRecords(topic.name, added)
      else topic.log.trim(number)
    }
    return this.#answerFlushed({}, () => {
      for (const { edge } of topic.subscriptions.values()) this.#push(topic, edge)
    })
  }

  #locate(header: Header): Answer {
    const edge = this.#edges.get(this.#clients.get(nameOf(header, 'client')) ?? '')
    return { fields: { edge: edge?.name ?? '', address: edge?.address ?? '' } }
  }

  /** A client is served by another edge node from now on: the earlier one forgets it. */
  #attach(header: Header, session: Session): Promise<Answer> {
    const edge = this.#callerOf(session)
    const client = nameOf(header, 'client')
    const generations = countsOf(header, 'generations')
    const have = countsOf(header, 'have')
    const topics = countsOf(header, 'topics')
    for (const [name, after] of topics) {
      const topic = this.#topic(name)
      const current = topic.subscriptions.get(edge.name)
      const generation = generations.get(name) ?? 0
      this.#join(topic, edge, {
        delivered: Math.min(current?.delivered ?? after, after),
        // What was sent for this generation is on its way.
        sent: current?.generation === generation ? current.sent : (have.get(name) ?? after),
        generation,
      })
    }
    const previous = this.#edges.get(this.#clients.get(client) ?? '')
    this.#place(client, edge)
    const move = ++this.#lastMove
    return this.#answerFlushed({ fields: { move } }, () => {
      if (previous && previous !== edge) previous.session?.send({ type: 'release', client, move })
      for (const name of topics.keys()) this.#push(this.#topic(name), edge)
    })
  }

  #place(client: string, edge: Edge): void {
    this.#clients.set(client, edge.name)
    this.#disk.save(['client', client], edge.name)
  }

  #join(topic: Topic, edge: Edge, subscription: Omit<Subscription, 'edge'>): void {
    topic.subscriptions.set(edge.name, { edge, ...subscription })
    this.#disk.save(['delivered', edge.name, topic.name], subscription.delivered)
    // The number of a topic without messages is kept too: a head of 0 says that it is known.
    this.#disk.save(['head', topic.name], topic.log.last)
  }

  #leave(topic: Topic, edge: Edge): void {
    topic.subscriptions.delete(edge.name)
    this.#disk.remove(['delivered', edge.name, topic.name])
  }

  /** Sends an edge node the messages it lacks, as fast as it takes them. */
  #push(topic: Topic, edge: Edge): void {
    const { session } = edge
    const subscription = topic.subscriptions.get(edge.name)
    if (!session || !subscription) return
    while (subscription.sent < topic.log.last) {
      if (session.isCongested) {
        session.onDrain(() => this.#push(topic, edge))
        return
      }
      const records = topic.log.read(subscription.sent, Number.POSITIVE_INFINITY, MAX_PUSH_BYTES)
      const { sent, generation } = subscription
      const last = records.at(-1)
      if (!last) return
      subscription.sent = numberOf(last)
      session.send(
        { type: 'messages', topic: topic.name, generation, since: sent },
        records.length === 1 ? last : Buffer.concat(records),
      )
    }
  }

  /** Answers, and does what follows, once all that has changed until now is on disk. */
  async #answerFlushed(answer: Answer, then?: () => void): Promise<Answer> {
    await this.#flusher.flushed(then)
    return answer
  }

  /** Drops what all edge nodes with subscribers have delivered. */
  #tidy(): void {
    this.#snapshots.tidy()
    for (const topic of this.#topics.values()) {
      const delivered = [...topic.subscriptions.values()].map((each) => each.delivered)
      topic.log.trim(Math.min(topic.log.last, ...delivered))
      if (topic.log.since <= topic.dropped) continue
      topic.dropped = topic.log.since
      this.#disk.dropRecords(topic.name, topic.dropped)
    }
    if (this.#disk.hasChanges) this.#flusher.schedule()
  }
}
