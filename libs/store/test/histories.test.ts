import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedStore, openRedisStore, type Persistence, type Store } from '../src/index.ts'
import { isLinearizable, type Operation } from './linearizability.ts'
import { Recorder, work } from './recorder.ts'
import { type RedisServers, startRedis } from './redis-servers.ts'

const CLIENTS = 4
const OPERATIONS = process.env.HIVEMIND_SOAK === '1' ? 50_000 : 1_000

const put = (start: number, end: number, value: string): Operation => ({ start, end, apply: () => value })
const get = (start: number, end: number, value: string): Operation => ({
  start,
  end,
  apply: (state) => (state === value ? state : null),
})

describe('the checker of histories', () => {
  it('accepts what some order explains', () => {
    expect(isLinearizable([])).toBe(true)
    expect(isLinearizable([put(0, 9, 'a'), get(1, 2, ''), get(3, 4, 'a')])).toBe(true)
    expect(isLinearizable([put(0, 5, 'a'), put(0, 5, 'b'), get(6, 7, 'a')])).toBe(true)
    const unanswered = put(0, Number.POSITIVE_INFINITY, 'a')
    expect(isLinearizable([unanswered, get(1, 2, ''), get(3, 4, 'a')])).toBe(true)
    expect(isLinearizable([unanswered, get(1, 2, '')])).toBe(true)
  })

  it('refuses what no order explains', () => {
    expect(isLinearizable([put(0, 1, 'a'), get(2, 3, '')])).toBe(false)
    expect(isLinearizable([put(0, 9, 'a'), get(1, 2, 'a'), get(3, 4, '')])).toBe(false)
    expect(isLinearizable([put(0, 1, 'a'), put(2, 3, 'b'), get(4, 5, 'b'), get(6, 7, 'a')])).toBe(false)
  })
})

const judge = (recorder: Recorder): boolean[] =>
  recorder.histories().map((history) => isLinearizable(history))

describe('recorded histories', () => {
  let folder: string
  let servers: RedisServers
  const stores: Store[] = []
  const keep = <S extends Store>(store: S): S => {
    stores.push(store)
    return store
  }
  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-histories-'))
    servers = await startRedis()
  })
  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()))
    await servers.stop()
    await rm(folder, { recursive: true, force: true })
  })

  const embedded = async (): Promise<Store[]> => {
    const store = keep(await openEmbeddedStore({ folder: path.join(folder, String(stores.length)) }))
    return Array.from({ length: CLIENTS }, () => store)
  }
  const redis = (): Promise<Store[]> =>
    Promise.all(Array.from({ length: CLIENTS }, async () => keep(await openRedisStore({ url: servers.url }))))

  it.each<[string, Persistence, () => Promise<Store[]>]>([
    ['the embedded engine', 'volatile', embedded],
    ['the embedded engine', 'persistent', embedded],
    ['one Redis', 'volatile', redis],
    ['one Redis', 'persistent', redis],
  ])('of %s are linearizable (%s)', async (_, persistence, open) => {
    const clients = await open()
    const pool = `/histories-${persistence}`
    await clients[0]?.createPool(pool, { persistence })
    const recorder = new Recorder()
    await work(recorder, clients, [pool], OPERATIONS)
    expect(judge(recorder)).not.toContain(false)
  })

  it('show a store that sometimes reads an old version', async () => {
    const [store] = await redis()
    await store?.createPool('/stale', { retention: { versions: 1_000_000 } })
    let reads = 0
    const stale = new Proxy(store as Store, {
      get(target, name) {
        const member = Reflect.get(target, name).bind(target)
        if (name !== 'get') return member
        return async (key: string) => {
          const latest = await target.get(key)
          if (++reads % 10 !== 0 || !latest?.previousKeyVersion) return latest
          return target.get(key, { version: latest.previousKeyVersion })
        }
      },
    })
    const recorder = new Recorder()
    await work(
      recorder,
      Array.from({ length: CLIENTS }, () => stale),
      ['/stale'],
      OPERATIONS,
    )
    expect(judge(recorder)).toContain(false)
  })
})
