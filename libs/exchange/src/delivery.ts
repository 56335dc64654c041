/** How the clients of an edge node get the messages of a topic: by asking for them, or as they come (Vertex 5.2: `getMessages`). */
import type { EdgeTopic, EdgeTopics, Waiter } from './edge-topics.ts'
import { ExchangeError } from './errors.ts'
import { countOf, nameOf } from './fields.ts'
import type { Header } from './frame.ts'
import { numberOf } from './records.ts'
import type { Handlers } from './server.ts'
import type { Answer, Session } from './session.ts'

/** Whose messages they are. */
export interface DeliveryOptions {
  topics: EdgeTopics
  /** The client of a connection. Throws `ExchangeError` where there is none. */
  clientOf(session: Session): string
}

interface Subscribed {
  topic: EdgeTopic
  client: string
  offset: number
}

const MAX_READ_BYTES = 4 * 1024 * 1024
/** Bytes on their way to a client that it has not dealt with. One message more may be. */
const WINDOW_BYTES = 1024 * 1024

/** A client that is sent the messages of a topic as they come, as long as it deals with them. */
class Follower implements Waiter {
  readonly client: string
  readonly #topic: EdgeTopic
  readonly #session: Session
  #sent: number
  /** What was sent and is not dealt with: up to which number, and how many bytes. */
  #inFlight: { upTo: number; bytes: number }[] = []
  #bytes = 0
  #isDraining = false

  /** @param after number up to which the client has the messages, dealt with or not */
  constructor({ client, topic }: Subscribed, session: Session, after: number) {
    this.client = client
    this.#topic = topic
    this.#session = session
    this.#sent = after
    topic.waiters.add(this)
  }

  stop(): void {
    this.#topic.waiters.delete(this)
  }

  /** The client has dealt with the messages up to a number. */
  received(upTo: number): void {
    const left = this.#inFlight.findIndex((each) => each.upTo > upTo)
    for (const { bytes } of this.#inFlight.splice(0, left < 0 ? this.#inFlight.length : left))
      this.#bytes -= bytes
    this.wake()
  }

  wake(): void {
    const { offsets, log, name } = this.#topic
    if (!offsets.has(this.client) || !this.#session.isOpen) {
      this.stop()
      return
    }
    while (log && log.last > this.#sent) {
      if (this.#session.isCongested) {
        this.#wakeWhenDrained()
        return
      }
      const records = log.read(this.#sent, Number.POSITIVE_INFINITY, WINDOW_BYTES - this.#bytes)
      const last = records.at(-1)
      // None where too much is on its way.
      if (!last) return
      const body = records.length === 1 ? last : Buffer.concat(records)
      this.#sent = numberOf(last)
      this.#inFlight.push({ upTo: this.#sent, bytes: body.length })
      this.#bytes += body.length
      this.#session.send({ type: 'messages', topic: name }, body)
    }
  }

  #wakeWhenDrained(): void {
    if (this.#isDraining) return
    this.#isDraining = true
    this.#session.onDrain(() => {
      this.#isDraining = false
      this.wake()
    })
  }
}

/**
 * Handlers of `get` (the messages after a number; waits for the first one if the client wants to), `follow` (those after a number, and then each that
 * comes), `received` (up to which number the client has dealt with them) and `unfollow`.
 */
export function deliveryHandlers({ topics, clientOf }: DeliveryOptions): Handlers {
  /** By connection and topic. */
  const followers = new WeakMap<Session, Map<string, Follower>>()

  const subscribed = (header: Header, session: Session): Subscribed => {
    const client = clientOf(session)
    const name = nameOf(header, 'topic')
    const topic = topics.get(name)
    const offset = topic?.offsets.get(client)
    if (!topic || offset === undefined)
      throw new ExchangeError(`Client '${client}' is not subscribed to '${name}': subscribe to it first.`)
    return { topic, client, offset }
  }
  const received = ({ topic, client, offset }: Subscribed, upTo: number): void => {
    if (upTo > offset) topics.setOffset(topic, client, upTo)
  }
  const stop = (session: Session, name: string): void => {
    followers.get(session)?.get(name)?.stop()
    followers.get(session)?.delete(name)
  }

  return {
    get(header, _, session) {
      const found = subscribed(header, session)
      const { topic, client } = found
      const after = countOf(header, 'after')
      const max = countOf(header, 'max')
      const waitMs = countOf(header, 'waitMs')
      received(found, after)
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
    },

    follow(header, _, session) {
      const found = subscribed(header, session)
      const { name } = found.topic
      stop(session, name)
      const follower = new Follower(found, session, countOf(header, 'after'))
      const own = followers.get(session) ?? new Map<string, Follower>()
      if (!followers.has(session)) {
        followers.set(session, own)
        void session.closed.then(() => {
          for (const each of own.values()) each.stop()
        })
      }
      own.set(name, follower)
      // Behind the answer.
      process.nextTick(() => follower.wake())
      return {}
    },

    received(header, _, session) {
      const found = subscribed(header, session)
      const upTo = countOf(header, 'after')
      received(found, upTo)
      followers.get(session)?.get(found.topic.name)?.received(upTo)
      return {}
    },

    unfollow(header, _, session) {
      clientOf(session)
      stop(session, nameOf(header, 'topic'))
      return {}
    },
  }
}
