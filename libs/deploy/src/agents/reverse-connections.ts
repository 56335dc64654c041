/**
 * Connections to functions on devices of other machines, which nobody reaches from outside (Vertex, section 3.2): the device dials in, holds
 * some ready for each function, and the service sends its calls on them. `GET /v1/functions/ID` with `Upgrade: hivemind-function` makes one.
 */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { buildConnector } from 'undici'

/** Most connections of one function that nobody uses; the oldest gives way. */
const MAX_IDLE = 8
/** Longest time that a call waits for a connection, in ms. */
const WAIT_MS = 10_000
const KEEP_ALIVE_MS = 15_000
const GONE = 'the function is there no more'
const IDLE_EVENTS = ['close', 'end', 'data']
/** What host names of functions on devices end with; no name of the network does (RFC 6761). */
const SUFFIX = '.function.invalid'

/** A call that waits for a connection. */
interface Waiting {
  give(socket: Socket): void
  fail(message: string): void
}

/** A function that a device may let the service in to. */
interface Expected {
  device: string
  /** Those that nobody uses, the oldest first, each with what is done when it ends or sends something. */
  idle: Map<Socket, () => void>
  waiting: Set<Waiting>
  used: Set<Socket>
}

/** How a connection is made, as undici asks for one. */
export type Connector = ReturnType<typeof buildConnector>

/** The connections that devices hold ready, and the way to each function over them. */
export class ReverseConnections {
  readonly #expected = new Map<string, Expected>()
  readonly #direct = buildConnector({})

  /** URL of a function, for `connect`. */
  urlOf(id: string): string {
    return `http://${id}${SUFFIX}/`
  }

  /** From now on the device may hold connections for a function. */
  expect(id: string, device: string): void {
    if (!this.#expected.has(id))
      this.#expected.set(id, { device, idle: new Map(), waiting: new Set(), used: new Set() })
  }

  /** The function takes no more calls. Those that are under way go on; those that wait fail, as they would from now on. */
  forget(id: string): void {
    const expected = this.#expected.get(id)
    if (!expected) return
    this.#expected.delete(id)
    for (const socket of expected.idle.keys()) socket.destroy()
    for (const { fail } of expected.waiting) fail(GONE)
  }

  /** A device is gone: calls on it end now, not when the network notices. */
  lost(device: string): void {
    for (const expected of this.#expected.values()) {
      if (expected.device !== device) continue
      for (const socket of [...expected.idle.keys(), ...expected.used]) socket.destroy()
    }
  }

  /** Ends every connection. */
  close(): void {
    for (const { device } of this.#expected.values()) this.lost(device)
    for (const id of [...this.#expected.keys()]) this.forget(id)
  }

  /** Takes a connection of a device. Returns the status of a refusal, if it is one. */
  accept(user: string, id: string, socket: Socket): 403 | 404 | undefined {
    const expected = this.#expected.get(id)
    if (!expected) return 404
    if (expected.device !== user) return 403
    socket.setTimeout(0)
    socket.setKeepAlive(true, KEEP_ALIVE_MS)
    socket.setNoDelay(true)
    socket.on('error', () => {})
    socket.write(
      'HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: hivemind-function\r\n\r\n',
    )
    const [next] = expected.waiting
    if (next) this.#use(expected, socket, next.give)
    else this.#keep(expected, socket)
    return undefined
  }

  /** Makes a connection: to a function on a device one of those that it holds ready, to anything else a new one. */
  readonly connect: Connector = (options, callback) => {
    if (!options.hostname.endsWith(SUFFIX)) return this.#direct(options, callback)
    const expected = this.#expected.get(options.hostname.slice(0, -SUFFIX.length))
    // undici goes on only when it is told after it has asked
    const fail = (message: string): void =>
      queueMicrotask(() => callback(Object.assign(new Error(message), { code: 'ECONNREFUSED' }), null))
    const give = (socket: Socket): void => queueMicrotask(() => callback(null, socket))
    if (!expected) return fail(GONE)
    const socket = [...expected.idle.keys()].at(-1)
    if (socket) return this.#use(expected, socket, give)
    const over = (): void => {
      clearTimeout(timer)
      expected.waiting.delete(waiting)
    }
    const waiting: Waiting = {
      give(made) {
        over()
        give(made)
      },
      fail(message) {
        over()
        fail(message)
      },
    }
    const timer = setTimeout(
      () => waiting.fail(`edge node ${expected.device} has held no connection ready for ${WAIT_MS / 1000} s`),
      WAIT_MS,
    )
    // a service that ends does not wait for it
    timer.unref()
    expected.waiting.add(waiting)
  }

  #keep(expected: Expected, socket: Socket): void {
    const gone = (): void => {
      expected.idle.delete(socket)
      socket.destroy()
    }
    expected.idle.set(socket, gone)
    // only who reads learns that the other side has ended; a device sends nothing before it is asked
    for (const event of IDLE_EVENTS) socket.once(event, gone)
    const [oldest] = expected.idle.keys()
    if (expected.idle.size > MAX_IDLE) oldest?.destroy()
  }

  #use(expected: Expected, socket: Socket, give: (socket: Socket) => void): void {
    const gone = expected.idle.get(socket)
    if (gone) for (const event of IDLE_EVENTS) socket.off(event, gone)
    expected.idle.delete(socket)
    socket.pause()
    expected.used.add(socket)
    socket.once('close', () => expected.used.delete(socket))
    give(socket)
  }
}

/** Serves devices that hold connections for their functions. */
export function reverseHandler(
  reverse: ReverseConnections,
  /** The user of a request. Throws when it is none. */
  userOf: (request: IncomingMessage) => string,
) {
  return (request: IncomingMessage, socket: Socket): void => {
    const refuse = (status: number): void => {
      socket.on('error', () => {})
      socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`)
    }
    const [, id] = /^\/v1\/functions\/([0-9a-f]+)$/.exec(request.url ?? '') ?? []
    if (id === undefined || request.headers.upgrade?.toLowerCase() !== 'hivemind-function') return refuse(404)
    let user: string
    try {
      user = userOf(request)
    } catch {
      return refuse(401)
    }
    const refused = reverse.accept(user, id, socket)
    if (refused) refuse(refused)
  }
}
