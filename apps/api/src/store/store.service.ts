/** The store as the API gives it: reads of everything, writes of everything that does not belong to a run. */
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import {
  createTopic,
  type HistoryRange,
  InvalidOptionError,
  type Moment,
  type ObjectInfo,
  type ObjectStream,
  type Pool,
  type PoolOptions,
  publish,
  type Subscription,
  subscribe,
  type TopicOptions,
  type Watch,
} from '@hivemind/store'
import { previewOf } from '@hivemind/values'
import { Injectable } from '@nestjs/common'
import { AccessKeysService } from '../access-keys/access-keys.service.ts'
import { reaches } from '../auth/access.ts'
import type { Principal } from '../auth/principal.ts'
import { conflict, notFound, Problem } from '../common/problem.ts'
import { OpenedStore, RUN_POOLS } from '../storage/opened-store.ts'
import { eventOf, type StoreStream } from './store-stream.ts'

/** Objects up to this size are written in one step, in bytes. */
const MAX_WHOLE_BYTES = 1_000_000
/** Larger objects have no preview, in bytes. */
const MAX_PREVIEWED_BYTES = 1_000_000
/** Largest message of a topic, in bytes. */
const MAX_MESSAGE_BYTES = 1_000_000
/** How far in the future a read may look, which waits until then, in microseconds. */
const MAX_WAIT_US = 10_000_000
/** A watcher that missed more changes is told to ask for the state instead. */
const MAX_REPLAYED = 10_000

/** A moment as a query names it. */
export interface MomentQuery {
  version?: number | undefined
  time?: number | undefined
}

@Injectable()
export class StoreService {
  private readonly opened: OpenedStore
  private readonly keys: AccessKeysService

  constructor(opened: OpenedStore, keys: AccessKeysService) {
    this.opened = opened
    this.keys = keys
  }

  /** The pools in and below a path that the caller reaches. */
  async pools(prefix: string | undefined, caller: Principal) {
    const pools = await this.opened.store.listPools(prefix)
    return pools.filter(({ path }) => reaches(caller, path)).map((pool) => this.describe(pool, caller))
  }

  async createPool(path: string, options: PoolOptions, caller: Principal) {
    refuseOfRun(path)
    return this.describe(await this.opened.store.createPool(path, options), caller)
  }

  async removePool(path: string): Promise<void> {
    refuseOfRun(path)
    await this.opened.store.removePool(path)
  }

  async objects(
    prefix: string,
    at: MomentQuery,
    { after, limit }: { after?: string | undefined; limit: number },
  ) {
    const all = await this.opened.store.listObjects(prefix, await this.momentOf(at))
    const start = after === undefined ? 0 : all.findIndex(({ key }) => key === after) + 1
    const objects = all.slice(start, start + limit)
    const next = start + limit < all.length ? objects.at(-1)?.key : undefined
    return { objects, total: all.length, ...(next !== undefined && { next }) }
  }

  async read(key: string, at: MomentQuery): Promise<ObjectStream> {
    const object = await this.opened.store.getStream(key, await this.momentOf(at))
    if (!object) throw notFound('object', key)
    return object
  }

  /** Writes what the stream gives. A stream that is cut off leaves nothing. */
  async put(key: string, type: string, source: Readable, size: number, expectedVersion: number | undefined) {
    refuseOfRun(key)
    const { store } = this.opened
    const options = expectedVersion === undefined ? {} : { expectedVersion }
    // Left open, so that a refusal can be answered.
    const chunks: AsyncIterable<Buffer> = source.iterator({ destroyOnReturn: false })
    if (!(size <= MAX_WHOLE_BYTES)) return store.putStream(key, type, chunks, options)
    return store.put(key, { type, bytes: await buffer(chunks) }, options)
  }

  async remove(key: string, expectedVersion: number | undefined): Promise<ObjectInfo> {
    refuseOfRun(key)
    const options = expectedVersion === undefined ? {} : { expectedVersion }
    const removed = await this.opened.store.remove(key, options)
    if (!removed) throw notFound('object', key)
    return removed
  }

  async preview(key: string, query: MomentQuery) {
    const { store } = this.opened
    const at = await this.momentOf(query)
    const size = await store.getSize(key, at)
    if (size === null) throw notFound('object', key)
    if (size > MAX_PREVIEWED_BYTES) {
      const { chunks, ...object } = await this.read(key, query)
      await chunks[Symbol.asyncIterator]().return?.()
      return { object }
    }
    const found = await store.get(key, at)
    if (!found) throw notFound('object', key)
    const { bytes, ...object } = found
    return { object, preview: previewOf({ type: object.type, bytes }) }
  }

  async versions(key: string, range: HistoryRange) {
    await this.checkTime(range.toTime)
    return this.opened.store.history(key, range)
  }

  async changes(prefix: string, range: HistoryRange) {
    await this.checkTime(range.toTime)
    return this.opened.store.changes(prefix, range)
  }

