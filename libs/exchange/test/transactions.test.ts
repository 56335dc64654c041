import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConflictError, ExchangeClient } from '../src/index.ts'
import { CLIENTS, type ObjectClient } from './clients.ts'
import { type Exchange, startExchange } from './nodes.ts'

/** Patience for a machine that is busy. */
const tries = { count: 10, intervalMs: 1_000 }
const KILL_TIMEOUT_MS = 60_000

describe.each(CLIENTS)('transactions, with the client for %s', (_, type) => {
  let exchange: Exchange
  const clients: { close(): void }[] = []
  let next = 0
  const connectAs = async <C extends { close(): void }>(
    kind: { connect(options: { name: string; edges: string[]; tries: typeof tries }): Promise<C> },
    edge: number,
  ): Promise<C> => {
    const client = await kind.connect({
      name: `client-${next++}`,
      edges: [exchange.addresses[edge] as string],
      tries,
    })
    clients.push(client)
    return client
  }
  const connect = (edge: number): Promise<ObjectClient> => connectAs(type, edge)
  beforeAll(async () => {
    exchange = await startExchange(2)
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })
  afterAll(() => exchange.stop())

  it('write all or nothing, and read back what they have written', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    const read = await a.transaction([
      { read: 'all-1' },
      { write: 'all-1', text: '1' },
      { write: 'all-2', text: '' },
      { read: 'all-1' },
    ])
    expect(read).toEqual([null, '1'])
    expect(await b.transaction([{ read: 'all-1' }, { read: 'all-2' }])).toEqual(['1', ''])
    const failed = b.transaction([{ write: 'all-1', text: 'x' }, { fails: true }])
    await expect(failed).rejects.toThrow('The function fails')
    expect(await a.transaction([{ read: 'all-1' }])).toEqual(['1'])
  })

  it('read one moment, whatever is written meanwhile', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    await a.transaction([
      { write: 'moment-1', text: '1' },
      { write: 'moment-2', text: '1' },
    ])
    const long = b.transaction([{ read: 'moment-1' }, { sleepMs: 400 }, { read: 'moment-2' }])
    await sleep(150)
    for (const text of ['2', '3'])
      await a.transaction([
        { write: 'moment-1', text },
        { write: 'moment-2', text },
      ])
    expect(await long).toEqual(['1', '1'])
    expect(await b.transaction([{ read: 'moment-1' }, { read: 'moment-2' }])).toEqual(['3', '3'])
  })

  it('lose no update: who commits second runs again', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    await Promise.all(
      [a, b].map(async (client, at) => {
        for (let n = 0; n < 10; n++) await client.transaction([{ append: 'log', text: `${at}${n} ` }], 100)
      }),
    )
    const words = ((await a.transaction([{ read: 'log' }]))[0] ?? '').trim().split(' ')
    for (const at of [0, 1])
      expect(words.filter((word) => word.startsWith(`${at}`))).toEqual(
        Array.from({ length: 10 }, (_, n) => `${at}${n}`),
      )
    expect(words).toHaveLength(20)
  })

  it('fail with a ConflictError after the attempts that they are given', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    const long = a.transaction([{ append: 'busy', text: 'a' }, { sleepMs: 300 }], 1)
    await sleep(150)
    await b.transaction([{ write: 'busy', text: 'b' }])
    await expect(long).rejects.toThrow(ConflictError)
    await expect(long).rejects.toThrow(
      "was aborted 1 times, the last time because: 'busy' was written by another transaction first",
    )
    expect(await a.transaction([{ read: 'busy' }])).toEqual(['b'])
    await expect(a.transaction([], 0)).rejects.toThrow('of 0 attempts is refused')
  })

  it('may both commit when each writes what the other has only read (write skew)', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    await a.transaction([
      { write: 'doctor-1', text: 'on call' },
      { write: 'doctor-2', text: 'on call' },
    ])
    const leave = (client: ObjectClient, own: string, other: string) =>
      client.transaction([{ read: other }, { sleepMs: 200 }, { write: own, text: 'gone' }], 1)
    const seen = await Promise.all([leave(a, 'doctor-1', 'doctor-2'), leave(b, 'doctor-2', 'doctor-1')])
    expect(seen).toEqual([['on call'], ['on call']])
    expect(await a.transaction([{ read: 'doctor-1' }, { read: 'doctor-2' }])).toEqual(['gone', 'gone'])
  })

  it('go on over kills of their edge node and of the backend', { timeout: KILL_TIMEOUT_MS }, async () => {
    const a = await connect(0)
    await a.transaction([
      { write: 'kept-1', text: '1' },
      { write: 'kept-2', text: '1' },
    ])
    for (const node of [exchange.edges[0], exchange.backend]) {
      const long = a.transaction([{ read: 'kept-1' }, { sleepMs: 500 }, { append: 'kept-2', text: '+' }])
      await sleep(200)
      await node?.kill()
      await node?.start()
      expect(await long).toEqual(['1'])
    }
    expect(await a.transaction([{ read: 'kept-2' }])).toEqual(['1++'])
  })

  it('run again when the backend was restarted and no longer has their snapshot', {
    timeout: KILL_TIMEOUT_MS,
  }, async () => {
    const a = await connect(0)
    const b = await connectAs(ExchangeClient, 1)
    await a.transaction([{ write: 'gone-1', text: '1' }])
    await a.transaction([{ write: 'gone-2', text: '1' }])
    const long = a.transaction([{ read: 'gone-1' }, { sleepMs: 2_000 }, { read: 'gone-2' }])
    await sleep(200)
    await b.objects.transaction((each) => each.write('gone-2', Buffer.from('2')))
    await exchange.edges[0]?.kill()
    await exchange.edges[0]?.start()
    await exchange.backend.kill()
    await exchange.backend.start()
    expect(await long).toEqual(['1', '2'])
  })
})
