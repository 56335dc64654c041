/** The embedded MQTT broker: MQTT 3.1.1 over TCP, in memory. */
import { createServer, type Socket } from 'node:net'
import { Aedes, type AedesPublishPacket, type AuthenticateError, type Client } from 'aedes'
import packets from 'mqtt-packet'
import { mayPublish, maySubscribe, parseTopic } from '../topics.ts'
import type { Principal } from './credentials.ts'
import type { Link, LinkHandler, Log, OpenLink, Subscription } from './link.ts'
import { RetainedMessages } from './retained.ts'
import { Subscriptions } from './subscriptions.ts'

const NOT_AUTHORIZED = 5

// 65,536 small buffers, 8 MB, that the codec would keep to write lengths a little faster.
packets.writeToStream.cacheNumbers = false

/** Clients whose broken connection is noticed by nothing else are dropped after 1.5 of their keep-alive. */
const DRAIN_LIMIT_MS = 30_000

/** Where a broker listens, and who may connect. */
export interface BrokerOptions {
  /** Address to listen on; loopback when absent. */
  host?: string
  /** 0 or absent: any free port. */
  port?: number
  /** Who has this name and password; `null` refuses the connection. */
  authenticate: (username: string, password: string) => Principal | null
  log?: Log
}

/** A running broker. */
export interface Broker {
  /** `mqtt://host:port` for clients on this machine. */
  readonly url: string
  readonly port: number
  /** Takes over a connection that somebody else has accepted. */
  accept(socket: Socket): void
  /** Links of this process: without a socket, with all rights. */
  readonly openLink: OpenLink
  /** Ends the connections of a device. */
  disconnect(device: string): void
  close(): Promise<void>
}

/** Starts a broker. Rejects when the port is taken. */
export async function startBroker(options: BrokerOptions): Promise<Broker> {
  const { host = '127.0.0.1', authenticate, log = () => {} } = options
  const principals = new Map<Client, Principal>()
  const retained = new RetainedMessages()
  const aedes = await Aedes.createBroker({
    mq: new Subscriptions<AedesPublishPacket>(),
    drainTimeout: DRAIN_LIMIT_MS,
    authenticate: (client, username, password, done) => {
      const principal = authenticate(username ?? '', password?.toString() ?? '')
      if (principal) principals.set(client, principal)
      else log('warn', `The broker refused '${username ?? ''}': wrong user name or password.`)
      done(principal ? null : refusal(), principal !== null)
    },
    authorizePublish: (client, packet, done) => {
      const principal = client && principals.get(client)
      if (!client || (principal && canPublish(principal, packet.topic))) return done(null)
      const who = nameOf(principal)
      log('warn', `The broker disconnected ${who}: it may not publish to '${packet.topic}'.`)
      done(new Error(`${who} may not publish to '${packet.topic}'.`))
    },
    authorizeSubscribe: (client, subscription, done) => {
      const principal = principals.get(client)
      if (principal && canSubscribe(principal, subscription.topic)) return done(null, subscription)
      log('warn', `The broker refused ${nameOf(principal)} the subscription to '${subscription.topic}'.`)
      done(null, null)
    },
  })
  const { persistence } = aedes as unknown as { persistence: object }
  Object.assign(persistence, retained)
  aedes.on('clientDisconnect', (client) => principals.delete(client))
  const sockets = new Set<Socket>()
  const accept = (socket: Socket): void => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    aedes.handle(socket)
  }
  const server = createServer({ noDelay: true }, accept)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, host, resolve)
  })
  const { port } = server.address() as { port: number }
  let closed: Promise<void> | undefined
  return {
    url: `mqtt://${host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host}:${port}`,
    port,
    accept,
    openLink: (subscriptions, handler) => new InProcessLink(aedes, retained, subscriptions, handler),
    disconnect: (device) => {
      for (const [client, principal] of principals)
        if (principal.role === 'device' && principal.device === device) client.close()
    },
    close: () => {
      closed ??= (async () => {
        const down = new Promise<void>((resolve) => server.close(() => resolve()))
        await new Promise<void>((resolve) => aedes.close(resolve))
        for (const socket of sockets) socket.destroy()
        await down
      })()
      return closed
    },
  }
}

function refusal(): AuthenticateError {
  return Object.assign(new Error('Wrong user name or password.'), { returnCode: NOT_AUTHORIZED })
}

const nameOf = (principal: Principal | undefined | null): string =>
  !principal ? 'a client' : principal.role === 'device' ? `device '${principal.device}'` : 'a service'

function canPublish(principal: Principal, topic: string): boolean {
  if (principal.role === 'device') return mayPublish(principal.fleet, principal.device, topic)
  return parseTopic(topic)?.fleet === principal.fleet
}

function canSubscribe(principal: Principal, filter: string): boolean {
  if (principal.role === 'device') return maySubscribe(principal.fleet, principal.device, filter)
  return filter.startsWith(`hive/1/${principal.fleet}/`)
}

class InProcessLink implements Link {
  readonly #aedes: Aedes
  readonly #undo: (() => void)[] = []
  #closed = false

  constructor(
    aedes: Aedes,
    retained: RetainedMessages,
    subscriptions: Subscription[][],
    handler: LinkHandler,
  ) {
    this.#aedes = aedes
    void this.#open(retained, subscriptions.flat(), handler)
  }

  publish(topic: string, payload: Uint8Array, { qos = 0, retain = false } = {}): void {
    if (this.#closed || this.#aedes.closed) return
    const packet = {
      cmd: 'publish' as const,
      topic,
      payload: payload as Buffer,
      qos: qos as 0 | 1,
      retain,
      dup: false,
    }
    this.#aedes.publish(packet, () => {})
  }

  async close(): Promise<void> {
    this.#closed = true
    for (const undo of this.#undo) undo()
  }

  async #open(
    retained: RetainedMessages,
    subscriptions: Subscription[],
    handler: LinkHandler,
  ): Promise<void> {
    for (const { topic } of subscriptions) {
      const deliver = (packet: { topic: string; payload: string | Buffer }, done: () => void): void => {
        if (!this.#closed) handler.onMessage(packet.topic, packet.payload as Buffer, false)
        // At once it would be called from within the next message, and that from within the one after it.
        queueMicrotask(done)
      }
      await new Promise<void>((resolve) => this.#aedes.subscribe(topic, deliver, resolve))
      this.#undo.push(() => this.#aedes.unsubscribe(topic, deliver, () => {}))
    }
    const filters = subscriptions.map(({ topic }) => topic)
    for (const { topic, payload } of retained.matching(filters))
      if (!this.#closed) handler.onMessage(topic, payload, true)
    if (this.#closed) return
    this.#aedes.once('closed', () => {
      if (!this.#closed) handler.onDisconnect('the broker was stopped')
    })
    handler.onConnect()
  }
}
