/**
 * A network function as a server of CoAP over UDP (InLocus, section III): it absorbs readings of sensors and sends one summary for each
 * window of them to the next hop. What it does with a reading is what the engine distil of the fabric does, byte for byte.
 */
import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isIPv6 } from 'node:net'
import { type Nfu, NfuError, parseNfu } from '../code.ts'
import { createOp, type Op } from '../ops.ts'
import { cborDouble, readCborNumber } from './cbor-number.ts'
import {
  acknowledgement,
  type CoapAnswer,
  CoapCode,
  CoapFormat,
  type CoapMessage,
  CoapType,
  readCoap,
  requestOf,
  reset,
  withPayload,
} from './coap.ts'

/** Where messages go on. */
export interface Hop {
  host: string
  port: number
}

/** What a server is started with. */
export interface NfuServerOptions {
  /** The function: `nfu:OP?..`. */
  code: string
  /** Address to listen on; this machine alone when absent. */
  host?: string
  /** Port to listen on; CoAP's 5683 when absent, any free one when 0. */
  port?: number
  /** Where summaries and all that is no reading go; nowhere when absent, and the latest summary can be read from the server. */
  next?: Hop
  /** A window for each source address. */
  keyed?: boolean
}

/** What a server has done since its start. */
export interface NfuCounters {
  /** Datagrams that came. */
  messages: number
  /** Readings that ended in a window or at a filter. */
  absorbed: number
  summaries: number
  /** Messages that went on unchanged. */
  passed: number
  /** Readings that went on, since their number could not be computed with. */
  withoutNumber: number
  /** Confirmable requests that were answered. */
  answered: number
  /** Messages that the system would not send to the next hop. */
  unsent: number
}

/** CoAP's own port. */
export const COAP_PORT = 5683
/** The path that says which function the server has, and changes it. */
const SELF = 'nfu'
/** Sources with a window of their own. More than these share none: their readings go on. */
const MOST_SOURCES = 65_536
/** How long a confirmable message may come again (RFC 7252, section 4.8.2), in ms, and how many answers are kept for that. */
const EXCHANGE_LIFETIME_MS = 247_000
const MOST_ANSWERS = 10_000
const RECEIVE_BUFFER = 4 * 2 ** 20

/** A server of one function. */
export class NfuServer {
  readonly #options: NfuServerOptions
  readonly #socket: Socket
  readonly #next: Socket | undefined
  readonly #ops = new Map<string, Op>()
  readonly #answers = new Map<string, { at: number; bytes: Buffer }>()
  #code: string
  #nfu: Nfu
  #latest: Buffer | undefined
  readonly counters: NfuCounters = {
    messages: 0,
    absorbed: 0,
    summaries: 0,
    passed: 0,
    withoutNumber: 0,
    answered: 0,
    unsent: 0,
  }

  private constructor(options: NfuServerOptions) {
    this.#options = options
    this.#code = options.code
    this.#nfu = functionOf(options.code)
    this.#socket = socketFor(options.host ?? '127.0.0.1')
    this.#next = options.next && socketFor(options.next.host)
  }

