import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  InvalidOptionError,
  type LambdaObject,
  type LambdaOptions,
  openRedisStore,
  type Store,
} from '../src/index.ts'
import { RedisServer } from '../src/redis/server.ts'
import { type RedisServers, startRedis } from './redis-servers.ts'
import { text, textOf } from './values.ts'

const LEASE_MS = 600

describe('a group of lambdas on Redis', () => {
  let servers: RedisServers
  let store: Store
  const children = new Set<ChildProcess>()

  beforeAll(async () => {
    servers = await startRedis()
    store = await openRedisStore({ url: servers.url, leaseMs: LEASE_MS })
  })
  afterAll(async () => {
    await store.close()
    await servers.stop()
  })
  beforeEach(async () => {
    await store.createPool('/work', { persistence: 'persistent' })
  })
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    children.clear()
    await store.removePool('/work')
  })

  it('is given objects though its connection for news never comes to be', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await once(silent, 'listening')
    // It waits for the answer of the server before it sends anything.
    const stuck = new Redis((silent.address() as AddressInfo).port, '127.0.0.1')
    stuck.on('error', () => {})
    vi.spyOn(RedisServer.prototype, 'duplicate').mockReturnValueOnce(stuck)
    const handled: string[] = []
    const binding = await store.bind('/work', ({ key }) => void handled.push(key))
    await sleep(100)
    await store.put('/work/a', text('a'))
    await expect.poll(() => handled, { timeout: 5_000 }).toEqual(['/work/a'])
    await binding.close()
    silent.close()
  })

  it('is given what is written after it was bound to a pool without lambdas, and again after it was let go', async () => {
    const handled: string[] = []
    for (const key of ['/work/a', '/work/b', '/work/c']) {
      await store.put('/work/unseen', text('before'))
      const binding = await store.bind('/work', (object) => void handled.push(object.key))
      await store.put(key, text('a'))
      await expect.poll(() => handled.at(-1), { timeout: 5_000 }).toBe(key)
      await binding.close()
    }
    expect(handled).toEqual(['/work/a', '/work/b', '/work/c'])
  })

  /** Starts a process that is a member. */
  async function startMember(options: LambdaOptions, leaseMs = LEASE_MS): Promise<ChildProcess> {
    const args = [servers.url, String(leaseMs), JSON.stringify(options)]
    const child = fork(new URL('./code/member.ts', import.meta.url), args)
    children.add(child)
    await once(child, 'message')
    return child
  }

  /** Deliveries by key, in the order in which the lambda logged them. */
  async function deliveries(): Promise<Map<string, { id: string; attempt: number; pid: number }[]>> {
    const logged = new Map<string, { id: string; attempt: number; pid: number }[]>()
    for (const { key, version } of await store.changes('/work/log')) {
      const entry = JSON.parse(textOf(await store.get(key, { version })) ?? '')
      logged.set(key, [...(logged.get(key) ?? []), entry])
    }
    return logged
  }

  const effects = async () => (await store.changes('/work/effects')).length

  it('gives each object to one member', async () => {
    const options = { group: 'workers', concurrency: 4 }
    const members = await Promise.all([1, 2, 3].map(() => startMember(options, 20_000)))
    for (let n = 0; n < 60; n++)
      await Promise.all([store.put(`/work/in/${n}`, text('')), store.triggerPut(`/work/in/${n}`, text(''))])
    await expect.poll(effects, { timeout: 20_000 }).toBe(120)
    const all = [...(await deliveries()).values()].flat()
    expect(all).toHaveLength(120)
    expect(new Set(all.map(({ pid }) => pid)).size).toBe(members.length)
  })

  it('gives the objects of a member that is killed to others, those of one key in order', async () => {
    const options: LambdaOptions = { group: 'workers', order: 'key', concurrency: 4 }
    const [first] = await Promise.all([startMember(options, 2_000), startMember(options, 2_000)])
    const keys = ['a', 'b', 'c', 'd', 'e', 'f']
    const versions = new Map<string, string[]>(keys.map((key) => [`/work/log/${key}`, []]))
    const writing = (async () => {
      for (let n = 0; n < 240; n++) {
        const key = keys[n % keys.length]
        const { version } = await store.put(`/work/in/${key}`, text(''))
        versions.get(`/work/log/${key}`)?.push(String(version))
      }
    })()
    for (let n = 0; n < 20; n++) await once(first as ChildProcess, 'message')
    first?.kill('SIGKILL')
    await writing
    await expect.poll(effects, { timeout: 20_000 }).toBe(240)
    const logged = await deliveries()
    expect([...logged.values()].flat().some(({ attempt }) => attempt > 1)).toBe(true)
    for (const [key, written] of versions) {
      // A version that was delivered again follows itself.
      const ids = (logged.get(key) ?? []).map(({ id }) => id)
      expect(ids.filter((id, at) => id !== ids[at - 1])).toEqual(written)
    }
  })

  it('counts an object once when a silent member comes back', async () => {
    const silent = await startMember({ group: 'workers' })
    await store.triggerPut('/work/in/a', text(''))
    await once(silent, 'message')
    silent.kill('SIGSTOP')
    await startMember({ group: 'workers' })
    await expect.poll(async () => (await deliveries()).get('/work/log/a')?.at(-1)?.attempt).toBe(2)
    silent.kill('SIGCONT')
    const seen: LambdaObject[] = []
    const binding = await store.bind('/work/in', (object) => seen.push(object), { group: 'workers' })
    await binding.drained()
    await sleep(LEASE_MS / 2)
    expect(await binding.statistics()).toEqual({ queued: 0, running: 0, done: 1, failed: 0, dropped: 0 })
    expect(seen).toEqual([])
    await binding.close()
  })

  it('gives up an object that ends every member', async () => {
    await (await store.bind('/work/in', () => {}, { group: 'workers' })).close()
    await store.triggerPut('/work/in/a', text('poison'))
    for (let n = 0; n < 5; n++) await once(await startMember({ group: 'workers' }), 'exit')
    const errors: string[] = []
    const binding = await store.bind('/work/in', () => {}, {
      group: 'workers',
      onError: ({ message }) => errors.push(message),
    })
    await binding.drained()
    expect(errors).toEqual(["'/work/in/a' was given to 5 members, and none finished."])
    await binding.close()
  })

  it('keeps what is queued while it has no members', async () => {
    const group = 'workers'
    await (await store.bind('/work/in', () => {}, { group })).close()
    await store.put('/work/in/a', text('1'))
    await store.triggerPut('/work/in/b', text('2'))
    const seen: string[] = []
    const binding = await store.bind('/work/in', ({ key }) => seen.push(key), { group })
    await binding.drained()
    expect(seen).toEqual(['/work/in/a', '/work/in/b'])
    await binding.close()
  })

  it('goes on after its pool was removed and created again', async () => {
    const seen: string[] = []
    const binding = await store.bind('/work/in', ({ id }) => seen.push(id))
    await store.removePool('/work')
    await store.createPool('/work', { persistence: 'persistent' })
    const writing = async () => {
      await store.put('/work/in/a', text(''))
      return seen.length
    }
    await expect.poll(writing, { timeout: 5_000 }).toBeGreaterThan(0)
    await binding.close()
  })

  it('has the same options for all members', async () => {
    const binding = await store.bind('/work/in', () => {}, { group: 'workers' })
    const other = store.bind('/work/in', () => {}, { group: 'workers', order: 'key' })
    await expect(other).rejects.toThrow(/'workers' is there with other options/)
    await expect(store.bind('/work', () => {}, { group: 'a b' })).rejects.toThrow(InvalidOptionError)
    await binding.close()
  })

  it('ends with its process when it has no name, so that writers do not wait for ever', async () => {
    const member = await startMember({ queueLimit: 1 })
    await store.triggerPut('/work/in/a', text('hang'))
    await once(member, 'message')
    member.kill('SIGKILL')
    await Promise.all(['b', 'c', 'd'].map((key) => store.triggerPut(`/work/in/${key}`, text(''))))
    await store.triggerPut('/work/in/e', text(''))
  })

  it('refuses a lease that is too short', async () => {
    await expect(openRedisStore({ url: servers.url, leaseMs: 1 })).rejects.toThrow(InvalidOptionError)
  })
})
