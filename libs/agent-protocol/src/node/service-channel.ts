/** The service's side of the protocol: all devices of one fleet, a session with each. */
import { performance } from 'node:perf_hooks'
import { type ClockEstimate, ClockEstimator } from '../clock.ts'
import {
  decodeApplied,
  decodeBeat,
  decodeHello,
  decodePresence,
  decodeTelemetry,
  decodeUp,
  encode,
  sizeOfMessage,
} from '../codec.ts'
import type { Applied, Desired, Down, Hello, Telemetry, Up } from '../messages.ts'
import { Session } from '../session.ts'
import { type ChannelName, isName, parseTopic, topicOf, topicOfAll } from '../topics.ts'
import type { Link, Log, OpenLink } from './link.ts'
import { Outbox } from './outbox.ts'

const TICK_MS = 500
/** Messages that the service takes at most before it has acknowledged them: of all devices together, and of each at least. */
const TAKEN_OF_ALL = 16_384
const TAKEN_OF_EACH = 16
/** Shortest time between two lines about bad messages of one device. */
const COMPLAIN_EVERY_MS = 10_000

/** What the service learns about its devices. `device` is always the id. */
export interface ServiceEvents {
  /** A device has said what it is: at each of its starts and reconnections. */
  onHello?: (device: string, hello: Hello) => void
  /** A device is connected, or the broker has published its last will. */
  onPresence?: (device: string, online: boolean) => void
  /** A message of a device, in order; acknowledged when the promise settles. */
  onMessage?: (device: string, up: Up) => void | Promise<void>
  /**
   * A new start of an agent was met: messages to `previous` that were not acknowledged are rejected. Also the first
   * contact with a running agent after a start of the service; then `previous` is empty.
   */
  onSession?: (device: string, boot: string, previous: string) => void
  onApplied?: (device: string, applied: Applied) => void
  onTelemetry?: (device: string, telemetry: Telemetry) => void
  /** A sign of life, about once a second. Not called for what the broker has kept. */
  onBeat?: (device: string) => void
  /** The way to the broker is open or closed. */
  onConnection?: (connected: boolean, reason: string) => void
}

/** The fleet of a service, and the way to its broker. */
export interface ServiceChannelOptions extends ServiceEvents {
  openLink: OpenLink
  fleet: string
  /** New for every start of the service. */
  boot: string
  log?: Log
  /** ms since 1970 of a clock that does not jump. */
  now?: () => number
}

interface Peer {
  /** What it said of itself last. */
  hello?: Hello
  session: Session<Down, Up>
  outbox: Outbox
  clock: ClockEstimator
  /** Boot that the clock belongs to. */
  clockBoot: string
  /** Boot of the last beat. */
  beatBoot: string
  online: boolean
  badMessages: number
  complainedAt: number
}

/** The devices of a fleet: sends and receives messages, says what they are to run, knows their clocks. */
export class ServiceChannel {
  readonly #options: ServiceChannelOptions
  readonly #link: Link
  readonly #now: () => number
  readonly #log: Log
  readonly #peers = new Map<string, Peer>()
  readonly #desired = new Map<string, Uint8Array>()
  readonly #timer: NodeJS.Timeout
  /** Devices that are online. */
  #online = 0
  #connected = false
  #closed = false

