import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { MemoryDataPort, MissingValueError } from '@hivemind/values'
import { BlobStore, DataEndpointError, HttpDataPort } from '@hivemind/values/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type DataEndpoint, startDataEndpoint } from './data-endpoint.ts'

let dir = ''
let blobs: BlobStore
let endpoint: DataEndpoint
beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'hivemind-data-'))
  blobs = new BlobStore(dir)
  endpoint = await startDataEndpoint({
    data: new MemoryDataPort(),
    blobs,
    authenticate: (user, password) => password === `secret of ${user}`,
    permission: (user, pool) =>
      pool === 'of nobody yet' ? 'unknown' : user !== 'd2' || pool === 'shared' ? 'granted' : 'refused',
    maxValueBytes: 1_000_000,
  })
})
afterEach(async () => {
  await endpoint.close()
  rmSync(dir, { recursive: true, force: true })
})

const port = (user = 'd1', password = `secret of ${user}`) =>
  new HttpDataPort({ url: endpoint.url, user, password })

test('values are put and got by pool, key and version, whatever their names', async () => {
  const first = { type: 'image/jpeg', bytes: randomBytes(300_000) }
  const pool = 'run 1/2 ü?'
  const key = 'cam/d1:0#x'
  const ref = await port().put(pool, key, first)
  expect(ref).toEqual({ kind: 'stored', pool, key, version: 1, size: 300_000, type: 'image/jpeg' })
  const second = await port().put(pool, key, { type: 'text/plain', bytes: Buffer.from('2') })
  expect(second.version).toBe(2)
  const got = await port().get(ref)
  expect(got.type).toBe('image/jpeg')
  expect(Buffer.from(got.bytes).equals(first.bytes)).toBe(true)
  expect(Buffer.from((await port().get(second)).bytes).toString()).toBe('2')
  await port().drop(pool)
  await expect(port().get(ref)).rejects.toBeInstanceOf(MissingValueError)
})

test('an inline reference needs no endpoint', async () => {
  const nowhere = new HttpDataPort({ url: 'http://127.0.0.1:1', user: '', password: '' })
  expect(await nowhere.get({ kind: 'inline', type: 't', bytes: new Uint8Array(1) })).toMatchObject({
    type: 't',
  })
  await expect(nowhere.put('p', 'k', { type: 't', bytes: new Uint8Array(1) })).rejects.toMatchObject({
    status: 0,
  })
})

test('blobs are streamed; missing and corrupted ones are errors', async () => {
  const bytes = randomBytes(3_000_000)
  const hash = await blobs.put(bytes)
  const read = async (name: string) => Buffer.concat(await (await port().blob(name)).toArray())
  expect((await read(hash)).equals(bytes)).toBe(true)
  await expect(read(createHash('sha256').update('x').digest('hex'))).rejects.toMatchObject({ status: 404 })
  await expect(read('..%2Fetc')).rejects.toMatchObject({ status: 400 })
  writeFileSync(blobs.path(hash), Buffer.alloc(bytes.length))
  await expect(read(hash)).rejects.toThrow()
})

test('a blob that is read some time after it was asked for is whole', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const bytes = randomBytes(50_000)
  const hash = await blobs.put(bytes)
  const streams = await Promise.all(Array.from({ length: 20 }, () => port().blob(hash)))
  for (let round = 0; round < 5; round += 1) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  for (const stream of streams) expect(Buffer.concat(await stream.toArray()).equals(bytes)).toBe(true)
})

test('no entry without the password, into foreign pools, or with too large a value', async () => {
  const value = { type: 'text/plain', bytes: Buffer.from('x') }
  await expect(port('d1', 'wrong').put('p', 'k', value)).rejects.toMatchObject({ status: 401 })
  expect((await fetch(`${endpoint.url}/v1/blobs/${'0'.repeat(64)}`)).status).toBe(401)
  await expect(port('d2').put('p', 'k', value)).rejects.toThrow("'d2' may not write values of 'p'.")
  await port('d2').put('shared', 'k', value)
  await expect(port('d2').put('of nobody yet', 'k', value)).rejects.toMatchObject({ status: 503 })
  const large = { type: 'text/plain', bytes: randomBytes(1_000_001) }
  const refused = port().put('p', 'k', large)
  await expect(refused).rejects.toBeInstanceOf(DataEndpointError)
  await expect(refused).rejects.toMatchObject({ status: 413 })
})

test('what is not there says so', async () => {
  const authorization = `Basic ${Buffer.from('d1:secret of d1').toString('base64')}`
  const status = async (path: string, method = 'GET') =>
    (await fetch(`${endpoint.url}${path}`, { method, headers: { authorization } })).status
  expect(await status('/')).toBe(404)
  expect(await status('/v1/values/p')).toBe(405)
  expect(await status('/v1/values/p/k')).toBe(404)
  expect(await status('/v1/values/p/k?version=0')).toBe(400)
  expect(await status('/v1/values/p/k/more')).toBe(404)
  expect(await status('/v1/values/%ff/k')).toBe(400)
  expect(await status(`/v1/blobs/${'0'.repeat(64)}`, 'DELETE')).toBe(405)
})
