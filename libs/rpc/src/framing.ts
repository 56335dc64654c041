/** Splits the bytes of a connection into frames: a length of four bytes, then as many bytes. */
import { FRAME_HEADER_BYTES } from './codec.ts'
import { RpcError } from './errors.ts'

/** Default maximum size of a frame in bytes: the default of other Thrift libraries. */
export const MAX_FRAME_BYTES = 16_384_000

/** Collects the chunks of one connection and returns complete frames. */
export class FrameReader {
  readonly #maxBytes: number
  #chunks: Buffer[] = []
  #length = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Whether a frame has begun and is incomplete. */
  get partial(): boolean {
    return this.#length > 0
  }

  /** Yields the frames that this chunk completes. Throws `RpcError` on a length that is negative or over the limit. */
  *push(chunk: Buffer): Generator<Buffer> {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    while (this.#length >= FRAME_HEADER_BYTES) {
      const size = this.#peekSize()
      if (size < 0)
        throw new RpcError(
          'protocol',
          'The bytes are not Thrift frames; is the peer set to TFramedTransport?',
        )
      if (size > this.#maxBytes)
        throw new RpcError('frame', `A frame of ${size} bytes is over the limit of ${this.#maxBytes} bytes.`)
      if (this.#length < FRAME_HEADER_BYTES + size) return
      const bytes = this.#joined()
      this.#chunks =
        bytes.length > FRAME_HEADER_BYTES + size ? [bytes.subarray(FRAME_HEADER_BYTES + size)] : []
      this.#length = bytes.length - FRAME_HEADER_BYTES - size
      yield bytes.subarray(FRAME_HEADER_BYTES, FRAME_HEADER_BYTES + size)
    }
  }

  #peekSize(): number {
    if ((this.#chunks[0]?.length ?? 0) < FRAME_HEADER_BYTES) this.#chunks = [this.#joined()]
    return (this.#chunks[0] as Buffer).readInt32BE(0)
  }

  #joined(): Buffer {
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks, this.#length)
  }
}
