import { connect, type Socket } from 'node:net'
import { FabricError } from './error.ts'

const REPLY_TIMEOUT_MS = 10_000

/** The Ethernet side of a board: frames without preamble and check sequence. */
export class FrameLine {
  readonly #socket: Socket
  readonly #frames: Buffer[] = []
  #bytes = Buffer.alloc(0)
  #wake = (): void => {}
  #error: Error | undefined

  /** @param address the path of a socket that carries frames, each after its length in two bytes */
  constructor(address: string) {
    this.#socket = connect(address)
    this.#socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes])
      while (this.#bytes.length >= 2 && this.#bytes.length >= 2 + this.#bytes.readUInt16BE(0)) {
        const end = 2 + this.#bytes.readUInt16BE(0)
        this.#frames.push(this.#bytes.subarray(2, end))
        this.#bytes = this.#bytes.subarray(end)
      }
      this.#wake()
    })
    this.#socket.on('error', (error) => {
      this.#error = error
      this.#wake()
    })
    this.#socket.on('close', () => {
      this.#error ??= new Error('the line was closed')
      this.#wake()
    })
  }

  send(frame: Uint8Array): void {
    const length = Buffer.alloc(2)
    length.writeUInt16BE(frame.length)
    this.#socket.write(Buffer.concat([length, frame]))
  }

  /** The next frame that the board sends. Throws `board` when none comes within 10 s. */
  async receive(): Promise<Buffer> {
    const timer = setTimeout(() => {
      this.#error ??= new Error(`none came within ${REPLY_TIMEOUT_MS / 1000} s`)
      this.#wake()
    }, REPLY_TIMEOUT_MS)
    try {
      return await this.next()
    } finally {
      clearTimeout(timer)
    }
  }

  /** The next frame, however long it takes. Throws `board` when the line is closed. */
  async next(): Promise<Buffer> {
    for (;;) {
      const frame = this.#frames.shift()
      if (frame) return frame
      if (this.#error)
        throw new FabricError('board', `A frame of the board was awaited: ${this.#error.message}.`)
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }

  /** False once the board has gone, or has given its frames to somebody else. */
  get isOpen(): boolean {
    return this.#error === undefined
  }

  close(): void {
    this.#socket.destroy()
  }
}

/** A reading as distil takes it: Ethernet, IPv4, UDP, CoAP POST, and a CBOR double. Its summary has the same form. */
export function readingFrame(value: number, source = 0x0a000001): Buffer {
  const frame = Buffer.alloc(60)
  frame.write('0200000000020200000000010800', 0, 'hex')
  frame.write('45000000000000004011', 14, 'hex')
  frame.writeUInt16BE(20 + UDP_BYTES, 16)
  frame.writeUInt32BE(source, 26)
  frame.writeUInt32BE(0x0a0000fe, 30)
  frame.writeUInt16BE(checksum(frame.subarray(14, 34)), 24)
  frame.write('9c401633', 34, 'hex')
  frame.writeUInt16BE(UDP_BYTES, 38)
  frame.write('50020001ff', 42, 'hex')
  frame[VALUE_AT - 1] = 0xfb
  frame.writeDoubleBE(value, VALUE_AT)
  const pseudoHeader = Buffer.from([0, 17, 0, UDP_BYTES])
  const datagram = checksum(
    Buffer.concat([frame.subarray(26, 34), pseudoHeader, frame.subarray(34, 34 + UDP_BYTES)]),
  )
  frame.writeUInt16BE(datagram === 0 ? 0xffff : datagram, 40)
  return frame
}

/** The source address and the value of a frame as `readingFrame` makes it; `undefined` for any other. */
export function readingOf(frame: Buffer): { source: number; value: number } | undefined {
  if (frame.length < VALUE_AT + 8 || frame[VALUE_AT - 1] !== 0xfb) return undefined
  return { source: frame.readUInt32BE(26), value: frame.readDoubleBE(VALUE_AT) }
}

/** Headers of UDP and CoAP, the marker of the payload, and a CBOR double. */
const UDP_BYTES = 8 + 4 + 1 + 9
const VALUE_AT = 48

/** The Internet checksum (RFC 1071); an odd byte at the end counts as the higher one. */
export function checksum(bytes: Buffer): number {
  let sum = 0
  for (let at = 0; at + 1 < bytes.length; at += 2) sum += bytes.readUInt16BE(at)
  if (bytes.length % 2 === 1) sum += (bytes.at(-1) as number) << 8
  while (sum > 0xffff) sum = (sum & 0xffff) + (sum >>> 16)
  return ~sum & 0xffff
}
