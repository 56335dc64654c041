/** Which member of a group handles an object: every policy, on one Redis and on a cluster. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  type Binding,
  InvalidOptionError,
  type LambdaOptions,
  openRedisStore,
  type Store,
} from '../src/index.ts'
import { type RedisServers, startCluster, startRedis } from './redis-servers.ts'
import { text } from './values.ts'

const LEASE_MS = 5_000

describe.each([
  ['one Redis', startRedis],
  ['a cluster', startCluster],
])('members of a group (%s)', (_, start) => {
  let servers: RedisServers
  let store: Store
  /** Last component of the keys that each member has handled. */
  let handled: Record<string, string[]>
  const members = new Map<string, Binding>()

  beforeAll(async () => {
    servers = await start()
    store = await openRedisStore({ url: servers.url, leaseMs: LEASE_MS })
  })
  afterAll(async () => {
    await store.close()
    await servers.stop()
  })
  beforeEach(async () => {
    handled = {}
    await store.createPool('/work')
  })
  afterEach(async () => {
    for (const binding of members.values()) await binding.close()
    members.clear()
    await store.removePool('/work')
  })

  async function join(member: string, options: LambdaOptions): Promise<void> {
    handled[member] ??= []
    const lambda = ({ key }: { key: string }) =>
      void handled[member]?.push(key.slice(key.lastIndexOf('/') + 1))
    members.set(member, await store.bind('/work/in', lambda, { group: 'g', member, ...options }))
  }
  async function leave(member: string): Promise<void> {
    await members.get(member)?.close()
    members.delete(member)
  }
  async function put(...keys: string[]): Promise<void> {
    for (const key of keys) await store.triggerPut(`/work/in/${key}`, text(''))
    await [...members.values()][0]?.drained()
  }
  const forget = () => {
    for (const keys of Object.values(handled)) keys.length = 0
  }
  const counts = () => Object.values(handled).map((keys) => keys.length)
  const many = Array.from({ length: 40 }, (_, n) => String(n))

  it('first and last: the one that joined first or last of those that are there', async () => {
    for (const member of ['a', 'b', 'c']) await join(member, { dispatch: 'first' })
    await put('1', '2', '3')
    await leave('a')
    await put('4')
    await join('a', { dispatch: 'first' })
    await put('5')
    expect(handled).toEqual({ a: ['1', '2', '3'], b: ['4', '5'], c: [] })
    for (const member of ['a', 'b', 'c']) await leave(member)
    forget()
    const last: LambdaOptions = { group: 'other', dispatch: 'last', order: 'key' }
    for (const member of ['a', 'b', 'c']) await join(member, last)
    await put('1', '2')
    await leave('c')
    await put('3')
    expect(handled.b).toEqual(['3'])
    expect(handled.c?.sort()).toEqual(['1', '2'])
  })

  it('round-robin: each in turn, as many for each', async () => {
    for (const member of ['a', 'b', 'c']) await join(member, { dispatch: 'round-robin' })
    await put(...many.slice(0, 39))
    expect(counts()).toEqual([13, 13, 13])
    await leave('b')
    forget()
    await put(...many)
    expect(counts()).toEqual([20, 0, 20])
  })

  it('random: some for each', async () => {
    for (const member of ['a', 'b']) await join(member, { dispatch: 'random' })
    await put(...many)
    expect(counts().reduce((sum, count) => sum + count)).toBe(40)
    for (const count of counts()) expect(count).toBeGreaterThan(0)
  })

  it('key: the same one for a key', async () => {
    for (const member of ['a', 'b', 'c']) await join(member, { dispatch: 'key', order: 'key' })
    await put(...many, ...many)
    for (const keys of Object.values(handled)) {
      expect(keys.length).toBeGreaterThan(0)
      expect(keys).toHaveLength(2 * new Set(keys).size)
    }
    expect(counts().reduce((sum, count) => sum + count)).toBe(80)
  })

  it('home: the same one for a key, also when others come and go', async () => {
    const homes = async () => {
      forget()
      await put(...many)
      return new Map(Object.entries(handled).flatMap(([member, keys]) => keys.map((key) => [key, member])))
    }
    for (const member of ['a', 'b', 'c']) await join(member, { dispatch: 'home' })
    const before = await homes()
    expect(new Set(before.values()).size).toBe(3)
    await leave('b')
    const without = await homes()
    for (const [key, member] of before)
      if (member === 'b') expect(without.get(key)).not.toBe('b')
      else expect(without.get(key)).toBe(member)
    await join('b', { dispatch: 'home' })
    expect(await homes()).toEqual(before)
  })

  it('chosen by a trigger put: that one alone, and it waits for it', async () => {
    for (const member of ['a', 'b']) await join(member, {})
    const to = (key: string, member: string) => store.triggerPut(`/work/in/${key}`, text(''), { member })
    for (const key of many) await to(key, 'b')
    await members.get('b')?.drained()
    expect(handled).toEqual({ a: [], b: many })
    await expect(to('x', 'nobody')).rejects.toThrow(/has a member 'nobody' now: bind one/)
    await leave('b')
    await expect(to('x', 'b')).rejects.toThrow(InvalidOptionError)
  })

  it('are others when one is killed', async () => {
    const options: LambdaOptions = { group: 'g', member: 'child', dispatch: 'first' }
    const args = [servers.url, String(LEASE_MS), JSON.stringify(options)]
    const child: ChildProcess = fork(new URL('./code/member.ts', import.meta.url), args)
    await once(child, 'message')
    await join('b', { dispatch: 'first' })
    await store.triggerPut('/work/in/1', text('hang'))
    await once(child, 'message')
    await store.triggerPut('/work/in/2', text(''))
    await store.triggerPut('/work/in/3', text(''), { member: 'child' })
    expect(handled.b).toEqual([])
    child.kill('SIGKILL')
    await expect.poll(() => handled.b?.sort(), { timeout: 20_000 }).toEqual(['1', '2'])
    // What was for that one alone waits for one of its name.
    await join('child', { dispatch: 'first' })
    await members.get('b')?.drained()
    expect(handled.child).toEqual(['3'])
  })

  it('keep the order of a key, or are refused', async () => {
    await expect(join('a', { dispatch: 'random', order: 'key' })).rejects.toThrow(/Use dispatch key or home/)
    await expect(join('a', { dispatch: 'some' as 'any' })).rejects.toThrow(InvalidOptionError)
    await expect(join('a b', {})).rejects.toThrow(InvalidOptionError)
  })
})
