/** A TCP proxy of the tests that delays what it passes on, holds it back, and cuts connections. */
import { once } from 'node:events'
import net from 'node:net'

/** Passes connections on to a port of this machine. */
export class TcpProxy {
  readonly #server: net.Server
  readonly #sockets = new Set<net.Socket>()
  /** Delay of what is passed on, in each direction, in ms. */
  delayMs = 0
  /** Connections that were cut. */
  cuts = 0

  private constructor(target: number) {
    this.#server = net.createServer((client) => {
      const server = net.connect(target, '127.0.0.1')
      this.#join(client, server)
      this.#join(server, client)
    })
  }

  static async open(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as net.AddressInfo).port
  }

  /** Cuts all connections, with what is on its way. */
  cut(): void {
    this.cuts += this.#sockets.size / 2
    for (const socket of this.#sockets) socket.resetAndDestroy()
  }

  async close(): Promise<void> {
    const closed = once(this.#server, 'close')
    this.#server.close()
    this.cut()
    await closed
  }

  #join(from: net.Socket, to: net.Socket): void {
    this.#sockets.add(from)
    from.setNoDelay(true)
    const waiting: { due: number; bytes: Buffer }[] = []
    const pass = () => {
      for (let first = waiting[0]; first && first.due <= performance.now(); first = waiting[0]) {
        waiting.shift()
        if (to.writable) to.write(first.bytes)
      }
      if (waiting[0]) setTimeout(pass, Math.max(1, waiting[0].due - performance.now())).unref()
    }
    from.on('data', (bytes) => {
      waiting.push({ due: performance.now() + this.delayMs, bytes })
      if (waiting.length === 1) pass()
    })
    from.on('error', () => {})
    from.on('close', () => {
      this.#sockets.delete(from)
      to.destroy()
    })
  }
}
