/** A connection that is made again when it is lost: requests are sent again, in their order, on the next one. */
import { ExchangeClosedError, ExchangeError, UnreachableError } from './errors.ts'
import type { Frame, Header } from './frame.ts'
import { type Handler, Session } from './session.ts'
import { checkTls, connectEvent, connectTo, reasonOf, type TlsOptions } from './tls.ts'
import { SocketWire, type Wire } from './wire.ts'

/** Where a node listens: `host:port`. */
export type Address = string

/** How often and how long a request is tried before its sender is told that it failed. */
export interface Tries {
  /** Number of tries. */
  count: number
  /** Time from one try to the next, in ms. A request without an answer for so long is tried again. */
  intervalMs: number
}

/** Three tries, a second apart. */
export const DEFAULT_TRIES: Tries = { count: 3, intervalMs: 1_000 }

/** Options of a link. */
export interface LinkOptions {
  /** Nodes to connect to: the first one that answers. */
  addresses: readonly Address[]
  tries: Tries
  /** Certificates; connections are plain without them. */
  tls?: TlsOptions | undefined
  /** Connects to a node in this process, instead of one of the addresses, which only errors name then. */
  connect?: (() => Wire) | undefined
  /** Says who is calling, before any request. */
  greet(session: Session): Promise<void>
  handler: Handler
}

interface Pending {
  header: Header
  body: Buffer | undefined
  /** Time that the other side may take on purpose, in ms. */
  waitMs: number
  tries: number
  timer?: NodeJS.Timeout
  resolve(frame: Frame): void
  reject(error: Error): void
}

/** Connects, and keeps connecting, until it is closed. */
export class Link {
  readonly #options: LinkOptions
  readonly #pending = new Set<Pending>()
  #addresses: readonly Address[]
  #session: Session | null = null
  #wake = () => {}
  #closed = false
  #failure = ''
  /** When the connection was lost, or is first missed, by `performance.now()`. Null while there is one. */
  #lostAt: number | null = performance.now()

  /** Throws `ExchangeError` when the certificates cannot be used. */
  constructor(options: LinkOptions) {
    checkTls(options.tls)
    this.#options = options
    this.#addresses = options.addresses
    void this.#connect()
  }

  /** The node that is tried first. */
  get address(): Address {
    return this.#addresses[0] as Address
  }

  /** Time for which there has been no connection, in ms; 0 while there is one. */
  get lostForMs(): number {
    return this.#lostAt === null ? 0 : performance.now() - this.#lostAt
  }

  /** Sends a request. Rejects with `ExchangeError` when it is refused, and with `UnreachableError` after the last try. */
  request(header: Header, body?: Buffer, waitMs = 0): Promise<Frame> {
    if (this.#closed) return Promise.reject(new ExchangeClosedError())
    return new Promise((resolve, reject) => {
      const pending = { header, body, waitMs, tries: 0, resolve, reject }
      this.#pending.add(pending)
      if (this.#session) this.#try(pending, this.#session)
      else this.#arm(pending)
    })
  }

  /** Sends a frame that has no answer, if there is a connection. */
  send(header: Header): void {
    this.#session?.send(header)
  }

  /** Leaves the node for another. Requests without an answer are sent again there; the earlier nodes are tried if it does not answer. */
  moveTo(address: Address): void {
    this.#addresses = [address, ...this.#addresses.filter((each) => each !== address)]
    this.#session?.close()
    this.#session = null
    this.#wake()
  }

  /** Breaks the connection off. Requests without an answer reject with `ExchangeClosedError`. */
  close(): void {
    this.#closed = true
    this.#session?.close()
    for (const pending of this.#pending) this.#settle(pending)?.reject(new ExchangeClosedError())
    this.#wake()
  }

  #settle(pending: Pending): Pending | null {
    clearTimeout(pending.timer)
    return this.#pending.delete(pending) ? pending : null
  }

  #try(pending: Pending, session: Session): void {
    pending.tries++
    this.#arm(pending)
    session.request(pending.header, pending.body).then(
      (frame) => this.#settle(pending)?.resolve(frame),
      (error) => {
        // A lost connection is handled by #connect.
        if (!(error instanceof UnreachableError)) this.#settle(pending)?.reject(error)
      },
    )
  }

  /** Gives a request the time of one try. */
  #arm(pending: Pending): void {
    const { intervalMs, count } = this.#options.tries
    clearTimeout(pending.timer)
    pending.timer = setTimeout(() => {
      if (this.#session) {
        // The node does not answer: perhaps the next connection does.
        this.#session.close()
        return
      }
      if (++pending.tries < count) this.#arm(pending)
      else this.#settle(pending)?.reject(this.#unreachable(pending))
    }, intervalMs + pending.waitMs)
  }

