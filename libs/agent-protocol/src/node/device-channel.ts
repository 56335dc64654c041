/** The agent's side of the protocol: one connection to the broker, one session with the service. */
import { performance } from 'node:perf_hooks'
import {
  decodeDesired,
  decodeDown,
  decodeEcho,
  decodeHello,
  decodePresence,
  encode,
  sizeOfMessage,
} from '../codec.ts'
import type { Applied, Desired, Down, Hello, Presence, Telemetry, Up } from '../messages.ts'
import { Session } from '../session.ts'
import { type ChannelName, parseTopic, topicOf } from '../topics.ts'
import { type Link, type Log, linkByUrl } from './link.ts'
import { Outbox } from './outbox.ts'

const BEAT_MS = 1_000
const TICK_MS = 500
/** A service that is silent for longer is out of reach. */
const SILENCE_MS = 3 * BEAT_MS
/** Messages that wait for the service before sensors wait too; and so many while it is out of reach. */
const MAX_WAITING = 256
const MAX_WAITING_ALONE = 50_000

/** What a device is, and what it does with what the service sends. */
export interface DeviceChannelOptions {
  /** URL of the broker. */
  url: string
  fleet: string
  device: string
  password: string
  /** New for every start of the agent. */
  boot: string
  /** What the device says about itself; asked for with every connection. */
  hello: () => Omit<Hello, 'device' | 'boot'>
  /** The desired state; also after each reconnection, so it may come twice. */
  onDesired: (desired: Desired) => void
  /** A message of the service, in order; acknowledged when the promise settles. */
  onMessage: (message: Down) => void | Promise<void>
  /** A service process was met for the first time: `previous` is the one before, or empty. */
  onSession?: (boot: string, previous: string) => void
  onConnection?: (connected: boolean, reason: string) => void
  /** The broker does not know the device, or not by this password. The channel goes on trying. */
  onRefused?: () => void
  /** Another agent with the same device id has taken over. The channel is closed. */
  onDisplaced?: () => void
  log?: Log
  /** ms of a monotonic clock. */
  now?: () => number
}

/** A device's connection: it connects by itself, as often as needed, until it is closed or displaced. */
export class DeviceChannel {
  readonly #options: DeviceChannelOptions
  readonly #session: Session<Up, Down>
  readonly #outbox: Outbox
  readonly #link: Link
  readonly #now: () => number
  readonly #log: Log
  readonly #timers: NodeJS.Timeout[]
  /** Last content of each retained topic of this device. */
  readonly #retained = new Map<ChannelName, Uint8Array>()
  #connected = false
  /** Whether a connection has ended. */
  #reconnecting = false
  /** Boot of the agent that used the device id before this one. */
  #former = ''
  #displaced = false
  #beats = 0
  #echo: { service: number; at: number } | undefined
  #roundTripMs: number | undefined
  #serviceSeenAt = Number.NEGATIVE_INFINITY
  #badMessages = 0
  #room: PromiseWithResolvers<void> | undefined

