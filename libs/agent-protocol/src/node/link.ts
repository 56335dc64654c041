/** A connection to an MQTT broker that restores itself. */
import { setTimeout as pause } from 'node:timers/promises'
import mqtt, { type MqttClient } from 'mqtt'

/** Pauses between attempts to connect: doubled each time, plus up to a half at random. In ms. */
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 2_000
const CONNECT_LIMIT_MS = 5_000
/** A connection that lasted so long lets the pauses start small again. */
const STEADY_MS = 2_000
const KEEPALIVE_S = 10

/** Takes a line for the log of the program. */
export type Log = (level: 'debug' | 'info' | 'warn' | 'error', text: string) => void

/** What a link tells its user. All calls are synchronous. */
export interface LinkHandler {
  /** Connected, and all subscriptions are in place. */
  onConnect: () => void
  /** The connection is gone, or an attempt failed; `reason` is a sentence. `refused`: wrong user name or password. */
  onDisconnect: (reason: string, refused?: boolean) => void
  /** `retained`: the broker kept it from before the subscription. */
  onMessage: (topic: string, payload: Uint8Array, retained: boolean) => void
}

/** A topic filter with its quality of service. */
export interface Subscription {
  topic: string
  qos: 0 | 1
}

/** A way to a broker. What is published while it is not connected is dropped. */
export interface Link {
  publish(topic: string, payload: Uint8Array, options?: { qos?: 0 | 1; retain?: boolean }): void
  close(): Promise<void>
}

/** Opens a link with the given subscriptions; retained messages of a group come before the next group is subscribed. */
export type OpenLink = (subscriptions: Subscription[][], handler: LinkHandler) => Link

/** A broker, and as whom to connect to it. */
export interface BrokerAddress {
  /** `mqtt://host:port`, or `mqtts:`, `ws:`, `wss:`. */
  url: string
  username?: string
  password?: string
  /** Certificates of authorities, as PEM, that are trusted in place of the usual ones. */
  ca?: string
  clientId: string
  /** Published by the broker when the connection ends without `close`. */
  will?: { topic: string; payload: Uint8Array }
}

/** Links to any broker by URL; see `Link`. */
export const linkByUrl =
  (address: BrokerAddress): OpenLink =>
  (subscriptions, handler) =>
    new UrlLink(address, subscriptions, handler)

class UrlLink implements Link {
  readonly #address: BrokerAddress
  readonly #subscriptions: Subscription[][]
  readonly #handler: LinkHandler
  readonly #ended = new AbortController()
  readonly #running: Promise<void>
  #client: MqttClient | undefined
  #ready = false

  constructor(address: BrokerAddress, subscriptions: Subscription[][], handler: LinkHandler) {
    this.#address = address
    this.#subscriptions = subscriptions
    this.#handler = handler
    this.#running = this.#stayConnected()
  }

  publish(topic: string, payload: Uint8Array, { qos = 0, retain = false } = {}): void {
    if (!this.#ready) return
    // a failure ends the connection, and the session sends again what was lost
    this.#client?.publish(topic, payload as Buffer, { qos: qos as 0 | 1, retain }, () => {})
  }

  async close(): Promise<void> {
    this.#ended.abort()
    const client = this.#client
    if (client?.connected) await client.endAsync().catch(() => {})
    client?.end(true)
    await this.#running
  }

  async #stayConnected(): Promise<void> {
    let wait = FIRST_PAUSE_MS
    while (!this.#ended.signal.aborted) {
      const from = performance.now()
      const { reason, refused } = await this.#connectOnce()
      this.#ready = false
      if (this.#ended.signal.aborted) return
      this.#handler.onDisconnect(reason, refused)
      if (performance.now() - from > STEADY_MS) wait = FIRST_PAUSE_MS
      const signal = this.#ended.signal
      await pause(wait * (1 + Math.random() / 2), undefined, { signal }).catch(() => {})
      wait = Math.min(wait * 2, MAX_PAUSE_MS)
    }
  }

  /** Resolves with the reason when the connection has ended. */
  #connectOnce(): Promise<{ reason: string; refused: boolean }> {
    const { url, username, password, ca, clientId, will } = this.#address
    const client = mqtt.connect(url, {
      clientId,
      ...(username === undefined ? {} : { username }),
      ...(password === undefined ? {} : { password }),
      ...(ca === undefined ? {} : { ca }),
      protocolVersion: 4,
      clean: true,
      keepalive: KEEPALIVE_S,
      reconnectPeriod: 0,
      connectTimeout: CONNECT_LIMIT_MS,
      resubscribe: false,
      queueQoSZero: false,
      ...(will ? { will: { topic: will.topic, payload: will.payload as Buffer, qos: 1, retain: true } } : {}),
    })
    this.#client = client
    let reason = 'the connection was closed'
    let refused = false
    return new Promise((resolve) => {
      client.on('error', (error) => {
        refused = isRefusal(error)
        reason = refused ? 'the broker refused the user name or password' : describe(error)
      })
      client.on('connect', () => {
        noDelay(client.stream)
        this.#subscribe(client).catch((error: Error) => {
          reason = error.message
          client.end(true)
        })
      })
      client.on('message', (topic, payload, packet) => this.#handler.onMessage(topic, payload, packet.retain))
      client.once('close', () => {
        client.end(true)
        resolve({ reason, refused })
      })
    })
  }

  async #subscribe(client: MqttClient): Promise<void> {
    for (const group of this.#subscriptions) {
      const wanted = Object.fromEntries(group.map(({ topic, qos }) => [topic, { qos }]))
      const granted = await client.subscribeAsync(wanted)
      const refused = granted.filter(({ qos }) => qos > 2).map(({ topic }) => topic)
      if (refused.length > 0) throw new Error(`the broker refused the subscription to ${refused.join(', ')}`)
    }
    if (!client.connected) return
    this.#ready = true
    this.#handler.onConnect()
  }
}

/** Sends small packets at once; without it a round trip takes 40 ms and more. */
function noDelay(stream: unknown): void {
  const socket = stream as { setNoDelay?: (on: boolean) => void }
  socket.setNoDelay?.(true)
}

/** Codes 4 and 5 of MQTT 3.1.1: bad user name or password, not authorized. */
function isRefusal(error: Error): boolean {
  const { code } = error as { code?: number | string }
  return code === 4 || code === 5
}

function describe(error: Error): string {
  const { code } = error as { code?: number | string }
  return error.message || String(code ?? error)
}
