/** The proxy between real sockets. Bounds from above are tried several times: the machine may be busy. */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { Air, PACKET_BYTES, type ProxyOptions, RETRANSMIT_MS, startProxy } from './shaping.ts'

const cleanUp: (() => unknown)[] = []
afterEach(async () => {
  for (const undo of cleanUp.splice(0).reverse()) await undo()
})

async function listening(onSocket: (socket: Socket) => void): Promise<number> {
  const sockets = new Set<Socket>()
  const server: Server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    onSocket(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanUp.push(() => {
    server.close()
    for (const socket of sockets) socket.destroy()
  })
  return (server.address() as AddressInfo).port
}

const echo = (): Promise<number> => listening((socket) => socket.pipe(socket))

async function proxyTo(port: number, options: Partial<ProxyOptions> = {}): Promise<number> {
  const proxy = await startProxy({
    target: { host: '127.0.0.1', port },
    forth: new Air(10_000),
    back: new Air(10_000),
    delayMs: 0,
    loss: 0,
    ...options,
  })
  cleanUp.push(() => proxy.close())
  return proxy.port
}

async function connected(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, noDelay: true })
  socket.on('error', () => {})
  cleanUp.push(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

/** Resolves when the connection is gone, cleanly or not. */
async function closed(socket: Socket): Promise<void> {
  socket.resume()
  if (!socket.closed) await new Promise<void>((resolve) => socket.once('close', () => resolve()))
}

/** Reads until so many bytes have come. */
async function read(socket: Socket, length: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let got = 0
  while (got < length) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    chunks.push(chunk)
    got += chunk.length
  }
  return Buffer.concat(chunks)
}

/** Sends the bytes and waits until they are all back; returns what came and the ms it took. */
async function roundTrip(socket: Socket, bytes: Buffer): Promise<{ back: Buffer; tookMs: number }> {
  const from = performance.now()
  const answer = read(socket, bytes.length)
  socket.write(bytes)
  const back = await answer
  return { back, tookMs: performance.now() - from }
}

test('bytes go at the rate of the link, in order', { timeout: 60_000, retry: 3 }, async () => {
  const socket = await connected(await proxyTo(await echo(), { forth: new Air(8) }))
  const bytes = randomBytes(3_000_000)
  const { back, tookMs } = await roundTrip(socket, bytes)
  expect(back.equals(bytes)).toBe(true)
  // 1 MB/s
  expect(tookMs).toBeGreaterThan(2_900)
  expect(tookMs).toBeLessThan(3_300)
})

test('who shares the air shares the rate, and takes turns', { timeout: 60_000, retry: 3 }, async () => {
  const air = new Air(16)
  const target = await echo()
  const sockets = await Promise.all(
    [1, 2].map(async () => connected(await proxyTo(target, { forth: air, back: air }))),
  )
  const bytes = randomBytes(500_000)
  const times = await Promise.all(sockets.map(async (socket) => (await roundTrip(socket, bytes)).tookMs))
  // 2 MB/s for 500 kB, forth and back, of two
  expect(Math.max(...times)).toBeGreaterThan(960)
  expect(Math.max(...times)).toBeLessThan(1_200)
  expect(Math.min(...times)).toBeGreaterThan(0.75 * Math.max(...times))
})

test('each direction waits for the delay', { retry: 3 }, async () => {
  const socket = await connected(await proxyTo(await echo(), { delayMs: 40 }))
  const times: number[] = []
  for (let i = 0; i < 5; i++) times.push((await roundTrip(socket, Buffer.alloc(100))).tookMs)
  const best = Math.min(...times)
  expect(best).toBeGreaterThan(78)
  expect(best).toBeLessThan(100)
})

test('a delay does not lower the rate', { timeout: 60_000, retry: 3 }, async () => {
  const socket = await connected(await proxyTo(await echo(), { forth: new Air(80), delayMs: 100 }))
  const { tookMs } = await roundTrip(socket, randomBytes(10_000_000))
  expect(tookMs).toBeGreaterThan(1_150)
  // one round trip for every 64 kB would take half a minute
  expect(tookMs).toBeLessThan(4_000)
})

