/**
 * A TCP proxy that makes a loopback connection behave like a link: rate, one-way delay and loss, for kernels that
 * cannot (no netem). Order is kept, half-closes, resets and backpressure are passed on, and what is held is bounded.
 */
import { connect, createServer, type Server, type Socket } from 'node:net'
import type { LinkShape } from './link.ts'

/** Payload of one packet, the unit of loss. */
export const PACKET_BYTES = 1460
/** A lost packet is sent again after so long, and after twice as long each further time, as TCP does (Linux: 200 ms). */
export const RETRANSMIT_MS = 200
const LONGEST_RETRANSMIT_MS = 3_200
/** Bytes go on their way in pieces of about this air time, so that those who share the air take turns. */
const TURN_MS = 2
/** A flow holds at most what is sent in twice the delay and so many ms, so that late timers never leave the air idle. */
const HELD_MS = 50
const LEAST_HELD = 64 * 1024
const MOST_HELD = 16 * 1024 * 1024
/** What is closer than the timers can tell is due. */
const SLACK_MS = 0.5

const now = (): number => performance.now()

/** What is sent on, one piece at a time: the air of an access point, or one direction of a line. */
export class Air {
  readonly msPerByte: number
  #freeAt = 0

  constructor(mbps: number) {
    this.msPerByte = 8 / (mbps * 1000)
  }

  /**
   * Sends bytes that could go since `readyAt`; returns when the last of them has left. That may be in the past when
   * the caller was woken late: what was ready would have gone by then, so no capacity is lost to timers.
   */
  send(bytes: number, readyAt: number): number {
    this.#freeAt = Math.max(this.#freeAt, readyAt) + bytes * this.msPerByte
    return this.#freeAt
  }
}

interface FlowOptions {
  source: Socket
  sink: Socket
  air: Air
  delayMs: number
  loss: number
  random: () => number
  /** Told of each piece that arrives. */
  onArrival?: () => void
}

/** One direction of a connection. */
class Flow {
  readonly #options: FlowOptions
  readonly #turnBytes: number
  readonly #mostHeld: number
  /** Read, not sent yet. */
  readonly #waiting: { bytes: Buffer; at: number }[] = []
  /** Sent, not arrived yet; `null` is the end. */
  readonly #flying: { bytes: Buffer | null; at: number }[] = []
  #held = 0
  /** The sender is busy until then: with the last piece, or waiting for a retransmission. */
  #readyAt = 0
  #retransmitMs = RETRANSMIT_MS
  /** Packets that get through before the next one that is lost. */
  #untilLoss = 0
  #ended = false
  #blocked = false
  #sendTimer: NodeJS.Timeout | undefined
  #arriveTimer: NodeJS.Timeout | undefined

