/** The listening side of a node. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { ExchangeError } from './errors.ts'
import type { Header } from './frame.ts'
import type { Address } from './link.ts'
import { type Answer, Session } from './session.ts'
import { type NodeTlsOptions, tlsListener } from './tls.ts'
import { LocalWire, SocketWire, type Wire } from './wire.ts'

/** What a node does for each type of frame. */
export type Handlers = Record<
  string,
  (header: Header, body: Buffer, session: Session) => Answer | Promise<Answer> | undefined
>

/** Where a node listens, and who may talk to it. */
export interface ListenOptions {
  /** Name or address of the interface; 127.0.0.1 without it. */
  host?: string
  /** Port; 0 or none for a free one. */
  port?: number
  /** Secret that every client and node must know. Without it, everyone who reaches the port is let in. */
  token?: string
  /** Certificates: connections are encrypted, and no others are accepted. Without them, connections are plain. */
  tls?: NodeTlsOptions
}

const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Accepts connections. The first frame of each must be a `hello` that knows the token. */
export class Server {
  readonly #server: net.Server
  /** All connections, also those that have said nothing yet. */
  readonly #sockets = new Set<net.Socket>()
  readonly #localWires = new Set<Wire>()
  readonly #host: string
  readonly #serve: (wire: Wire) => Session

  private constructor(server: net.Server, host: string, serve: (wire: Wire) => Session) {
    this.#server = server
    this.#host = host
    this.#serve = serve
  }

  static async listen(
    { host = '127.0.0.1', port = 0, token = '', tls }: ListenOptions,
    handlers: Handlers,
  ): Promise<Server> {
    const secret = digest(token)
    const listener = net.createServer({ noDelay: true })
    const serve = (wire: Wire, refusal?: string): Session => {
      let greeted = false
      return new Session(wire, ({ header, body }, from) => {
        if (refusal !== undefined) throw new ExchangeError(refusal)
        const handler = handlers[header.type]
        if (!handler || !Object.hasOwn(handlers, header.type))
          throw new ExchangeError(
            `There is no '${header.type}' here. Known: ${Object.keys(handlers).join(', ')}.`,
          )
        if (header.type.startsWith('hello')) {
          if (!timingSafeEqual(digest(String(header.token ?? '')), secret))
            throw new ExchangeError('The token is not the one of this exchange.')
          greeted = true
        }
        if (!greeted) throw new ExchangeError(`'${header.type}' came before a hello.`)
        return handler(header, body, from)
      })
    }
    const accept = (socket: net.Socket, refusal?: string) => void serve(new SocketWire(socket), refusal)
    const server = new Server(listener, host, serve)
    const onConnection = tls ? tlsListener(tls, accept) : accept
    listener.on('connection', (socket) => {
      server.#sockets.add(socket)
      socket.once('close', () => server.#sockets.delete(socket))
      onConnection(socket)
    })
    listener.listen(port, host)
    await once(listener, 'listening').catch((error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'it is in use' : error.message
      throw new ExchangeError(
        `The node cannot listen at ${host}:${port}: ${reason}. Name another port or host.`,
      )
    })
    return server
  }

  get address(): Address {
    return `${this.#host}:${(this.#server.address() as net.AddressInfo).port}`
  }

  /** A connection from within this process, which needs no port and no certificates. */
  connect(): Wire {
    const [near, far] = LocalWire.pair()
    const session = this.#serve(far)
    this.#localWires.add(far)
    void session.closed.then(() => this.#localWires.delete(far))
    if (!this.#server.listening) far.close()
    return near
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    for (const wire of this.#localWires) wire.close()
    await closed
  }
}