  #unreachable(pending: Pending): UnreachableError {
    return new UnreachableError(
      `'${pending.header.type}' has no answer from ${this.#addresses.join(', ')} after ${pending.tries} tries${this.#failure}.`,
    )
  }

  async #connect(): Promise<void> {
    for (let failures = 0; !this.#closed; ) {
      const address = this.address
      const session = await this.#open(address)
      if (session && (this.#closed || this.address !== address)) {
        session.close()
        continue
      }
      if (session) {
        failures = 0
        this.#session = session
        this.#lostAt = null
        for (const pending of [...this.#pending]) {
          if (pending.tries < this.#options.tries.count) this.#try(pending, session)
          else this.#settle(pending)?.reject(this.#unreachable(pending))
        }
        await session.closed
        this.#lostAt = performance.now()
        if (this.#session === session) this.#session = null
        for (const pending of this.#pending) this.#arm(pending)
      } else failures++
      if (this.#closed) return
      // Another node may have been named meanwhile.
      if (this.address !== address) continue
      this.#addresses = [...this.#addresses.slice(1), address]
      if (failures >= this.#addresses.length) {
        failures = 0
        await this.#pause()
      }
    }
  }

  /** Waits for the time between two tries, or for another address. */
  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, this.#options.tries.intervalMs)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  /** A greeted session, or null when the node does not answer. A node that refuses the greeting fails all requests. */
  async #open(address: Address): Promise<Session | null> {
    const { connect, greet, handler, tries } = this.#options
    const { wire, connected } = connect ? { wire: connect(), connected: null } : this.#dial(address)
    const session = new Session(wire, handler)
    try {
      await connected
      const patience = setTimeout(() => session.close(), tries.intervalMs * (tries.count + 1))
      await greet(session).finally(() => clearTimeout(patience))
      this.#failure = ''
      return session
    } catch (error) {
      session.close()
      this.#failure = `: ${(error as Error).message}`
      return null
    }
  }

  /** A wire to an address. `connected` resolves when it may be used, and rejects with the reason why not. */
  #dial(address: Address): { wire: Wire; connected: Promise<unknown> } {
    const { tls, tries } = this.#options
    const socket = connectTo(portAndHost(address), tls)
    const timer = setTimeout(() => socket.destroy(), tries.intervalMs)
    let reason = 'does not answer'
    socket.once('error', (error) => {
      reason = `cannot be used: ${reasonOf(error)}`
    })
    const connected = new Promise((resolve, reject) => {
      socket.once(connectEvent(tls), resolve)
      socket.once('close', () => reject(new UnreachableError(`${address} ${reason}`)))
    })
    return { wire: new SocketWire(socket), connected: connected.finally(() => clearTimeout(timer)) }
  }
}

/** Reads `host:port`. Throws `ExchangeError` when it is something else. */
export function portAndHost(address: Address): { host: string; port: number } {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(address) ?? []
  if (!host || Number(port) > 65_535)
    throw new ExchangeError(`'${address}' is not an address: write host:port, such as 127.0.0.1:7411.`)
  return { host: host.replace(/^\[|\]$/g, ''), port: Number(port) }
}
