import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type ClientOptions,
  ExchangeClient,
  ExchangeError,
  type Message,
  UnreachableError,
} from '../src/index.ts'
import { type Exchange, startExchange } from './nodes.ts'
import { PythonClient } from './python-client.ts'

type Client = Pick<
  ExchangeClient,
  'subscribe' | 'unsubscribe' | 'publish' | 'getMessages' | 'migrate' | 'close' | 'edge' | 'topics' | 'missed'
>

const CLIENTS: [name: string, { connect(options: ClientOptions): Promise<Client> }, isJoined?: boolean][] = [
  ['TypeScript', ExchangeClient],
  ['Python', PythonClient],
  ['TypeScript and an edge node in the process of the backend', ExchangeClient, true],
]

const bytes = (text: string): Buffer => Buffer.from(text)
const texts = (messages: readonly Message[]): string[] =>
  messages.map((each) => Buffer.from(each.bytes).toString())
/** Patience for a machine that is busy. */
const tries = { count: 10, intervalMs: 1_000 }

describe.each(CLIENTS)('the exchange, with the client for %s', (_, type, isJoined = false) => {
  let exchange: Exchange
  const clients: Client[] = []
  let next = 0
  const connect = async (edge: number, name = `client-${next++}`): Promise<Client> => {
    const client = await type.connect({ name, edges: [exchange.addresses[edge] as string], tries })
    clients.push(client)
    return client
  }
  /** Fetches until there are so many messages. */
  const fetch = async (client: Client, topic: string, count: number): Promise<string[]> => {
    const fetched: string[] = []
    while (fetched.length < count) fetched.push(...texts(await client.getMessages(topic, { waitMs: 5_000 })))
    return fetched
  }
  beforeAll(async () => {
    exchange = await startExchange(2, {}, { isJoined })
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })
  afterAll(() => exchange.stop())

  it('delivers to subscribers at the same and at other edge nodes, in one order', async () => {
    const [a, b, publisher] = [await connect(0), await connect(1), await connect(0)]
    await a.subscribe('news')
    await b.subscribe('news')
    await Promise.all(['1', '2', '3'].map((text) => publisher.publish('news', bytes(text))))
    await b.publish('news', bytes('4'))
    expect(await fetch(a, 'news', 4)).toEqual(['1', '2', '3', '4'])
    expect(await fetch(b, 'news', 4)).toEqual(['1', '2', '3', '4'])
    expect(await a.getMessages('news')).toEqual([])
  })

  it('delivers what comes after the subscription, and forgets the offset with it', async () => {
    const [a, publisher] = [await connect(0), await connect(1)]
    await publisher.publish('late', bytes('before'))
    await a.subscribe('late')
    await publisher.publish('late', bytes('after'))
    await a.unsubscribe('late')
    await expect(a.getMessages('late')).rejects.toThrow("not subscribed to 'late'")
    await publisher.publish('late', bytes('between'))
    await a.subscribe('late')
    await publisher.publish('late', bytes('again'))
    expect(await fetch(a, 'late', 1)).toEqual(['again'])
  })

  it('keeps the messages of a client that is away, and its subscriptions', async () => {
    const a = await connect(0, 'away')
    await a.subscribe('letters')
    a.close()
    const publisher = await connect(1)
    await publisher.publish('letters', bytes('kept'))
    const back = await connect(0, 'away')
    expect(back.topics).toEqual(['letters'])
    expect(await fetch(back, 'letters', 1)).toEqual(['kept'])
  })

  it('moves a client with its topics and unread messages', async () => {
    const [a, publisher] = [await connect(0, 'mover'), await connect(0)]
    await a.subscribe('moves')
    await a.subscribe('other')
    for (let n = 0; n < 10; n++) await publisher.publish('moves', bytes(String(n)))
    expect(texts(await a.getMessages('moves', { max: 3, waitMs: 5_000 }))[0]).toBe('0')
    const seen = 3
    await a.migrate(exchange.addresses[1] as string)
    expect(a.edge).toBe(exchange.addresses[1])
    expect(a.topics).toEqual(['moves', 'other'])
    expect(await fetch(a, 'moves', 10 - seen)).toEqual(Array.from({ length: 7 }, (_, n) => String(n + seen)))
    await publisher.publish('other', bytes('x'))
    expect(await fetch(a, 'other', 1)).toEqual(['x'])
  })

  it('gives a client that starts anew at another node what the earlier one kept', async () => {
    const a = await connect(0, 'restarted')
    await a.subscribe('orders')
    const publisher = await connect(1)
    await publisher.publish('orders', bytes('1'))
    a.close()
    const again = await connect(1, 'restarted')
    expect(await fetch(again, 'orders', 1)).toEqual(['1'])
  })

  it('brings a client back at a node that has dropped what the client has not fetched', async () => {
    const [fast, slow, publisher] = [await connect(1, 'fast'), await connect(0, 'slow'), await connect(0)]
    await fast.subscribe('pace')
    await slow.subscribe('pace')
    for (let n = 0; n < 5; n++) await publisher.publish('pace', bytes(String(n)))
    expect(await fetch(fast, 'pace', 5)).toHaveLength(5)
    await fast.getMessages('pace')
    await sleep(300)
    await exchange.edges[0]?.kill()
    await slow.migrate(exchange.addresses[1] as string)
    await exchange.edges[0]?.start()
    expect(await fetch(slow, 'pace', 5)).toEqual(['0', '1', '2', '3', '4'])
    await publisher.publish('pace', bytes('5'))
    expect(await fetch(fast, 'pace', 1)).toEqual(['5'])
    expect(await fetch(slow, 'pace', 1)).toEqual(['5'])
    expect(slow.missed).toBe(0)
  })

  it('goes on after the backend was killed', async () => {
    const [a, publisher] = [await connect(0), await connect(1)]
    await a.subscribe('restart')
    await publisher.publish('restart', bytes('1'))
    await exchange.backend.kill()
    const waiting = publisher.publish('restart', bytes('2'))
    await exchange.backend.start()
    await waiting
    expect(await fetch(a, 'restart', 2)).toEqual(['1', '2'])
  })

  it('refuses what it does not understand, and says why', async () => {
    const a = await connect(0)
    await expect(a.subscribe('')).rejects.toThrow("The field 'topic' of 'subscribe' must be a text")
    await a.subscribe('sized')
    await expect(a.getMessages('sized', { max: -1 })).rejects.toThrow(
      "The field 'max' of 'get' must be a whole number",
    )
    await expect(a.publish('sized', Buffer.alloc(9 * 1024 * 1024))).rejects.toThrow('the limit is 8388608')
  })
})

