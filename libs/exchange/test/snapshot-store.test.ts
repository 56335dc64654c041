/** What a backend keeps for snapshots, and what an edge node keeps of it. */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Disk } from '../src/disk.ts'
import { Flusher } from '../src/flusher.ts'
import { ConflictError, ExchangeClient } from '../src/index.ts'
import { ObjectKinds } from '../src/objects/kinds.ts'
import { SnapshotCopies } from '../src/snapshots/copies.ts'
import { MAX_SNAPSHOT_MS, SNAPSHOT_LEASE_MS } from '../src/snapshots/leases.ts'
import { SnapshotStore } from '../src/snapshots/store.ts'
import { withChangedFrames } from './planted.ts'

const MEGABYTE = 1024 * 1024

describe('the store', () => {
  let folder: string
  let disk: Disk
  let store: SnapshotStore
  let commits = 0
  const open = () => {
    disk = new Disk(folder)
    store = new SnapshotStore({ disk, flusher: new Flusher(disk), kinds: new ObjectKinds() })
  }
  const write = async (name: string, value: string | Buffer, token = `writer-${commits}`) => {
    const { snapshot } = await store.begin(token, 0)
    const values = new Map([[name, Buffer.from(value)]])
    return store.commit({ token, snapshot, writer: 'test', number: ++commits, values })
  }
  const read = async (token: string, snapshot: number, name: string) =>
    (await store.read(token, snapshot, name)).value?.toString() ?? null
  beforeEach(() => {
    folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-snapshots-'))
    vi.useFakeTimers({ toFake: ['performance'] })
    open()
  })
  afterEach(async () => {
    vi.useRealTimers()
    await disk.close()
    rmSync(folder, { recursive: true, force: true })
  })

  it('keeps earlier versions as long as a snapshot sees them', async () => {
    await write('x', '1')
    const { snapshot } = await store.begin('reader', 0)
    await write('x', '2')
    await write('x', '3')
    expect(store.kept('x')).toBe(2)
    expect(await read('reader', snapshot, 'x')).toBe('1')
    store.end('reader')
    store.tidy()
    expect(store.kept('x')).toBe(1)
    await expect(read('reader', snapshot, 'x')).rejects.toThrow(
      "'x' was written since, and its earlier version",
    )
    expect(await read('reader', snapshot, 'later')).toBeNull()
  })

  it('keeps a snapshot for a lease after its last sign of life', async () => {
    await write('x', '1')
    const { snapshot } = await store.begin('reader', 0)
    await write('x', '2')
    for (let n = 0; n < 5; n++) {
      vi.advanceTimersByTime(SNAPSHOT_LEASE_MS - 1)
      store.renew(new Map([['reader', snapshot]]))
      store.tidy()
    }
    expect(await read('reader', snapshot, 'x')).toBe('1')
    vi.advanceTimersByTime(SNAPSHOT_LEASE_MS + 1)
    store.tidy()
    expect(store.kept('x')).toBe(1)
    await expect(read('reader', snapshot, 'x')).rejects.toThrow(ConflictError)
  })

  it('keeps no snapshot for longer than 10 minutes', async () => {
    await write('x', '1')
    const { snapshot } = await store.begin('reader', 0)
    await write('x', '2')
    for (let ms = 0; ms <= MAX_SNAPSHOT_MS; ms += SNAPSHOT_LEASE_MS / 2) {
      expect(store.kept('x')).toBe(2)
      store.renew(new Map([['reader', snapshot]]))
      vi.advanceTimersByTime(SNAPSHOT_LEASE_MS / 2)
    }
    store.tidy()
    expect(store.kept('x')).toBe(1)
  })

  it('gives up the oldest snapshots beyond 64 MB of earlier versions', async () => {
    await write('x', Buffer.alloc(8 * MEGABYTE))
    for (let n = 0; n < 10; n++) {
      await store.begin(`reader-${n}`, 0)
      await write('x', Buffer.alloc(8 * MEGABYTE))
    }
    expect(store.kept('x')).toBe(9)
    await expect(store.read('reader-0', 1, 'x')).rejects.toThrow(ConflictError)
    expect((await store.read('reader-9', 10, 'x')).version).toBe(10)
  })

  it('takes a commit that is sent again once, also after a start', async () => {
    const { snapshot } = await store.begin('t', 0)
    const commit = {
      token: 't',
      snapshot,
      writer: 'sender',
      number: 1,
      values: new Map([['x', Buffer.from('1')]]),
    }
    expect(await store.commit(commit)).toBe(1)
    expect(await store.commit(commit)).toBe(0)
    await disk.close()
    open()
    expect(await store.commit(commit)).toBe(0)
    expect(store.versionOf('x')).toBe(1)
    await expect(store.commit({ ...commit, number: 2 })).rejects.toThrow(
      "'x' was written by another transaction",
    )
  })

  it('says what has changed since a commit, or that it does not know', async () => {
    await write('x', '1')
    await write('y', '1')
    await write('x', '2')
    expect((await store.begin('t', 1)).changed).toEqual(
      new Map([
        ['x', 3],
        ['y', 2],
      ]),
    )
    expect((await store.begin('t', 4)).changed).toBeNull()
    await disk.close()
    open()
    expect((await store.begin('t', 2)).changed).toBeNull()
    expect((await store.begin('t', 3)).changed).toEqual(new Map())
  })
})