  /**
   * Calls `listener` for each write under a prefix: first for those after a version that are still kept, when one is given,
   * then for what comes, each once and in order. Calls it with null instead of the former when they are too many.
   */
  async watch(
    prefix: string,
    after: number | undefined,
    listener: (change: ObjectInfo | null) => void,
  ): Promise<Watch> {
    const { store } = this.opened
    let waiting: ObjectInfo[] | null = []
    const watch = await store.watch(prefix, (change) => {
      if (waiting) waiting.push(change)
      else listener(change)
    })
    try {
      const range = { afterVersion: after ?? 0, limit: MAX_REPLAYED + 1 }
      const missed = after === undefined ? [] : await store.changes(prefix, range)
      const replayed = missed.length > MAX_REPLAYED ? [null] : missed
      for (const change of replayed) listener(change)
      const last = replayed.at(-1)?.version ?? after ?? 0
      for (const change of waiting) if (change.version > last) listener(change)
      waiting = null
      return watch
    } catch (error) {
      watch.close()
      throw error
    }
  }

  async createTopic(path: string, options: TopicOptions, caller: Principal) {
    return this.describe(await createTopic(this.opened.store, path, options), caller)
  }

  async publish(topic: string, type: string, source: Readable): Promise<ObjectInfo> {
    const pieces: Buffer[] = []
    let size = 0
    // Left open, so that a refusal can be answered.
    for await (const piece of source.iterator({ destroyOnReturn: false })) {
      size += (piece as Buffer).length
      if (size > MAX_MESSAGE_BYTES)
        throw new Problem(
          413,
          `A message has ${MAX_MESSAGE_BYTES} bytes at most: put a larger object into a pool, and publish its key.`,
        )
      pieces.push(piece)
    }
    return publish(this.opened.store, topic, { type, bytes: Buffer.concat(pieces) })
  }

  /** Sends the messages of the topics in and below a path, after those that the id of an event names. */
  async subscribe(path: string, lastEvent: string | undefined, stream: StoreStream): Promise<Subscription> {
    const after = lastEvent === undefined ? null : offsetsOf(lastEvent)
    const seen: Record<string, number> = {}
    const id = () => {
      const offsets = Object.entries(seen).map(([topic, offset]): [string, string] => [topic, String(offset)])
      return String(new URLSearchParams(offsets))
    }
    // Until all topics are known, an id would leave some out.
    const opened = Promise.withResolvers<void>()
    const subscription = await subscribe(
      this.opened.store,
      path,
      async ({ topic, offset, timestamp, type, bytes }) => {
        await opened.promise
        seen[topic] = offset
        const whole = bytes.length <= MAX_MESSAGE_BYTES && { bytes: Buffer.from(bytes).toString('base64') }
        const message = { topic, offset, timestamp, type, size: bytes.length, ...whole }
        stream.send(eventOf('message', message, id()))
        await stream.whenRoom()
      },
      {
        ...(after && { after }),
        onGap: (topic, after, before) => stream.send(eventOf('gap', { topic, after, before })),
      },
    )
    Object.assign(seen, subscription.offsets)
    stream.send(eventOf('subscribed', subscription.offsets, id()))
    opened.resolve()
    return subscription
  }

  private describe(pool: Pool, caller: Principal) {
    const accessKeys = caller.how === 'key' ? undefined : this.keys.reaching(pool.path)
    return { ...pool, ofRun: isOfRun(pool.path), ...(accessKeys && { accessKeys }) }
  }

  private async momentOf({ version, time }: MomentQuery): Promise<Moment | undefined> {
    if (version !== undefined && time !== undefined)
      throw new InvalidOptionError('Give either version or time, not both.')
    if (version !== undefined) return { version }
    if (time === undefined) return undefined
    await this.checkTime(time)
    return { time }
  }

  /** A read waits until its time has come: for so long, and no longer. */
  private async checkTime(time: number | undefined): Promise<void> {
    if (time !== undefined && time > (await this.opened.store.time()) + MAX_WAIT_US)
      throw new InvalidOptionError(
        `The time ${time} is more than ${MAX_WAIT_US / 1e6} s in the future: times are in microseconds since 1970.`,
      )
  }
}

/** The offsets in the id of an event. Throws `InvalidOptionError`. */
function offsetsOf(id: string): Record<string, number> {
  const entries = [...new URLSearchParams(id)].map(([topic, offset]) => [topic, Number(offset)] as const)
  if (!entries.every(([, offset]) => Number.isSafeInteger(offset) && offset >= 0))
    throw new InvalidOptionError(
      `'${id.slice(0, 80)}' is not the id of an event of a subscription. Leave 'after' empty to begin with the oldest message.`,
    )
  return Object.fromEntries(entries)
}

const isOfRun = (path: string): boolean => path === RUN_POOLS || path.startsWith(`${RUN_POOLS}/`)

function refuseOfRun(path: string): void {
  if (isOfRun(path))
    throw conflict(
      `'${path}' belongs to a run: it can be read, and goes with its run. Write to a pool that is not below ${RUN_POOLS}.`,
    )
}
