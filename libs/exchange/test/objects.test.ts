import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { CLIENTS, type ObjectClient as Client } from './clients.ts'
import { type Exchange, startExchange } from './nodes.ts'

/** Patience for a machine that is busy. */
const tries = { count: 10, intervalMs: 1_000 }
const LEASE_TIMEOUT_MS = 30_000

describe.each(CLIENTS)('shared objects, with the client for %s', (_, type) => {
  let exchange: Exchange
  const clients: Client[] = []
  let next = 0
  const connect = async (edge: number): Promise<Client> => {
    const edges = [exchange.addresses[edge] as string]
    const client = await type.connect({ name: `client-${next++}`, edges, tries })
    clients.push(client)
    return client
  }
  beforeAll(async () => {
    exchange = await startExchange(2)
  })
  afterEach(() => {
    for (const client of clients.splice(0)) client.close()
  })
  afterAll(() => exchange.stop())

  it('are read at all edge nodes as they were written last', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    expect(await a.read('door')).toBeNull()
    expect(await b.read('door')).toBeNull()
    for (let n = 0; n < 20; n++) {
      const [writer, reader] = n % 2 === 0 ? [a, b] : [b, a]
      await writer.write('door', `open ${n}`)
      expect(await reader.read('door')).toBe(`open ${n}`)
      expect(await writer.read('door')).toBe(`open ${n}`)
    }
    await a.write('door', '')
    expect(await b.read('door')).toBe('')
  })

  it('are written by one client alone while it has the lock', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    await a.write('turn', '1')
    const lock = await a.lock(['turn', 'other'])
    let written = false
    const other = b.write('turn', '3').then(() => {
      written = true
    })
    await a.write('turn', '2', lock)
    await sleep(100)
    expect(written).toBe(false)
    expect(await a.read('turn', lock)).toBe('2')
    await expect(a.write('not-locked', '1', lock)).rejects.toThrow("'not-locked' is not in the lock")
    await a.unlock(lock)
    await other
    expect(await a.read('turn')).toBe('3')
    await expect(a.write('turn', '4', lock)).rejects.toThrow('The lock is over')
    expect(await b.read('turn')).toBe('3')
  })

  it('are free again when the lease of a lock ends', { timeout: LEASE_TIMEOUT_MS }, async () => {
    const [a, b] = [await connect(0), await connect(1)]
    const lock = await a.lock(['leased'])
    await b.write('leased', 'free')
    await expect(a.write('leased', 'late', lock)).rejects.toThrow('The lock is over')
    expect(await b.read('leased')).toBe('free')
  })

  it('lose no update of shared functions', async () => {
    const [a, b] = [await connect(0), await connect(1)]
    const append = (text: string) => ({ source: 'log', target: 'log', read: 'log', write: 'log', text })
    await Promise.all(
      [a, b].map(async (client, at) => {
        for (let n = 0; n < 10; n++) await client.append(append(`${at}${n} `))
      }),
    )
    const words = ((await a.read('log')) ?? '').trim().split(' ')
    for (const at of [0, 1])
      expect(words.filter((word) => word.startsWith(`${at}`))).toEqual(
        Array.from({ length: 10 }, (_, n) => `${at}${n}`),
      )
    expect(words).toHaveLength(20)
  })

  it('refuse what a shared function has not declared, and write nothing of one that fails', async () => {
    const a = await connect(0)
    const declared = { source: 'in', target: 'out', read: 'in', write: 'out', text: '!' }
    await expect(a.append({ ...declared, read: 'secret' })).rejects.toThrow("may not read 'secret'")
    await expect(a.append({ ...declared, write: 'in' })).rejects.toThrow("may not write 'in'")
    await expect(a.append({ ...declared, fails: true })).rejects.toThrow('The function fails')
    expect(await a.read('out')).toBeNull()
    await a.append(declared)
    expect(await a.read('out')).toBe('!')
  })

  it('refuse names that are none', async () => {
    const a = await connect(0)
    await expect(a.read('')).rejects.toThrow("The field 'name' of 'object-read' must be a text")
    await expect(a.write('x'.repeat(201), '1')).rejects.toThrow("The field 'names' of 'object-commit'")
    await expect(a.lock([])).rejects.toThrow("The field 'names' of 'object-lock' must be a list of 1 to 1000")
  })

  it('outlive kills of their backend', { timeout: LEASE_TIMEOUT_MS }, async () => {
    const [a, b] = [await connect(0), await connect(1)]
    await a.write('kept', 'before')
    await exchange.backend.kill()
    await exchange.backend.start()
    expect(await b.read('kept')).toBe('before')
    await b.write('kept', 'after')
    expect(await a.read('kept')).toBe('after')
  })

  it('are written when an edge node with a copy is dead', { timeout: LEASE_TIMEOUT_MS }, async () => {
    const [a, b] = [await connect(0), await connect(1)]
    await a.write('copied', '1')
    expect(await b.read('copied')).toBe('1')
    await exchange.edges[1]?.kill()
    await a.write('copied', '2')
    await exchange.edges[1]?.start()
    expect(await b.read('copied')).toBe('2')
  })
})