it('an edge node keeps 64 MB of copies, those that were read last', () => {
  const copies = new SnapshotCopies()
  const put = (n: number) =>
    copies.put(`object-${n}`, { version: n + 1, value: Buffer.alloc(MEGABYTE), through: n + 1 })
  for (let n = 0; n < 64; n++) put(n)
  copies.advance(64, new Map())
  expect(copies.get('object-0', 64)).not.toBeNull()
  put(64)
  expect(copies.get('object-0', 64)).not.toBeNull()
  expect(copies.get('object-1', 64)).toBeNull()
  // Snapshots before a version do not see it, nor those of which the node does not know whether it was written since.
  expect(copies.get('object-64', 64)).toBeNull()
  expect(copies.get('object-64', 65)).not.toBeNull()
  expect(copies.get('object-64', 66)).toBeNull()
  copies.advance(70, new Map([['object-64', 66]]))
  expect(copies.get('object-64', 65)).toBeNull()
  expect(copies.get('object-63', 70)).not.toBeNull()
  // An answer that was under way meanwhile is not kept.
  copies.put('late', { version: 60, value: Buffer.alloc(1), through: 69 })
  expect(copies.get('late', 69)).toBeNull()
  copies.advance(71, null)
  expect(copies.get('object-63', 70)).toBeNull()
})

it('an edge node asks for an object again only when it has changed', async () => {
  let reads = 0
  const changes = {
    toNode: (frame: { header: { type: string; id?: number }; body: Buffer }) => {
      if (frame.header.type === 'transaction-read') reads++
      return frame
    },
  }
  await withChangedFrames(changes, async ({ addresses }) => {
    const [a, b] = await Promise.all(
      [0, 1].map((n) => ExchangeClient.connect({ name: `client-${n}`, edges: [addresses[n] as string] })),
    )
    const { objects } = a as ExchangeClient
    const other = (b as ExchangeClient).objects
    const read = () =>
      objects.transaction(async (each) => Buffer.from((await each.read('big')) ?? '').toString())
    await other.transaction((each) => each.write('big', Buffer.from('1')))
    for (let n = 0; n < 10; n++) expect(await read()).toBe('1')
    expect(reads).toBe(1)
    await other.transaction((each) => each.write('big', Buffer.from('2')))
    for (let n = 0; n < 10; n++) expect(await read()).toBe('2')
    expect(reads).toBe(2)
    // What a client of the edge node itself writes is there already.
    await objects.transaction((each) => each.write('big', Buffer.from('3')))
    for (let n = 0; n < 10; n++) expect(await read()).toBe('3')
    expect(reads).toBe(2)
    a?.close()
    b?.close()
  })
})
