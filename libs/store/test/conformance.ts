/** What every engine of the store must do. `describeStore` runs it against one engine. */
import type { EncodedValue } from '@hivemind/values'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  ForgottenVersionError,
  FutureVersionError,
  InvalidOptionError,
  InvalidPathError,
  type ObjectInfo,
  type Persistence,
  PoolConflictError,
  type PoolOptions,
  type Store,
  StoreClosedError,
  type StoredObject,
  UnknownPoolError,
  VersionConflictError,
} from '../src/index.ts'
import { collect, text, textOf } from './values.ts'

/** A running engine under test. */
export interface Engine {
  store: Store
  /** Another store of the same engine, without pools, to be closed by the test. */
  another(): Promise<Store>
  /** Releases what the engine needs beside the store. */
  stop(): Promise<void>
}

/** Lets timers and other work of the process go on. */
const turn = () => new Promise(setImmediate)

/** Runs the suite against an engine. */
export function describeStore(name: string, start: () => Promise<Engine>): void {
  let engine: Engine
  let store: Store
  let pools = 0

  const newPool = async (options: PoolOptions = {}): Promise<string> => {
    const path = `/pool-${++pools}`
    await store.createPool(path, options)
    return path
  }

  describe(`the store (${name})`, () => {
    beforeAll(async () => {
      engine = await start()
      store = engine.store
    })
    afterAll(async () => {
      await store.close()
      await engine.stop()
    })

    describe('pools', () => {
      it('are created, listed, found and removed', async () => {
        expect(await store.createPool('/area/images', { persistence: 'persistent' })).toMatchObject({
          path: '/area/images',
          persistence: 'persistent',
          retention: {},
        })
        await store.createPool('/area/frames', { persistence: 'volatile', retention: { versions: 3 } })
        await store.createPool('/areas')
        expect((await store.listPools('/area')).map(({ path }) => path)).toEqual([
          '/area/frames',
          '/area/images',
        ])
        expect((await store.listPools()).map(({ path }) => path)).toContain('/areas')
        expect(await store.getPool('/area/frames')).toMatchObject({ retention: { versions: 3 } })
        expect(await store.getPool('/area')).toBeNull()
        await store.put('/area/images/1', text('a'))
        await store.removePool('/area/images')
        expect(await store.getPool('/area/images')).toBeNull()
        await expect(store.get('/area/images/1')).rejects.toThrow(UnknownPoolError)
        await expect(store.removePool('/area/images')).rejects.toThrow(UnknownPoolError)
      })

      it('are empty when they are created again', async () => {
        for (const persistence of ['volatile', 'buffered', 'persistent'] as const) {
          const pool = await newPool({ persistence })
          await store.put(`${pool}/a`, text('old'))
          await store.removePool(pool)
          await store.createPool(pool, { persistence })
          expect(await store.get(`${pool}/a`)).toBeNull()
          expect(await store.put(`${pool}/a`, text('new'))).toMatchObject({ version: 1, ordinal: 1 })
        }
      })

      it('keep their affinity', async () => {
        const options = { affinity: 'line-1', persistence: 'persistent' } as const
        await store.createPool('/related/images', options)
        await store.createPool('/related/results', options)
        expect(await store.getPool('/related/images')).toMatchObject(options)
        await expect(store.createPool('/related/images', { persistence: 'persistent' })).rejects.toThrow(
          PoolConflictError,
        )
        for (const pool of ['/related/images', '/related/results']) await store.put(`${pool}/a`, text(pool))
        for (const pool of ['/related/images', '/related/results'])
          expect(textOf(await store.get(`${pool}/a`))).toBe(pool)
        await store.removePool('/related/images')
        expect(textOf(await store.get('/related/results/a'))).toBe('/related/results')
      })

      it('may be created twice with the same options, not with others, and not inside each other', async () => {
        const [first, second] = await Promise.all([
          store.createPool('/twice', { persistence: 'persistent' }),
          store.createPool('/twice', { persistence: 'persistent' }),
        ])
        expect(second).toEqual(first)
        await expect(store.createPool('/twice', { persistence: 'volatile' })).rejects.toThrow(
          PoolConflictError,
        )
        await expect(store.createPool('/twice/inner')).rejects.toThrow(PoolConflictError)
        await store.createPool('/outer/inner')
        await expect(store.createPool('/outer')).rejects.toThrow(PoolConflictError)
      })

      it.each<PoolOptions>([
        { persistence: 'eternal' as Persistence },
        { retention: { versions: 0 } },
        { retention: { versions: 1.5 } },
        { retention: { ageMs: -1 } },
        { affinity: 'a b' },
      ])('refuses %j', async (options) => {
        await expect(store.createPool('/refused', options)).rejects.toThrow(InvalidOptionError)
      })
    })

    it.each(['', 'a', '/', '/a/', '/a//b', '/a\0b', '/\ud800', `/${'x'.repeat(1024)}`])(
      'refuses the path %j',
      async (path) => {
        await expect(store.createPool(path)).rejects.toThrow(InvalidPathError)
        await expect(store.put(path, text('a'))).rejects.toThrow(InvalidPathError)
        await expect(store.get(path)).rejects.toThrow(InvalidPathError)
        await expect(store.multiGet([path])).rejects.toThrow(InvalidPathError)
        await expect(store.watch(path, () => {})).rejects.toThrow(InvalidPathError)
      },
    )

    it('says that no pool holds a path', async () => {
      await expect(store.put('/nowhere/a', text('a'))).rejects.toThrow(UnknownPoolError)
      await expect(store.listKeys('/nowhere')).rejects.toThrow("No pool holds '/nowhere'")
      await expect(store.watch('/nowhere', () => {})).rejects.toThrow(UnknownPoolError)
    })

    it('rejects everything after it is closed', async () => {
      const other = await engine.another()
      await other.createPool('/p')
      const waiting = other.get('/p/a', { time: (await other.time()) + 60e6 })
      const rejected = expect(waiting).rejects.toThrow(StoreClosedError)
      await other.close()
      await rejected
      await expect(other.put('/p/a', text('a'))).rejects.toThrow(StoreClosedError)
      await expect(other.get('/p/a')).rejects.toThrow(StoreClosedError)
      await expect(other.createPool('/q')).rejects.toThrow(StoreClosedError)
      await other.close()
    })

    it('keeps nothing of a transient pool, but counts its writes', async () => {
      const pool = await newPool({ persistence: 'transient' })
      expect(await store.put(`${pool}/a`, text('a'))).toMatchObject({ version: 1 })
      expect(await store.put(`${pool}/a`, text('b'))).toMatchObject({ version: 2, previousVersion: 1 })
      expect(await store.putStream(`${pool}/a`, 'text/plain', [new Uint8Array(10)])).toMatchObject({
        version: 3,
        size: 10,
      })
      expect(await store.get(`${pool}/a`)).toBeNull()
      expect(await store.listKeys(pool)).toEqual([])
      expect(await store.history(`${pool}/a`)).toEqual([])
    })

    describe.each<Persistence>(['volatile', 'buffered', 'persistent'])('a %s pool', (persistence) => {
      const keepAll: PoolOptions = { persistence, retention: { versions: 1_000_000 } }
      describeVersions(() => newPool(keepAll))
      describeReads(() => newPool(keepAll))
      describeLargeObjects(() => newPool(keepAll))
      describeRetention((retention) => newPool({ persistence, retention }))
      describeConcurrency(() => newPool(keepAll))
    })
  })

  function describeVersions(pool: () => Promise<string>): void {
    it('numbers the writes of the pool and of each key', async () => {
      const path = await pool()
      const before = await store.time()
      const a1 = await store.put(`${path}/a`, text('one'))
      const b1 = await store.put(`${path}/b`, text('other'))
      const a2 = await store.put(`${path}/a`, { type: 'image/png', bytes: new Uint8Array([1, 2]) })
      expect(a1).toEqual({
        key: `${path}/a`,
        version: 1,
        timestamp: a1.timestamp,
        previousVersion: 0,
        previousKeyVersion: 0,
        ordinal: 1,
        removed: false,
        type: 'text/plain',
        size: 3,
      })
      expect(b1).toMatchObject({ version: 2, previousVersion: 1, previousKeyVersion: 0, ordinal: 1 })
      expect(a2).toMatchObject({ version: 3, previousVersion: 2, previousKeyVersion: 1, ordinal: 2, size: 2 })
      const times = [before, a1.timestamp, b1.timestamp, a2.timestamp]
      expect(times).toEqual([...times].sort((a, b) => a - b))
      expect(new Set(times.slice(1)).size).toBe(3)
      expect(await store.time()).toBeGreaterThanOrEqual(a2.timestamp)
      expect(await store.get(`${path}/a`)).toEqual({ ...a2, bytes: expect.anything() })
      expect([...((await store.get(`${path}/a`))?.bytes ?? [])]).toEqual([1, 2])
    })

    it('takes the pool itself as a key', async () => {
      const path = await pool()
      await store.put(path, text('root'))
      await store.put(`${path}/a`, text('leaf'))
      expect(textOf(await store.get(path))).toBe('root')
      expect(await store.listKeys(path)).toEqual([path, `${path}/a`])
    })

    it('takes any path as a key, and keeps keys apart', async () => {
      const path = await pool()
      const names = [
        'a',
        'a b',
        'ä*?',
        '..',
        '.',
        '😀',
        '\uffff',
        'a\u0001',
        `${'x'.repeat(900)}`,
        'a/b',
        '{a}',
      ]
      for (const each of names) await store.put(`${path}/${each}`, text(each))
      for (const each of names) expect(textOf(await store.get(`${path}/${each}`))).toBe(each)
      const keys = await store.listKeys(path)
      const byBytes = names
        .map((each) => `${path}/${each}`)
        .sort((x, y) => Buffer.compare(Buffer.from(x), Buffer.from(y)))
      expect(keys).toEqual(byBytes)
    })

    it('refuses a write whose expected version is stale', async () => {
      const path = await pool()
      const key = `${path}/a`
      await expect(store.put(key, text('x'), { expectedVersion: 1 })).rejects.toThrow(VersionConflictError)
      const first = await store.put(key, text('one'), { expectedVersion: 0 })
      await expect(store.put(key, text('x'), { expectedVersion: 0 })).rejects.toMatchObject({
        expected: 0,
        actual: first.version,
      })
      const second = await store.put(key, text('two'), { expectedVersion: first.version })
      await expect(store.remove(key, { expectedVersion: first.version })).rejects.toThrow(
        VersionConflictError,
      )
      // What was refused consumed no version.
      expect(second.version).toBe(first.version + 1)
      await store.remove(key, { expectedVersion: second.version })
      await expect(store.put(key, text('x'), { expectedVersion: second.version })).rejects.toThrow(
        'expected version 2, found no object',
      )
      await store.put(key, text('three'), { expectedVersion: 0 })
      expect(textOf(await store.get(key))).toBe('three')
      await expect(store.put(key, text('x'), { expectedVersion: -1 })).rejects.toThrow(InvalidOptionError)
    })

    it('removes by a version that says so', async () => {
      const path = await pool()
      const key = `${path}/a`
      expect(await store.remove(key)).toBeNull()
      const put = await store.put(key, text('one'))
      const removed = (await store.remove(key)) as ObjectInfo
      expect(removed).toMatchObject({ version: 2, removed: true, size: 0, previousKeyVersion: 1 })
      expect(await store.remove(key)).toBeNull()
      expect(await store.get(key)).toBeNull()
      expect(await store.getSize(key)).toBeNull()
      expect(await store.getStream(key)).toBeNull()
      expect(await store.listKeys(path)).toEqual([])
      expect(textOf(await store.get(key, { version: 1 }))).toBe('one')
      expect(await store.history(key)).toEqual([put, removed])
    })

    it('writes a batch with successive versions, all or nothing', async () => {
      const path = await pool()
      const infos = await store.putBatch([
        { key: `${path}/a`, value: text('a') },
        { key: `${path}/b`, value: text('b'), expectedVersion: 0 },
      ])
      expect(infos.map(({ key, version }) => [key, version])).toEqual([
        [`${path}/a`, 1],
        [`${path}/b`, 2],
      ])
      const refused = store.putBatch([
        { key: `${path}/c`, value: text('c') },
        { key: `${path}/b`, value: text('x'), expectedVersion: 1 },
      ])
      await expect(refused).rejects.toThrow(VersionConflictError)
      expect(await store.listKeys(path)).toEqual([`${path}/a`, `${path}/b`])
      expect(await store.putBatch([])).toEqual([])
      const elsewhere = await pool()
      const across = [path, elsewhere].map((each) => ({ key: `${each}/a`, value: text('x') }))
      await expect(store.putBatch(across)).rejects.toThrow('The keys lie in 2 pools')
    })

    it('does not change with the buffer of the caller', async () => {
      const path = await pool()
      const bytes = new Uint8Array([1])
      const put = store.put(`${path}/a`, { type: 'application/octet-stream', bytes })
      bytes[0] = 2
      await put
      bytes[0] = 3
      expect((await store.get(`${path}/a`))?.bytes[0]).toBe(1)
    })

    it('refuses what is not a media type', async () => {
      const path = await pool()
      const bad: EncodedValue = { type: 'a\nb', bytes: new Uint8Array() }
      await expect(store.put(`${path}/a`, bad)).rejects.toThrow(InvalidOptionError)
    })

    it('calls watchers in the order of versions', async () => {
      const path = await pool()
      const all: ObjectInfo[] = []
      const some: string[] = []
      const watch = await store.watch(path, (change) => all.push(change))
      const inner = await store.watch(`${path}/a`, ({ key }) => some.push(key))
      const written = await Promise.all(
        ['a', 'a/x', 'ab', 'c'].map((each) => store.put(`${path}/${each}`, text(each))),
      )
      const removed = await store.remove(`${path}/c`)
      await expect.poll(() => all.length).toBe(5)
      expect(all).toEqual([...written, removed].sort((a, b) => (a?.version ?? 0) - (b?.version ?? 0)))
      // Two watches are in step with the pool, not with each other.
      await expect.poll(() => some).toEqual([`${path}/a`, `${path}/a/x`])
      watch.close()
      inner.close()
      await store.put(`${path}/a`, text('unseen'))
      expect(all).toHaveLength(5)
      expect(await store.changes(path, { afterVersion: 4 })).toMatchObject([{ version: 5 }, { version: 6 }])
    })
  }

  function describeReads(pool: () => Promise<string>): void {
    it('reads as of a version and as of a time', async () => {
      const path = await pool()
      const key = `${path}/a`
      const infos: ObjectInfo[] = []
      for (let n = 0; n < 5; n++) {
        infos.push(await store.put(key, text(String(n))))
        await store.put(`${path}/noise`, text('noise'))
      }
      expect(await store.get(key, { version: 0 })).toBeNull()
      for (const [n, { version, timestamp }] of infos.entries()) {
        expect(textOf(await store.get(key, { version }))).toBe(String(n))
        expect(textOf(await store.get(key, { version: version + 1 }))).toBe(String(n))
        expect(textOf(await store.get(key, { time: timestamp }))).toBe(String(n))
        expect(textOf(await store.get(key, { time: timestamp - 1 }))).toBe(
          n === 0 ? undefined : String(n - 1),
        )
        expect(await store.getSize(key, { version })).toBe(1)
      }
      await expect(store.get(key, { version: 11 })).rejects.toThrow(FutureVersionError)
      await expect(store.get(key, { version: 1.5 })).rejects.toThrow(InvalidOptionError)
      await expect(store.get(key, { time: Number.NaN })).rejects.toThrow(InvalidOptionError)
    })

    it('reads into the future when it has come', async () => {
      const path = await pool()
      const key = `${path}/a`
      await store.put(key, text('before'))
      const time = (await store.time()) + 150_000
      const reads = [
        store.get(key, { time }),
        store.multiGet(path, { time }).then(({ objects }) => objects.get(key) as StoredObject),
      ]
      await store.put(key, text('meanwhile'))
      expect((await Promise.all(reads)).map(textOf)).toEqual(['meanwhile', 'meanwhile'])
      expect(await store.time()).toBeGreaterThan(time)
      const after = await store.put(key, text('after'))
      expect(after.timestamp).toBeGreaterThan(time)
      expect(textOf(await store.get(key, { time }))).toBe('meanwhile')
    })

    it('answers a time the same way for ever, while writers are at work', async () => {
      const path = await pool()
      let running = true
      const writers = [0, 1, 2].map(async (writer) => {
        for (let n = 0; running; n++) {
          await store.put(`${path}/${writer}`, text(String(n)))
          await turn()
        }
      })
      const answers: { time: number; versions: number[] }[] = []
      const versionsAt = async (time: number) =>
        [...(await store.multiGet(path, { time })).objects.values()].map(({ version }) => version)
      for (let n = 0; n < 20; n++) {
        const time = (await store.time()) + 2_000
        answers.push({ time, versions: await versionsAt(time) })
      }
      running = false
      await Promise.all(writers)
      for (const { time, versions } of answers) expect(await versionsAt(time)).toEqual(versions)
    })

    it('lists keys under a prefix, now and then', async () => {
      const path = await pool()
      for (const each of ['b/2', 'b/1', 'b', 'bb', 'a/1']) await store.put(`${path}/${each}`, text(each))
      await store.remove(`${path}/b/1`)
      const names = async (...args: Parameters<Store['listKeys']>) =>
        (await store.listKeys(...args)).map((key) => key.slice(path.length + 1))
      expect(await names(path)).toEqual(['a/1', 'b', 'b/2', 'bb'])
      expect(await names(`${path}/b`)).toEqual(['b', 'b/2'])
      expect(await store.listObjects(`${path}/b`)).toEqual([
        ...(await store.history(`${path}/b`)),
        ...(await store.history(`${path}/b/2`)),
      ])
      expect(await names(`${path}/c`)).toEqual([])
      expect(await names(path, { version: 2 })).toEqual(['b/1', 'b/2'])
      expect(await names(path, { version: 0 })).toEqual([])
      const [first] = await store.history(`${path}/b`)
      expect(await names(path, { time: first?.timestamp as number })).toEqual(['b', 'b/1', 'b/2'])
    })

    it('gives several objects of one moment', async () => {
      const path = await pool()
      await store.put(`${path}/a/1`, text('old'))
      await store.put(`${path}/a/2`, text('two'))
      await store.put(`${path}/b`, text('b'))
      await store.put(`${path}/a/1`, text('new'))
      const contents = async (...args: Parameters<Store['multiGet']>) => {
        const { version, objects } = await store.multiGet(...args)
        return [version, ...[...objects].map(([key, object]) => [key.slice(path.length + 1), textOf(object)])]
      }
      expect(await contents(`${path}/a`)).toEqual([4, ['a/1', 'new'], ['a/2', 'two']])
      expect(await contents(path, { version: 3 })).toEqual([3, ['a/1', 'old'], ['a/2', 'two'], ['b', 'b']])
      expect(await contents([`${path}/b`, `${path}/none`])).toEqual([4, ['b', 'b']])
      expect(await contents([])).toEqual([0])
    })

    it('gives ranges of a history by version, by time and by number', async () => {
      const path = await pool()
      const infos: ObjectInfo[] = []
      for (let n = 0; n < 6; n++) infos.push(await store.put(`${path}/${n % 2}`, text(String(n))))
      const [first, second, third, fourth, fifth, sixth] = infos as [
        ObjectInfo,
        ...ObjectInfo[],
      ] as ObjectInfo[]
      expect(await store.history(`${path}/0`)).toEqual([first, third, fifth])
      expect(await store.history(`${path}/0`, { afterVersion: 1, toVersion: 4 })).toEqual([third])
      expect(await store.changes(path)).toEqual(infos)
      expect(await store.changes(`${path}/1`)).toEqual([second, fourth, sixth])
      expect(
        await store.changes(path, { fromTime: third?.timestamp, toTime: fifth?.timestamp } as object),
      ).toEqual([third, fourth, fifth])
      expect(await store.changes(path, { afterVersion: 2, limit: 2 })).toEqual([third, fourth])
      const until = await store.changes(path, { afterVersion: 5, toTime: (await store.time()) + 20_000 })
      expect(until).toEqual([sixth])
    })

    it('agrees with a model of what was written', async () => {
      const operation = fc.record({
        key: fc.constantFrom('a', 'b', 'a/b'),
        value: fc.option(fc.string(), { freq: 4 }),
      })
      await fc.assert(
        fc.asyncProperty(fc.array(operation, { maxLength: 12 }), async (operations) => {
          const path = await pool()
          const states: Map<string, string>[] = [new Map()]
          for (const { key, value } of operations) {
            const state = new Map(states[states.length - 1])
            const done = await (value === null
              ? store.remove(`${path}/${key}`)
              : store.put(`${path}/${key}`, text(value)))
            if (value === null) state.delete(`${path}/${key}`)
            else state.set(`${path}/${key}`, value)
            if (done) states.push(state)
          }
          for (const [version, state] of states.entries()) {
            const { objects } = await store.multiGet(path, { version })
            expect(new Map([...objects].map(([key, object]) => [key, textOf(object)]))).toEqual(state)
          }
        }),
        { numRuns: 25 },
      )
    })
  }

  function describeLargeObjects(pool: () => Promise<string>): void {
    const large = (fill: number, size: number) => new Uint8Array(size).fill(fill)

    it('keeps objects of any size as they are', async () => {
      const path = await pool()
      for (const size of [0, 1, 4095, 4096, 4097, 1_048_576, 1_048_577, 3_000_000]) {
        const bytes = Uint8Array.from({ length: size }, (_, n) => (n * 31 + size) % 251)
        await store.put(`${path}/put`, { type: 'a/b', bytes })
        const streamed = await store.putStream(`${path}/stream`, 'a/b', [
          bytes.subarray(0, 5),
          bytes.subarray(5),
        ])
        expect(streamed.size).toBe(size)
        for (const key of ['put', 'stream']) {
          expect(Buffer.compare((await store.get(`${path}/${key}`))?.bytes as Uint8Array, bytes)).toBe(0)
          expect(Buffer.compare(await collect(await store.getStream(`${path}/${key}`)), bytes)).toBe(0)
          expect(await store.getSize(`${path}/${key}`)).toBe(size)
        }
      }
    })

    it('shows a streamed object when it is complete, and nothing of one that fails', async () => {
      const path = await pool()
      const key = `${path}/a`
      await store.put(key, text('before'))
      async function* failing() {
        yield large(1, 2_500_000)
        expect(textOf(await store.get(key))).toBe('before')
        throw new Error('the camera is gone')
      }
      await expect(store.putStream(key, 'image/png', failing())).rejects.toThrow('the camera is gone')
      expect(await store.history(key)).toHaveLength(1)
      await expect(store.putStream(key, 'a/b', [large(1, 10)], { expectedVersion: 0 })).rejects.toThrow(
        VersionConflictError,
      )
    })

    it('lets a reader finish the version it began, whatever is written meanwhile', async () => {
      const path = `/torn-${pools}-${(await pool()).slice(1)}`
      for (const persistence of ['volatile', 'buffered', 'persistent'] as const) {
        await store.createPool(path, { persistence, retention: { versions: 1 } })
        const key = `${path}/a`
        await store.putStream(key, 'a/b', [large(1, 3_000_000)])
        const stream = await store.getStream(key)
        await store.putStream(key, 'a/b', [large(2, 3_000_000)])
        await store.put(key, { type: 'a/b', bytes: large(3, 2_000_000) })
        const whole = await collect(stream)
        expect(whole.length).toBe(3_000_000)
        expect(whole.every((byte) => byte === 1)).toBe(true)
        const last = await store.getStream(key)
        await store.removePool(path)
        expect((await collect(last)).every((byte) => byte === 3)).toBe(true)
      }
    })
  }

  function describeRetention(
    pool: (retention: NonNullable<PoolOptions['retention']>) => Promise<string>,
  ): void {
    it('keeps the last versions of a key, and says when one is forgotten', async () => {
      const path = await pool({ versions: 2 })
      const key = `${path}/a`
      await store.put(`${path}/other`, text('kept'))
      for (let n = 2; n <= 6; n++) await store.putStream(key, 'text/plain', [Buffer.from(String(n))])
      expect((await store.history(key)).map(({ version, ordinal }) => [version, ordinal])).toEqual([
        [5, 4],
        [6, 5],
      ])
      expect((await store.changes(path)).map(({ version }) => version)).toEqual([1, 5, 6])
      expect(textOf(await store.get(key, { version: 5 }))).toBe('5')
      for (const version of [1, 2, 4])
        await expect(store.get(key, { version })).rejects.toThrow(ForgottenVersionError)
      await expect(store.multiGet(path, { version: 3 })).rejects.toThrow(ForgottenVersionError)
      expect(textOf(await store.get(`${path}/other`, { version: 3 }))).toBe('kept')
    })

    it('drops what was replaced too long ago, never the latest', async () => {
      const path = await pool({ ageMs: 50 })
      const key = `${path}/a`
      await store.put(key, text('1'))
      await store.put(key, text('2'))
      expect(await store.history(key)).toHaveLength(2)
      await new Promise((resolve) => setTimeout(resolve, 80))
      // Version 1 was replaced long ago; version 2 is replaced now.
      await store.put(key, text('3'))
      expect((await store.history(key)).map(({ version }) => version)).toEqual([2, 3])
    })

    it('agrees with a model of what is kept', async () => {
      interface Kept {
        info: ObjectInfo
        value: string | null
      }
      const key = fc.constantFrom('a', 'b', 'a/b')
      // of 20,000 characters: too large to lie with what is known of a version
      const value = fc.oneof({ arbitrary: fc.string(), weight: 4 }, fc.constant('x'.repeat(20_000)))
      const operation = fc.oneof(
        { arbitrary: fc.array(fc.record({ key, value }), { minLength: 1, maxLength: 4 }), weight: 4 },
        fc.record({ remove: key }),
      )
      const versions = fc.integer({ min: 1, max: 2 })
      await fc.assert(
        fc.asyncProperty(versions, fc.array(operation, { maxLength: 8 }), async (versions, operations) => {
          const path = await pool({ versions })
          const kept = new Map<string, Kept[]>()
          const times: number[] = []
          const note = (info: ObjectInfo, value: string | null) => {
            kept.set(info.key, [...(kept.get(info.key) ?? []), { info, value }].slice(-versions))
            times.push(info.timestamp)
          }
          for (const each of operations)
            if ('remove' in each) {
              const removed = await store.remove(`${path}/${each.remove}`)
              const [last] = (await store.changes(path)).slice(-1)
              if (removed) note(last as ObjectInfo, null)
            } else {
              const batch = each.map(({ key, value }) => ({ key: `${path}/${key}`, value: text(value) }))
              const infos = await store.putBatch(batch)
              for (const [at, info] of infos.entries()) note(info, each[at]?.value ?? null)
            }
          const all = [...kept.values()].flat().sort((a, b) => a.info.version - b.info.version)
          expect(await store.changes(path)).toEqual(all.map(({ info }) => info))
          for (const [key, own] of kept) expect(await store.history(key)).toEqual(own.map(({ info }) => info))

          const stateAt = (version: number) => {
            const state: Record<string, string> = {}
            for (const [key, own] of kept) {
              const { info, value } = own.findLast((each) => each.info.version <= version) ?? {}
              if (!info && (own[0]?.info.ordinal ?? 1) > 1) return 'forgotten'
              if (value !== undefined && value !== null) state[key] = value
            }
            return state
          }
          const read = async (at: { version: number } | { time: number }) => {
            try {
              const { objects } = await store.multiGet(path, at)
              for (const [key, object] of objects)
                expect(textOf(await store.get(key, at))).toBe(textOf(object))
              return Object.fromEntries([...objects].map(([key, object]) => [key, textOf(object)]))
            } catch (error) {
              expect(error).toBeInstanceOf(ForgottenVersionError)
              return 'forgotten'
            }
          }
          for (const [at, time] of times.entries()) {
            const version = at + 1
            expect(await read({ version })).toEqual(stateAt(version))
            const until = all.findLast(({ info }) => info.timestamp <= time)?.info.version ?? 0
            expect(await read({ time })).toEqual(stateAt(until))
            const later = all.map(({ info }) => info).filter((info) => info.version > version)
            expect(await store.changes(path, { afterVersion: version, limit: 2 })).toEqual(later.slice(0, 2))
            for (const key of kept.keys())
              expect(await store.history(key, { afterVersion: version })).toEqual(
                later.filter((info) => info.key === key),
              )
          }
        }),
        { numRuns: 25 },
      )
    })

    it('keeps many keys while it drops versions', async () => {
      const path = await pool({ versions: 1 })
      for (let n = 0; n < 300; n++) await store.put(`${path}/${n % 7}`, text(String(n)))
      expect((await store.changes(path)).map(({ version }) => version)).toEqual([
        294, 295, 296, 297, 298, 299, 300,
      ])
      const { objects } = await store.multiGet(path)
      expect([...objects.values()].map(textOf).sort()).toEqual([
        '293',
        '294',
        '295',
        '296',
        '297',
        '298',
        '299',
      ])
      const [oldest] = await store.changes(path)
      expect(await store.listKeys(path, { version: 294 }).catch((error) => error)).toBeInstanceOf(
        ForgottenVersionError,
      )
      expect(oldest?.version).toBe(294)
    })
  }

  function describeConcurrency(pool: () => Promise<string>): void {
    it('loses no update of writers that expect a version', async () => {
      const path = await pool()
      const key = `${path}/counter`
      await store.put(key, text('0'))
      const increment = async () => {
        for (let done = 0; done < 10; ) {
          const current = (await store.get(key)) as StoredObject
          const next = text(String(Number(textOf(current)) + 1))
          try {
            await store.put(key, next, { expectedVersion: current.version })
            done++
          } catch (error) {
            expect(error).toBeInstanceOf(VersionConflictError)
          }
        }
      }
      await Promise.all([1, 2, 3, 4].map(increment))
      expect(textOf(await store.get(key))).toBe('40')
    })

    it('answers each of many writes of one moment by itself', async () => {
      const path = await pool()
      const writes = Array.from({ length: 250 }, (_, n) => {
        const stale = n % 5 === 4 ? { expectedVersion: 1_000 } : {}
        return store.put(`${path}/${n % 7}`, text(String(n)), stale).then(
          ({ version }) => version,
          (error) => error,
        )
      })
      const outcomes = await Promise.all(writes)
      const refused = outcomes.filter((outcome) => outcome instanceof VersionConflictError)
      expect(refused).toHaveLength(50)
      const versions = outcomes.filter((outcome) => typeof outcome === 'number')
      expect(versions).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
      const written = (await store.changes(path)).map(({ version }) => version)
      expect(written).toEqual(versions)
      expect((await store.history(`${path}/0`)).map(({ ordinal }) => ordinal)).toEqual(
        Array.from({ length: written.length / 7 + 1 }, (_, n) => n + 1),
      )
    })

    it('never shows half of a batch', async () => {
      const path = await pool()
      let running = true
      const write = async () => {
        for (let n = 0; running; n++) {
          const value = text(String(n))
          await store.putBatch(['a', 'b', 'c'].map((each) => ({ key: `${path}/${each}`, value })))
          await turn()
        }
      }
      const writing = write()
      for (let n = 0; n < 60; n++) {
        const { objects } = await store.multiGet(path)
        expect(new Set([...objects.values()].map(textOf)).size).toBeLessThanOrEqual(1)
        expect([0, 3]).toContain(objects.size)
        await turn()
      }
      running = false
      await writing
    })
  }
}
