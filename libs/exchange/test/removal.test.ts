/** Removal of shared objects: what holders of copies see, and what late writers get. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { ConflictError, ConsistencyError } from '../src/index.ts'
import { CLIENTS, type ObjectClient } from './clients.ts'
import { type Exchange, startExchange } from './nodes.ts'

/** Patience for a machine that is busy. */
const tries = { count: 10, intervalMs: 1_000 }
const KILL_TIMEOUT_MS = 60_000
const ANY_AGE = Number.POSITIVE_INFINITY

describe.each(CLIENTS)('removed objects, with the client for %s', (_, type) => {
  let exchange: Exchange
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
    exchange = await startExchange(2)
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })
  afterAll(() => exchange.stop())

  it('are gone at once for holders of copies, and made again by a later write (linearizable)', async () => {
    const [a, b] = await both()
    await a.write('sign', 'slow')
    expect(await b.read('sign')).toBe('slow')
    await a.remove('sign')
    expect(await b.read('sign')).toBeNull()
    expect(await a.read('sign')).toBeNull()
    await a.remove('sign')
    await b.write('sign', '')
    expect(await a.read('sign')).toBe('')
    await a.append({ source: 'sign', target: 'sign', read: 'sign', write: 'sign', text: '' })
    expect(await b.read('sign')).toBeNull()
    await a.remove('never')
    expect(await a.read('never')).toBeNull()
    await expect(a.transaction([{ write: 'sign', text: 'x' }])).rejects.toThrow(ConsistencyError)
  })

  it('are removed in turn with locks (linearizable)', async () => {
    const [a, b] = await both()
    await a.write('gate', 'open')
    const lock = await b.lock(['gate'])
    let removed = false
    const removing = a.remove('gate').then(() => {
      removed = true
    })
    await b.write('gate', 'shut', lock)
    await sleep(100)
    expect(removed).toBe(false)
    expect(await b.read('gate', lock)).toBe('shut')
    await b.unlock(lock)
    await removing
    expect(await b.read('gate')).toBeNull()
    const values = b.follow('gate', false, 2)
    await sleep(200)
    await a.write('gate', 'new')
    expect(await values).toEqual([null, 'new'])
  })

  it('stay in earlier snapshots, and late writers conflict (serializable)', async () => {
    const [a, b] = await both()
    await a.transaction([{ write: 'plan', text: 'one' }])
    expect(await b.transaction([{ read: 'plan' }])).toEqual(['one'])
    const long = b.transaction([{ read: 'other' }, { sleepMs: 600 }, { read: 'plan' }])
    await sleep(200)
    expect(await a.transaction([{ remove: 'plan' }, { read: 'plan' }])).toEqual([null])
    expect(await long).toEqual([null, 'one'])
    expect(await a.transaction([{ read: 'plan' }])).toEqual([null])
    expect(await b.transaction([{ read: 'plan' }])).toEqual([null])
    await a.transaction([{ write: 'plan', text: 'two' }])
    expect(await b.transaction([{ read: 'plan' }])).toEqual(['two'])

    const late = b.transaction([{ read: 'plan' }, { sleepMs: 600 }, { append: 'plan', text: '!' }], 1)
    const refused = expect(late).rejects.toThrow(ConflictError)
    await sleep(200)
    await a.transaction([{ remove: 'plan' }])
    await refused
    expect(await b.transaction([{ append: 'plan', text: 'new' }, { read: 'plan' }])).toEqual(['new'])
    await expect(a.write('plan', 'x')).rejects.toThrow(ConsistencyError)
  })

  it('are removed at one edge node, then at all (eventual)', async () => {
    const [a, b] = await both()
    await a.eventualOpen('seen', { merge: 'union', recencyMs: 0 })
    await a.eventualWrite('seen', 'lorry')
    await a.eventualSettled('seen', 10_000)
    expect(await b.eventualRead('seen')).toBe('lorry')
    await b.eventualRemove('seen')
    expect(await b.eventualRead('seen', ANY_AGE)).toBeNull()
    await b.eventualSettled('seen', 10_000)
    expect(await a.eventualRead('seen')).toBeNull()
    await b.eventualRemove('seen')
    await a.eventualWrite('seen', 'car')
    await a.eventualSettled('seen', 10_000)
    expect(await b.eventualRead('seen')).toBe('car')
  })

  it('stay removed when the nodes are killed; late writes of eventual ones are gone', {
    timeout: KILL_TIMEOUT_MS,
  }, async () => {
    const [a, b] = await both()
    await a.write('kept-1', 'x')
    await a.transaction([{ write: 'kept-2', text: 'x' }])
    await a.eventualOpen('kept-3', { merge: 'union', recencyMs: 0 })
    await a.eventualWrite('kept-3', 'before')
    await a.eventualSettled('kept-3', 10_000)
    expect(await b.eventualRead('kept-3')).toBe('before')
    await a.remove('kept-1')
    await a.transaction([{ remove: 'kept-2' }])
    await exchange.backend.kill()
    // Each edge node goes on by itself: one removes, and the other one writes without having heard of it.
    await a.eventualRemove('kept-3')
    await b.eventualWrite('kept-3', 'late')
    expect(await b.eventualRead('kept-3', ANY_AGE)).toBe('before\nlate')
    await exchange.edges[0]?.kill()
    await exchange.edges[0]?.start()
    await exchange.backend.start()
    await a.eventualSettled('kept-3', 20_000)
    await b.eventualSettled('kept-3', 20_000)
    for (const client of [a, b]) {
      expect(await client.read('kept-1')).toBeNull()
      expect(await client.transaction([{ read: 'kept-2' }])).toEqual([null])
      await expect.poll(() => client.eventualRead('kept-3')).toBeNull()
    }
    await b.eventualWrite('kept-3', 'after')
    await b.eventualSettled('kept-3', 10_000)
    expect(await a.eventualRead('kept-3')).toBe('after')
    await a.write('kept-1', 'y')
    expect(await b.read('kept-1')).toBe('y')
  })
})
