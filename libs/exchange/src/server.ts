/** The listening side of a node. */
import { createHash, timingSafeEqual } from 'node:crypto'
import { once } from 'node:events'
import net from 'node:net'
import { ExchangeError } from './errors.ts'
import type { Header } from './frame.ts'
import type { Address } from './link.ts'
import { type Answer, Session } from './session.ts'
import { type Accept, type NodeTlsOptions, tlsListener } from './tls.ts'

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
  readonly #host: string

  private constructor(server: net.Server, host: string) {
    this.#server = server
    this.#host = host
  }

  static async listen(
    { host = '127.0.0.1', port = 0, token = '', tls }: ListenOptions,
    handlers: Handlers,
  ): Promise<Server> {
    const secret = digest(token)
    const listener = net.createServer()
    const server = new Server(listener, host)
    const accept: Accept = (socket, refusal) => {
      let greeted = false
      new Session(socket, ({ header, body }, from) => {
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
    const onConnection = tls ? tlsListener(tls, accept) : accept
    listener.on('connection', (socket) => {
      server.#sockets.add(socket)
      socket.once('close', () => server.#sockets.delete(socket))
      onConnection(socket)
    })
    listener.listen(port, host)
    await once(listener, 'listening')
    return server
  }

  get address(): Address {
    return `${this.#host}:${(this.#server.address() as net.AddressInfo).port}`
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
    await closed
  }
}