  constructor(options: ServiceChannelOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.timeOrigin + performance.now())
    this.#log = options.log ?? (() => {})
    const channels = ['up', 'hello', 'state', 'applied', 'telemetry', 'beat'] as const
    const subscriptions = channels.map((channel) => ({
      topic: topicOfAll(options.fleet, channel),
      qos: channel === 'beat' || channel === 'up' ? (0 as const) : (1 as const),
    }))
    this.#link = options.openLink([subscriptions], {
      onConnect: () => this.#onConnect(),
      onDisconnect: (reason) => this.#onDisconnect(reason),
      onMessage: (topic, payload, retained) => this.#onMessage(topic, payload, retained),
    })
    this.#timer = setInterval(() => {
      for (const { session } of this.#peers.values()) session.tick(this.#now())
    }, TICK_MS)
    this.#timer.unref()
  }

  /** Whether the broker is connected. */
  get connected(): boolean {
    return this.#connected
  }

  /** Resolves when the agent has taken the message. Rejects with `SessionReset` when it restarts before. */
  send(device: string, message: Down): Promise<void> {
    return this.#peer(device).session.send(message)
  }

  /** Sets what a device is to run. Kept by the broker, so that it holds for devices that connect later. */
  setDesired(device: string, desired: Desired): void {
    const payload = encode(desired)
    this.#desired.set(device, payload)
    this.#publish(device, 'desired', payload, 1, true)
  }

  /** Removes all that the broker keeps about a device. */
  forget(device: string): void {
    this.#desired.delete(device)
    const peer = this.#peers.get(device)
    if (peer) this.#setOffline(peer)
    peer?.session.close()
    this.#peers.delete(device)
    for (const channel of ['hello', 'state', 'applied', 'telemetry', 'desired'] as const)
      this.#publish(device, channel, new Uint8Array(), 1, true)
  }

  /** Boot id of the agent whose session is open; empty when none is. */
  bootOf(device: string): string {
    return this.#peers.get(device)?.session.peer ?? ''
  }

  /** What a device said of itself last; absent while it has said nothing. */
  helloOf(device: string): Hello | undefined {
    return this.#peers.get(device)?.hello
  }

  /** Clock of a device now; `null` while nothing is known. */
  clockOf(device: string): ClockEstimate | null {
    return this.#peers.get(device)?.clock.estimate(this.#now()) ?? null
  }

  /** An instant of the device's clock in ms since 1970; `null` while its clock is not known. */
  toServiceTime(device: string, at: number): number | null {
    const clock = this.clockOf(device)
    return clock && at + clock.offsetMs
  }

  /** Messages of a device that were not as they must be. */
  badMessagesOf(device: string): number {
    return this.#peers.get(device)?.badMessages ?? 0
  }

  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    for (const { session } of this.#peers.values()) session.close()
    await this.#link.close()
  }

  #peer(device: string): Peer {
    const known = this.#peers.get(device)
    if (known) return known
    if (!isName(device)) throw new Error(`'${device}' cannot be the id of a device.`)
    const { boot, onMessage, onSession } = this.#options
    const session = new Session<Down, Up>({
      boot,
      deliver: (message) => onMessage?.(device, message),
      onOpen: (peer, previous) => onSession?.(device, peer, previous),
      wake: (urgent) => outbox.wake(urgent),
      sizeOf: sizeOfMessage,
      takes: () => Math.max(TAKEN_OF_EACH, Math.floor(TAKEN_OF_ALL / Math.max(1, this.#online))),
    })
    const outbox = new Outbox(session, (payload) => this.#publish(device, 'down', payload, 0))
    const peer: Peer = {
      session,
      outbox,
      clock: new ClockEstimator(),
      clockBoot: '',
      beatBoot: '',
      online: false,
      badMessages: 0,
      complainedAt: Number.NEGATIVE_INFINITY,
    }
    this.#peers.set(device, peer)
    return peer
  }

  #publish(device: string, channel: ChannelName, payload: Uint8Array, qos: 0 | 1, retain = false): void {
    if (this.#connected)
      this.#link.publish(topicOf(this.#options.fleet, device, channel), payload, { qos, retain })
  }

  #onConnect(): void {
    this.#connected = true
    for (const [device, payload] of this.#desired) this.#publish(device, 'desired', payload, 1, true)
    for (const { session, online } of this.#peers.values()) if (online) session.connected()
    this.#options.onConnection?.(true, 'connected to the broker')
  }

  #onDisconnect(reason: string): void {
    this.#connected = false
    for (const { session } of this.#peers.values()) session.disconnected()
    this.#options.onConnection?.(false, reason)
  }

  #onMessage(topic: string, payload: Uint8Array, retained: boolean): void {
    const parsed = parseTopic(topic)
    // an empty payload removes a retained message
    if (this.#closed || parsed?.fleet !== this.#options.fleet || payload.length === 0) return
    const { device, channel } = parsed
    const peer = this.#peer(device)
    try {
      if (channel === 'up') {
        this.#setOnline(device, peer)
        peer.session.receive(decodeUp(payload))
      } else if (channel === 'hello') {
        peer.hello = decodeHello(payload)
        this.#options.onHello?.(device, peer.hello)
      } else if (channel === 'state') this.#onPresence(device, peer, payload)
      else if (channel === 'beat') this.#onBeat(device, peer, payload, retained)
      else if (channel === 'applied') this.#options.onApplied?.(device, decodeApplied(payload))
      else if (channel === 'telemetry') this.#options.onTelemetry?.(device, decodeTelemetry(payload))
    } catch (error) {
      this.#complain(device, peer, topic, error as Error)
    }
  }

  #onPresence(device: string, peer: Peer, payload: Uint8Array): void {
    const { state, boot } = decodePresence(payload)
    if (state === 'online') {
      this.#setOnline(device, peer)
      // says so even if it was online: after a reconnection frames may be lost
      if (this.#connected) peer.session.connected()
      return
    }
    // the last will of a former start counts no more
    const current = peer.beatBoot || peer.session.peer
    if (current !== '' && current !== boot) return
    this.#setOffline(peer)
    peer.session.disconnected()
    this.#options.onPresence?.(device, false)
  }

  #setOffline(peer: Peer): void {
    if (peer.online) this.#online -= 1
    peer.online = false
  }

  #setOnline(device: string, peer: Peer): void {
    if (peer.online) return
    peer.online = true
    this.#online += 1
    if (this.#connected) peer.session.connected()
    this.#options.onPresence?.(device, true)
  }

  #onBeat(device: string, peer: Peer, payload: Uint8Array, retained: boolean): void {
    if (retained) return
    const beat = decodeBeat(payload)
    const receivedAt = this.#now()
    peer.beatBoot = beat.boot
    this.#setOnline(device, peer)
    if (peer.clockBoot !== beat.boot) {
      peer.clock = new ClockEstimator()
      peer.clockBoot = beat.boot
    }
    if (beat.echo)
      peer.clock.add({ sentAt: beat.echo.service, receivedAt, deviceAt: beat.at, heldMs: beat.echo.heldMs })
    this.#publish(
      device,
      'echo',
      encode({ boot: beat.boot, n: beat.n, at: beat.at, service: this.#now() }),
      0,
    )
    this.#options.onBeat?.(device)
  }

  #complain(device: string, peer: Peer, topic: string, error: Error): void {
    peer.badMessages += 1
    const now = this.#now()
    if (now - peer.complainedAt < COMPLAIN_EVERY_MS) return
    peer.complainedAt = now
    this.#log(
      'warn',
      `Messages of device '${device}' on '${topic}' are ignored (${peer.badMessages} so far): ${error.message}`,
    )
  }
}
