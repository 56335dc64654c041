import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  openEmbeddedStore,
  openRedisStore,
  type Persistence,
  type Store,
  VersionConflictError,
} from '../src/index.ts'
import { isLinearizable, type Operation } from './linearizability.ts'
import { type RedisServers, startRedis } from './redis-servers.ts'
import { text, textOf } from './values.ts'

const CLIENTS = 4
const OPERATIONS = process.env.HIVEMIND_SOAK === '1' ? 5_000 : 150

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

/** Lets clients put, get and compare-and-put at the same time. Returns what each saw, by key. */
async function record(clients: readonly Store[], keys: readonly string[]): Promise<Map<string, Operation[]>> {
  const histories = new Map<string, Operation[]>(keys.map((key) => [key, []]))
  // Values that were written, by key and version: what a conflict found.
  const written = new Map<string, string>([...keys].map((key) => [`${key} 0`, '']))
  const conflicts: { key: string; start: number; end: number; expected: string; actual: string }[] = []
  let now = 0
  const client = async (store: Store, name: number) => {
    for (let n = 0; n < OPERATIONS; n++) {
      const key = keys[(n * 7 + name) % keys.length] as string
      const history = histories.get(key) as Operation[]
      const value = `${name}.${n}`
      const start = ++now
      if (n % 3 === 0) {
        const { version } = await store.put(key, text(value))
        written.set(`${key} ${version}`, value)
        history.push(put(start, ++now, value))
        continue
      }
      const read = await store.get(key)
      const seen = textOf(read) ?? ''
      history.push(get(start, ++now, seen))
      if (n % 3 === 1) continue
      const compareStart = ++now
      try {
        const { version } = await store.put(key, text(value), { expectedVersion: read?.version ?? 0 })
        written.set(`${key} ${version}`, value)
        history.push({ start: compareStart, end: ++now, apply: (state) => (state === seen ? value : null) })
      } catch (error) {
        if (!(error instanceof VersionConflictError)) throw error
        conflicts.push({
          key,
          start: compareStart,
          end: ++now,
          expected: seen,
          actual: `${key} ${error.actual}`,
        })
      }
    }
  }
  await Promise.all(clients.map(client))
  // A refused write is a read of the version it found.
  for (const { key, start, end, expected, actual } of conflicts) {
    const found = written.get(actual) as string
    expect(found).not.toBe(expected)
    histories.get(key)?.push(get(start, end, found))
  }
  return histories
}

const linearizable = (histories: Map<string, Operation[]>): boolean[] =>
  [...histories.values()].map((history) => isLinearizable(history))

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
    const histories = await record(clients, [`${pool}/a`, `${pool}/b`])
    expect(linearizable(histories)).toEqual([true, true])
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
    const histories = await record(
      Array.from({ length: CLIENTS }, () => stale),
      ['/stale/a'],
    )
    expect(linearizable(histories)).toEqual([false])
  })
})
