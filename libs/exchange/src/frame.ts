/** The one format of all connections: a header of JSON and a body of bytes, after the length of each (32 bits, big-endian). */
import { ExchangeError } from './errors.ts'

/** What a frame says. `id` joins a request to its answer. */
export interface Header {
  type: string
  id?: number
  [field: string]: unknown
}

/** A header and its body. */
export interface Frame {
  header: Header
  body: Buffer
}

/** Largest frame, in bytes: what says more is no frame. */
export const MAX_FRAME_BYTES = 64 * 1024 * 1024

const PREFIX_BYTES = 8
/** A body up to this size is copied behind its header, so that both are one write. */
const MAX_COPIED_BYTES = 4096

export const NO_BODY: Buffer = Buffer.alloc(0)

/** The bytes of a frame, in the parts to write. */
export function encodeFrame(header: Header, body: Buffer = NO_BODY): Buffer[] {
  const json = JSON.stringify(header)
  const headerBytes = Buffer.byteLength(json)
  const copied = body.length <= MAX_COPIED_BYTES
  const head = Buffer.allocUnsafe(PREFIX_BYTES + headerBytes + (copied ? body.length : 0))
  head.writeUInt32BE(headerBytes, 0)
  head.writeUInt32BE(body.length, 4)
  head.write(json, PREFIX_BYTES)
  if (!copied) return [head, body]
  body.copy(head, PREFIX_BYTES + headerBytes)
  return [head]
}

/** Cuts a stream of bytes into frames. */
export class FrameReader {
  #chunks: Buffer[] = []
  #bytes = 0
  /** Bytes that the first frame needs; at least a prefix. */
  #needed = PREFIX_BYTES

  /** The frames that a chunk completes. Throws `ExchangeError` when the bytes are no frame. */
  push(chunk: Buffer): Frame[] {
    const frames: Frame[] = []
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    if (this.#bytes < this.#needed) return frames
    const bytes = this.#chunks.length === 1 ? chunk : Buffer.concat(this.#chunks)
    let at = 0
    this.#needed = PREFIX_BYTES
    while (bytes.length - at >= PREFIX_BYTES) {
      const headerBytes = bytes.readUInt32BE(at)
      const bodyBytes = bytes.readUInt32BE(at + 4)
      const size = PREFIX_BYTES + headerBytes + bodyBytes
      if (size > MAX_FRAME_BYTES)
        throw new ExchangeError(
          `A frame of ${size} bytes is refused: the limit is ${MAX_FRAME_BYTES}. Is the other side a client of the exchange?`,
        )
      if (bytes.length - at < size) {
        this.#needed = size
        break
      }
      const bodyAt = at + PREFIX_BYTES + headerBytes
      frames.push({
        header: parseHeader(bytes.toString('utf8', at + PREFIX_BYTES, bodyAt)),
        body: bytes.subarray(bodyAt, at + size),
      })
      at += size
    }
    const rest = bytes.subarray(at)
    this.#chunks = rest.length > 0 ? [rest] : []
    this.#bytes = rest.length
    return frames
  }
}

function parseHeader(json: string): Header {
  try {
    const header = JSON.parse(json) as Header
    if (typeof header?.type === 'string') return header
  } catch {
    // Refused below.
  }
  throw new ExchangeError(`The header of a frame is not an object with a type: ${json.slice(0, 80)}`)
}
