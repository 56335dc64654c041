import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BlobError, BlobStore } from './blob-store.ts'

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
const NONE: ReadonlySet<string> = new Set()

let root = ''
let store: BlobStore
beforeEach(() => {
  root = mkdtempSync(path.join(tmpdir(), 'hivemind-blobs-'))
  store = new BlobStore(root)
})
afterEach(() => rmSync(root, { recursive: true, force: true }))

/** Every file below the root that has the name of a blob. */
const blobsIn = (): string[] =>
  readdirSync(root)
    .filter((folder) => folder.length === 2)
    .flatMap((folder) => readdirSync(path.join(root, folder)).map((name) => folder + name))
const drafts = (): string[] =>
  existsSync(path.join(root, 'drafts')) ? readdirSync(path.join(root, 'drafts')) : []
const age = (file: string, ms: number) => utimesSync(file, new Date(), new Date(Date.now() - ms))
const read = async (stream: Readable) => Buffer.concat(await stream.toArray())

describe('a blob store', () => {
  test('gives back what was put, as bytes and as a stream, by the sha-256 of the content', async () => {
    const bytes = randomBytes(300_000)
    const hash = await store.put(bytes)
    expect(hash).toBe(sha256(bytes))
    expect(await store.put(Readable.from([bytes.subarray(0, 7), bytes.subarray(7)]))).toBe(hash)
    expect((await store.bytes(hash)).equals(bytes)).toBe(true)
    expect((await read(store.get(hash))).equals(bytes)).toBe(true)
    expect(await store.size(hash)).toBe(bytes.length)
    expect(await store.has(hash)).toBe(true)
    expect(blobsIn()).toEqual([hash])
    expect(drafts()).toEqual([])
  })

  test('keeps the empty blob', async () => {
    const hash = await store.put(new Uint8Array())
    expect(await store.bytes(hash)).toHaveLength(0)
    expect(await read(store.get(hash))).toHaveLength(0)
  })

  test('says which blob is missing, and refuses a name that is not a hash', async () => {
    const hash = sha256(Buffer.from('nothing'))
    expect(await store.has(hash)).toBe(false)
    expect(store.touch(hash)).toBe(false)
    await expect(store.bytes(hash)).rejects.toMatchObject({ name: 'BlobError', kind: 'missing', hash })
    await expect(read(store.get(hash))).rejects.toBeInstanceOf(BlobError)
    expect(() => store.path('../../etc/passwd')).toThrow(RangeError)
  })

  test('many may put the same content at the same time', async () => {
    const bytes = randomBytes(200_000)
    const hashes = await Promise.all(Array.from({ length: 20 }, () => store.put(bytes)))
    expect(new Set(hashes)).toEqual(new Set([sha256(bytes)]))
    expect(blobsIn()).toHaveLength(1)
    expect(drafts()).toEqual([])
  })

  test('detects a corrupted file on every way of reading, and putting the content again repairs it', async () => {
    const bytes = randomBytes(100_000)
    const hash = await store.put(bytes)
    const changed = Buffer.from(bytes)
    changed[50_000] = (changed[50_000] ?? 0) ^ 1
    writeFileSync(store.path(hash), changed)
    await expect(store.bytes(hash)).rejects.toMatchObject({ kind: 'corrupted', hash })
    await expect(read(store.get(hash))).rejects.toMatchObject({ kind: 'corrupted', hash })
    await store.put(bytes)
    expect((await store.bytes(hash)).equals(bytes)).toBe(true)
  })

  test('a source that fails leaves nothing behind', async () => {
    async function* failing() {
      yield Buffer.from('half')
      throw new Error('The line was cut.')
    }
    await expect(store.put(failing())).rejects.toThrow('The line was cut.')
    expect(blobsIn()).toEqual([])
    expect(drafts()).toEqual([])
  })

  test('a sweep removes old blobs that nothing refers to, and only those', async () => {
    const live = await store.put(Buffer.from('live'))
    const dead = await store.put(Buffer.from('dead'))
    const young = await store.put(Buffer.from('young'))
    const touched = await store.put(Buffer.from('touched'))
    for (const hash of [live, dead, touched]) age(store.path(hash), 7_200_000)
    expect(store.touch(touched)).toBe(true)
    expect(await store.sweep(new Set([live]))).toEqual({ blobs: 1, bytes: 4 })
    expect(blobsIn().sort()).toEqual([live, young, touched].sort())
    expect(await store.has(dead)).toBe(false)
    expect(await store.sweep(NONE, { olderThanMs: -1 })).toMatchObject({ blobs: 3 })
    expect(blobsIn()).toEqual([])
  })

  test('a sweep of a folder that is not there does nothing', async () => {
    expect(await new BlobStore(path.join(root, 'none')).sweep(NONE)).toEqual({ blobs: 0, bytes: 0 })
  })

  test('writers that are killed never leave a blob that is incomplete', async () => {
    const module = new URL('./blob-store.ts', import.meta.url).href
    const code = `
      import { BlobStore } from ${JSON.stringify(module)}
      const store = new BlobStore(${JSON.stringify(root)})
      let n = Number(process.argv[1])
      async function* slow() { for (let i = 0; i < 40; i++) { yield Buffer.alloc(50_000, n + i); await new Promise((r) => setTimeout(r, 1)) } }
      console.log('ready')
      for (;;) { n += 1; await store.put(slow()) }`
    const children = Array.from({ length: 3 }, (_, n) =>
      spawn(process.execPath, ['--input-type=module', '-e', code, String(n * 1000)], {
        stdio: ['ignore', 'pipe', 'inherit'],
      }),
    )
    await Promise.all(children.map((child) => new Promise((resolve) => child.stdout.once('data', resolve))))
    for (const child of children) {
      while (blobsIn().length < 3) await setTimeout(5)
      await setTimeout(20 + 30 * Math.random())
      const gone = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await gone
    }
    expect(drafts().length).toBeGreaterThan(0)
    for (const hash of blobsIn()) expect(sha256(readFileSync(store.path(hash)))).toBe(hash)
    await store.sweep(new Set(blobsIn()), { olderThanMs: -1 })
    expect(drafts()).toEqual([])
    for (const hash of blobsIn()) expect((await store.bytes(hash)).length).toBe(2_000_000)
  })
})
