/** Bounds of the copies of eventual objects at an edge node. */
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { Disk } from '../src/disk.ts'
import { UnreachableError } from '../src/errors.ts'
import { EventualCopies } from '../src/eventual/copies.ts'
import { Merges } from '../src/eventual/merges.ts'
import { Flusher } from '../src/flusher.ts'
import type { Header } from '../src/frame.ts'

const MEGABYTE = 1024 * 1024
let folder: string
let disk: Disk
let asked: Header[]
let told: Header[]
/** The backend answers a fetch with this, and nothing else. */
let value: Buffer
let isAway: boolean

const open = (): EventualCopies => {
  const away = () => Promise.reject(new UnreachableError('away'))
  return new EventualCopies({
    node: 'edge',
    disk,
    flusher: new Flusher(disk),
    merges: new Merges(),
    bounds: { objects: 10, bytes: MEGABYTE },
    ask: async (header) => {
      asked.push(header)
      if (isAway || header.type !== 'eventual-fetch') return away()
      const fields = {
        version: 1,
        exists: true,
        stamp: 1,
        node: 'other',
        merge: 'last-writer',
        recencyMs: 1_000,
      }
      return { header: { type: 'answer', ...fields }, body: value }
    },
    tell: (header) => told.push(header),
    ping: () => (isAway ? away() : Promise.resolve()),
  })
}

beforeEach(() => {
  folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-copies-'))
  disk = new Disk(folder)
  asked = []
  told = []
  value = Buffer.from('value')
  isAway = false
})
afterEach(async () => {
  await disk.close()
  rmSync(folder, { recursive: true, force: true })
})

it('beyond 64 MB, copies go that were not used for longest; those with writes to send stay', async () => {
  const copies = open()
  value = Buffer.alloc(MEGABYTE)
  await copies.read('written')
  await copies.write('written', Buffer.from('mine'))
  for (let n = 0; n < 60; n++) await copies.read(`object-${n}`)
  await copies.read('object-0')
  for (let n = 60; n < 70; n++) await copies.read(`object-${n}`)
  const kept = Object.keys(copies.versions)
  expect(kept).toHaveLength(64)
  expect(kept).toContain('written')
  expect(kept).toContain('object-0')
  expect(told.map(({ type, name }) => `${type} ${name}`)).toEqual(
    [1, 2, 3, 4, 5, 6, 7].map((n) => `eventual-leave object-${n}`),
  )
  copies.close()
})

it('a copy is served without the backend until its bound, and then not', async () => {
  const copies = open()
  await copies.read('object')
  isAway = true
  expect((await copies.read('object', 60_000)).state.value).toEqual(value)
  await expect(copies.read('object', 0)).rejects.toThrow("The copy of 'object' is")
  expect(asked).toHaveLength(1)
  copies.close()
})

it('after a start, copies and writes are there, of an age that is not known', async () => {
  const before = open()
  await before.read('object')
  await before.write('object', Buffer.from('mine'))
  before.close()
  await disk.close()
  disk = new Disk(folder)
  isAway = true
  const copies = open()
  await expect(copies.read('object')).rejects.toThrow('from before the edge node was started')
  const { state, isPending } = await copies.read('object', Number.POSITIVE_INFINITY)
  expect([state.value?.toString(), isPending]).toEqual(['mine', true])
  // A clock that was set back does not make its later writes earlier ones.
  const { stamp } = state
  const now = Date.now
  try {
    Date.now = () => 1_000
    await copies.write('object', Buffer.from('later'))
  } finally {
    Date.now = now
  }
  expect((await copies.read('object', Number.POSITIVE_INFINITY)).state.stamp).toBe(stamp + 1)
  copies.close()
})
