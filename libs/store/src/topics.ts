/**
 * Topics: messages in the order in which they were published, for any number of subscribers (Cascade, section 5.1). A topic is a
 * pool, its messages are the versions of one object, whose key is the path of the pool.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EncodedValue } from '@hivemind/values'
import type { ObjectInfo, Persistence, Pool, Retention, Store, StoredObject, Watch } from './contract.ts'
import { ForgottenVersionError, InvalidPathError, UnknownPoolError } from './errors.ts'
import { checkPath } from './paths.ts'

/** Topics are the pools below this path. */
export const TOPICS = '/cms/topics'

const DEFAULT_VOLATILE_MESSAGES = 1_000
/** How often a subscriber to several topics looks for new ones, in ms. */
const REVIEW_MS = 500
const RETRY_MS = 200
/** Messages that are read ahead of a subscriber. */
const MAX_AHEAD = 64
const MAX_AHEAD_BYTES = 4 * 1024 * 1024

/** What the creator of a topic chooses. */
export interface TopicOptions {
  /** `volatile` when absent. */
  persistence?: Exclude<Persistence, 'transient'>
  /** How many messages are kept for subscribers that are behind. When absent, a volatile topic keeps 1,000, others keep all. */
  retention?: Retention
}

/** A message of a topic. */
export interface TopicMessage {
  /** Path of the topic, such as `/cms/topics/alarms`. */
  topic: string
  /** Grows with each message of the topic. */
  offset: number
  /** Time of its publication in microseconds since 1970. */
  timestamp: number
  /** Media type. */
  type: string
  bytes: Uint8Array
}

/** Offsets of the last messages that were seen, by topic. */
export type Offsets = Readonly<Record<string, number>>

/** Where a subscription begins. */
export interface SubscribeOptions {
  /** After these messages; topics that are not among them from their beginning. From now on when absent. */
  after?: Offsets
  /** Called when messages after one offset and before another are gone: retention dropped them before they were read. */
  onGap?: (topic: string, after: number, before: number) => void
}

/** A running subscription. */
export interface Subscription {
  /** After which messages another subscription goes on. */
  readonly offsets: Offsets
  close(): void
}

/** Creates a topic. An equal one that is there already is returned; a different one is a `PoolConflictError`. */
export async function createTopic(store: Store, path: string, options: TopicOptions = {}): Promise<Pool> {
  checkTopic(path)
  const { persistence = 'volatile' } = options
  const retention =
    options.retention ?? (persistence === 'volatile' ? { versions: DEFAULT_VOLATILE_MESSAGES } : {})
  return store.createPool(path, { persistence, retention })
}

/** Publishes a message. Resolves with its offset as the version of the topic's object; rejects as `put` does. */
export async function publish(store: Store, path: string, value: EncodedValue): Promise<ObjectInfo> {
  checkTopic(path)
  return store.put(path, value)
}

/**
 * Calls a listener for each message of the topics in and below a path, those of one topic in order and once. The next message
 * of a topic is given when the promise that the listener returned has resolved, so a subscriber reads at its own pace. Rejects with
 * `UnknownPoolError` when the path is a topic's and there is none.
 */
export async function subscribe(
  store: Store,
  path: string,
  listener: (message: TopicMessage) => unknown,
  options: SubscribeOptions = {},
): Promise<Subscription> {
  if (path !== TOPICS) checkTopic(path)
  const subscription = new TopicSubscription(store, path, listener, options)
  await subscription.open(options.after)
  return subscription
}

function checkTopic(path: string): void {
  checkPath(path)
  if (!path.startsWith(`${TOPICS}/`))
    throw new InvalidPathError(
      `'${path}' is not a topic: topics are below ${TOPICS}, such as ${TOPICS}/alarms.`,
    )
}

class TopicSubscription implements Subscription {
  readonly #store: Store
  readonly #path: string
  readonly #listener: (message: TopicMessage) => unknown
  readonly #onGap: SubscribeOptions['onGap']
  readonly #readers = new Map<string, { created: number; reader: TopicReader }>()
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(
    store: Store,
    path: string,
    listener: (message: TopicMessage) => unknown,
    options: SubscribeOptions,
  ) {
    this.#store = store
    this.#path = path
    this.#listener = listener
    this.#onGap = options.onGap
  }

