/** Messages that an edge node sends as they come: each once and in order, whatever happens to the connection. */
import net from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest'
import { Following } from '../src/following.ts'
import { ExchangeClient, ExchangeClosedError, UnreachableError } from '../src/index.ts'
import { bytesOf, splitRecords } from '../src/records.ts'
import { Session } from '../src/session.ts'
import { SocketWire } from '../src/wire.ts'
import { type Exchange, startExchange } from './nodes.ts'
import { PythonClient } from './python-client.ts'

const WINDOW_BYTES = 1024 * 1024

let exchange: Exchange
const clients: ExchangeClient[] = []
let next = 0
/** Patience for a machine that is busy. */
const tries = { count: 10, intervalMs: 1_000 }
const connect = async (edge = 0, name = `client-${next++}`): Promise<ExchangeClient> => {
  const client = await ExchangeClient.connect({ name, edges: [exchange.addresses[edge] as string], tries })
  clients.push(client)
  return client
}
/** A topic of its own for each test. */
const newTopic = (): string => `topic-${next++}`
const numbered = (client: ExchangeClient, topic: string, from: number, to: number): Promise<unknown> =>
  Promise.all(
    Array.from({ length: to - from }, (_, n) => client.publish(topic, Buffer.from(String(from + n)))),
  )

/** Reads messages until there are so many; `more` gives the next ones. */
function reading(client: ExchangeClient, topic: string) {
  const messages = client.messages(topic)
  const seen: number[] = []
  return {
    seen,
    messages,
    async more(count: number) {
      while (count-- > 0)
        seen.push(Number(Buffer.from((await messages.next()).value?.bytes ?? []).toString()))
      return seen
    },
  }
}
const upTo = (count: number): number[] => Array.from({ length: count }, (_, n) => n)

beforeAll(async () => {
  exchange = await startExchange(2)
})
afterEach(() => {
  for (const client of clients.splice(0)) client.close()
})
afterAll(() => exchange.stop())

it('sends what is there, and what comes', async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(0), await connect(1)]
  await reader.subscribe(topic)
  await numbered(publisher, topic, 0, 100)
  const { more } = reading(reader, topic)
  expect(await more(100)).toEqual(upTo(100))
  await numbered(publisher, topic, 100, 150)
  expect(await more(50)).toEqual(upTo(150))
  expect(reader.missed).toBe(0)
})

it('gives each message once, to one of those who ask', async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(), await connect()]
  await reader.subscribe(topic)
  const seen: number[] = []
  const read = async (): Promise<void> => {
    for await (const { bytes } of reader.messages(topic)) {
      seen.push(Number(Buffer.from(bytes).toString()))
      await sleep(1)
      if (seen.length >= 300) return
    }
  }
  const both = [read(), read()]
  for (let n = 0; n < 300; n += 50) {
    await numbered(publisher, topic, n, n + 50)
    for (const { bytes } of await reader.getMessages(topic, { max: 5 }))
      seen.push(Number(Buffer.from(bytes).toString()))
  }
  await Promise.race(both)
  expect(seen.toSorted((a, b) => a - b)).toEqual(upTo(300))
})

it('gives again what was not dealt with when somebody stops asking', async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(), await connect()]
  await reader.subscribe(topic)
  await numbered(publisher, topic, 0, 10)
  const first = reading(reader, topic)
  expect(await first.more(3)).toEqual([0, 1, 2])
  await first.messages.return(undefined)
  expect(await reading(reader, topic).more(7)).toEqual([3, 4, 5, 6, 7, 8, 9])
})

it('tells the node what was dealt with, and the next process of the client gets the rest', async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(0, `process-${topic}`), await connect()]
  await reader.subscribe(topic)
  await numbered(publisher, topic, 0, 10)
  await reading(reader, topic).more(5)
  // The fifth is being dealt with.
  await sleep(200)
  reader.close()
  const again = await connect(0, `process-${topic}`)
  expect(await reading(again, topic).more(6)).toEqual([4, 5, 6, 7, 8, 9])
})

