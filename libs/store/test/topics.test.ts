import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTopic,
  InvalidPathError,
  openEmbeddedStore,
  openRedisStore,
  publish,
  type Store,
  type SubscribeOptions,
  type Subscription,
  subscribe,
  type TopicMessage,
  UnknownPoolError,
} from '../src/index.ts'
import { type RedisServers, startRedis } from './redis-servers.ts'
import { text } from './values.ts'

describe.each(['embedded', 'one Redis'] as const)('topics (%s)', (kind) => {
  let folder: string
  let servers: RedisServers | undefined
  /** Publishes; subscribers have a store of their own where several can be open. */
  let store: Store
  let other: Store
  const subscriptions: Subscription[] = []

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-topics-'))
    if (kind === 'embedded') {
      store = await openEmbeddedStore({ folder })
      other = store
    } else {
      servers = await startRedis()
      store = await openRedisStore({ url: servers.url })
      other = await openRedisStore({ url: servers.url })
    }
  })
  afterAll(async () => {
    for (const subscription of subscriptions) subscription.close()
    await store.close()
    await other.close()
    await servers?.stop()
    await rm(folder, { recursive: true, force: true })
  })

  /** What a subscriber gets, as texts; `pause` is how long it takes for each. */
  async function listen(topics: string, options: SubscribeOptions = {}, pause?: () => Promise<void>) {
    const got: string[] = []
    const messages: TopicMessage[] = []
    const subscription = await subscribe(
      other,
      topics,
      async (message) => {
        await pause?.()
        messages.push(message)
        got.push(Buffer.from(message.bytes).toString())
      },
      options,
    )
    subscriptions.push(subscription)
    return { got, messages, subscription }
  }

  const numbers = (count: number, from = 0) => Array.from({ length: count }, (_, n) => String(n + from))

  it.each(['volatile', 'persistent'] as const)(
    'give every subscriber each message once and in order (%s)',
    async (persistence) => {
      const topic = `/cms/topics/order-${persistence}`
      await createTopic(store, topic, { persistence })
      await publish(store, topic, text('before'))
      const [first, second] = [await listen(topic), await listen(topic)]
      await Promise.all(numbers(300).map((each) => publish(store, topic, text(each))))
      await expect.poll(() => second.got.length).toBe(300)
      await expect.poll(() => first.got).toEqual(numbers(300))
      expect(second.got).toEqual(numbers(300))
      const offsets = first.messages.map(({ offset }) => offset)
      expect(offsets).toEqual(offsets.toSorted((a, b) => a - b))
      expect(first.messages[0]).toMatchObject({ topic, type: 'text/plain', offset: 2 })
    },
  )

  it('go on where a subscriber left, from the beginning, and at its own pace', async () => {
    const topic = '/cms/topics/resumed'
    await createTopic(store, topic, { persistence: 'persistent' })
    for (const each of numbers(5)) await publish(store, topic, text(each))
    const first = await listen(topic, { after: {} })
    await expect.poll(() => first.got).toEqual(numbers(5))
    first.subscription.close()
    for (const each of numbers(200, 5)) await publish(store, topic, text(each))
    expect(first.got).toHaveLength(5)
    const gate = Promise.withResolvers<void>()
    const slow = await listen(topic, { after: first.subscription.offsets }, () => gate.promise)
    expect(slow.got).toEqual([])
    gate.resolve()
    await expect.poll(() => slow.got).toEqual(numbers(200, 5))
    expect(slow.subscription.offsets).toEqual({ [topic]: 205 })
  })

  it('say which messages are gone', async () => {
    const topic = '/cms/topics/short'
    await createTopic(store, topic, { retention: { versions: 3 } })
    for (const each of numbers(10)) await publish(store, topic, text(each))
    const gaps: unknown[] = []
    const { got } = await listen(topic, { after: { [topic]: 2 }, onGap: (...gap) => gaps.push(gap) })
    await expect.poll(() => got).toEqual(['7', '8', '9'])
    expect(gaps).toEqual([[topic, 2, 8]])
  })

  it('are subscribed to by path, also those that come later', async () => {
    await createTopic(store, '/cms/topics/plant/a')
    await createTopic(store, '/cms/topics/planted')
    const { got, subscription } = await listen('/cms/topics/plant')
    await publish(store, '/cms/topics/plant/a', text('a'))
    await publish(store, '/cms/topics/planted', text('no'))
    await createTopic(store, '/cms/topics/plant/b')
    await publish(store, '/cms/topics/plant/b', text('b'))
    await expect.poll(() => got, { timeout: 5_000 }).toEqual(['a', 'b'])
    expect(subscription.offsets).toEqual({ '/cms/topics/plant/a': 1, '/cms/topics/plant/b': 1 })
    await store.removePool('/cms/topics/plant/a')
    await createTopic(store, '/cms/topics/plant/a')
    await publish(store, '/cms/topics/plant/a', text('again'))
    await expect.poll(() => got, { timeout: 5_000 }).toEqual(['a', 'b', 'again'])
  })

  it('are below /cms/topics', async () => {
    await expect(createTopic(store, '/elsewhere')).rejects.toThrow(InvalidPathError)
    await expect(publish(store, '/elsewhere', text(''))).rejects.toThrow('topics are below /cms/topics')
    await expect(subscribe(store, '/cms/topics/none', () => {})).rejects.toThrow(UnknownPoolError)
    await expect(publish(store, '/cms/topics/none', text(''))).rejects.toThrow(UnknownPoolError)
  })
})
