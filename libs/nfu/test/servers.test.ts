import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { parseNfu } from '../src/index.ts'
import {
  CoapCode,
  CoapType,
  compileNative,
  encodeRequest,
  NativeServer,
  NfuServer,
  type NfuServerOptions,
} from '../src/node/index.ts'

interface Vector {
  code: string
  values: string[]
  outputs: (string | null)[]
}
const vectors = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../vectors.json'), 'utf8'),
) as Vector[]

/** A server that is tested, and how it is started. */
interface Server {
  address: { host: string; port: number }
  close(): void | Promise<void>
}
let program = ''
const kinds: Record<string, (options: NfuServerOptions) => Promise<Server>> = {
  'Node.js': (options) => NfuServer.start({ ...options, port: 0 }),
  C: async (options) => NativeServer.start(program, { ...options, port: 0 }),
}

beforeAll(async () => {
  program = await compileNative(path.join(import.meta.dirname, '../../../.cache/nfu'))
})

const open: (() => unknown)[] = []
afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close()
})

async function socket(host = '127.0.0.1'): Promise<Socket> {
  const result = createSocket({ type: 'udp4', recvBufferSize: 2 ** 20 })
  open.push(() => result.close())
  result.bind(0, host)
  await once(result, 'listening')
  return result
}

/** What comes to a socket. */
function inbox(of: Socket): Buffer[] {
  const got: Buffer[] = []
  of.on('message', (bytes) => got.push(bytes))
  return got
}

async function until(condition: () => boolean): Promise<void> {
  for (let n = 0; n < 400 && !condition(); n++) await sleep(5)
}

const reading = (id: number, payload: Uint8Array, more = {}): Buffer =>
  encodeRequest({
    type: CoapType.NON_CONFIRMABLE,
    code: CoapCode.POST,
    id,
    token: Uint8Array.of(id >> 8, id & 0xff, 7),
    path: ['field', 'temperature'],
    payload,
    ...more,
  })
const double = (word: string): Buffer => Buffer.from(`fb${word}`, 'hex')

/** Asks a confirmable request and gives code and payload of its answer. */
async function ask(server: Server, code: number, where: string[], payload?: Uint8Array, id = 1) {
  const client = await socket()
  const got = inbox(client)
  client.send(
    encodeRequest({
      type: CoapType.CONFIRMABLE,
      code,
      id,
      token: Uint8Array.of(9),
      path: where,
      ...(payload && { payload }),
    }),
    server.address.port,
    server.address.host,
  )
  await until(() => got.length > 0)
  const [bytes = Buffer.alloc(0)] = got
  const marker = bytes.indexOf(0xff)
  return {
    type: ((bytes[0] ?? 0) >> 4) & 3,
    code: bytes[1],
    payload: marker < 0 ? Buffer.alloc(0) : bytes.subarray(marker + 1),
  }
}