  constructor(options: DeviceChannelOptions) {
    const { fleet, device, boot, url, password } = options
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
    this.#log = options.log ?? (() => {})
    this.#session = new Session<Up, Down>({
      boot,
      deliver: options.onMessage,
      wake: (urgent) => this.#outbox.wake(urgent),
      sizeOf: sizeOfMessage,
      ...(options.onSession ? { onOpen: options.onSession } : {}),
    })
    this.#outbox = new Outbox(this.#session, (payload) => this.#publish('up', payload, 0))
    const gone: Presence = { boot, state: 'gone' }
    const open = linkByUrl({
      url,
      username: device,
      password,
      clientId: `hive-${fleet}-${device}`,
      will: { topic: topicOf(fleet, device, 'state'), payload: encode(gone) },
    })
    const to = (channel: ChannelName, qos: 0 | 1) => ({ topic: topicOf(fleet, device, channel), qos })
    // the retained hello must have arrived before this agent says its own
    const groups = [[to('hello', 1)], [to('down', 0), to('desired', 1), to('echo', 0), to('state', 1)]]
    this.#link = open(groups, {
      onConnect: () => this.#onConnect(),
      onDisconnect: (reason, refused) => {
        this.#onDisconnect(reason)
        if (refused) this.#options.onRefused?.()
      },
      onMessage: (topic, payload, retained) => this.#onMessage(topic, payload, retained),
    })
    this.#timers = [setInterval(() => this.#beat(), BEAT_MS), setInterval(() => this.#tick(), TICK_MS)]
    for (const timer of this.#timers) timer.unref()
  }

  /** Whether the broker is connected. */
  get connected(): boolean {
    return this.#connected
  }

  /** Boot id of the service that is known; empty before the first contact. */
  get service(): string {
    return this.#session.peer
  }

  /** ms of the monotonic clock when the service was heard last; minus infinity when never. */
  get serviceSeenAt(): number {
    return this.#serviceSeenAt
  }

  /** Last round trip to the service and back, in ms. */
  get roundTripMs(): number | undefined {
    return this.#roundTripMs
  }

  /** Messages that the service has not acknowledged. */
  get waiting(): number {
    return this.#session.waiting
  }

  /**
   * Resolves when what makes messages without end may go on; `undefined`: at once. It waits while the service does not keep
   * up. While that is out of reach, the device works on alone, and keeps many more messages.
   */
  whenRoom(): Promise<void> | undefined {
    if (this.#hasRoom()) return undefined
    this.#room ??= Promise.withResolvers()
    return this.#room.promise
  }

  /** Messages that were not as they must be. */
  get badMessages(): number {
    return this.#badMessages
  }

  /** Resolves when the service has the message. Rejects with `SessionReset` or `SessionFull`. */
  send(message: Up): Promise<void> {
    return this.#session.send(message)
  }

  /** Reports how far the desired state is applied. Kept, and repeated with every connection. */
  applied(applied: Applied): void {
    this.#retain('applied', encode(applied))
  }

  /** Reports the figures of the device. */
  telemetry(telemetry: Telemetry): void {
    this.#retain('telemetry', encode(telemetry))
  }

  /** Says again what `hello` returns, which has changed. */
  sayHello(): void {
    const { hello, device, boot } = this.#options
    this.#retain('hello', encode({ ...hello(), device, boot }))
  }

  /** Says goodbye and disconnects. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer)
    this.#retain('state', encode({ boot: this.#options.boot, state: 'gone' }))
    this.#connected = false
    this.#session.close()
    this.#makeRoom()
    await this.#link.close()
  }

  #tick(): void {
    this.#session.tick(this.#now())
    this.#makeRoom()
  }

  #hasRoom(): boolean {
    const isAlone = !this.#connected || this.#now() - this.#serviceSeenAt > SILENCE_MS
    return this.#session.waiting <= (isAlone ? MAX_WAITING_ALONE : MAX_WAITING)
  }

  /** Lets those go on who wait for room, if there is any. */
  #makeRoom(): void {
    if (this.#room === undefined || !this.#hasRoom()) return
    this.#room.resolve()
    this.#room = undefined
  }

  #retain(channel: ChannelName, payload: Uint8Array): void {
    this.#retained.set(channel, payload)
    this.#publish(channel, payload, 1, true)
  }

  #publish(channel: ChannelName, payload: Uint8Array, qos: 0 | 1, retain = false): void {
    if (!this.#connected) return
    this.#link.publish(topicOf(this.#options.fleet, this.#options.device, channel), payload, { qos, retain })
  }

  #onConnect(): void {
    if (this.#displaced) return
    this.#connected = true
    this.sayHello()
    this.#retain('state', encode({ boot: this.#options.boot, state: 'online' }))
    for (const channel of ['applied', 'telemetry'] as const) {
      const payload = this.#retained.get(channel)
      if (payload) this.#publish(channel, payload, 1, true)
    }
    this.#session.connected()
    this.#beat()
    this.#options.onConnection?.(true, `connected to ${this.#options.url}`)
  }

  #onDisconnect(reason: string): void {
    if (this.#connected) this.#reconnecting = true
    this.#connected = false
    this.#session.disconnected()
    this.#options.onConnection?.(false, reason)
  }

  #onMessage(topic: string, payload: Uint8Array, retained: boolean): void {
    const channel = parseTopic(topic)?.channel
    if (payload.length === 0) return
    try {
      if (channel === 'down') {
        this.#serviceSeenAt = this.#now()
        this.#session.receive(decodeDown(payload))
        this.#makeRoom()
      } else if (channel === 'desired') this.#options.onDesired(decodeDesired(payload))
      else if (channel === 'echo') this.#onEcho(payload)
      else if (channel === 'hello') this.#onOtherHello(decodeHello(payload), retained)
      else if (channel === 'state') this.#onOwnState(decodePresence(payload))
    } catch (error) {
      this.#badMessages += 1
      this.#log('warn', `A message on '${topic}' is ignored: ${(error as Error).message}`)
    }
  }

  #onEcho(payload: Uint8Array): void {
    const echo = decodeEcho(payload)
    if (echo.boot !== this.#options.boot) return
    const at = this.#now()
    this.#serviceSeenAt = at
    this.#roundTripMs = at - echo.at
    const isFirst = this.#echo === undefined
    this.#echo = { service: echo.service, at }
    // The service knows the clock from the next beat on: at once, so that its first spans have their times.
    if (isFirst) this.#beat()
  }

  /**
   * A hello of another boot is one of a former agent, when this one connects for the first time. Later it is one of an
   * agent that has connected since with the same device id, and the broker has closed this agent's connection for it.
   */
  #onOtherHello({ boot }: Hello, retained: boolean): void {
    if (retained && !this.#reconnecting) this.#former = boot
    if (boot === this.#options.boot || boot === this.#former || this.#displaced) return
    this.#displaced = true
    this.#connected = false
    this.#log(
      'error',
      `Another agent uses the device id '${this.#options.device}'. This agent gives way to it.`,
    )
    for (const timer of this.#timers) clearInterval(timer)
    this.#session.close()
    void this.#link.close()
    this.#options.onDisplaced?.()
  }

  /** The last will of a former connection can arrive late; it must not stay. */
  #onOwnState(presence: Presence): void {
    if (presence.state === 'gone' && this.#connected)
      this.#retain('state', encode({ boot: this.#options.boot, state: 'online' }))
  }

  #beat(): void {
    if (!this.#connected) return
    this.#beats += 1
    const at = this.#now()
    const echo = this.#echo && { service: this.#echo.service, heldMs: at - this.#echo.at }
    const beat = { boot: this.#options.boot, n: this.#beats, at, ...(echo ? { echo } : {}) }
    this.#publish('beat', encode(beat), 0)
  }
}
