import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { type EmbeddedStore, openEmbeddedStore } from '@hivemind/store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Entry, FileTree } from './file-tree.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-tree-'))
let store: EmbeddedStore
let tree: FileTree
/** ms since 1970, between the first and the second version of `photo.jpg`. */
let between = 0

const put = (key: string, text: string) => store.put(key, { type: 'text/plain', bytes: Buffer.from(text) })

beforeAll(async () => {
  store = await openEmbeddedStore({ folder })
  for (const pool of ['/factory/images', '/factory/empty', '/notes'])
    await store.createPool(pool, { retention: { versions: 10 } })
  await put('/factory/images/photo.jpg', 'one')
  await new Promise((resolve) => setTimeout(resolve, 5))
  between = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 5))
  await put('/factory/images/photo.jpg', 'second')
  await put('/factory/images/line/1', 'a')
  await put('/factory/images/line', 'both an object and a folder')
  await put('/notes/gone', 'was here')
  await store.remove('/notes/gone')
  await put('/notes/..', 'no address leads here')
  tree = new FileTree(store)
})
afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const namesIn = async (where: string): Promise<string[] | undefined> =>
  (await tree.list(where.split('/').filter(Boolean)))?.map(({ name, object }) => (object ? name : `${name}/`))
const find = (where: string): Promise<Entry | null> => tree.find(where.split('/').filter(Boolean))

test('folders are components of paths, files are objects', async () => {
  expect(await namesIn('')).toEqual(['latest/', 'at/', 'versions/'])
  expect(await namesIn('latest')).toEqual(['factory/', 'notes/'])
  expect(await namesIn('latest/factory')).toEqual(['empty/', 'images/'])
  expect(await namesIn('latest/factory/empty')).toEqual([])
  expect(await namesIn('latest/factory/images')).toEqual(['line/', 'photo.jpg'])
  expect((await find('latest/factory/images/photo.jpg'))?.object).toMatchObject({ ordinal: 2, size: 6 })
  expect((await find('latest/factory/images'))?.object).toBeNull()
})

test('an object whose key is also a folder is a file in it', async () => {
  expect(await namesIn('latest/factory/images/line')).toEqual(['.object', '1'])
  expect((await find('latest/factory/images/line/.object'))?.object?.key).toBe('/factory/images/line')
})

test('as it was at a time', async () => {
  const time = new Date(between).toISOString()
  expect(await namesIn(`at/${time}/factory/images`)).toEqual(['photo.jpg'])
  expect((await find(`at/${time}/factory/images/photo.jpg`))?.object).toMatchObject({ ordinal: 1, size: 3 })
  expect(await namesIn('at')).toEqual([])
  expect((await find(`at/${time}`))?.object).toBeNull()
  for (const none of ['yesterday', '2026-13-41', new Date(Date.now() + 60_000).toISOString()])
    expect(await find(`at/${none}`), none).toBeNull()
})

test('the kept versions of each object, also of one that was removed', async () => {
  const names = await namesIn('versions/factory/images/photo.jpg')
  expect(names).toEqual(['v1.jpg', 'v2.jpg'])
  expect((await find('versions/factory/images/photo.jpg/v1.jpg'))?.object?.size).toBe(3)
  expect(await namesIn('versions/factory/images/line')).toEqual(['1/', 'v4'])
  expect(await namesIn('versions/notes')).toEqual(['gone/'])
  expect(await namesIn('versions/notes/gone')).toEqual(['v1'])
  expect(await find('latest/notes/gone')).toBeNull()
})

test('what is not there is not there', async () => {
  for (const none of [
    'newest',
    'latest/fact',
    'latest/factory/images/photo',
    'latest/factory/images/photo.jpg/deeper',
    'latest/factory/images/photo.jpg/.object',
    'versions/factory/images/photo.jpg/v3.jpg',
  ])
    expect(await find(none), none).toBeNull()
  expect(await namesIn('latest/factory/images/photo.jpg')).toBeUndefined()
  expect(await namesIn('latest/notes')).toEqual([])
})
