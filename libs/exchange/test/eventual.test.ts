import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TcpProxy } from '../../store/test/tcp-proxy.ts'
import { type Address, ConsistencyError, ExchangeClient, StaleError, UnreachableError } from '../src/index.ts'
import { portAndHost } from '../src/link.ts'
import { CLIENTS, type ObjectClient } from './clients.ts'
import { type Exchange, startExchange } from './nodes.ts'

/** Patience for a machine that is busy. */
const tries = { count: 10, intervalMs: 1_000 }
const AWAY_TIMEOUT_MS = 60_000
const ANY_AGE = Number.POSITIVE_INFINITY

describe.each(CLIENTS)('eventual objects, with the client for %s', (_, type) => {
  let exchange: Exchange
  const proxies: TcpProxy[] = []
  const clients: ObjectClient[] = []
  let next = 0
  const connect = async (edge: number): Promise<ObjectClient> => {
    const edges = [exchange.addresses[edge] as string]
    const client = await type.connect({ name: `client-${next++}`, edges, tries })
    clients.push(client)
    return client
  }
  const both = async () => [await connect(0), await connect(1)] as const
  beforeAll(async () => {
    const between = async (backend: Address) => {
      const proxy = await TcpProxy.open(portAndHost(backend).port)
      proxies.push(proxy)
      return `127.0.0.1:${proxy.port}`
    }
    exchange = await startExchange(2, { pending: { objects: 3, bytes: 1_000 } }, { between })
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })
  afterAll(async () => {
    for (const proxy of proxies.splice(0)) await proxy.close()
    await exchange.stop()
  })

  it('have the merge and the recency bound that they were made with', async () => {
    const [a, b] = await both()
    expect(await a.eventualOpen('plain')).toEqual({ merge: 'last-writer', recencyMs: 1_000 })
    const declared = { merge: 'union', recencyMs: 250 }
    expect(await a.eventualOpen('made', declared)).toEqual(declared)
    expect(await b.eventualOpen('made')).toEqual(declared)
    for (const client of [a, b]) {
      const other = client.eventualOpen('made', { recencyMs: 500 })
      await expect(other).rejects.toThrow(ConsistencyError)
      await expect(other).rejects.toThrow("made with merge 'union' and a recency of 250 ms")
    }
    await expect(a.eventualOpen('new', { merge: 'nonsense' })).rejects.toThrow(
      "no merge function 'nonsense'; it has: last-writer, fussy, sum, union. Start",
    )
  })

  it('refuse calls of another consistency, as the others do', async () => {
    const a = await connect(0)
    await a.eventualOpen('kind-eventual')
    await a.write('kind-linearizable', '1')
    await a.transaction([{ write: 'kind-serializable', text: '1' }])
    const transaction = (name: string) => a.transaction([{ write: name, text: '2' }])
    for (const [refused, actual] of [
      [() => a.read('kind-eventual'), 'eventual, not linearizable: use it by objects.eventual'],
      [() => a.write('kind-eventual', '2'), 'eventual, not linearizable'],
      [() => transaction('kind-eventual'), 'eventual, not serializable'],
      [() => a.follow('kind-eventual', false, 1), 'is eventual: follow it by'],
      [() => a.eventualOpen('kind-linearizable'), 'linearizable, not eventual: use it by objects.read'],
      [() => transaction('kind-linearizable'), 'linearizable, not serializable'],
      [
        () => a.eventualOpen('kind-serializable'),
        'serializable, not eventual: use it by objects.transaction',
      ],
      [() => a.read('kind-serializable'), 'serializable, not linearizable'],
    ] as const) {
      const call = refused()
      await expect(call).rejects.toThrow(ConsistencyError)
      await expect(call).rejects.toThrow(actual)
    }
    expect(await a.read('kind-linearizable')).toBe('1')
  })

  it('are written at an edge node and come to the others', async () => {
    const [a, b] = await both()
    await a.eventualOpen('news', { recencyMs: 60_000 })
    expect(await b.eventualRead('news')).toBeNull()
    await a.eventualWrite('news', 'first')
    expect(await a.eventualRead('news')).toBe('first')
    await expect.poll(() => b.eventualRead('news')).toBe('first')
    await b.eventualWrite('news', '')
    await b.eventualSettled('news', 5_000)
    expect(await a.eventualRead('news', 0)).toBe('')
  })

  it('are merged by the function that they were made with; without one the last write stays', async () => {
    const [a, b] = await both()
    await a.eventualOpen('set', { merge: 'union' })
    await a.eventualOpen('last')
    await Promise.all([a.eventualWrite('set', 'x'), b.eventualWrite('set', 'y')])
    await a.eventualWrite('last', 'x')
    await a.eventualSettled('last', 5_000)
    await b.eventualRead('last', 0)
    await b.eventualWrite('last', 'y')
    for (const [client, other] of [
      [a, b],
      [b, a],
    ] as const) {
      for (const name of ['set', 'last']) await client.eventualSettled(name, 5_000)
      await expect.poll(() => other.eventualRead('set', 0)).toBe('x\ny')
      await expect.poll(() => other.eventualRead('last', 0)).toBe('y')
    }
  })

  it('refuse writes when the merge function fails or is none', async () => {
    const a = await connect(0)
    await a.eventualOpen('total', { merge: 'sum' })
    await a.eventualWrite('total', '1')
    await expect(a.eventualWrite('total', '2')).rejects.toThrow('commutative, associative and idempotent')
    await a.eventualOpen('fussy', { merge: 'fussy' })
    await a.eventualWrite('fussy', '1')
    await expect(a.eventualWrite('fussy', '2')).rejects.toThrow(
      "The write of 'fussy' is refused by its merge function 'fussy': this value is not wanted.",
    )
    expect([await a.eventualRead('total'), await a.eventualRead('fussy')]).toEqual(['1', '1'])
  })

  it('are followed as they change', async () => {
    const [a, b] = await both()
    await a.eventualOpen('followed')
    await a.write('followed-linearizable', '1')
    await a.transaction([{ write: 'followed-serializable', text: '1' }])
    const followed = b.follow('followed', true, 2)
    await sleep(300)
    await a.eventualWrite('followed', '2')
    expect(await followed).toEqual([null, '2'])
    const linearizable = b.follow('followed-linearizable', false, 2)
    await sleep(300)
    await a.write('followed-linearizable', '2')
    expect(await linearizable).toEqual(['1', '2'])
    const serializable = b.follow('followed-serializable', false, 2)
    await sleep(300)
    await a.transaction([{ write: 'followed-serializable', text: '2' }])
    expect(await serializable).toEqual(['1', '2'])
  })

  it('are served while the backend is away, also by an edge node that was killed meanwhile; writes reach it later', {
    timeout: AWAY_TIMEOUT_MS,
  }, async () => {
    const [a, b] = await both()
    for (const name of ['away', 'away-1', 'away-2', 'away-3'])
      await a.eventualOpen(name, { merge: 'union', recencyMs: 200 })
    await b.eventualOpen('away')
    await exchange.backend.kill()
    await a.eventualWrite('away', 'a')
    await sleep(250)
    const stale = a.eventualRead('away')
    await expect(stale).rejects.toThrow(StaleError)
    await expect(stale).rejects.toThrow('it may be 200 ms old, and the backend does not answer')
    expect(await a.eventualRead('away', ANY_AGE)).toBe('a')
    await expect(a.eventualSettled('away', 100)).rejects.toThrow(
      "does not have the writes of 'away' after 100 ms",
    )

    await exchange.edges[0]?.kill()
    await exchange.edges[0]?.start()
    expect(await a.eventualRead('away', ANY_AGE)).toBe('a')
    await expect(a.eventualRead('away')).rejects.toThrow('from before the edge node was started')
    // A client that comes now.
    const late = await connect(0)
    await late.eventualWrite('away', 'late')
    const impatient = await ExchangeClient.connect({
      name: 'impatient',
      edges: [exchange.addresses[0] as string],
      tries: { count: 2, intervalMs: 300 },
    })
    await expect(impatient.publish('topic', Buffer.from('1'))).rejects.toThrow(UnreachableError)
    const seen = await (await impatient.objects.eventual('away')).read({ maxAgeMs: ANY_AGE })
    expect(Buffer.from(seen ?? '').toString()).toBe('a\nlate')
    impatient.close()
    await b.eventualWrite('away', 'b')
    await a.eventualWrite('away-1', '1')
    await a.eventualWrite('away-2', '2')
    await expect(a.eventualWrite('away-3', '3')).rejects.toThrow('keeps 3 objects of')
    await expect(a.eventualWrite('away-2', 'x'.repeat(1_000))).rejects.toThrow('limits: 3 and 1000')
    await a.eventualWrite('away-2', '4')

    await exchange.backend.start()
    await a.eventualSettled('away', 20_000)
    await a.eventualSettled('away-2', 20_000)
    await b.eventualSettled('away', 20_000)
    for (const client of [a, b, late]) expect(await client.eventualRead('away', 0)).toBe('a\nb\nlate')
    expect(await b.eventualRead('away-2', 0)).toBe('2\n4')
    await a.eventualWrite('away-3', '3')
    // The client that came meanwhile has all the rest again.
    await late.write('back', 'yes')
    expect(await a.read('back')).toBe('yes')
  })

  it('are read at the backend when the copy is older than its bound', {
    timeout: AWAY_TIMEOUT_MS,
  }, async () => {
    const [a, b] = await both()
    await a.eventualOpen('recent', { recencyMs: 300 })
    await b.eventualOpen('recent')
    // What b is told comes late: its copy is too old before it hears of the next write.
    const proxy = proxies[1] as TcpProxy
    proxy.delayMs = 400
    let wasOld = false
    for (let n = 1; n < 10 && !wasOld; n++) {
      await a.eventualWrite('recent', `${n}`)
      await a.eventualSettled('recent', 5_000)
      wasOld = (await b.eventualRead('recent', ANY_AGE)) !== `${n}`
      await sleep(301)
      expect(await b.eventualRead('recent')).toBe(`${n}`)
    }
    expect(wasOld).toBe(true)
    proxy.delayMs = 0
  })
})
