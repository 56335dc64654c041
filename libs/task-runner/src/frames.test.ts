/** What a runner does with values on their way: it passes them on and encodes nothing but headers. */
import { fileURLToPath } from 'node:url'
import { afterEach, expect, it, vi } from 'vitest'
import { Frames, type Report, receivedValue, writeFrame } from './frames.ts'
import { assignCores, createTaskRunner, type Emitted } from './index.ts'

const coded = vi.hoisted(() => ({ encoded: [] as number[], decoded: [] as number[] }))
vi.mock('cbor-x', async (original) => {
  const real = await original<typeof import('cbor-x')>()
  class Encoder extends real.Encoder {
    constructor(options: ConstructorParameters<typeof real.Encoder>[0]) {
      super(options)
      const { encode } = this
      this.encode = (value) => {
        const bytes = encode.call(this, value)
        coded.encoded.push(bytes.length)
        return bytes
      }
    }
  }
  class Decoder extends real.Decoder {
    override decode(bytes: Buffer): unknown {
      coded.decoded.push(bytes.length)
      return super.decode(bytes)
    }
  }
  return { ...real, Encoder, Decoder }
})

const dir = fileURLToPath(new URL('../test/code', import.meta.url))
const closing: (() => Promise<void>)[] = []
afterEach(async () => {
  await Promise.all(closing.splice(0).map((close) => close()))
})

it.each([
  ['node', 'echo.mjs'],
  ['python', 'echo.py'],
] as const)('encodes no value in the parent: %s', async (runtime, code) => {
  const runner = createTaskRunner({ task: 'work', runtime, dir, code, args: { only: 'x' }, memoryMB: 512 })
  closing.push(() => runner.close())
  await runner.warm()
  // CBOR of one byte string of 100,000 bytes, with its length written longer than it need be: coding it again would show
  const bytes = Buffer.concat([
    Buffer.from('81', 'hex'),
    Buffer.from('5b00000000000186a0', 'hex'),
    Buffer.alloc(100_000, 7),
  ])
  const sent = Buffer.from(bytes)
  const items: Emitted[] = []
  coded.encoded.length = coded.decoded.length = 0
  await runner.invoke({
    inputs: {
      x: { kind: 'one', value: { type: 'application/cbor', bytes: sent } },
      raw: { kind: 'one', value: { type: 'a/b', bytes: sent } },
    },
    context: { run: 'r', task: 'work', device: 'd', deviceIndex: 0, devices: ['d'], seq: 0 },
    timeoutMs: 30_000,
    onItem: (item) => void items.push(item),
  })
  expect(items[0]?.value.bytes.length).toBe(1 + 5 + 100_000)
  expect(items[0]?.value.bytes.subarray(6)).toEqual(bytes.subarray(10))
  expect(sent.equals(bytes)).toBe(true)
  // an invocation; its only item and the end
  expect(coded.encoded).toHaveLength(1)
  expect(coded.decoded).toHaveLength(2)
  expect(Math.max(...coded.encoded, ...coded.decoded)).toBeLessThan(500)
})

it('writes payloads as they are', () => {
  const written: Uint8Array[] = []
  const payload = new Uint8Array(100_000)
  const wire = { cork() {}, uncork() {}, write: (bytes: Uint8Array) => void written.push(bytes) }
  writeFrame(wire, { t: 'item', value: { type: 'image/jpeg', at: 0 } }, [payload, new Uint8Array()])
  expect(written).toHaveLength(2)
  expect(written[1]).toBe(payload)
})

it('reads frames from bytes that come in any pieces', () => {
  const written: Uint8Array[] = []
  const wire = { cork() {}, uncork() {}, write: (bytes: Uint8Array) => void written.push(bytes) }
  const first = Uint8Array.from({ length: 300 }, (_, n) => n)
  writeFrame(wire, { t: 'started' })
  writeFrame(wire, { t: 'item', value: { type: 'a/b', at: 1 }, state: 0 }, [new Uint8Array(), first])
  writeFrame(wire, { t: 'log', level: 'info', text: 'ä' })
  const all = Buffer.concat(written)
  for (const size of [1, 2, 3, 7, 64, 299, all.length]) {
    const frames = new Frames<Report>()
    const read = Array.from({ length: Math.ceil(all.length / size) }, (_, n) =>
      frames.push(all.subarray(n * size, (n + 1) * size)),
    ).flat()
    expect(read.map(({ message }) => message)).toEqual([
      { t: 'started' },
      { t: 'item', value: { type: 'a/b', at: 1 }, state: 0 },
      { t: 'log', level: 'info', text: 'ä' },
    ])
    const payloads = read[1]?.payloads ?? []
    expect(payloads[0]?.length).toBe(0)
    expect([...receivedValue({ type: 'a/b', at: 1 }, payloads).bytes]).toEqual([...first])
  }
})

it('gives isolated tasks cores of their own where there are enough', () => {
  expect(assignCores(['a', 'b'], [0, 1, 2, 3])).toEqual({
    isolated: new Map([
      ['a', 3],
      ['b', 2],
    ]),
    shared: [0, 1],
  })
  expect(assignCores(['a', 'b'], [4, 7])).toEqual({ isolated: new Map(), shared: [4, 7] })
  expect(assignCores([], [0])).toEqual({ isolated: new Map(), shared: [0] })
})
