import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { datagramFrame, datagramOf, FABRIC_PORTS, type UdpPeer } from '../datagrams.ts'
import type { FrameLine } from '../frames.ts'

/** Where the fabric is on the network of the board. */
export const FABRIC_IDENTITY = { mac: '02484d000001', address: 0x0a4d0001 }

/** The Ethernet address that stands for a process at an IPv4 address. */
export const macOf = (address: number): string => `0200${address.toString(16).padStart(8, '0')}`

/** An IPv4 address as a number. Throws `RangeError` for any other text. */
export function addressOf(host: string): number {
  const parts = host.split('.').map(Number)
  if (parts.length !== 4 || parts.some((part) => !(part >= 0 && part < 256)))
    throw new RangeError(`'${host}' is no IPv4 address.`)
  return parts.reduce((sum, part) => sum * 256 + part, 0)
}

const hostOf = (address: number): string => [24, 16, 8, 0].map((by) => (address >>> by) & 255).join('.')
const RECEIVE_BUFFER = 4 * 2 ** 20
/** Of a datagram in a frame of Ethernet. */
const MOST_BYTES = 1472

/**
 * Joins the UDP ports of a board's fabric to those of this machine: a datagram that comes to one goes to the other with its sender's address,
 * and answers go back. Processes then use a simulated board as they would use a real one.
 */
export class BoardBridge {
  readonly #line: FrameLine
  readonly #sockets = new Map<number, Socket>()
  readonly #ports: Record<string, number>
  /** Resolves when the line has been closed: by `close`, when the board ends, or when another program takes its frames. */
  readonly closed: Promise<void>

  private constructor(line: FrameLine, ports: Record<string, number>) {
    this.#line = line
    this.#ports = ports
    this.closed = this.#receive()
  }

  /**
   * @param line of the board; closed at the end
   * @param ports of this machine for the fabric's; any free one for 0. Throws what the system says of them
   */
  static async open(
    line: FrameLine,
    { host = '127.0.0.1', ports = FABRIC_PORTS as Record<string, number> } = {},
  ): Promise<BoardBridge> {
    const bridge = new BoardBridge(line, { ...ports })
    try {
      for (const [name, fabricPort] of Object.entries(FABRIC_PORTS)) {
        const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER })
        bridge.#sockets.set(fabricPort, socket)
        socket.bind(ports[name] ?? fabricPort, host)
        await once(socket, 'listening')
        bridge.#ports[name] = socket.address().port
        const to: UdpPeer = { ...FABRIC_IDENTITY, port: fabricPort }
        socket.on('message', (bytes, { address, port }) => {
          // what fits into no frame, or can get no answer
          if (bytes.length > MOST_BYTES || port === 0) return
          const from = addressOf(address)
          line.send(datagramFrame({ mac: macOf(from), address: from, port }, to, bytes))
        })
      }
    } catch (error) {
      bridge.close()
      throw error
    }
    return bridge
  }

  /** The ports of this machine, by the names of `FABRIC_PORTS`. */
  get ports(): Readonly<Record<string, number>> {
    return this.#ports
  }

  close(): void {
    for (const socket of this.#sockets.values()) socket.close()
    this.#line.close()
  }

  /** Ends when the line is closed. */
  async #receive(): Promise<void> {
    try {
      for (;;) {
        const datagram = datagramOf(await this.#line.next())
        if (datagram)
          this.#sockets
            .get(datagram.from.port)
            ?.send(datagram.payload, datagram.to.port, hostOf(datagram.to.address))
      }
    } catch {
      // closed
    }
  }
}
