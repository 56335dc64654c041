import { X509Certificate } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import tls from 'node:tls'
import { linkByUrl } from '@hivemind/agent-protocol/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FleetHub, type HubOptions } from '../hub.ts'
import { openDeviceDoor } from './device-door.ts'
import { certificateFor, newAuthority } from './door-certificates.ts'
import { hashOfToken } from './enrolled.ts'

let dir: string
const undo: (() => unknown)[] = []
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'hm-door-'))
})
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
  rmSync(dir, { recursive: true, force: true })
})

const drone = { id: 'drone-7', class: 'drone', tokenHash: hashOfToken('its token'), enrolledAt: 0 }
const said: string[] = []

async function hub(dialIn: HubOptions['dialIn'] | null = { address: '127.0.0.1' }): Promise<FleetHub> {
  const log = (_: string, text: string) => void said.push(text)
  const opened = await FleetHub.open({ dir, life: 'bound', devices: [drone], log, ...(dialIn && { dialIn }) })
  undo.push(() => opened.close({ detach: false }))
  return opened
}

/** How a connection to the broker went. */
const dialling = (url: string, password: string, ca?: string): Promise<string> =>
  new Promise((resolve) => {
    const end = (how: string) => {
      void link.close()
      resolve(how)
    }
    const link = linkByUrl({ url, username: 'drone-7', password, clientId: 'drone-7', ...(ca && { ca }) })(
      [],
      {
        onConnect: () => end('connected'),
        onDisconnect: end,
        onMessage: () => {},
      },
    )
  })

/** Status of a request, over a connection with the given trust. */
function status(
  url: string,
  ca: string,
  password: string,
  request = `GET /v1/blobs/${'0'.repeat(64)}`,
): Promise<string> {
  const { hostname, port } = new URL(url)
  const encoded = Buffer.from(`drone-7:${password}`).toString('base64')
  return new Promise((resolve, reject) => {
    const socket = tls.connect({ host: hostname, port: Number(port), ca }, () =>
      socket.write(
        `${request} HTTP/1.1\r\nhost: x\r\nauthorization: Basic ${encoded}\r\nconnection: close\r\n\r\n`,
      ),
    )
    let text = ''
    socket.on('data', (chunk) => {
      text += chunk
    })
    socket.on('error', reject)
    socket.on('close', () => resolve(text.split('\r\n')[0] ?? ''))
  })
}

test('one port serves broker and data with TLS, to devices with the credential that it vouches for', async () => {
  const opened = await hub()
  const { broker, ca = '' } = opened.address
  expect(broker).toMatch(/^mqtts:\/\/127\.0\.0\.1:\d+$/)
  expect(await dialling(broker, 'its token', ca)).toBe('connected')
  expect(await dialling(broker, 'another', ca)).toBe('the broker refused the user name or password')
  // the usual authorities do not vouch for it, and neither does that of another fleet
  expect(await dialling(broker, 'its token')).toMatch(/self-signed certificate|unable to/)
  const data = await opened.dataUrlFor('drone-7')
  expect(data).toBe(broker.replace('mqtts', 'https'))
  expect(await status(data, ca, 'its token')).toContain('404')
  expect(await status(data, ca, 'another')).toContain('401')
  expect(await status(data, ca, 'its token', 'DELETE /v1/values/run-1')).toContain('403')
  // agents of this machine stay on it
  expect(await opened.dataUrlFor('group.drone-1')).toMatch(/^http:\/\/127\.0\.0\.1:/)
})

test('who speaks no TLS is not let in, and the log says who', async () => {
  const { address } = await hub()
  said.length = 0
  expect(await dialling(address.broker.replace('mqtts', 'mqtt'), 'its token')).toMatch(/closed|reset/)
  await expect.poll(() => said.join(), { timeout: 10_000 }).toContain('was not let in, as it speaks no TLS')
})

test('a device finds the door again after a restart, and trusts it', async () => {
  const { address } = await hub()
  await undo.pop()?.()
  expect((await hub()).address).toEqual(address)
  expect(await dialling(address.broker, 'its token', address.ca)).toBe('connected')
  await undo.pop()?.()
  // at another address its authority stays: only the URL has to be mended on the device
  const moved = await hub({ address: 'localhost', dialPort: 8883 })
  expect(moved.address).toMatchObject({ broker: 'mqtts://localhost:8883', ca: address.ca })
})

test('a port that is asked for and taken is an error; without a door there is none', async () => {
  const taken = net.createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  undo.push(() => new Promise((resolve) => taken.close(resolve)))
  const { port } = taken.address() as net.AddressInfo
  await expect(hub({ address: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE')
  const { broker, ca } = (await hub(null)).address
  expect(broker).toMatch(/^mqtt:\/\/127\.0\.0\.1:/)
  expect(ca).toBeUndefined()
})

test('certificates hold whatever the clock of a device says, and for the address that it dials', async () => {
  const authority = await newAuthority('fleet-1')
  const certified = await certificateFor(authority, 'swarm.example')
  for (const each of [authority, certified]) {
    const { validFromDate, validToDate } = new X509Certificate(each.cert)
    expect(validFromDate.getTime()).toBe(0)
    expect(validToDate.getUTCFullYear()).toBe(9999)
  }
  const made = new X509Certificate(certified.cert)
  expect(made.checkHost('swarm.example')).toBe('swarm.example')
  expect(made.checkHost('other.example')).toBeUndefined()
  expect(made.verify(new X509Certificate(authority.cert).publicKey)).toBe(true)
})

test('who says nothing, before TLS or after it, is cut off', async () => {
  const authority = await newAuthority('fleet-1')
  const door = await openDeviceDoor({
    at: { address: '127.0.0.1' },
    certificate: await certificateFor(authority, '127.0.0.1'),
    http: createServer((_, response) => response.end()),
    patienceMs: 100,
  })
  undo.push(() => door.close())
  const at = { host: '127.0.0.1', port: door.port }
  const closing = [net.connect(at), tls.connect({ ...at, ca: authority.cert })].map((socket) => {
    socket.on('error', () => {})
    return new Promise<void>((resolve) => socket.once('close', () => resolve()))
  })
  await Promise.all(closing)
})

test('closing ends the connections, also those that are silent', async () => {
  const opened = await hub()
  const { port } = new URL(opened.address.broker)
  const silent = net.connect(Number(port), '127.0.0.1')
  await new Promise<void>((resolve) => silent.once('connect', resolve))
  const closed = new Promise<void>((resolve) => silent.once('close', () => resolve()))
  silent.on('error', () => {})
  await undo.pop()?.()
  await closed
})