it('goes on at another node, and after its node was killed', { timeout: 60_000 }, async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(0), await connect(1)]
  await reader.subscribe(topic)
  const { more } = reading(reader, topic)
  await numbered(publisher, topic, 0, 20)
  await more(5)
  await reader.migrate(exchange.addresses[1] as string)
  await numbered(publisher, topic, 20, 40)
  expect(await more(35)).toEqual(upTo(40))
  await reader.migrate(exchange.addresses[0] as string)
  const rest = more(60)
  await exchange.edges[0]?.kill()
  await numbered(publisher, topic, 40, 70)
  await exchange.edges[0]?.start()
  await numbered(publisher, topic, 70, 100)
  expect(await rest).toEqual(upTo(100))
  expect(reader.missed).toBe(0)
})

it('sends no more than is dealt with, and keeps the rest', { timeout: 60_000 }, async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(), await connect()]
  await reader.subscribe(topic)
  const receive = vi.spyOn(Following.prototype, 'receive')
  const received = (): number => receive.mock.calls.reduce((sum, [{ body }]) => sum + body.length, 0)
  const { messages } = reading(reader, topic)
  const first = messages.next()
  const count = 100
  for (let n = 0; n < count; n++) await publisher.publish(topic, Buffer.alloc(WINDOW_BYTES / 10, n))
  expect((await first).value?.bytes[0]).toBe(0)
  await sleep(300)
  expect(received()).toBeLessThan(1.3 * WINDOW_BYTES)
  for (let n = 1; n < count; n++) expect((await messages.next()).value?.bytes[0]).toBe(n)
  receive.mockRestore()
})

it('sends what was not given out again at another node, which counts anew what is on its way', async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(0), await connect(1)]
  await reader.subscribe(topic)
  const { messages } = reading(reader, topic)
  const first = messages.next()
  for (let n = 0; n < 20; n++) await publisher.publish(topic, Buffer.alloc(WINDOW_BYTES / 10, n))
  expect((await first).value?.bytes[0]).toBe(0)
  await sleep(300)
  const receive = vi.spyOn(Following.prototype, 'receive')
  await reader.migrate(exchange.addresses[1] as string)
  await expect.poll(() => receive.mock.calls.length).toBeGreaterThan(0)
  const [frame] = receive.mock.calls[0] as Parameters<Following['receive']>
  receive.mockRestore()
  expect(bytesOf(splitRecords(frame.body)[0] as Buffer)[0]).toBe(1)
  for (let n = 1; n < 20; n++) expect((await messages.next()).value?.bytes[0]).toBe(n)
  expect(reader.missed).toBe(0)
})

it('sends nothing any more to a client that has unsubscribed, also when it subscribes again', async () => {
  const topic = newTopic()
  const [other, publisher] = [await connect(), await connect()]
  // So that the node keeps the topic.
  await other.subscribe(topic)
  const frames: string[] = []
  const [host, port] = (exchange.addresses[0] as string).split(':')
  const session = new Session(new SocketWire(net.connect(Number(port), host)), ({ header }) => {
    frames.push(header.type)
    return undefined
  })
  await session.request({ type: 'hello-client', client: `bare-${topic}` })
  const { header } = await session.request({ type: 'subscribe', topic })
  await session.request({ type: 'follow', topic, after: header.after })
  await publisher.publish(topic, Buffer.from('a'))
  await expect.poll(() => frames).toEqual(['messages'])
  await session.request({ type: 'unsubscribe', topic })
  await session.request({ type: 'subscribe', topic })
  await publisher.publish(topic, Buffer.from('b'))
  await other.getMessages(topic, { max: 2, waitMs: 5_000 })
  await session.request({ type: 'ping' })
  expect(frames).toEqual(['messages'])
  session.close()
})

