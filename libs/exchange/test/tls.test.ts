/** TLS: who is let in, what is encrypted, and what those are told that are refused. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type Address, Backend, ExchangeClient, type TlsOptions, UnreachableError } from '../src/index.ts'
import { type Authority, type Certificate, makeAuthority } from './certificates.ts'
import { type Exchange, startExchange } from './nodes.ts'
import { PythonClient } from './python-client.ts'

const TRIES = { count: 2, intervalMs: 1_000 }
const CLIENTS = [
  ['TypeScript', ExchangeClient],
  ['Python', PythonClient],
] as const

let authority: Authority
let stranger: Authority
let node: Certificate
let device: Certificate
beforeAll(async () => {
  authority = await makeAuthority()
  stranger = await makeAuthority()
  node = await authority.issue('IP:127.0.0.1,DNS:localhost')
  device = await authority.issue('DNS:car-7')
})
afterAll(async () => {
  await authority.remove()
  await stranger.remove()
})

const reasonOf = (connecting: Promise<unknown>): Promise<Error> =>
  connecting.then(
    () => new Error('connected'),
    (error) => error,
  )

describe.each(CLIENTS)('TLS, with the client for %s', (_, type) => {
  describe.each([false, true])('that verifies clients: %j', (verifyClients) => {
    let exchange: Exchange
    let seen = ''
    let wire: net.Server
    beforeAll(async () => {
      const tls = { ca: authority.ca, ...node, verifyClients }
      // Between the edge nodes and the backend is one that listens.
      const between = async (backend: Address) => {
        wire = net.createServer((near) => {
          const [host, port] = backend.split(':')
          const far = net.connect(Number(port), host)
          for (const [from, to] of [
            [near, far],
            [far, near],
          ] as const) {
            from.on('data', (bytes) => {
              seen += bytes.toString('latin1')
            })
            from.on('error', () => to.destroy())
            from.pipe(to)
          }
        })
        wire.listen(0, '127.0.0.1')
        await once(wire, 'listening')
        return `127.0.0.1:${(wire.address() as net.AddressInfo).port}`
      }
      exchange = await startExchange(2, { tls, token: 'open sesame' }, { between })
    })
    afterAll(() => exchange.stop())

    const connect = (name: string, tls: TlsOptions | undefined) =>
      type.connect({
        name,
        token: 'open sesame',
        edges: exchange.addresses,
        tries: TRIES,
        ...(tls && { tls }),
      })
    const identity = () => ({ ca: authority.ca, ...(verifyClients && device) })

    it('carries messages, also of a client that moves, and nobody reads them on the way', async () => {
      const client = await connect('mover', identity())
      await client.subscribe('secret')
      await client.publish('secret', Buffer.from('the code is 4711'))
      await client.publish('secret', Buffer.from('that was it'))
      const [first] = await client.getMessages('secret', { max: 1, waitMs: 5_000 })
      await client.migrate(exchange.addresses.find((address) => address !== client.edge) as string)
      const [second] = await client.getMessages('secret', { max: 1, waitMs: 5_000 })
      expect([first, second].map((message) => String(message && Buffer.from(message.bytes)))).toEqual([
        'the code is 4711',
        'that was it',
      ])
      client.close()
      expect(seen.length).toBeGreaterThan(1_000)
      expect(seen).not.toContain('4711')
      expect(seen).not.toContain('open sesame')
    })

    it('tells a client without TLS to use it', async () => {
      const error = await reasonOf(connect('plain', undefined))
      expect(error).toBeInstanceOf(UnreachableError)
      expect(error.message).toContain('This node is reached with TLS only: give this client the certificate')
    })

    it('tells a client that trusts another authority', async () => {
      const error = await reasonOf(connect('trusts-others', { ...identity(), ca: stranger.ca }))
      expect(error.message).toMatch(/certificate is not trusted: .*ca must be that of its authority/)
    })

    it('lets in who has a certificate where one is asked for', async () => {
      const other = await stranger.issue('DNS:car-8')
      for (const tls of [{ ca: authority.ca }, { ca: authority.ca, ...other }]) {
        const error = await reasonOf(connect('unknown', tls))
        if (!verifyClients) expect(error.message).toBe('connected')
        else
          expect(error.message).toContain(
            'This node serves only clients with a certificate that its authority vouches for',
          )
      }
    })

    it('tells a client that reaches a node by another name', async () => {
      const [, port] = (exchange.addresses[0] as string).split(':')
      const edges = [`127.0.0.2:${port}`]
      const proxy = net.createServer((near) => {
        const far = net.connect(Number(port), '127.0.0.1')
        near.on('error', () => far.destroy()).pipe(far)
        far.on('error', () => near.destroy()).pipe(near)
      })
      proxy.listen(Number(port), '127.0.0.2')
      await once(proxy, 'listening')
      const error = await reasonOf(
        type.connect({ name: 'elsewhere', edges, token: 'open sesame', tries: TRIES, tls: identity() }),
      )
      expect(error.message).toContain('certificate is not for this address: name it in the certificate')
      proxy.close()
    })
  })

  it('is spoken with an edge node in the process of the backend, which needs none between them', async () => {
    const tls = { ca: authority.ca, ...node, verifyClients: true }
    const exchange = await startExchange(2, { tls, token: 'open sesame' }, { isJoined: true })
    const own = { ca: authority.ca, ...device }
    for (const address of exchange.addresses) {
      const connected = await type.connect({
        name: 'secure',
        token: 'open sesame',
        edges: [address],
        tls: own,
      })
      await connected.publish('road/ice', Buffer.from('km 12'))
      connected.close()
    }
    await exchange.stop()
  })

  it('tells a client that a node does not speak it', async () => {
    const exchange = await startExchange(1)
    const tls = { ca: authority.ca }
    const error = await reasonOf(
      type.connect({ name: 'secure', edges: exchange.addresses, tries: TRIES, tls }),
    )
    expect(error.message).toContain(
      'does not speak TLS: leave tls out here, or start the node with a certificate',
    )
    await exchange.stop()
  })

  it('refuses certificates that cannot be read', async () => {
    const tls = { ca: authority.ca, cert: device.cert, key: node.key }
    const error = await reasonOf(type.connect({ name: 'mixed', edges: ['127.0.0.1:1'], tries: TRIES, tls }))
    expect(error.message).toContain('The certificates for TLS cannot be used: ')
  })
})

it('refuses to start a node without a key, or with another one', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hm-tls-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const start = (tls: object) => Backend.start({ folder, tls: { ca: authority.ca, ...node, ...tls } })
  await expect(start({ key: '' })).rejects.toThrow('A node with TLS needs tls.cert, tls.key and tls.ca')
  await expect(start({ key: device.key })).rejects.toThrow('The certificates for TLS cannot be used: ')
})
