/** Messages between a runner and its process: a 32-bit big-endian length, then CBOR. */
import { Decoder, Encoder } from 'cbor-x'

const settings = { useRecords: false, tagUint8Array: false, mapsAsObjects: true }
const encoder = new Encoder(settings)
const decoder = new Decoder(settings)

/** From the runner to the process. `ack` lets a generator go on. */
export type Command =
  | { t: 'load'; dir: string; code: string; runtime: string; args: Record<string, unknown> }
  | { t: 'invoke'; inputs: Record<string, unknown>; context: Record<string, unknown> }
  | { t: 'ack' }

/** From the process to the runner. `started` comes first, from Python: it is there and runs. */
export type Report =
  | { t: 'started' }
  | { t: 'loaded' }
  | { t: 'log'; level: string; text: string }
  | { t: 'item'; value: unknown }
  | { t: 'done'; executionMs: number; waitedMs: number }
  | { t: 'failed'; kind: 'exception' | 'value' | 'load'; message: string; detail: string }

export function frame(message: Command | Report): Buffer {
  const body = encoder.encode(message)
  const head = Buffer.alloc(4)
  head.writeUInt32BE(body.length)
  return Buffer.concat([head, body])
}

/** Takes bytes as they come and gives the whole messages in them. */
export class Frames<T> {
  #chunks: Buffer[] = []
  #length = 0

  push(chunk: Buffer): T[] {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const messages: T[] = []
    let size = this.#size()
    while (size !== null && this.#length >= 4 + size) {
      const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks)
      // A copy, because values are views of what they were decoded from.
      messages.push(decoder.decode(Buffer.from(all.subarray(4, 4 + size))) as T)
      const rest = all.subarray(4 + size)
      this.#chunks = rest.length > 0 ? [rest] : []
      this.#length = rest.length
      size = this.#size()
    }
    return messages
  }

  #size(): number | null {
    if (this.#length < 4) return null
    const first = this.#chunks[0] as Buffer
    if (first.length < 4) this.#chunks = [Buffer.concat(this.#chunks)]
    return (this.#chunks[0] as Buffer).readUInt32BE(0)
  }
}
