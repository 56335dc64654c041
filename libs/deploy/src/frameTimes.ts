/**
 * When the Thrift frames of a connection left their sender: a proxy notes when each frame's first byte came, and the
 * server, which handles them in the same order, asks for it. Frames are a length of four bytes, then as many bytes.
 */
const HEAD = 4

interface Connection {
  /** Bytes of the frame under way that are still to come, its head not counted. */
  left: number
  head: Buffer
  times: number[]
}

/** Wall clock, ms since 1970 with fraction. */
const now = (): number => performance.timeOrigin + performance.now()

export class FrameTimes {
  readonly #connections = new Map<string, Connection>()

  /** Bytes of a connection, in order. */
  sent(peer: string, bytes: Buffer): void {
    const known = this.#connections.get(peer)
    const connection = known ?? { left: 0, head: Buffer.alloc(0), times: [] }
    this.#connections.set(peer, connection)
    for (let rest = bytes; rest.length > 0; ) {
      if (connection.left > 0) {
        const body = Math.min(connection.left, rest.length)
        connection.left -= body
        rest = rest.subarray(body)
        continue
      }
      if (connection.head.length === 0) connection.times.push(now())
      const more = rest.subarray(0, HEAD - connection.head.length)
      connection.head = Buffer.concat([connection.head, more])
      rest = rest.subarray(more.length)
      if (connection.head.length === HEAD) {
        connection.left = connection.head.readUInt32BE(0)
        connection.head = Buffer.alloc(0)
      }
    }
  }

  /** The next frame of a connection is handled: when it left, ms since 1970, if that is known. */
  next(peer: string): number | undefined {
    return this.#connections.get(peer)?.times.shift()
  }

  forget(peer: string): void {
    this.#connections.delete(peer)
  }
}
