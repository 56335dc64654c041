import { createServer, type Server } from 'node:http'
import net, { type AddressInfo, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FunctionClient, type FunctionRequest } from '../functions/client.ts'
import { ReverseConnections, reverseHandler } from './reverse-connections.ts'

let reverse: ReverseConnections
let server: Server
let client: FunctionClient
const sockets: Socket[] = []
beforeEach(async () => {
  reverse = new ReverseConnections()
  client = new FunctionClient(reverse.connect)
  server = createServer()
  const userOf = ({ headers }: { headers: Record<string, unknown> }): string => {
    if (typeof headers.device !== 'string') throw new Error('nobody')
    return headers.device
  }
  server.on('upgrade', reverseHandler(reverse, userOf))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy()
  await client.close()
  reverse.close()
  await new Promise((resolve) => server.close(resolve))
})

/** Dials in as a device; everything that comes after the answer is in `received`. */
async function dial(id: string, device: string | undefined, upgrade = 'hivemind-function') {
  const socket = net.connect((server.address() as AddressInfo).port, '127.0.0.1')
  sockets.push(socket)
  const lines = [`GET /v1/functions/${id} HTTP/1.1`, 'host: x', 'connection: Upgrade', `upgrade: ${upgrade}`]
  socket.write(`${[...lines, ...(device ? [`device: ${device}`] : [])].join('\r\n')}\r\n\r\n`)
  let received = ''
  socket.on('data', (chunk) => {
    received += String(chunk)
  })
  socket.on('error', () => {})
  await expect.poll(() => received).toContain('\r\n\r\n')
  return { socket, status: Number(received.split(' ')[1]), received: () => received }
}

const request: FunctionRequest = {
  id: '1',
  workflow: 'w',
  task: 'judge',
  run: 'r',
  lane: 'device-1',
  index: 0,
  devices: ['device-1'],
  seq: 0,
  inputs: {},
}
const invoke = (id: string) =>
  client.invoke(() => ({ url: reverse.urlOf(id) }), request, { onItem: () => {} })

describe('a device that lets the service in', () => {
  test('is refused without a credential, for a function that is not expected, and for one of another device', async () => {
    reverse.expect('ab', 'gate-a')
    expect((await dial('ab', undefined)).status).toBe(401)
    expect((await dial('cd', 'gate-a')).status).toBe(404)
    expect((await dial('ab', 'gate-b')).status).toBe(403)
    expect((await dial('ab', 'gate-a', 'websocket')).status).toBe(404)
    expect((await dial('ab', 'gate-a')).status).toBe(101)
    reverse.forget('ab')
    expect((await dial('ab', 'gate-a')).status).toBe(404)
  })

  test('gets a call on a connection that it holds, or on the next one that it dials', async () => {
    reverse.expect('ab', 'gate-a')
    const early = invoke('ab')
    const first = await dial('ab', 'gate-a')
    await expect.poll(first.received).toContain('POST / HTTP/1.1')
    first.socket.write('HTTP/1.1 204 No Content\r\nconnection: close\r\n\r\n')
    await early
    const held = await dial('ab', 'gate-a')
    const late = invoke('ab')
    await expect.poll(held.received).toContain('POST / HTTP/1.1')
    held.socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    await late
  })

  test('ends a connection on which it speaks before it is asked, and holds a bounded number', async () => {
    reverse.expect('ab', 'gate-a')
    const rude = await dial('ab', 'gate-a')
    rude.socket.write('HTTP/1.1 200 OK\r\n\r\n')
    await expect.poll(() => rude.socket.closed || rude.socket.readableEnded).toBe(true)
    const held: Awaited<ReturnType<typeof dial>>[] = []
    for (let count = 0; count < 9; count += 1) held.push(await dial('ab', 'gate-a'))
    await expect.poll(() => held[0]?.socket.readableEnded || held[0]?.socket.closed).toBe(true)
    expect(held[1]?.socket.readableEnded).toBe(false)
  })

  test('lets go at once of a call that waits for a function which is replaced: it goes to the next one', async () => {
    for (const id of ['ab', 'cd']) reverse.expect(id, 'gate-a')
    const { received, socket } = await dial('cd', 'gate-a')
    let current = 'ab'
    const call = client.invoke(() => ({ url: reverse.urlOf(current) }), request, { onItem: () => {} })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(received()).not.toContain('POST')
    current = 'cd'
    reverse.forget('ab')
    // well before a wait for a connection ends
    await expect.poll(received, { timeout: 5_000 }).toContain('POST')
    socket.write('HTTP/1.1 204 No Content\r\n\r\n')
    await call
  })

  test('that is lost ends the calls on it at once', async () => {
    reverse.expect('ab', 'gate-a')
    const { received } = await dial('ab', 'gate-a')
    const call = invoke('ab')
    const failure = expect(call).rejects.toThrow("The function 'judge' did not answer")
    await expect.poll(received).toContain('POST')
    reverse.lost('gate-a')
    await failure
  })
})
