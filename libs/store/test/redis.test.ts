import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  InvalidOptionError,
  openRedisStore,
  type RedisStoreOptions,
  ReplicationError,
  type Store,
  StoreError,
  UnavailableError,
  UnknownPoolError,
  VersionConflictError,
} from '../src/index.ts'
import { describeStore, type Engine } from './conformance.ts'
import { type RedisServers, startCluster, startRedis } from './redis-servers.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { text, textOf } from './values.ts'

async function engineOf(servers: RedisServers, replicas: number): Promise<Engine> {
  let stores = 0
  const open = () => openRedisStore({ url: servers.url, namespace: `store${++stores}`, replicas })
  return { store: await open(), another: open, stop: servers.stop }
}

describeStore('one Redis', async () => engineOf(await startRedis(), 0))
describeStore('a Redis cluster of 3 + 3, each write on a replica', async () =>
  engineOf(await startCluster(), 1),
)

describe('a Redis store', () => {
  let servers: RedisServers
  const stores: Store[] = []
  const open = async (options: Partial<RedisStoreOptions> = {}): Promise<Store> => {
    const store = await openRedisStore({ url: servers.url, ...options })
    stores.push(store)
    return store
  }
  beforeAll(async () => {
    servers = await startRedis()
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await servers.stop()
  })

  /** How many functions were called. */
  async function calls(): Promise<number> {
    const redis = new Redis(servers.url)
    const [, count] = /cmdstat_fcall:calls=(\d+)/.exec(await redis.info('commandstats')) ?? []
    redis.disconnect()
    return Number(count)
  }

  it('is one store for all processes that open it', async () => {
    const [one, other] = [await open(), await open()]
    await one.createPool('/shared', { persistence: 'persistent' })
    const seen: number[] = []
    await other.watch('/shared', ({ version }) => seen.push(version))
    const { version } = await one.put('/shared/a', text('1'))
    expect(textOf(await other.get('/shared/a'))).toBe('1')
    await other.put('/shared/a', text('2'), { expectedVersion: version })
    await expect(one.put('/shared/a', text('x'), { expectedVersion: version })).rejects.toThrow(
      VersionConflictError,
    )
    await expect.poll(() => seen).toEqual([1, 2])
    await other.removePool('/shared')
    await expect(one.get('/shared/a')).rejects.toThrow(UnknownPoolError)
    await one.createPool('/shared/inner')
    await other.put('/shared/inner/a', text('3'))
    expect(textOf(await one.get('/shared/inner/a'))).toBe('3')
  })

  it('sends what is written in one turn in few calls', async () => {
    const store = await open({ namespace: 'calls' })
    await store.createPool('/p')
    const before = await calls()
    await Promise.all(Array.from({ length: 1_000 }, (_, n) => store.put(`/p/${n}`, text('a'))))
    expect((await calls()) - before).toBeLessThan(20)
    expect(await store.listKeys('/p')).toHaveLength(1_000)
  })

  it('goes on with a pool of one version that an earlier version has written, and leaves nothing of a removed one', async () => {
    const redis = new Redis(servers.url)
    const store = await open({ namespace: 'earlier' })
    // Descriptions as fields, without and with 'single', and as they are now.
    for (const earlier of [{ single: '' }, { single: '1' }, null]) {
      await store.createPool('/p', { retention: { versions: 1 } })
      const [head = ''] = await redis.keys('earlier:*{*}:head')
      if (earlier) {
        await redis.del(head)
        const single = earlier.single && ['single', earlier.single]
        await redis.hset(head.replace(/head$/, 'pool'), 'persistence', 'volatile', 'versions', '1', ...single)
      }
      for (const value of ['1', '2']) await store.put('/p/a', text(value))
      // what the start of another process does
      await store.createPool('/p', { retention: { versions: 1 } })
      expect(textOf(await store.get('/p/a'))).toBe('2')
      const before = await calls()
      expect(textOf(await store.get('/p/a'))).toBe('2')
      // a plain command
      expect(await calls()).toBe(before)
      const large = { key: '/p/a', value: { type: 'a/b', bytes: Buffer.alloc(20_000) } }
      await store.putBatch([large])
      const [, last] = await store.putBatch([large, large])
      expect((await store.get('/p/a'))?.bytes).toHaveLength(20_000)
      expect(await store.history('/p/a')).toEqual([last])
      const kinds = await Promise.all((await redis.keys('earlier:*:[rv]:*')).map((key) => redis.type(key)))
      expect(kinds).toEqual([earlier?.single === '' ? 'zset' : 'string'])
      expect(await redis.keys('earlier:*{*}:pool')).toEqual([])
      await store.removePool('/p')
      const left = await redis.keys('earlier:*')
      // chunks, for those who read them now
      for (const key of left) expect(await redis.pttl(key)).toBeGreaterThan(0)
      for (const key of left) await redis.del(key)
    }
    redis.disconnect()
  })

  it('keeps namespaces apart', async () => {
    const [one, other] = [await open({ namespace: 'one' }), await open({ namespace: 'other' })]
    await one.createPool('/p')
    expect(await other.getPool('/p')).toBeNull()
    await other.createPool('/p')
    await one.put('/p/a', text('1'))
    expect(await other.get('/p/a')).toBeNull()
  })

  it('says that a write is on too few replicas', async () => {
    const store = await open({ namespace: 'alone', replicas: 1 })
    await expect(store.createPool('/p')).rejects.toThrow(ReplicationError)
    await expect(open({ replicas: -1 })).rejects.toThrow(InvalidOptionError)
  })

  it('refuses what was under way when its connection was lost, and goes on', async () => {
    const proxy = await TcpProxy.open(servers.ports[0] as number)
    const store = await open({ url: `redis://127.0.0.1:${proxy.port}`, namespace: 'cut' })
    await store.createPool('/p')
    const seen: number[] = []
    await store.watch('/p', ({ version }) => seen.push(version))
    proxy.delayMs = 60_000
    const refused = [store.put('/p/a', text('1')), store.get('/p/a'), store.time()].map((operation) =>
      expect(operation).rejects.toThrow(UnavailableError),
    )
    await sleep(50)
    proxy.delayMs = 0
    proxy.cut()
    await Promise.all(refused)
    const { version } = await store.put('/p/b', text('2'))
    await expect.poll(() => seen, { timeout: 10_000 }).toContain(version)
    await proxy.close()
  })

  it('goes on when its server has no functions any more', async () => {
    const redis = new Redis(servers.url)
    const store = await open({ namespace: 'without' })
    await store.createPool('/p')
    await redis.function('FLUSH')
    await store.put('/p/a', text('1'))
    expect(textOf(await store.get('/p/a'))).toBe('1')
    // Also where a write waits for replicas, of which there are none here.
    const waiting = await open({ namespace: 'without', replicas: 1 })
    await redis.function('FLUSH')
    await expect(waiting.put('/p/a', text('2'))).rejects.toThrow(ReplicationError)
    expect(textOf(await store.get('/p/a'))).toBe('2')
    redis.disconnect()
  })

  it('says that its server is away', async () => {
    const gone = await startRedis()
    const store = await openRedisStore({ url: gone.url })
    await store.createPool('/p')
    await gone.stop()
    await expect(store.put('/p/a', text('1'))).rejects.toThrow(StoreError)
    await expect(store.get('/p/a')).rejects.toThrow(StoreError)
    await expect(store.time()).rejects.toThrow(StoreError)
    await store.close()
    await expect(openRedisStore({ url: gone.url })).rejects.toThrow(/^The Redis server .* cannot be used/)
  })
})