  async open(after: Offsets | undefined): Promise<void> {
    const topics = await this.#store.listPools(this.#path)
    if (topics.length === 0 && this.#path !== TOPICS) throw new UnknownPoolError(this.#path)
    for (const topic of topics) await this.#read(topic, after ? (after[topic.path] ?? 0) : null)
    this.#timer = setInterval(() => void this.#review().catch(() => {}), REVIEW_MS)
  }

  get offsets(): Offsets {
    return Object.fromEntries([...this.#readers].map(([topic, { reader }]) => [topic, reader.offset]))
  }

  close(): void {
    this.#closed = true
    clearInterval(this.#timer)
    for (const { reader } of this.#readers.values()) reader.close()
  }

  /** Reads topics that are new, and those that were removed and created again, from their beginning. */
  async #review(): Promise<void> {
    for (const topic of await this.#store.listPools(this.#path)) {
      const known = this.#readers.get(topic.path)
      if (known?.created === topic.created || this.#closed) continue
      known?.reader.close()
      await this.#read(topic, 0)
    }
  }

  async #read({ path, created }: Pool, offset: number | null): Promise<void> {
    const reader = new TopicReader(this.#store, path, this.#listener, this.#onGap)
    this.#readers.set(path, { created, reader })
    await reader.open(offset)
    if (this.#closed) reader.close()
  }
}

/** Reads one topic. */
class TopicReader {
  readonly #store: Store
  readonly #topic: string
  readonly #listener: (message: TopicMessage) => unknown
  readonly #onGap: SubscribeOptions['onGap']
  /** Offset of the last message that was given. */
  offset = 0
  #watch: Watch | null = null
  #published = Promise.withResolvers<void>()
  #closed = false

  constructor(
    store: Store,
    topic: string,
    listener: (message: TopicMessage) => unknown,
    onGap: SubscribeOptions['onGap'],
  ) {
    this.#store = store
    this.#topic = topic
    this.#listener = listener
    this.#onGap = onGap
  }

  /** Begins after a message; with null, after the last one. */
  async open(offset: number | null): Promise<void> {
    this.#watch = await this.#store.watch(this.#topic, () => this.#published.resolve())
    // The version of the pool, without the bytes of a message.
    this.offset = offset ?? (await this.#store.multiGet([`${this.#topic}/none`])).version
    void this.#follow()
  }

  close(): void {
    this.#closed = true
    this.#watch?.close()
    this.#published.resolve()
  }

  async #follow(): Promise<void> {
    while (!this.#closed)
      try {
        // Before it is read, so that what is published meanwhile is not missed.
        const published = Promise.withResolvers<void>()
        this.#published = published
        while (await this.#readOn());
        await published.promise
      } catch (error) {
        if (error instanceof UnknownPoolError) return
        await sleep(RETRY_MS)
      }
  }

  /** Gives the next messages. Returns whether there were any. */
  async #readOn(): Promise<boolean> {
    const range = { afterVersion: this.offset, limit: MAX_AHEAD }
    const next = firstBytes(await this.#store.history(this.#topic, range))
    const messages = await Promise.all(next.map((info) => this.#message(info)))
    for (const [at, info] of next.entries()) {
      if (this.#closed) return false
      const message = messages[at] ?? null
      const lost = info.previousKeyVersion > this.offset || (message === null && !info.removed)
      if (lost) this.#onGap?.(this.#topic, this.offset, message ? info.version : info.version + 1)
      if (message) await this.#give(message)
      this.offset = info.version
    }
    return next.length > 0
  }

  /** Null when it was removed, or dropped meanwhile. */
  async #message({ version, removed }: ObjectInfo): Promise<StoredObject | null> {
    if (removed) return null
    return this.#store.get(this.#topic, { version }).catch((error: Error) => {
      if (error instanceof ForgottenVersionError) return null
      throw error
    })
  }

  async #give({ version, timestamp, type, bytes }: StoredObject): Promise<void> {
    try {
      await this.#listener({ topic: this.#topic, offset: version, timestamp, type, bytes })
    } catch (error) {
      // It is the listener's fault: it surfaces as an uncaught exception.
      queueMicrotask(() => {
        throw error
      })
    }
  }
}

/** The first of these, of so many bytes together; at least one. */
function firstBytes(infos: readonly ObjectInfo[]): readonly ObjectInfo[] {
  let bytes = 0
  const end = infos.findIndex(({ size }, at) => {
    bytes += size
    return at > 0 && bytes > MAX_AHEAD_BYTES
  })
  return end < 0 ? infos : infos.slice(0, end)
}
