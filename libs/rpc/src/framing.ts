/** Cuts the bytes of a connection into frames: a length of four bytes, then as many bytes. */
import { FRAME_HEAD } from './codec.ts'
import { RpcError } from './errors.ts'

/** Default bound on one frame: what other Thrift libraries accept by default (16 384 000 bytes). */
export const MAX_FRAME_BYTES = 16_384_000

export class FrameReader {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** True in the middle of a frame. */
  get partial(): boolean {
    return this.#length > 0
  }

  /** Frames that this chunk completes. Throws on a length that is negative or over the bound. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length >= FRAME_HEAD) {
      const size = this.#peekSize()
      if (size < 0)
        throw new RpcError(
          'protocol',
          'The bytes are not Thrift frames; is the peer set to TFramedTransport?',
        )
      if (size > this.#maxBytes)
        throw new RpcError('frame', `A frame of ${size} bytes is over the limit of ${this.#maxBytes} bytes.`)
      if (this.#length < FRAME_HEAD + size) return
      const bytes = this.#joined()
      this.#chunks = bytes.length > FRAME_HEAD + size ? [bytes.subarray(FRAME_HEAD + size)] : []
      this.#length = bytes.length - FRAME_HEAD - size
      yield bytes.subarray(FRAME_HEAD, FRAME_HEAD + size)
    }
  }

  #peekSize(): number {
    if ((this.#chunks[0]?.length ?? 0) < FRAME_HEAD) this.#chunks = [this.#joined()]
    return (this.#chunks[0] as Buffer).readInt32BE(0)
  }

  #joined(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#length)
  }
}
