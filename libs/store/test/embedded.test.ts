import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { open as openLmdb } from 'lmdb'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { prepareBufferedFolder } from '../src/embedded/buffered-folder.ts'
import { LmdbFile } from '../src/embedded/lmdb-file.ts'
import { openEmbeddedStore, type Store, StoreError } from '../src/index.ts'
import { describeStore } from './conformance.ts'
import { collect, text, textOf } from './values.ts'

const newFolder = () => mkdtemp(path.join(os.tmpdir(), 'hivemind-store-'))

describeStore('embedded', async () => {
  const root = await newFolder()
  let stores = 0
  const open = () => openEmbeddedStore({ folder: path.join(root, String(++stores)) })
  return {
    store: await open(),
    another: open,
    stop: () => rm(root, { recursive: true, force: true }),
  }
})

describe('the folder of an embedded store', () => {
  let folder: string
  beforeEach(async () => {
    folder = await newFolder()
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is copied as it is at one moment while writers are at work', async () => {
    const store = await openEmbeddedStore({ folder })
    await store.createPool('/p', { persistence: 'persistent' })
    let running = true
    const writing = (async () => {
      for (let n = 0; running; n++)
        await store.putBatch(['/p/a', '/p/b'].map((key) => ({ key, value: text(String(n)) })))
    })()
    await expect.poll(async () => (await store.changes('/p')).length).toBeGreaterThan(20)
    const acknowledged = textOf(await store.get('/p/a'))
    await store.copyTo(path.join(folder, 'copy'))
    running = false
    await writing
    const { position } = store
    await store.get('/p/a')
    expect(store.position).toBe(position)
    await store.put('/p/a', text('last'))
    expect(store.position).toBeGreaterThan(position)
    await store.close()

    const copy = await openEmbeddedStore({ folder: path.join(folder, 'copy') })
    const values = ['/p/a', '/p/b'].map(async (key) => textOf(await copy.get(key)))
    const [a, b] = await Promise.all(values)
    expect(a).toBe(b)
    expect(Number(a)).toBeGreaterThanOrEqual(Number(acknowledged))
    await copy.close()
  })

  it('keeps of writes that are made together what a pool in memory keeps: random writes, and every retention', async () => {
    let at = 1_000_000
    const clock = { now: () => at++ }
    const write = fc.record({
      key: fc.constantFrom('/a', '/b', '/c'),
      // those of the last are in chunks
      size: fc.constantFrom(null, 10, 20, 5_000),
      together: fc.boolean(),
    })
    const retention = fc.record({
      versions: fc.constantFrom(undefined, 1, 2, 3),
      ageMs: fc.constantFrom(undefined, 0.003),
    })
    const store = await openEmbeddedStore({ folder, clock })
    let pools = 0
    const histories = async (of: Store, pool: string) => {
      const all = await Promise.all(['/a', '/b', '/c'].map((key) => of.history(`${pool}${key}`)))
      const changes = await of.changes(pool)
      return [...all, changes].map((infos) =>
        infos.map(({ timestamp: _, ...info }) => ({ ...info, key: info.key.slice(-1) })),
      )
    }
    await fc.assert(
      fc.asyncProperty(fc.array(write, { maxLength: 40 }), retention, async (writes, kept) => {
        pools += 1
        const [disk, memory] = ['disk', 'memory'].map((name) => `/${name}-${pools}`) as [string, string]
        await store.createPool(disk, { persistence: 'persistent', retention: kept })
        await store.createPool(memory, { persistence: 'volatile', retention: kept })
        for (const pool of [disk, memory]) {
          at = 1_000_000
          let going: Promise<unknown>[] = []
          for (const { key, size, together } of writes) {
            const name = `${pool}${key}`
            going.push(
              size === null
                ? store.remove(name)
                : store.put(name, { type: 'a/b', bytes: new Uint8Array(size).fill(size % 256) }),
            )
            if (together) continue
            await Promise.all(going)
            going = []
          }
          await Promise.all(going)
        }
        expect(await histories(store, disk)).toEqual(await histories(store, memory))
      }),
    )
    const before = await Promise.all(
      Array.from({ length: pools }, (_, n) => histories(store, `/disk-${n + 1}`)),
    )
    await store.close()
    const again = await openEmbeddedStore({ folder, clock })
    const after = await Promise.all(
      Array.from({ length: pools }, (_, n) => histories(again, `/disk-${n + 1}`)),
    )
    expect(after).toEqual(before)
    await again.close()
  }, 120_000)

  it('knows each of very many keys that one commit writes twice', async () => {
    const store = await openEmbeddedStore({ folder })
    await store.createPool('/p', { persistence: 'persistent', retention: { versions: 1 } })
    const keys = Array.from({ length: 20_000 }, (_, n) => `/p/${n}`)
    const infos = await Promise.all([...keys, ...keys].map((key) => store.put(key, text(key))))
    expect(infos.slice(20_000).every(({ ordinal }) => ordinal === 2)).toBe(true)
    expect(await store.changes('/p')).toHaveLength(20_000)
    await store.close()
  }, 60_000)

  it('keeps persistent pools, and no others', async () => {
    const first = await openEmbeddedStore({ folder })
    await first.createPool('/kept', { persistence: 'persistent', retention: { ageMs: 1e9 } })
    await first.createPool('/lost')
    await first.put('/kept/a', text('one'))
    await first.put('/kept/a', text('two'))
    await first.putStream('/kept/b', 'a/b', [new Uint8Array(2_000_000).fill(7)])
    await first.remove('/kept/a')
    await first.createPool('/removed', { persistence: 'persistent' })
    await first.removePool('/removed')
    const changes = await first.changes('/kept')
    await first.close()

    const second = await openEmbeddedStore({ folder })
    expect(await second.listPools()).toMatchObject([{ path: '/kept', retention: { ageMs: 1e9 } }])
    expect(await second.changes('/kept')).toEqual(changes)
    expect(textOf(await second.get('/kept/a', { version: 1 }))).toBe('one')
    expect((await collect(await second.getStream('/kept/b'))).equals(Buffer.alloc(2_000_000, 7))).toBe(true)
    const next = await second.put('/kept/a', text('three'))
    expect(next).toMatchObject({ version: 5, ordinal: 4, previousKeyVersion: 4 })
    await second.close()
  })

  it('keeps buffered pools until the machine starts again', async () => {
    const first = await openEmbeddedStore({ folder })
    await first.createPool('/p', { persistence: 'buffered' })
    await first.createPool('/q', { persistence: 'persistent' })
    await first.put('/p/a', text('one'))
    await first.close()
    const second = await openEmbeddedStore({ folder })
    expect(textOf(await second.get('/p/a'))).toBe('one')
    await second.close()
    expect(prepareBufferedFolder(folder, 'another start')).toBe(path.join(folder, 'buffered'))
    const third = await openEmbeddedStore({ folder })
    expect((await third.listPools()).map(({ path }) => path)).toEqual(['/q'])
    await third.close()
  })

  it('keeps the order of timestamps when the clock of the machine is set back', async () => {
    let now = 2_000_000
    const clock = { now: () => now }
    const first = await openEmbeddedStore({ folder, clock })
    await first.createPool('/p', { persistence: 'persistent' })
    expect(await first.put('/p/a', text('1'))).toMatchObject({ timestamp: 2_000_000 })
    await first.close()
    now = 1_000_000
    const second = await openEmbeddedStore({ folder, clock })
    expect(await second.put('/p/a', text('2'))).toMatchObject({ timestamp: 2_000_001 })
    expect(await second.time()).toBe(2_000_001)
    expect(textOf(await second.get('/p/a', { time: 2_000_000 }))).toBe('1')
    await second.close()
  })

  it('reads what an earlier version wrote, which had timestamps in a table of their own', async () => {
    const first = await openEmbeddedStore({ folder })
    await first.createPool('/p', { persistence: 'persistent' })
    for (let n = 1; n <= 5; n++) await first.put(`/p/${n % 2}`, text(String(n)))
    const changes = await first.changes('/p')
    await first.close()

    const rows = { encoding: 'binary', keyEncoding: 'binary' } as const
    const file = openLmdb<Buffer, Buffer>({ path: folder, maxDbs: 8, ...rows })
    const table = (name: string) => file.openDB<Buffer, Buffer>({ name, ...rows })
    for (const { key, value } of [...table('log').getRange()]) {
      const stamp = Buffer.from(value.subarray(0, 8))
      await table('times').put(Buffer.concat([key.subarray(0, 8), stamp]), Buffer.from(key.subarray(8)))
      await table('log').put(Buffer.from(key), Buffer.from(value.subarray(8)))
    }
    await file.close()

    for (let open = 0; open < 2; open++) {
      const store = await openEmbeddedStore({ folder })
      expect(await store.changes('/p')).toEqual(changes)
      const { version, timestamp } = changes[2] as (typeof changes)[number]
      expect((await store.multiGet('/p', { time: timestamp })).version).toBe(version)
      expect(await store.multiGet('/p')).toMatchObject({ version: 5 })
      await store.close()
    }
  })

  it('is open once at a time', async () => {
    const first = await openEmbeddedStore({ folder })
    await expect(openEmbeddedStore({ folder })).rejects.toThrow(`The folder ${folder} is in use`)
    await first.close()
    const second = await openEmbeddedStore({ folder })
    await second.close()
  })

  it('must be a folder', async () => {
    const file = path.join(folder, 'file')
    await writeFile(file, '')
    await expect(openEmbeddedStore({ folder: path.join(file, 'inside') })).rejects.toThrow(StoreError)
  })

  it('opens a file that has the bytes of a version beside its key, as earlier versions wrote them', async () => {
    const first = await openEmbeddedStore({ folder })
    await first.createPool('/p', { persistence: 'persistent' })
    await first.createPool('/q', { persistence: 'persistent' })
    await first.put('/p/a', text('one'))
    await first.put('/p/b/c', text('two'))
    await first.put('/q/a', { type: 'image/png', bytes: new Uint8Array(5_000_000).fill(3) })
    await first.put('/p/a', text('three'))
    await first.remove('/p/b/c')
    const before = await Promise.all([first.history('/p/a'), first.changes('/p'), first.changes('/q')])
    await first.close()
    await toRecords(folder)

    const second = await openEmbeddedStore({ folder })
    expect(await Promise.all([second.history('/p/a'), second.changes('/p'), second.changes('/q')])).toEqual(
      before,
    )
    expect(textOf(await second.get('/p/a'))).toBe('three')
    expect(textOf(await second.get('/p/a', { version: 1 }))).toBe('one')
    expect(textOf(await second.get('/p/b/c', { version: 3 }))).toBe('two')
    expect(await second.get('/p/b/c')).toBeNull()
    expect((await second.get('/q/a'))?.bytes).toEqual(new Uint8Array(5_000_000).fill(3))
    expect((await second.put('/p/a', text('four'))).version).toBe(5)
    await second.close()
  })

  it.each(['an earlier version', 'this version'])(
    'goes on with a pool of one version that %s has written',
    async (by) => {
      const first = await openEmbeddedStore({ folder })
      await first.createPool('/p', { persistence: 'persistent', retention: { versions: 1 } })
      await first.close()
      if (by === 'an earlier version') {
        const file = await LmdbFile.open(folder)
        const [{ key, value }] = [...file.pools.getRange()] as [{ key: Buffer; value: Buffer }]
        const { single, ...earlier } = JSON.parse(value.toString())
        expect(single).toBe(true)
        await file.commits.run(() => file.pools.put(key, Buffer.from(JSON.stringify(earlier))))
        await file.close()
      }
      // with the disk as the only memory of what is kept
      for (let opened = 1; opened <= 3; opened++) {
        const store = await openEmbeddedStore({ folder })
        const last = await Promise.all(
          [1, 2].map((n) => store.put('/p/a', { type: 'a/b', bytes: new Uint8Array(n * 4_000) })),
        )
        expect(await store.history('/p/a')).toEqual([last[1]])
        expect(await store.changes('/p')).toEqual([last[1]])
        expect(await store.listKeys('/p')).toEqual(['/p/a'])
        expect((await store.get('/p/a'))?.bytes).toHaveLength(8_000)
        await store.close()
      }
    },
  )

  it('holds no chunks that nothing refers to', async () => {
    const first = await openEmbeddedStore({ folder })
    await first.createPool('/p', { persistence: 'persistent', retention: { versions: 1 } })
    await first.createPool('/q', { persistence: 'persistent' })
    const megabytes = new Uint8Array(3_000_000)
    for (let n = 0; n < 3; n++) await first.putStream('/p/a', 'a/b', [megabytes])
    await first.put('/q/a', { type: 'a/b', bytes: megabytes })
    await first.removePool('/q')
    async function* interrupted() {
      yield megabytes
      throw new Error('interrupted')
    }
    await expect(first.putStream('/p/b', 'a/b', interrupted())).rejects.toThrow('interrupted')
    // Still read when it is replaced.
    const reader = await first.getStream('/p/a')
    await first.put('/p/a', { type: 'a/b', bytes: megabytes })
    expect((await collect(reader)).length).toBe(3_000_000)
    await first.close()

    const file = await LmdbFile.open(folder)
    expect([...file.chunks.getKeys()]).toHaveLength(3)
    expect([...file.loose.getKeys()]).toHaveLength(0)
    expect([...file.writes.getKeys()]).toHaveLength(1)
    expect([...file.keys.getKeys()]).toHaveLength(1)
    await file.close()
  })
})

/** Writes the versions of a store as earlier versions of it did: bytes beside the key, the order of writes in a table of its own. */
async function toRecords(folder: string): Promise<void> {
  const root = openLmdb<Buffer, Buffer>({
    path: folder,
    maxDbs: 12,
    encoding: 'binary',
    keyEncoding: 'binary',
  })
  const table = (name: string) =>
    root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  const [writes, keys] = [table('writes'), table('keys')]
  const [records, log] = [table('records'), table('log')]
  await root.transaction(() => {
    for (const { key: write, value } of [...writes.getRange()]) {
      const keyLength = value.readUInt16BE(3)
      const key = value.subarray(61, 61 + keyLength)
      const flagsAndType = value.subarray(0, 3)
      const numbers = value.subarray(5, 61)
      const record = Buffer.concat([write.subarray(0, 8), key, Buffer.of(0), write.subarray(8)])
      records.put(record, Buffer.concat([flagsAndType, numbers, value.subarray(61 + keyLength)]))
      log.put(write, Buffer.concat([numbers.subarray(0, 8), key]))
      writes.remove(write)
      keys.remove(record)
    }
  })
  expect([...writes.getKeys(), ...keys.getKeys()]).toEqual([])
  await root.close()
}