describe.each(Object.keys(kinds))('the server on %s', (kind) => {
  const start = async (options: NfuServerOptions): Promise<Server> => {
    const server = await (kinds[kind] as (typeof kinds)[string])(options)
    open.push(() => server.close())
    return server
  }
  const nextHop = async () => {
    const next = await socket()
    return { got: inbox(next), next: { host: '127.0.0.1', port: next.address().port } }
  }

  it.each(vectors.map((vector, index) => ({ ...vector, index })))(
    '$index: $code answers byte for byte',
    async ({ code, values, outputs }) => {
      const { got, next } = await nextHop()
      const server = await start({ code, next })
      const client = await socket()
      for (const [id, value] of values.entries())
        client.send(reading(id, double(value)), server.address.port, server.address.host)
      const summaries = outputs.flatMap((word, id) =>
        word === null ? [] : [reading(id, double(word)).toString('hex')],
      )
      await until(() => got.length >= summaries.length)
      await sleep(10)
      expect(got.map((bytes) => bytes.toString('hex'))).toEqual(summaries)
    },
  )

  it('takes doubles, floats, halves and integers, and passes on what is none', async () => {
    const { got, next } = await nextHop()
    const server = await start({ code: 'nfu:max?window=1', next })
    const client = await socket()
    const numbers: [string, number][] = [
      ['fb3ff8000000000000', 1.5],
      ['fac0200000', -2.5],
      ['f93e00', 1.5],
      ['f90001', 2 ** -24],
      ['05', 5],
      ['1818', 24],
      ['19ffff', 65535],
      ['1affffffff', 4294967295],
      ['20', -1],
      ['3903e7', -1000],
      ['fb8000000000000000', 0],
    ]
    // text, an array, a float and an integer that break off, not a number, infinity, nothing
    const others = ['6161', '8105', 'fac020', '1903', 'fb7ff8000000000000', 'f97c00', '']
    const sent = [...numbers.map(([hex]) => hex), ...others].map((hex, id) =>
      reading(id, Buffer.from(hex, 'hex')),
    )
    for (const bytes of sent) client.send(bytes, server.address.port, server.address.host)
    await until(() => got.length >= sent.length)
    const expected = numbers.map(([, value], id) => {
      const bytes = Buffer.alloc(9, 0xfb)
      bytes.writeDoubleBE(value, 1)
      return reading(id, bytes)
    })
    expect(got.map((bytes) => bytes.toString('hex'))).toEqual(
      [...expected, ...sent.slice(numbers.length)].map((bytes) => bytes.toString('hex')),
    )
  })

  it('keeps a window for each source address where it is asked to', async () => {
    for (const keyed of [true, false]) {
      const { got, next } = await nextHop()
      const server = await start({ code: 'nfu:average?window=2', next, keyed })
      const [one, other] = [await socket('127.0.3.1'), await socket('127.0.3.2')]
      for (const [from, value] of [
        [one, 1],
        [other, 10],
        [one, 2],
        [other, 20],
      ] as const) {
        const bytes = Buffer.alloc(9, 0xfb)
        bytes.writeDoubleBE(value, 1)
        from.send(reading(value, bytes), server.address.port, server.address.host)
        await sleep(5)
      }
      await until(() => got.length === 2)
      expect(got.map((bytes) => bytes.readDoubleBE(bytes.length - 8))).toEqual(keyed ? [1.5, 15] : [5.5, 11])
    }
  })

  it('answers confirmable readings, says what it is, and changes its function while readings come', async () => {
    const server = await start({ code: 'nfu:average?window=2' })
    expect((await ask(server, CoapCode.GET, ['latest'])).code).toBe(CoapCode.NOT_FOUND)
    expect(await ask(server, CoapCode.POST, ['t'], Uint8Array.of(4))).toMatchObject({
      type: CoapType.ACKNOWLEDGEMENT,
      code: CoapCode.CHANGED,
    })
    await ask(server, CoapCode.POST, ['t'], Uint8Array.of(5), 2)
    expect((await ask(server, CoapCode.GET, ['latest'])).payload.toString('hex')).toBe('fb4012000000000000')
    const changed = await ask(server, CoapCode.PUT, ['nfu'], Buffer.from('nfu:max?window=1'))
    expect(changed.code).toBe(CoapCode.CHANGED)
    const state = JSON.parse((await ask(server, CoapCode.GET, ['nfu'])).payload.toString()) as {
      code: string
      counters: object
    }
    expect(state).toMatchObject({ code: 'nfu:max?window=1', counters: { absorbed: 1, summaries: 1 } })
    await ask(server, CoapCode.POST, ['t'], Uint8Array.of(7), 3)
    expect((await ask(server, CoapCode.GET, ['latest'])).payload.toString('hex')).toBe('fb401c000000000000')
  })

  it('refuses what it cannot take, and goes on', async () => {
    const server = await start({ code: 'nfu:average?window=2' })
    const wrong = await ask(server, CoapCode.PUT, ['nfu'], Buffer.from('nfu:median'))
    expect([wrong.code, wrong.payload.toString()]).toEqual([
      CoapCode.BAD_REQUEST,
      expect.stringMatching(/no op 'median'/),
    ])
    const text = await ask(server, CoapCode.POST, ['t'], Buffer.from('hello'))
    expect([text.code, text.payload.toString()]).toEqual([
      CoapCode.BAD_REQUEST,
      expect.stringMatching(/number in CBOR/),
    ])
    expect((await ask(server, CoapCode.GET, ['nothing'])).code).toBe(CoapCode.NOT_FOUND)
    const client = await socket()
    for (const junk of [
      Buffer.alloc(0),
      Buffer.from('00', 'hex'),
      Buffer.from('4f02000100', 'hex'),
      Buffer.from('40020001f0', 'hex'),
    ])
      client.send(junk, server.address.port, server.address.host)
    const state = JSON.parse((await ask(server, CoapCode.GET, ['nfu'])).payload.toString()) as {
      code: string
    }
    expect(state.code).toBe('nfu:average?window=2')
  })

  it('counts a confirmable reading that comes again once', async () => {
    const server = await start({ code: 'nfu:counter?count=1' })
    const client = await socket()
    const got = inbox(client)
    const message = encodeRequest({
      type: CoapType.CONFIRMABLE,
      code: CoapCode.POST,
      id: 77,
      token: Uint8Array.of(1),
      path: ['t'],
      payload: Uint8Array.of(1),
    })
    for (let n = 0; n < 3; n++) {
      client.send(message, server.address.port, server.address.host)
      await until(() => got.length > n)
    }
    expect(new Set(got.map((bytes) => bytes.toString('hex'))).size).toBe(1)
    expect((await ask(server, CoapCode.GET, ['latest'])).payload.toString('hex')).toBe('fb3ff0000000000000')
  })

  it('refuses to start with a function that it cannot be, or on a port that is taken', async () => {
    await expect(start({ code: 'nfu:median' })).rejects.toThrow("no op 'median'")
    await expect(start({ code: 'nfu:average?window=2&field=t' })).rejects.toThrow('field')
  })
})

it('the codes of vectors are all functions of the servers', () => {
  expect(vectors.every(({ code }) => parseNfu(code).field === undefined)).toBe(true)
})

it('the server on Node.js says that a port is taken', async () => {
  const taken = await socket()
  await expect(NfuServer.start({ code: 'nfu:forward', port: taken.address().port })).rejects.toThrow(
    'EADDRINUSE',
  )
  await expect(
    NativeServer.start(program, { code: 'nfu:forward', port: taken.address().port }),
  ).rejects.toThrow('another process may have its port')
})
