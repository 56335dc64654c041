/** A file to which entries are appended, each as a whole: its size (float64, big-endian), its CRC-32, its bytes. */
import { closeSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

const SIZE_BYTES = 8
const HEAD_BYTES = 12

/** A journal. What was appended outlives the process, killed or not. */
export class Journal {
  readonly #file: string
  readonly #fd: number
  #size = 0

  /** Opens a file, or makes it. Its entries are to be read, and the journal cleared, before anything is appended. */
  constructor(file: string) {
    this.#file = file
    this.#fd = openSync(file, 'a')
  }

  /** Size of the entries that were appended since the journal was cleared, in bytes. */
  get size(): number {
    return this.#size
  }

  /** The entries of the file in their order, up to one that was cut short or damaged: that one was never acknowledged. */
  *entries(): Generator<Buffer> {
    const bytes = readFileSync(this.#file)
    for (let at = 0; bytes.length - at >= HEAD_BYTES; ) {
      const size = bytes.readDoubleBE(at)
      const end = at + HEAD_BYTES + size
      // No entry is empty: these would be zeros that a power failure has left.
      if (!(size > 0 && end <= bytes.length)) return
      const entry = bytes.subarray(at + HEAD_BYTES, end)
      if (crc32(entry) !== bytes.readUInt32BE(at + SIZE_BYTES)) return
      yield entry
      at = end
    }
  }

  /** Appends an entry, of which the parts are given. Throws what the file system throws; the journal is as before then. */
  append(parts: readonly Buffer[]): void {
    const head = Buffer.allocUnsafe(HEAD_BYTES)
    head.writeDoubleBE(
      parts.reduce((size, part) => size + part.length, 0),
      0,
    )
    head.writeUInt32BE(
      parts.reduce((crc, part) => crc32(part, crc), 0),
      SIZE_BYTES,
    )
    const entry = Buffer.concat([head, ...parts])
    try {
      for (let at = 0; at < entry.length; ) at += writeSync(this.#fd, entry, at)
    } catch (error) {
      ftruncateSync(this.#fd, this.#size)
      throw error
    }
    this.#size += entry.length
  }

  clear(): void {
    ftruncateSync(this.#fd, 0)
    this.#size = 0
  }

  close(): void {
    closeSync(this.#fd)
  }
}