describe.each(CLIENTS)('bounds and a token, with the client for %s', (_, type, isJoined = false) => {
  let exchange: Exchange
  beforeAll(async () => {
    const options = { retention: { messages: 10, bytes: 1_000_000 }, token: 'secret' }
    exchange = await startExchange(1, options, { isJoined })
  })
  afterAll(() => exchange.stop())
  const connect = (name: string, token = 'secret') =>
    type.connect({ name, token, edges: exchange.addresses, tries: { count: 2, intervalMs: 500 } })

  it('drops the oldest messages beyond the bounds, and counts them for the client', async () => {
    const client = await connect('bounded')
    await client.subscribe('many')
    for (let n = 0; n < 25; n++) await client.publish('many', bytes(String(n)))
    await expect.poll(async () => (await client.getMessages('many', { max: 1 })).length).toBe(1)
    const rest = texts(await client.getMessages('many'))
    expect(rest.at(-1)).toBe('24')
    expect(client.missed).toBe(15)
    client.close()
  })

  it('lets nobody in without the token', async () => {
    await expect(connect('stranger', 'wrong')).rejects.toThrow('The token is not the one of this exchange')
  })

  it('tells the sender when nobody answers', async () => {
    const client = await connect('alone')
    await exchange.edges[0]?.kill()
    const started = performance.now()
    const failure = await client.publish('nobody', bytes('x')).catch((error) => error)
    expect(failure).toBeInstanceOf(UnreachableError)
    expect(failure).toBeInstanceOf(ExchangeError)
    expect(failure.message).toContain('2 tries')
    expect(performance.now() - started).toBeGreaterThan(400)
    client.close()
  })
})