it('counts what was dropped before it could be sent, once', { timeout: 60_000 }, async () => {
  const small = await startExchange(2, { retention: { messages: 10, bytes: 100_000_000 } })
  const [reader, publisher] = await Promise.all(
    ['reader', 'publisher'].map((name, at) =>
      ExchangeClient.connect({ name, edges: [small.addresses[at] as string], tries }),
    ),
  )
  clients.push(reader as ExchangeClient, publisher as ExchangeClient)
  await reader?.subscribe('road')
  const numbers: number[] = []
  const messages = (reader as ExchangeClient).messages('road')
  const next = async () => numbers.push((await messages.next()).value?.number as number)
  const first = next()
  // The window is full with ten of these; of the others, the node keeps the last ten.
  for (let n = 0; n < 40; n++) await publisher?.publish('road', Buffer.alloc(WINDOW_BYTES / 10))
  await first
  await sleep(200)
  await reader?.migrate(small.addresses[1] as string)
  while (numbers.at(-1) !== 40) await next()
  expect(numbers.length + (reader?.missed ?? 0)).toBe(40)
  expect(reader?.missed).toBeGreaterThan(0)
  await small.stop()
})

it('sends a message that is larger than what may be on its way', async () => {
  const topic = newTopic()
  const [reader, publisher] = [await connect(), await connect()]
  await reader.subscribe(topic)
  const { messages } = reading(reader, topic)
  for (const size of [3 * WINDOW_BYTES, 10, 2 * WINDOW_BYTES])
    await publisher.publish(topic, Buffer.alloc(size))
  for (const size of [3 * WINDOW_BYTES, 10, 2 * WINDOW_BYTES])
    expect((await messages.next()).value?.bytes.length).toBe(size)
})

it('ends with the subscription, and fails with the client', async () => {
  const topic = newTopic()
  const reader = await connect()
  expect(await reader.messages(topic).next()).toEqual({ done: true, value: undefined })
  await reader.subscribe(topic)
  const ended = reader.messages(topic).next()
  await reader.unsubscribe(topic)
  expect(await ended).toEqual({ done: true, value: undefined })
  await reader.subscribe(topic)
  const failed = reader.messages(topic).next()
  reader.close()
  await expect(failed).rejects.toThrow(ExchangeClosedError)
})

it('fails when no node answers any more', { timeout: 60_000 }, async () => {
  const topic = newTopic()
  const edges = [exchange.addresses[0] as string]
  const reader = await ExchangeClient.connect({ name: 'left', edges, tries: { count: 2, intervalMs: 200 } })
  clients.push(reader)
  await reader.subscribe(topic)
  const failed = reader.messages(topic).next()
  failed.catch(() => {})
  await exchange.edges[0]?.kill()
  await expect(failed).rejects.toThrow(UnreachableError)
  await exchange.edges[0]?.start()
})

it('gives them one by one in Python, and again those that were not dealt with', async () => {
  const topic = newTopic()
  const publisher = await connect(1)
  const edges = [exchange.addresses[0] as string]
  const open = () => PythonClient.connect({ name: topic, edges, tries })
  const first = await open()
  await first.subscribe(topic)
  await numbered(publisher, topic, 0, 250)
  const numbersOf = async (client: PythonClient, options: Parameters<PythonClient['messages']>[1]) =>
    (await client.messages(topic, options)).map(({ number }) => number)
  const from = (first: number, count: number) => Array.from({ length: count }, (_, n) => first + n)
  expect(await numbersOf(first, { count: 120, waitMs: 5_000 })).toEqual(from(1, 120))
  // The last one was given, but the next one was not asked for.
  expect(await numbersOf(first, { count: 1, waitMs: 5_000 })).toEqual([120])
  expect((await first.getMessages(topic, { max: 5 })).map(({ number }) => number)).toEqual(from(120, 5))
  expect(await numbersOf(first, { count: 1_000, waitMs: 300 })).toEqual(from(125, 126))
  expect(await numbersOf(first, { count: 3, waitMs: 300, publishes: 3 })).toEqual([])
  await publisher.publish(topic, Buffer.from('a'))
  expect(await numbersOf(first, { count: 4, waitMs: 5_000, publishes: 3 })).toEqual(from(251, 4))
  expect(first.missed).toBe(0)
  await publisher.publish(topic, Buffer.from('b'))
  expect(await numbersOf(first, { count: 9, waitMs: 5_000, unsubscribes: true })).toEqual([254])
  expect(await numbersOf(first, { count: 9, waitMs: 5_000 })).toEqual([])
  first.close()
})