test('a lost packet costs a time-out, and nothing is lost or out of order', {
  timeout: 60_000,
  retry: 3,
}, async () => {
  // Every packet but the first is lost once.
  const socket = await connected(await proxyTo(await echo(), { loss: 0.5, random: () => 0.5 }))
  const bytes = randomBytes(4 * PACKET_BYTES)
  const { back, tookMs } = await roundTrip(socket, bytes)
  expect(back.equals(bytes)).toBe(true)
  // Three are lost on the way forth, one after the other; what they carried is lost once more on the way back.
  expect(tookMs).toBeGreaterThan(4 * RETRANSMIT_MS - 10)
  expect(tookMs).toBeLessThan(4 * RETRANSMIT_MS + 400)
})

test('a packet lost again and again waits longer each time', { timeout: 60_000, retry: 3 }, async () => {
  // The first two draws are those of the two directions; the third loses the packet again on its way forth.
  const draws = [0, 0.9, 0]
  const socket = await connected(
    await proxyTo(await echo(), { loss: 0.1, random: () => draws.shift() ?? 0.9 }),
  )
  const { tookMs } = await roundTrip(socket, Buffer.alloc(10))
  expect(tookMs).toBeGreaterThan(3 * RETRANSMIT_MS - 10)
  expect(tookMs).toBeLessThan(3 * RETRANSMIT_MS + 190)
})

test('the share of packets lost is as asked for', { timeout: 60_000, retry: 3 }, async () => {
  const socket = await connected(await proxyTo(await echo(), { loss: 0.01, forth: new Air(1_000) }))
  const bytes = randomBytes(400 * PACKET_BYTES)
  const { back, tookMs } = await roundTrip(socket, bytes)
  expect(back.equals(bytes)).toBe(true)
  // some 8 of 800 are expected; fewer than 1 or more than 24 would be a wonder
  expect(tookMs).toBeGreaterThan(RETRANSMIT_MS)
  expect(tookMs).toBeLessThan(24 * RETRANSMIT_MS)
})

test('a half-close is passed on after what was sent before it, and the other half goes on', async () => {
  let heard = ''
  const port = await listening((socket) => {
    socket.on('data', (bytes) => {
      heard += bytes
    })
    socket.on('end', () => socket.end(`heard ${heard}`))
  })
  const socket = await connected(await proxyTo(port, { delayMs: 20, forth: new Air(1) }))
  socket.end('all of this')
  const answer = await read(socket, 'heard all of this'.length)
  expect(answer.toString()).toBe('heard all of this')
  if (!socket.readableEnded) await once(socket, 'end')
})

test('a connection that breaks on one side breaks on the other', async () => {
  const served: Socket[] = []
  const port = await listening((socket) => {
    served.push(socket)
    socket.resume()
  })
  const proxy = await proxyTo(port, { delayMs: 5 })
  const first = await connected(proxy)
  await expect.poll(() => served.length).toBe(1)
  served[0]?.resetAndDestroy()
  await closed(first)
  const second = await connected(proxy)
  await expect.poll(() => served.length).toBe(2)
  const gone = closed(served[1] as Socket)
  second.resetAndDestroy()
  await gone
})

test('where nobody listens, the one who connects is cut off', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  const socket = await connected(await proxyTo(port))
  await closed(socket)
})

test('who reads slowly slows down who writes: little is held on the way', {
  timeout: 60_000,
  retry: 3,
}, async () => {
  let reader: Socket | undefined
  const port = await listening((socket) => {
    reader = socket
    socket.pause()
  })
  let passed = 0
  const proxy = await proxyTo(port, {
    forth: new Air(1_000),
    onForth: (_, bytes) => {
      passed += bytes.length
    },
  })
  const socket = await connected(proxy)
  const size = 60_000_000
  socket.write(Buffer.alloc(size))
  let before = -1
  while (before !== passed) {
    before = passed
    await pause(300)
  }
  // What the system's socket buffers take, and the proxy's bound; not all of it.
  expect(passed).toBeLessThan(40_000_000)
  let got = 0
  const all = new Promise<void>((resolve) =>
    reader?.on('data', (bytes: Buffer) => {
      got += bytes.length
      if (got === size) resolve()
    }),
  )
  reader?.resume()
  await all
})

test('closing the proxy ends its connections', async () => {
  const target = await echo()
  const proxy = await startProxy({
    target: { host: '127.0.0.1', port: target },
    forth: new Air(10),
    back: new Air(10),
    delayMs: 0,
    loss: 0,
  })
  const socket = await connected(proxy.port)
  await roundTrip(socket, Buffer.alloc(10))
  const gone = closed(socket)
  socket.resume()
  socket.on('end', () => socket.end())
  await proxy.close()
  await gone
})