  constructor(options: FlowOptions) {
    this.#options = options
    const { source, sink, air, delayMs } = options
    const packets = Math.max(1, Math.floor(TURN_MS / (air.msPerByte * PACKET_BYTES)))
    this.#turnBytes = packets * PACKET_BYTES
    const held = Math.ceil((2 * delayMs + HELD_MS) / air.msPerByte)
    this.#mostHeld = Math.max(LEAST_HELD, Math.min(MOST_HELD, held))
    this.#untilLoss = this.#drawLoss()
    source.on('data', (bytes: Buffer) => {
      this.#waiting.push({ bytes, at: now() })
      this.#held += bytes.length
      if (this.#held > this.#mostHeld) source.pause()
      this.#send()
    })
    source.on('end', () => {
      this.#ended = true
      this.#send()
    })
    sink.on('drain', () => {
      this.#blocked = false
      this.#arrive()
    })
    sink.once('close', () => this.stop())
  }

  stop(): void {
    clearTimeout(this.#sendTimer)
    clearTimeout(this.#arriveTimer)
    this.#waiting.length = 0
    this.#flying.length = 0
  }

  /** Sends all that may leave by now; the rest when the air is free. */
  #send(): void {
    clearTimeout(this.#sendTimer)
    const { air, delayMs } = this.#options
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const wait = this.#readyAt - now()
      if (wait > SLACK_MS) {
        this.#sendTimer = setTimeout(() => this.#send(), wait)
        break
      }
      const readyAt = Math.max(first.at, this.#readyAt)
      if (this.#untilLoss === 0) {
        this.#readyAt = air.send(Math.min(PACKET_BYTES, first.bytes.length), readyAt) + this.#retransmitMs
        this.#retransmitMs = Math.min(this.#retransmitMs * 2, LONGEST_RETRANSMIT_MS)
        this.#untilLoss = this.#drawLoss()
        continue
      }
      const bytes = this.#take(Math.min(this.#turnBytes, this.#untilLoss * PACKET_BYTES))
      this.#untilLoss -= Math.ceil(bytes.length / PACKET_BYTES)
      this.#retransmitMs = RETRANSMIT_MS
      this.#readyAt = air.send(bytes.length, readyAt)
      this.#flying.push({ bytes, at: this.#readyAt + delayMs })
    }
    if (this.#ended && this.#waiting.length === 0) {
      this.#ended = false
      this.#flying.push({ bytes: null, at: Math.max(now(), this.#readyAt) + delayMs })
    }
    this.#arrive()
  }

  /** Up to so many bytes of the first chunk. */
  #take(most: number): Buffer {
    const first = this.#waiting[0] as { bytes: Buffer; at: number }
    if (first.bytes.length <= most) {
      this.#waiting.shift()
      return first.bytes
    }
    const bytes = first.bytes.subarray(0, most)
    first.bytes = first.bytes.subarray(most)
    return bytes
  }

  /** Hands on all that has arrived by now. */
  #arrive(): void {
    clearTimeout(this.#arriveTimer)
    const { source, sink, onArrival } = this.#options
    while (!this.#blocked) {
      const next = this.#flying[0]
      if (!next) break
      const wait = next.at - now()
      if (wait > SLACK_MS) {
        this.#arriveTimer = setTimeout(() => this.#arrive(), wait)
        break
      }
      this.#flying.shift()
      if (next.bytes === null) sink.end()
      else {
        this.#held -= next.bytes.length
        onArrival?.()
        this.#blocked = !sink.write(next.bytes)
      }
    }
    if (this.#held <= this.#mostHeld / 2 && source.isPaused()) source.resume()
  }

  /** Number of packets that get through before one is lost. */
  #drawLoss(): number {
    const { loss, random } = this.#options
    if (loss <= 0) return Number.POSITIVE_INFINITY
    return Math.floor(Math.log(1 - random()) / Math.log(1 - loss))
  }
}

export interface ProxyOptions extends Pick<LinkShape, 'delayMs' | 'loss'> {
  /** Where connections lead. */
  target: { host: string; port: number }
  /** What the bytes of the one who connects are sent on, and what the answers are. */
  forth: Air
  back: Air
  /** From 0 up to, but not, 1. */
  random?: () => number
  /** Told of what is read from the one who connected; `peer` is the proxy's `host:port` as the target sees it. */
  onForth?: (peer: string, bytes: Buffer) => void
  /** Told of each piece of it that arrives at the target: while the reader waits, these are all there is to hear. */
  onForthArrival?: () => void
  /** Told of what is read from the target. */
  onBack?: () => void
  /** Told when a connection is gone. */
  onClose?: (peer: string) => void
}

export interface ShapingProxy {
  host: string
  port: number
  /** Stops listening and ends every connection. */
  close(): Promise<void>
}

/** Starts a proxy on a free loopback port. */
export async function startProxy(options: ProxyOptions): Promise<ShapingProxy> {
  const sockets = new Set<Socket>()
  const server = createServer({ noDelay: true, allowHalfOpen: true, pauseOnConnect: true }, (near) => {
    const far = connect({ ...options.target, noDelay: true, allowHalfOpen: true })
    for (const socket of [near, far]) {
      sockets.add(socket)
      const other = socket === near ? far : near
      // A reset is passed on as one; a clean end went its way as an end.
      socket.on('error', () => other.resetAndDestroy())
      socket.once('close', () => {
        sockets.delete(socket)
        if (!socket.readableEnded || !socket.writableEnded) other.destroy()
      })
    }
    far.once('connect', () => join(near, far, options))
  })
  await listen(server)
  const address = server.address()
  return {
    host: '127.0.0.1',
    port: typeof address === 'object' && address ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

function join(near: Socket, far: Socket, options: ProxyOptions): void {
  const {
    delayMs,
    loss,
    forth,
    back,
    random = Math.random,
    onForth,
    onForthArrival,
    onBack,
    onClose,
  } = options
  const peer = `${far.localAddress}:${far.localPort}`
  if (onForth) near.on('data', (bytes: Buffer) => onForth(peer, bytes))
  if (onBack) far.on('data', onBack)
  if (onClose) far.once('close', () => onClose(peer))
  const common = { delayMs, loss, random }
  new Flow({
    ...common,
    source: near,
    sink: far,
    air: forth,
    ...(onForthArrival && { onArrival: onForthArrival }),
  })
  new Flow({ ...common, source: far, sink: near, air: back })
  near.resume()
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      server.off('error', reject)
      resolve()
    })
  })
}