  /** Starts a server. Throws `NfuError` for a function that it cannot be, and what the system says of the address. */
  static async start(options: NfuServerOptions): Promise<NfuServer> {
    const server = new NfuServer(options)
    try {
      server.#socket.bind(options.port ?? COAP_PORT, options.host ?? '127.0.0.1')
      await once(server.#socket, 'listening')
      if (server.#next && options.next) {
        server.#next.connect(options.next.port, options.next.host)
        await once(server.#next, 'connect')
        // a next hop that is away is told by the system as an error of the socket
        server.#next.on('error', () => (server.counters.unsent += 1))
      }
    } catch (error) {
      server.close()
      throw error
    }
    server.#socket.on('message', (bytes, from) => server.#take(bytes, from))
    return server
  }

  /** The function, as its code. */
  get code(): string {
    return this.#code
  }

  /** Where it listens. */
  get address(): { host: string; port: number } {
    const { address, port } = this.#socket.address()
    return { host: address, port }
  }

  /** Changes the function; all windows start anew. Throws `NfuError`, and the function stays what it was. */
  setFunction(code: string): void {
    this.#nfu = functionOf(code)
    this.#code = code
    this.#ops.clear()
  }

  close(): void {
    this.#socket.close()
    this.#next?.close()
  }

  #take(bytes: Buffer, from: RemoteInfo): void {
    // nobody can be answered at port 0
    if (from.port === 0) return
    this.counters.messages += 1
    const message = readCoap(bytes)
    if (message?.type === CoapType.CONFIRMABLE) return this.#answer(bytes, message, from)
    const isReading =
      message?.type === CoapType.NON_CONFIRMABLE &&
      (message.code === CoapCode.POST || message.code === CoapCode.PUT)
    if (!isReading || !this.#read(bytes, message, from.address)) this.#pass(bytes)
  }

  /** Whether a message was a reading that the function could take. */
  #read(bytes: Buffer, message: CoapMessage, source: string): boolean {
    const value = readCborNumber(bytes, message.payloadAt)
    const outputs = value !== undefined && Number.isFinite(value) ? this.#compute(source, value) : undefined
    if (!outputs) {
      this.counters.withoutNumber += 1
      return false
    }
    if (outputs.length === 0) this.counters.absorbed += 1
    else if (this.#nfu.op === 'forward' || this.#nfu.op === 'filter') this.#pass(bytes)
    else {
      const summary = cborDouble(outputs[0] as number)
      this.counters.summaries += 1
      this.#latest = summary
      this.#send(withPayload(bytes, message, summary))
    }
    return true
  }

  /** What the function gives for a reading; `undefined` when it cannot take it. */
  #compute(source: string, value: number): unknown[] | undefined {
    const key = this.#options.keyed ? source : ''
    let op = this.#ops.get(key)
    if (!op) {
      if (this.#ops.size >= MOST_SOURCES) return undefined
      op = createOp(this.#nfu)
      this.#ops.set(key, op)
    }
    try {
      return op(value)
    } catch (error) {
      if (error instanceof NfuError) return undefined
      throw error
    }
  }

  #pass(bytes: Buffer): void {
    this.counters.passed += 1
    this.#send(bytes)
  }

  #send(bytes: Buffer): void {
    this.#next?.send(bytes, (error) => {
      if (error) this.counters.unsent += 1
    })
  }

  /** Answers a confirmable message, once: when it comes again it gets the answer that it had. */
  #answer(bytes: Buffer, message: CoapMessage, from: RemoteInfo): void {
    const key = `${from.address} ${from.port} ${message.id}`
    const now = performance.now()
    for (const [old, { at }] of this.#answers) {
      if (now - at < EXCHANGE_LIFETIME_MS && this.#answers.size < MOST_ANSWERS) break
      this.#answers.delete(old)
    }
    let answer = this.#answers.get(key)?.bytes
    if (!answer) {
      const isPing = message.code === CoapCode.EMPTY
      answer = isPing ? reset(message) : acknowledgement(bytes, message, this.#reply(bytes, message, from))
      this.#answers.set(key, { at: now, bytes: answer })
      this.counters.answered += 1
    }
    this.#socket.send(answer, from.port, from.address)
  }

  #reply(bytes: Buffer, message: CoapMessage, from: RemoteInfo): CoapAnswer {
    const { path, format, hasUnknownCritical } = requestOf(bytes, message)
    if (hasUnknownCritical) return { code: CoapCode.BAD_OPTION }
    if (message.code === CoapCode.GET) return this.#show(path)
    if (message.code !== CoapCode.POST && message.code !== CoapCode.PUT)
      return { code: CoapCode.METHOD_NOT_ALLOWED }
    if (path === SELF) return this.#change(bytes.toString('utf8', message.payloadAt), from)
    if (format !== undefined && format !== CoapFormat.CBOR) return { code: CoapCode.UNSUPPORTED_FORMAT }
    if (this.#read(bytes, message, from.address)) return { code: CoapCode.CHANGED }
    return wrong('A reading is a number in CBOR: a double, float, half or integer.')
  }

  #show(path: string): CoapAnswer {
    if (path === '.well-known/core')
      return text(CoapCode.CONTENT, `</${SELF}>;ct=50;rt="hivemind.nfu",</latest>;ct=60`, CoapFormat.LINKS)
    if (path === SELF) {
      const { keyed = false, next } = this.#options
      const state = { code: this.#code, keyed, ...(next && { next }), counters: this.counters }
      return text(CoapCode.CONTENT, JSON.stringify(state), CoapFormat.JSON)
    }
    if (path === 'latest' && this.#latest)
      return { code: CoapCode.CONTENT, format: CoapFormat.CBOR, payload: this.#latest }
    return { code: CoapCode.NOT_FOUND }
  }

  /** Who is on this machine may change the function. */
  #change(code: string, { address }: RemoteInfo): CoapAnswer {
    if (!/^(127\.|::1$|::ffff:127\.)/.test(address)) return { code: CoapCode.FORBIDDEN }
    try {
      this.setFunction(code)
      return { code: CoapCode.CHANGED }
    } catch (error) {
      if (error instanceof NfuError) return wrong(error.message)
      throw error
    }
  }
}

/** A function that readings can be the values of. Throws `NfuError`. */
function functionOf(code: string): Nfu {
  const nfu = parseNfu(code)
  if (nfu.field !== undefined)
    throw new NfuError(
      `Readings are numbers and have no field '${nfu.field}': leave 'field' out of '${code}'.`,
    )
  return nfu
}

const socketFor = (host: string): Socket =>
  createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', recvBufferSize: RECEIVE_BUFFER })

const text = (code: number, words: string, format: number): CoapAnswer => ({
  code,
  format,
  payload: Buffer.from(words),
})

const wrong = (words: string): CoapAnswer => text(CoapCode.BAD_REQUEST, words, CoapFormat.TEXT)
