import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { describePort } from '../../values/test/data-port.ts'
import {
  openEmbeddedStore,
  openRedisStore,
  type Store,
  StoreDataPort,
  UnavailableError,
} from '../src/index.ts'
import { startCluster, startRedis } from './redis-servers.ts'
import { text } from './values.ts'

const ends: (() => Promise<unknown>)[] = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

async function embedded(): Promise<Store> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-store-'))
  ends.push(() => rm(folder, { recursive: true, force: true }))
  const store = await openEmbeddedStore({ folder })
  ends.push(() => store.close())
  return store
}

async function redis(): Promise<Store> {
  const servers = await startRedis()
  ends.push(servers.stop)
  const store = await openRedisStore({ url: servers.url })
  ends.push(() => store.close())
  return store
}

/** One store for all ports of a suite. */
function portsOf(open: () => Promise<Store>) {
  let store: Promise<Store> | undefined
  return async () => {
    store ??= open()
    return new StoreDataPort(await store)
  }
}

describePort('an embedded store', portsOf(embedded))
describePort('a Redis store', portsOf(redis))

describe('a port in a store', () => {
  it('keeps values as objects whose keys can be read', async () => {
    const store = await embedded()
    const port = new StoreDataPort(store, { prefix: '/kept' })
    await port.put('run-1', 'judge/device-1/0', text('a'))
    await port.put('run-1', '../50%\u0001', text('b'))
    expect(await store.listPools()).toMatchObject([{ path: '/kept/run-1', persistence: 'persistent' }])
    expect(await store.listKeys('/kept/run-1')).toEqual([
      '/kept/run-1/%2E%2E/50%25%u0001',
      '/kept/run-1/judge/device-1/0',
    ])
    await port.drop('run-1')
    expect(await store.listPools()).toEqual([])
  })

  it('finds the newest value of a key', async () => {
    const port = new StoreDataPort(await embedded())
    expect(await port.newest('run', 'judge/device-1/0')).toBeNull()
    await port.put('run', 'judge/device-1/0', text('a'))
    const second = await port.put('run', 'judge/device-1/0', text('b'))
    expect(await port.newest('run', 'judge/device-1/0')).toEqual(second)
    expect(await port.newest('run', 'judge/device-1/1')).toBeNull()
  })

  it('takes values for a pool that another port dropped', async () => {
    const store = await embedded()
    const [one, other] = [new StoreDataPort(store), new StoreDataPort(store)]
    await one.put('run', 'k', text('a'))
    await other.drop('run')
    const ref = await one.put('run', 'k', text('b'))
    expect(String(Buffer.from((await other.get(ref)).bytes))).toBe('b')
  })

  it('takes values that are larger than those of a put', async () => {
    const store = await embedded()
    const port = new StoreDataPort(store)
    const bytes = Buffer.alloc(65 * 2 ** 20, 7)
    const ref = await port.put('large', 'k', { type: 'a/b', bytes })
    expect(bytes.equals((await port.get(ref)).bytes)).toBe(true)
  })

  it('says that its store is away when its patience ends', async () => {
    const servers = await startRedis()
    const store = await openRedisStore({ url: servers.url })
    const port = new StoreDataPort(store, { patienceMs: 300 })
    const ref = await port.put('run', 'k', text('a'))
    await servers.stop()
    await expect(port.put('run', 'k', text('b'))).rejects.toThrow(UnavailableError)
    await expect(port.get(ref)).rejects.toThrow(UnavailableError)
    await store.close()
  })

  it('loses no value and fails no operation while a primary of a Redis cluster is killed', async () => {
    const servers = await startCluster()
    ends.push(servers.stop)
    const store = await openRedisStore({ url: servers.url, replicas: 1 })
    ends.push(() => store.close())
    const port = new StoreDataPort(store, { patienceMs: 60_000 })
    let running = true
    const kept: [Awaited<ReturnType<typeof port.put>>, string][] = []
    const writers = Array.from({ length: 6 }, async (_, run) => {
      for (let n = 0; running; n++) {
        const value = `${run}/${n}`
        kept.push([await port.put(`run-${run}`, `task/${n % 10}`, text(value)), value])
      }
    })
    const written = async (more: number) => {
      const before = kept.length
      await expect.poll(() => kept.length, { timeout: 60_000 }).toBeGreaterThan(before + more)
    }
    await written(100)
    const [primary = 0] = servers.ports
    servers.kill(primary)
    await servers.rejoin(primary)
    await written(200)
    running = false
    await Promise.all(writers)
    for (const [ref, value] of kept) expect(String(Buffer.from((await port.get(ref)).bytes))).toBe(value)
  }, 180_000)
})