describe('a Redis cluster', () => {
  it('keeps all of a pool in one slot, pools of one affinity in the same, and spreads the others', async () => {
    const servers = await startCluster()
    const store = await openRedisStore({ url: servers.url })
    const other = await openRedisStore({ url: servers.url })
    try {
      const related = ['/line/images', '/line/results', '/line/names']
      const alone = Array.from('abcdefghijkl', (letter) => `/alone-${letter}`)
      for (const pool of related) await store.createPool(pool, { affinity: 'line' })
      for (const pool of alone) await store.createPool(pool)
      for (const pool of [...related, ...alone]) {
        await store.bind(pool, () => {}, { group: 'readers', order: 'key' })
        for (let n = 0; n < 5; n++) await other.put(`${pool}/${n}`, text('a'))
        await other.putStream(`${pool}/large`, 'a/b', [new Uint8Array(100_000)])
      }
      const slots = new Map<string, Set<number>>()
      for (const port of servers.ports) {
        const redis = new Redis(port)
        for (const name of await redis.keys('*')) {
          const pool = [...related, ...alone].find((each) => name.includes(encodeURIComponent(each)))
          if (pool === undefined) continue
          slots.set(pool, (slots.get(pool) ?? new Set()).add(await redis.cluster('KEYSLOT', name)))
        }
        redis.disconnect()
      }
      expect([...slots.keys()].sort()).toEqual([...related, ...alone].sort())
      for (const each of slots.values()) expect(each.size).toBe(1)
      const slotsOf = (pools: string[]) => new Set(pools.flatMap((pool) => [...(slots.get(pool) ?? [])]))
      expect(slotsOf(related).size).toBe(1)
      expect(slotsOf(alone).size).toBe(alone.length)
    } finally {
      await Promise.all([store.close(), other.close()])
      await servers.stop()
    }
  }, 120_000)
})

describe('a Redis cluster whose primary is killed', () => {
  it('keeps every write that a replica acknowledged', async () => {
    const servers = await startCluster()
    const store = await openRedisStore({ url: servers.url, replicas: 1 })
    try {
      // Enough pools to have some on each primary.
      const pools = Array.from({ length: 8 }, (_, n) => `/pool-${n}`)
      for (const pool of pools) await store.createPool(pool, { persistence: 'persistent' })
      const acknowledged = new Map<string, number>()
      let failed = 0
      let running = true
      const writers = pools.map(async (pool) => {
        for (let n = 0; running; n++) {
          const key = `${pool}/${n}`
          await store.put(key, text(key)).then(
            ({ version }) => acknowledged.set(key, version),
            async (error) => {
              expect(error).toBeInstanceOf(StoreError)
              failed++
              await sleep(50)
            },
          )
        }
      })
      await expect.poll(() => acknowledged.size, { timeout: 20_000 }).toBeGreaterThan(200)
      // What the primary takes from here on, its successor will not have.
      const resume = await servers.detachReplica(servers.ports[0] as number)
      await sleep(500)
      servers.kill(servers.ports[0] as number)
      resume()
      await expect.poll(() => failed, { timeout: 20_000 }).toBeGreaterThan(0)
      await servers.rejoin(servers.ports[0] as number)
      // Every pool is written again once a replica has taken over and has one of its own.
      const before = acknowledged.size
      const writtenSince = () =>
        new Set([...acknowledged.keys()].slice(before).map((key) => key.split('/')[1])).size
      await expect.poll(writtenSince, { timeout: 60_000 }).toBe(pools.length)
      running = false
      await Promise.all(writers)
      for (const pool of pools) {
        const versions = new Map((await store.changes(pool)).map(({ key, version }) => [key, version]))
        for (const [key, version] of acknowledged)
          if (key.startsWith(`${pool}/`) && versions.get(key) !== version)
            expect.unreachable(`${key} is lost`)
      }
    } finally {
      await store.close()
      await servers.stop()
    }
  }, 180_000)
})
