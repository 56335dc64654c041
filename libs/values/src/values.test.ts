import { execFile } from 'node:child_process'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describePort } from '../test/data-port.ts'
import {
  decodeCbor,
  decodeValue,
  encodeCbor,
  encodeValue,
  MAX_PREVIEW_BYTES,
  MemoryDataPort,
  previewOf,
  previewOfValue,
  ValueError,
  valueOfPreview,
} from './index.ts'
import { FolderDataPort } from './node/index.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('the codec', () => {
  it('gives back every value that JSON can hold', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { type, bytes } = encodeValue(value)
        expect(type).toBe('application/cbor')
        // CBOR keeps -0, which JSON text does not.
        expect(decodeValue({ type, bytes })).toEqual(value)
      }),
    )
  })

  it('keeps bytes inside a value, and results apart from each other', () => {
    const values = Array.from({ length: 50 }, (_, n) => ({ n, raw: new Uint8Array(n * 200).fill(n) }))
    const encoded = values.map((value) => encodeValue(value))
    expect(encoded.map((each) => decodeValue(each))).toEqual(values)
  })

  it('does not let a small result keep a large buffer in memory', () => {
    encodeValue({ raw: new Uint8Array(1_000_000) })
    expect(encodeValue({ n: 1 }).bytes.buffer.byteLength).toBeLessThan(100)
  })

  it('copies bytes known to be many once, into a buffer of about their size, and leaves other results alone', () => {
    const small = Array.from({ length: 30 }, (_, n) => encodeCbor({ n, text: 'x'.repeat(n) }, 0))
    const raw = Buffer.alloc(100_000, 7)
    const large = encodeCbor({ raw, n: 1 }, raw.length)
    const after = encodeCbor({ n: 2 })
    expect(large.buffer.byteLength).toBeLessThan(1.1 * raw.length)
    expect(after.buffer).not.toBe(large.buffer)
    expect(decodeCbor(large)).toEqual({ raw, n: 1 })
    expect(decodeCbor(after)).toEqual({ n: 2 })
    expect(small.map((each) => decodeCbor(each))).toEqual(small.map((_, n) => ({ n, text: 'x'.repeat(n) })))
    // More than was said is encoded all the same.
    expect(decodeCbor(encodeCbor([raw, raw], raw.length))).toEqual([raw, raw])
  })

  it('passes bare bytes as they are, with the declared type', () => {
    const bytes = new Uint8Array([255, 216, 255])
    expect(encodeValue(bytes, 'image/jpeg')).toEqual({ type: 'image/jpeg', bytes })
    expect(encodeValue(bytes, 'image/jpeg').bytes).toBe(bytes)
    expect(encodeValue(bytes).type).toBe('application/octet-stream')
    expect(decodeValue({ type: 'image/jpeg', bytes })).toBe(bytes)
  })

  it('gives bytes back as bytes, also where a structured type is declared', () => {
    for (const declared of ['application/cbor', 'application/json', 'application/geo+json; charset=utf-8'])
      expect(decodeValue(encodeValue(new Uint8Array([1]), declared))).toEqual(new Uint8Array([1]))
  })

  it('reads JSON', () => {
    expect(decodeValue({ type: 'application/json; charset=utf-8', bytes: utf8('{"a":[1,"ä"]}') })).toEqual({
      a: [1, 'ä'],
    })
  })

  it.each([
    ['application/cbor', new Uint8Array([0x61])],
    ['application/cbor', new Uint8Array([1, 2])],
    ['application/cbor', new Uint8Array()],
    ['application/json', utf8('{')],
    ['application/json', new Uint8Array([34, 255, 34])],
  ])('refuses what is not %s', (type, bytes) => {
    expect(() => decodeValue({ type, bytes })).toThrow(ValueError)
  })

  it('leaves what it reads untouched', () => {
    const encoded = encodeValue([1])
    decodeValue(encoded)
    expect(Object.keys(encoded.bytes)).toEqual(['0', '1'])
  })
})

describe('a preview', () => {
  it('shows what JSON cannot hold', () => {
    expect(previewOfValue({ a: new Uint8Array([1, 2]), b: Number.NaN, c: [undefined, 2n ** 60n] })).toEqual({
      a: { $bytes: 'AQI=' },
      b: 'NaN',
      c: [null, String(2n ** 60n)],
    })
    expect(previewOf(encodeValue({ a: new Uint8Array([1, 2]) }))).toEqual({ a: { $bytes: 'AQI=' } })
  })

  it('names the type of bytes and cuts them', () => {
    const value = encodeValue(new Uint8Array(65_537).fill(7), 'image/png')
    const preview = previewOf(value) as { $bytes: string }
    expect(preview).toMatchObject({ $type: 'image/png', $truncated: true })
    expect(Buffer.from(preview.$bytes, 'base64')).toEqual(Buffer.alloc(65_536, 7))
  })

  it('shows bytes that are not what they are said to be', () => {
    expect(previewOf({ type: 'application/json', bytes: utf8('{') })).toEqual({
      $bytes: 'ew==',
      $type: 'application/json',
    })
  })
})

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-values-'))
})
afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

describePort('memory', async () => new MemoryDataPort())
describePort('folder', async () => new FolderDataPort(path.join(folder, 'pools')))

describe('a folder of values', () => {
  it('is read by another process, and shows no unfinished value', async () => {
    const dir = path.join(folder, 'shared')
    const module = new URL('./node/index.ts', import.meta.url).href
    const script = `import { FolderDataPort } from ${JSON.stringify(module)}
      const port = new FolderDataPort(${JSON.stringify(dir)})
      console.log(JSON.stringify(await port.put('run', 'key', { type: 'text/plain', bytes: Buffer.from('hi') })))`
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
    const value = await new FolderDataPort(dir).get(JSON.parse(stdout))
    expect([value.type, Buffer.from(value.bytes).toString()]).toEqual(['text/plain', 'hi'])
    expect(await readdir(path.join(dir, 'run', 'key'))).toEqual(['1'])
  })
})

describe('the value of a preview', () => {
  it('is the value, bytes within it included', () => {
    const values = [
      null,
      'text',
      { a: [1, 2.5, { b: true }] },
      new Uint8Array([0, 1, 2, 253, 254, 255]),
      { image: Uint8Array.from({ length: 1000 }, (_, n) => n % 256), names: ['ä', ''] },
    ]
    for (const value of values) {
      const whole = valueOfPreview(previewOf(encodeValue(value)))
      expect(whole && decodeValue(whole)).toEqual(value)
    }
    expect(valueOfPreview(previewOf({ type: 'image/png', bytes: new Uint8Array([1, 2]) }))).toEqual({
      type: 'image/png',
      bytes: new Uint8Array([1, 2]),
    })
  })

  it('is not known where bytes were cut', () => {
    const long = new Uint8Array(MAX_PREVIEW_BYTES + 1)
    expect(valueOfPreview(previewOf(encodeValue(long)))).toBeNull()
    expect(valueOfPreview(previewOf(encodeValue({ deep: [long] })))).toBeNull()
  })
})
