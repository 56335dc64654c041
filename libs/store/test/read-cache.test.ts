/** Cached reads of a Redis store: what is kept, what drops it, and that nobody reads older than what it has seen. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { InvalidOptionError, openRedisStore, type Store } from '../src/index.ts'
import { ReadCache } from '../src/redis/read-cache.ts'
import { type RedisServers, startCluster, startRedis } from './redis-servers.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { text, textOf } from './values.ts'

const MEGABYTE = 1024 * 1024

describe.each([
  ['one Redis', startRedis],
  ['a cluster', startCluster],
])('cached reads (%s)', (name, start) => {
  let servers: RedisServers
  let writer: Store
  let reader: Store
  let pools = 0
  let pool: string
  const probes: Redis[] = []

  beforeAll(async () => {
    servers = await start()
    for (const port of servers.ports) probes.push(new Redis(port, '127.0.0.1'))
    writer = await openRedisStore({ url: servers.url })
  })
  afterAll(async () => {
    for (const probe of probes) probe.disconnect()
    await writer.close()
    await servers.stop()
  })
  beforeEach(async () => {
    reader = await openRedisStore({ url: servers.url, cache: { bytes: MEGABYTE } })
    pool = `/cached-${++pools}`
    // Of a pool that keeps one version, the servers count other reads alike.
    await writer.createPool(pool, { retention: { versions: 2 } })
  })
  afterEach(() => reader.close())

  /** How many reads of a latest version the servers have answered. */
  async function reads(): Promise<number> {
    const stats = await Promise.all(probes.map((probe) => probe.info('commandstats')))
    return stats.reduce((sum, text) => sum + Number(/cmdstat_zrevrange:calls=(\d+)/.exec(text)?.[1] ?? 0), 0)
  }
  /** Reads a key until it is answered without the servers. */
  const untilKept = (key: string, store = reader) =>
    expect
      .poll(
        async () => {
          const before = await reads()
          await store.get(key)
          return (await reads()) - before
        },
        { timeout: 10_000 },
      )
      .toBe(0)

  it('are answered without Redis, until another process writes', async () => {
    const key = `${pool}/a`
    await writer.put(key, text('one'))
    await untilKept(key)
    const before = await reads()
    for (let n = 0; n < 100; n++) expect(textOf(await reader.get(key))).toBe('one')
    expect((await reads()) - before).toBeLessThan(10)
    await writer.put(key, text('two'))
    await expect.poll(async () => textOf(await reader.get(key))).toBe('two')
    await writer.remove(key)
    await expect.poll(() => reader.get(key)).toBeNull()
    const big = Buffer.alloc(3 * MEGABYTE, 1)
    await writer.putStream(key, 'a/b', [big])
    await expect.poll(async () => (await reader.get(key))?.bytes.length).toBe(big.length)
  })

  it('stay right over more writes than Redis keeps events of', async () => {
    const key = `${pool}/a`
    const others = Array.from({ length: 500 }, (_, n) => ({ key: `${pool}/${n}`, value: text('') }))
    for (let round = 0; round < 3; round++) {
      await writer.put(key, text(`${round}`))
      await expect.poll(async () => textOf(await reader.get(key)), { timeout: 5_000 }).toBe(`${round}`)
      await untilKept(key)
      for (let written = 0; written < 12_000; written += others.length) await writer.putBatch(others)
    }
  })

  it('are off when they are not asked for', async () => {
    const key = `${pool}/a`
    await writer.put(key, text('one'))
    const before = await reads()
    for (let n = 0; n < 20; n++) await writer.get(key)
    expect((await reads()) - before).toBe(20)
  })

  it('keep what was read last within the bytes they may have', async () => {
    const small = await openRedisStore({ url: servers.url, cache: { bytes: 10_000 } })
    const keys = Array.from({ length: 4 }, (_, n) => `${pool}/${n}`)
    for (const key of keys) await writer.put(key, { type: 'a/b', bytes: Buffer.alloc(3_000) })
    await untilKept(keys[0] as string, small)
    for (const key of keys) await small.get(key)
    const before = await reads()
    await small.get(keys[3] as string)
    expect((await reads()) - before).toBe(0)
    await small.get(keys[0] as string)
    expect((await reads()) - before).toBe(1)
    await writer.put(`${pool}/large`, { type: 'a/b', bytes: Buffer.alloc(20_000) })
    for (let n = 0; n < 3; n++) await small.get(`${pool}/large`)
    expect((await reads()) - before).toBe(4)
    await small.close()
  })

  it('are not those of a pool of before', async () => {
    const key = `${pool}/a`
    await writer.put(key, text('before'))
    await untilKept(key)
    await writer.removePool(pool)
    // Of a pool that keeps one version, the servers count other reads alike.
    await writer.createPool(pool, { retention: { versions: 2 } })
    await writer.put(key, text('after'))
    await expect.poll(async () => textOf(await reader.get(key)), { timeout: 5_000 }).toBe('after')
  })

  /**
   * Two stores write; the one with the cache reads, and sees versions in every way there is. Returns how many of its reads were older than
   * what it had seen of the pool before.
   */
  async function olderReads(rounds: number): Promise<number> {
    const keys = ['a', 'b', 'c', 'd'].map((each) => `${pool}/${each}`)
    const pick = () => keys[Math.floor(Math.random() * keys.length)] as string
    /** Versions of each key that were acknowledged. */
    const written = new Map<string, number[]>(keys.map((key) => [key, []]))
    let seen = 0
    const saw = (version: number | undefined) => {
      seen = Math.max(seen, version ?? 0)
    }
    const put = async (store: Store, key: string) => {
      const { version } = await store.put(key, text(''))
      written.get(key)?.push(version)
      return version
    }
    const watch = await reader.watch(pool, ({ version }) => saw(version))
    const binding = await reader.bind(pool, ({ info }) => saw(info?.version))
    for (const key of keys) await put(writer, key)
    for (const key of keys) await untilKept(key)
    let older = 0
    let writing = true
    const writes = (async () => {
      while (writing) await put(writer, pick())
    })()
    for (let n = 0; n < rounds; n++) {
      const way = n % 4
      if (way === 0) saw(await put(reader, pick()))
      if (way === 1) saw((await reader.multiGet(pool)).version)
      if (way === 2) saw((await reader.changes(pool, { limit: 10 })).at(-1)?.version)
      // Those that the watch and the lambda have seen.
      if (way === 3) await sleep(1)
      for (const key of keys) {
        const before = seen
        const due = (written.get(key) ?? []).filter((version) => version <= before).at(-1) ?? 0
        const { version = 0 } = (await reader.get(key)) ?? {}
        if (version < due) older++
        saw(version)
      }
    }
    writing = false
    await writes
    watch.close()
    await binding.close()
    return older
  }

  it('are never older than what the reader has seen of the pool', async () => {
    expect(await olderReads(200)).toBe(0)
  })

  it('are caught when they are older', async () => {
    const blind = vi.spyOn(ReadCache.prototype, 'saw').mockImplementation(() => {})
    expect(await olderReads(200)).toBeGreaterThan(0)
    blind.mockRestore()
  })

  it('come from Redis again when its news do not come any more', async () => {
    if (name !== 'one Redis') return
    const proxy = await TcpProxy.open(servers.ports[0] as number)
    const cache = { bytes: MEGABYTE, maxAgeMs: 400 }
    const far = await openRedisStore({ url: `redis://127.0.0.1:${proxy.port}`, cache })
    const key = `${pool}/a`
    await writer.put(key, text('one'))
    await untilKept(key, far)
    proxy.delayMs = 5_000
    await writer.put(key, text('two'))
    await sleep(2 * cache.maxAgeMs)
    const reading = far.get(key)
    expect(await Promise.race([reading, sleep(200, 'asked')])).toBe('asked')
    proxy.delayMs = 0
    expect(textOf(await reading)).toBe('two')
    proxy.cut()
    await expect
      .poll(async () => textOf(await far.get(key).catch(() => null)), { timeout: 10_000 })
      .toBe('two')
    await untilKept(key, far)
    await far.close()
    await proxy.close()
  })

  it.each([{ bytes: 0 }, { bytes: 1.5 }, { bytes: 10, maxAgeMs: 1 }])('refuse %j', async (cache) => {
    await expect(openRedisStore({ url: servers.url, cache })).rejects.toThrow(InvalidOptionError)
  })
})
