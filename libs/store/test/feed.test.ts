/** What watchers of a Redis store are told when they are far behind, and that nothing is kept for them when there are none. */
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { type BatchEntry, type ObjectInfo, openRedisStore, type Store } from '../src/index.ts'
import { type RedisServers, startRedis } from './redis-servers.ts'
import { TcpProxy } from './tcp-proxy.ts'
import { text } from './values.ts'

/** Versions for which Redis keeps events after a watcher has asked. */
const EVENTS = 10_000
const CALL = 500

let servers: RedisServers
let redis: Redis
let store: Store

beforeAll(async () => {
  servers = await startRedis()
  redis = new Redis(servers.url)
})
afterAll(async () => {
  redis.disconnect()
  await servers.stop()
})
beforeEach(async () => {
  await redis.flushall()
  store = await openRedisStore({ url: servers.url })
  await store.createPool('/all', { retention: {} })
  await store.createPool('/newest', { retention: { versions: 1 } })
})
afterEach(() => store.close())

/** Writes so many versions of a hundred keys, and the last of another, which is returned. */
async function write(pool: string, versions: number): Promise<number> {
  for (let written = 0; written < versions - 1; ) {
    const count = Math.min(CALL, versions - 1 - written)
    const entry = (_: unknown, n: number): BatchEntry => ({ key: `${pool}/${n % 100}`, value: text('a') })
    await store.putBatch(Array.from({ length: count }, entry))
    written += count
  }
  return (await store.put(`${pool}/last`, text('a'))).version
}

/** How long the streams of events remain, in ms; -1 for as long as somebody watches. */
const lifetimes = async () => Promise.all((await redis.keys('*:events')).map((key) => redis.pttl(key)))

it('has no events of a pool that nobody watches', async () => {
  await write('/all', 100)
  expect(await lifetimes()).toEqual([])
  const seen: number[] = []
  const watch = await store.watch('/all', ({ version }) => seen.push(version))
  const last = await write('/all', 100)
  await expect.poll(() => seen).toEqual(Array.from({ length: 100 }, (_, n) => last - 99 + n))
  watch.close()
  expect(await lifetimes()).toEqual([-1])
  await write('/all', EVENTS)
  const [lifetime = 0] = await lifetimes()
  expect(lifetime).toBeGreaterThan(0)
  await store.watch('/all', () => {})
  expect(await lifetimes()).toEqual([-1])
})

it('tells every write while others begin and end to watch, and the pool is written for longer than events are kept', async () => {
  const seen: number[] = []
  await store.watch('/all', ({ version }) => seen.push(version))
  for (let round = 0; round < 6; round++) {
    const other = await store.watch('/all/last', () => {})
    const last = await write('/all', EVENTS / 2)
    await expect.poll(() => seen.at(-1), { timeout: 10_000 }).toBe(last)
    other.close()
  }
  expect(seen).toEqual(Array.from({ length: 3 * EVENTS }, (_, n) => n + 1))
  // About the last 10,000 are left.
  const [stream = ''] = await redis.keys('*:events')
  const [oldest = ['']] = await redis.xrange(stream, '-', '+', 'COUNT', 1)
  expect(Number.parseInt(oldest[0], 10)).toBeGreaterThan(3 * EVENTS - 1.2 * EVENTS)
  expect(Number.parseInt(oldest[0], 10)).toBeLessThanOrEqual(2 * EVENTS + CALL)
})

it.each([
  ['nobody else watches', false],
  ['others watch', true],
])(
  'tells what is kept of what was written while it was away for longer, when %s',
  async (_, watched) => {
    const proxy = await TcpProxy.open(servers.ports[0] as number)
    const far = await openRedisStore({ url: `redis://127.0.0.1:${proxy.port}` })
    for (const pool of ['/all', '/newest']) {
      const seen: ObjectInfo[] = []
      const first = await write(pool, 10)
      await far.watch(pool, (change) => seen.push(change))
      proxy.delayMs = 60_000
      await write(pool, 2 * EVENTS)
      // Begins when there were no events for some time, and goes on.
      const other = watched ? await store.watch(pool, () => {}) : null
      const last = await write(pool, 2 * EVENTS)
      proxy.delayMs = 0
      proxy.cut()
      await expect.poll(() => seen.at(-1)?.version, { timeout: 20_000 }).toBe(last)
      const next = await store.put(`${pool}/a`, text('a'))
      await expect.poll(() => seen.at(-1)).toEqual(next)
      if (pool === '/all') expect(seen.length).toBe(4 * EVENTS + 1)
      expect(seen.map(({ version }) => version)).toEqual(
        [...new Set(seen.map(({ version }) => version))].sort((a, b) => a - b),
      )
      // Each key in its newest version.
      const newest = new Map(seen.map((change) => [change.key, change]))
      expect([...newest.values()].sort((a, b) => a.version - b.version)).toEqual(
        (await store.changes(pool, { afterVersion: first })).slice(-102),
      )
      other?.close()
    }
    await far.close()
    await proxy.close()
  },
  60_000,
)

it('asks again where another server, which did not know of it, has taken over', async () => {
  const proxy = await TcpProxy.open(servers.ports[0] as number)
  const far = await openRedisStore({ url: `redis://127.0.0.1:${proxy.port}` })
  const seen: number[] = []
  await write('/all', 10)
  const [head = ''] = await redis.keys('*all}:head')
  const unwatched = (await redis.get(head)) as string
  await far.watch('/all', ({ version }) => seen.push(version))
  await store.put('/all/a', text('a'))
  await expect.poll(() => seen).toEqual([11])
  // What a replica has that lacks the request of the feed.
  const now = ((await redis.get(head)) as string).split('|')
  await redis.set(head, [...now.slice(0, -2), ...unwatched.split('|').slice(-2)].join('|'))
  await store.put('/all/a', text('b'))
  proxy.cut()
  await expect.poll(() => seen, { timeout: 10_000 }).toEqual([11, 12])
  await store.put('/all/a', text('c'))
  await expect.poll(() => seen).toEqual([11, 12, 13])
  await far.close()
  await proxy.close()
})
