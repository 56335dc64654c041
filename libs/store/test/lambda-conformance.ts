/** What the lambdas of every engine must do. `describeLambdas` runs it against one engine. */
import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  type Binding,
  InvalidOptionError,
  InvalidPathError,
  type Lambda,
  type LambdaFunction,
  type LambdaObject,
  type LambdaOptions,
  type Persistence,
  type Store,
  UnknownPoolError,
} from '../src/index.ts'
import type { Engine } from './conformance.ts'
import { text, textOf } from './values.ts'

/** A lambda whose invocations end when the test says so. */
function gated(): { lambda: LambdaFunction; started: string[]; open: () => void } {
  const started: string[] = []
  const gate = Promise.withResolvers<void>()
  return {
    started,
    open: gate.resolve,
    async lambda({ key }) {
      started.push(key.slice(key.lastIndexOf('/') + 1))
      await gate.promise
    },
  }
}

const MODULE = new URL('./code/lambdas.ts', import.meta.url).href

/** Runs the suite against an engine. */
export function describeLambdas(name: string, start: () => Promise<Engine>): void {
  let engine: Engine
  let store: Store
  let pools = 0

  const newPool = async (persistence: Persistence = 'volatile'): Promise<string> => {
    const pool = `/pool-${++pools}`
    await store.createPool(pool, { persistence })
    return pool
  }

  describe(`lambdas (${name})`, () => {
    beforeAll(async () => {
      engine = await start()
      store = engine.store
    })
    afterAll(async () => {
      await store.close()
      await engine.stop()
    })

    it.each(['transient', 'volatile', 'persistent'] as const)(
      'run for the puts of a %s pool',
      async (persistence) => {
        const pool = await newPool(persistence)
        const seen: LambdaObject[] = []
        const binding = await store.bind(`${pool}/in`, (object) => seen.push(object))
        const info = await store.put(`${pool}/in/1`, text('one'))
        await store.put(`${pool}/inside`, text('no'))
        await store.putBatch([{ key: `${pool}/in`, value: text('two') }])
        const streamed = await store.putStream(`${pool}/in/3`, 'a/b', [new Uint8Array(5)])
        await store.remove(`${pool}/in/1`)
        await binding.drained()
        expect(seen.map(({ key, type, info }) => [key, type, info?.version])).toEqual([
          [`${pool}/in/1`, 'text/plain', 1],
          [`${pool}/in`, 'text/plain', 3],
          [`${pool}/in/3`, 'a/b', 4],
        ])
        expect(seen[0]?.info).toEqual(info)
        expect(seen.map(({ id, attempt }) => [id, attempt])).toEqual([
          ['1', 1],
          ['3', 1],
          ['4', 1],
        ])
        expect(seen.map(({ bytes }) => bytes && Buffer.from(bytes).toString())).toEqual(['one', 'two', null])
        expect(seen[2]?.info).toEqual(streamed)
        expect(await binding.statistics()).toEqual({ queued: 0, running: 0, done: 3, failed: 0, dropped: 0 })
      },
    )

    it('run for trigger puts, which keep nothing', async () => {
      const pool = await newPool('persistent')
      const seen: LambdaObject[] = []
      const binding = await store.bind(pool, (object) => seen.push(object))
      const bytes = new Uint8Array([1])
      const trigger = store.triggerPut(`${pool}/a`, { type: 'a/b', bytes })
      bytes[0] = 2
      await trigger
      await binding.drained()
      expect(seen).toEqual([
        {
          key: `${pool}/a`,
          type: 'a/b',
          bytes: new Uint8Array([1]),
          info: null,
          id: expect.any(String),
          attempt: 1,
        },
      ])
      expect(await store.changes(pool)).toEqual([])
      await expect(store.triggerPut('/nowhere/a', text('a'))).rejects.toThrow(UnknownPoolError)
      await expect(store.triggerPut('a', text('a'))).rejects.toThrow(InvalidPathError)
    })

    it('run for each prefix above the key, and only for the writes they ask for', async () => {
      const pool = await newPool()
      const seen: string[] = []
      const bind = (prefix: string, on: NonNullable<LambdaOptions['on']>) =>
        store.bind(prefix, ({ key }) => seen.push(`${on} ${key.slice(pool.length)}`), { on })
      const bindings = [
        await bind(pool, 'put'),
        await bind(`${pool}/a`, 'trigger'),
        await bind(`${pool}/a/b`, 'both'),
      ]
      await store.put(`${pool}/a/b/c`, text('1'))
      await store.triggerPut(`${pool}/a/b`, text('2'))
      await store.put(`${pool}/a`, text('3'))
      await Promise.all(bindings.map((each) => each.drained()))
      expect(seen.sort()).toEqual(['both /a/b', 'both /a/b/c', 'put /a', 'put /a/b/c', 'trigger /a/b'])
      await bindings[0]?.close()
      await store.put(`${pool}/x`, text('4'))
      expect(seen).toHaveLength(5)
    })

    it('run after the object is kept, and may write', async () => {
      const pool = await newPool('persistent')
      const binding = await store.bind(
        `${pool}/in`,
        async ({ key, info }, context) => {
          const read = await context.store.get(key)
          expect(read?.version).toBe(info?.version)
          await context.store.put(`${pool}/out`, text(`${textOf(read)} ${context.config}`))
        },
        { config: 'seen' },
      )
      await store.put(`${pool}/in/a`, text('one'))
      await binding.drained()
      expect(textOf(await store.get(`${pool}/out`))).toBe('one seen')
      expect((await binding.statistics()).failed).toBe(0)
    })

    it('run in the order of writes for each key, and keys beside each other', async () => {
      const pool = await newPool()
      const seen = new Map<string, number[]>()
      let running = 0
      let most = 0
      const binding = await store.bind(
        pool,
        async ({ key, info }) => {
          most = Math.max(most, ++running)
          await new Promise((resolve) => setTimeout(resolve, (info?.version ?? 0) % 3))
          running--
          seen.set(key, [...(seen.get(key) ?? []), info?.version ?? 0])
        },
        { order: 'key', concurrency: 4 },
      )
      for (let n = 0; n < 120; n++) await store.put(`${pool}/${n % 8}`, text(String(n)))
      await binding.drained()
      expect([...seen.values()].flat()).toHaveLength(120)
      for (const versions of seen.values()) expect(versions).toEqual([...versions].sort((a, b) => a - b))
      expect(most).toBeGreaterThan(1)
    })

    it('take turns among their queues', async () => {
      const pool = await newPool()
      const { lambda, started, open } = gated()
      const binding = await store.bind(pool, lambda, { concurrency: 3 })
      for (const each of ['a', 'a', 'a', 'a']) await store.triggerPut(`${pool}/${each}`, text(each))
      await expect.poll(() => started).toHaveLength(3)
      expect(await binding.statistics()).toMatchObject({ running: 3, queued: 1 })
      open()
      await binding.drained()
      expect((await binding.statistics()).done).toBe(4)
    })

    it('let writers wait for room', async () => {
      const pool = await newPool()
      const { lambda, started, open } = gated()
      const binding = await store.bind(pool, lambda, { queueLimit: 2 })
      await store.triggerPut(`${pool}/running`, text(''))
      await expect.poll(() => started).toHaveLength(1)
      for (const each of ['1', '2']) await store.triggerPut(`${pool}/${each}`, text(''))
      let admitted = 0
      const waiting = ['3', '4'].map((each) => store.put(`${pool}/${each}`, text('')).then(() => admitted++))
      await expect.poll(() => binding.statistics()).toMatchObject({ running: 1, queued: 4, dropped: 0 })
      await sleep(20)
      expect(admitted).toBe(0)
      // The object is kept before there is room for it.
      expect(await store.listKeys(pool)).toHaveLength(2)
      open()
      await Promise.all(waiting)
      await binding.drained()
      expect(await binding.statistics()).toEqual({ queued: 0, running: 0, done: 5, failed: 0, dropped: 0 })
    })

    it.each([
      ['drop-newest', ['0', '1', '2']],
      ['drop-oldest', ['0', '3', '4']],
    ] as const)('%s when a queue is full', async (policy, kept) => {
      const pool = await newPool()
      const { lambda, started, open } = gated()
      const binding = await store.bind(pool, lambda, { queueLimit: 2, policy })
      await store.triggerPut(`${pool}/0`, text(''))
      await expect.poll(() => started).toHaveLength(1)
      for (const each of ['1', '2', '3', '4']) await store.triggerPut(`${pool}/${each}`, text(''))
      open()
      await binding.drained()
      expect(started).toEqual(kept)
      expect(await binding.statistics()).toMatchObject({ done: 3, dropped: 2 })
    })

    it('fail by themselves', async () => {
      const pool = await newPool()
      const errors: string[] = []
      const binding = await store.bind(
        pool,
        ({ key }) => {
          if (key.endsWith('now')) throw new Error('now')
          return key.endsWith('later') ? Promise.reject(new Error('later')) : undefined
        },
        { onError: ({ message }, { key }) => errors.push(`${key.slice(pool.length)} ${message}`) },
      )
      for (const each of ['now', 'later', 'fine']) await store.put(`${pool}/${each}`, text(''))
      await binding.drained()
      expect(errors).toEqual(['/now now', '/later later'])
      expect(await binding.statistics()).toMatchObject({ done: 1, failed: 2 })
    })

    it('drop what is queued when they are closed', async () => {
      const pool = await newPool()
      const { lambda, started, open } = gated()
      const binding = await store.bind(pool, lambda, { queueLimit: 1 })
      await store.triggerPut(`${pool}/1`, text(''))
      await expect.poll(() => started).toHaveLength(1)
      await store.triggerPut(`${pool}/2`, text(''))
      const waiting = store.triggerPut(`${pool}/3`, text(''))
      await expect.poll(async () => (await binding.statistics()).queued).toBe(2)
      const closing = binding.close()
      await waiting
      open()
      await closing
      expect(started).toEqual(['1'])
      expect(await binding.statistics()).toEqual({ queued: 0, running: 0, done: 1, failed: 0, dropped: 2 })
    })

    it.each<LambdaOptions>([
      { on: 'get' as 'put' },
      { order: 'random' as 'key' },
      { policy: 'explode' as 'wait' },
      { concurrency: 0 },
      { queueLimit: 0.5 },
      { dispatch: 'first' },
      { member: 'a' },

      { destinations: [{ path: '/a', by: 'get' as 'put' }] },
    ])('refuse %j', async (options) => {
      await expect(store.bind(await newPool(), () => {}, options)).rejects.toThrow(InvalidOptionError)
    })

    it('stay on the cores that they are given', async () => {
      const pool = await newPool()
      const allowed = execFileSync('nproc', ['--all']).toString().trim()
      const cores = Number(allowed) > 1 ? [0, 1] : [0]
      const lambda: Lambda = { module: MODULE, export: 'cores', isolation: 'process' }
      const destinations = [{ path: `${pool}/out`, by: 'put' as const }]
      const binding = await store.bind(`${pool}/in`, lambda, { cores, concurrency: 2, destinations })
      for (let n = 0; n < 4; n++) await store.triggerPut(`${pool}/in/${n}`, text(''))
      await binding.drained()
      const { objects } = await store.multiGet(`${pool}/out`)
      expect(new Set([...objects.values()].map(textOf))).toEqual(new Set(cores.map(String)))
      await binding.close()
    })

    it('say why they cannot stay on cores', async () => {
      const pool = await newPool()
      const lambda: Lambda = { module: MODULE, export: 'cores', isolation: 'process' }
      const attempt = (cores: number[], other: Lambda = lambda) => store.bind(pool, other, { cores })
      await expect(attempt([0], () => {})).rejects.toThrow(/give the lambda isolation 'process'/)
      await expect(attempt([0], { ...lambda, isolation: 'worker' })).rejects.toThrow(/isolation 'process'/)
      await expect(attempt([60_000])).rejects.toThrow(
        /cores is \[60000\], but this process may use the cores \d/,
      )
      await expect(attempt([])).rejects.toThrow(/name at least one/)
      vi.stubEnv('PATH', '/nowhere')
      await expect(attempt([0])).rejects.toThrow(/needs the program taskset .* install it/)
      vi.unstubAllEnvs()
    })

    it('lie in a pool', async () => {
      await expect(store.bind('/nowhere', () => {})).rejects.toThrow(UnknownPoolError)
    })

    describe.each(['worker', 'process'] as const)('lambdas in a %s of their own', (isolation) => {
      const bind = async (pool: string, name: string | undefined, options: LambdaOptions): Promise<Binding> =>
        store.bind(`${pool}/in`, { module: MODULE, isolation, ...(name && { export: name }) }, options)
      const reportOf = async (key: string) => JSON.parse(textOf(await store.get(key)) ?? 'null')

      it('get the object, the config and the store', async () => {
        const pool = await newPool('persistent')
        const binding = await bind(pool, 'report', { config: { to: `${pool}/out` } })
        const { version } = await store.put(`${pool}/in/put`, text('kept'))
        await store.triggerPut(`${pool}/in/trigger`, text('not kept'))
        await binding.drained()
        const put = await reportOf(`${pool}/out/put`)
        expect(put).toMatchObject({ key: `${pool}/in/put`, version, content: 'kept' })
        expect(await reportOf(`${pool}/out/trigger`)).toEqual({
          ...put,
          key: `${pool}/in/trigger`,
          version: null,
          content: 'not kept',
        })
        if (isolation === 'process') expect(put.pid).not.toBe(process.pid)
        else expect(put.worker).toBeGreaterThan(0)
        // What the lambda was given is still what the store keeps.
        expect(textOf(await store.get(`${pool}/in/put`))).toBe('kept')
        await binding.close()
      })

      it('use the store as they would in this process', async () => {
        const pool = await newPool()
        const binding = await bind(pool, 'operate', { config: { to: `${pool}/out` } })
        await store.triggerPut(`${pool}/in`, text(''))
        await binding.drained()
        expect(await reportOf(`${pool}/out/outcome`)).toEqual({ refused: true, keys: [`${pool}/out/a`] })
        await binding.close()
      })

      it('get on with what they have left running while objects come', async () => {
        const pool = await newPool()
        const binding = await bind(pool, 'leaveRunning', { config: { to: `${pool}/out` } })
        while ((await store.get(`${pool}/out/left`)) === null) {
          await store.triggerPut(`${pool}/in`, text(''))
          await binding.drained()
        }
        expect((await binding.statistics()).failed).toBe(0)
        await binding.close()
      })

      it('fail alone and go on', async () => {
        const pool = await newPool()
        const errors: string[] = []
        const binding = await bind(pool, undefined, {
          timeoutMs: 3_000,
          onError: ({ name, message }) => errors.push(`${name}: ${message}`),
        })
        for (const each of ['throw', 'exit', 'fine', 'loop', 'fine'])
          await store.triggerPut(`${pool}/in/${each}`, text(''))
        await binding.drained()
        expect(await binding.statistics()).toMatchObject({ done: 2, failed: 3 })
        expect(errors[0]).toBe('RangeError: out of range')
        expect(errors[1]).toMatch(
          /^LambdaError: The lambda of .*lambdas\.ts gave no answer: its (thread|process) ended/,
        )
        expect(errors[2]).toMatch('it took longer than 3000 ms')
        await binding.close()
      })

      it('say that there is no such function', async () => {
        const pool = await newPool()
        const errors: string[] = []
        const binding = await bind(pool, 'nothing', { onError: ({ message }) => errors.push(message) })
        await store.triggerPut(`${pool}/in`, text(''))
        await binding.drained()
        expect(errors).toEqual([`${MODULE} exports no function 'nothing'.`])
        await binding.close()
      })
    })
  })
}
