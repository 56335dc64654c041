import net from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import {
  checkIdl,
  createClient,
  createServer,
  type IdlModel,
  printIdl,
  RpcException,
  type RpcServer,
} from './index.ts'

const field = (id: number, name: string, type: IdlModel['structs'][0]['fields'][0]['type']) => ({
  id,
  name,
  type,
})
const model: IdlModel = {
  namespace: 'test',
  structs: [
    {
      name: 'Item',
      fields: [
        field(1, 'name', 'string'),
        field(2, 'payload', 'binary'),
        field(3, 'size', 'i64'),
        field(4, 'weights', { list: 'double' }),
        field(5, 'tags', { map: ['string', 'bool'] }),
      ],
    },
  ],
  exceptions: [{ name: 'Refused', fields: [field(1, 'why', 'string')] }],
  services: [
    {
      name: 'Echo',
      functions: [
        {
          name: 'echo',
          params: [field(1, 'item', { struct: 'Item' }), field(2, 'times', 'i32')],
          returns: { list: { struct: 'Item' } },
          throws: [field(1, 'refused', { struct: 'Refused' })],
        },
        { name: 'slow', params: [field(1, 'ms', 'i32')], returns: 'i32', throws: [] },
      ],
    },
  ],
}
const item = {
  name: 'ä',
  payload: Buffer.from([0, 255]),
  size: 2 ** 40,
  weights: [0.5, -1],
  tags: { a: true },
}

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

async function start(): Promise<RpcServer> {
  const server = await createServer(
    model,
    'Echo',
    {
      echo: (args) => {
        if (args.times === 0) throw new RpcException('Refused', { why: 'nothing to do' })
        if (args.times === -1) throw new Error('a bug')
        return Array.from({ length: args.times as number }, () => args.item)
      },
      slow: async (args) => {
        await new Promise((resolve) => setTimeout(resolve, args.ms as number))
        return args.ms
      },
    },
    { maxFrameBytes: 10_000 },
  )
  open.push(server)
  return server
}

function connect(server: RpcServer, options: { timeoutMs?: number } = {}) {
  const client = createClient(model, 'Echo', { host: server.host, port: server.port, ...options })
  open.push(client)
  return client
}

describe('calls', () => {
  it('carry every type there and back', async () => {
    const client = connect(await start())
    const answer = (await client.call('echo', { item, times: 2 })) as (typeof item)[]
    expect(answer).toHaveLength(2)
    expect(answer[0]).toMatchObject({ name: 'ä', size: 2 ** 40, weights: [0.5, -1] })
    expect(Buffer.from(answer[0]?.payload ?? [])).toEqual(item.payload)
  })

  it('are answered as they finish, not in order', async () => {
    const client = connect(await start())
    const order: unknown[] = []
    await Promise.all([200, 1].map(async (ms) => order.push(await client.call('slow', { ms }))))
    expect(order).toEqual([1, 200])
  })

  it('raise what is declared as such, and what is not as a plain failure', async () => {
    const client = connect(await start())
    await expect(client.call('echo', { item, times: 0 })).rejects.toMatchObject({
      fields: { why: 'nothing to do' },
    })
    await expect(client.call('echo', { item, times: -1 })).rejects.toThrow('a bug')
    await expect(client.call('nothing', {})).rejects.toThrow('nothing')
  })

  it('end with a clear error when time runs out or the server goes away', async () => {
    const server = await start()
    const client = connect(server, { timeoutMs: 100 })
    await expect(client.call('slow', { ms: 5_000 })).rejects.toThrow(/100 ms/)
    const other = connect(server)
    const waiting = expect(other.call('slow', { ms: 5_000 })).rejects.toThrow()
    await other.connected()
    await server.close()
    await waiting
    expect(other.closed).toBe(true)
  })
})

describe('a hostile peer', () => {
  it.each([
    ['garbage', Buffer.from('GET / HTTP/1.1\r\n\r\n')],
    ['an oversize frame', Buffer.from([0x7f, 0xff, 0xff, 0xff, 1, 2, 3])],
    ['a frame of noise', Buffer.from([0, 0, 0, 4, 9, 9, 9, 9])],
  ])('that sends %s is refused, and others are still served', async (_, bytes) => {
    const server = await start()
    await new Promise<void>((resolve) => {
      const socket = net.connect(server.port, server.host, () => socket.write(bytes))
      socket.on('data', () => {})
      socket.on('error', () => {})
      socket.on('close', () => resolve())
    })
    await expect(connect(server).call('slow', { ms: 1 })).resolves.toBe(1)
  })
})

it('prints IDL text and finds faults of a model', () => {
  const text = printIdl(model)
  expect(text).toContain('struct Item')
  expect(text).toContain('throws (1: Refused refused)')
  const broken = { ...model, services: [{ name: 'class', functions: [] }] }
  expect(checkIdl(broken).join(' ')).toContain('reserved')
})
