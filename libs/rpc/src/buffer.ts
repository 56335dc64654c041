/** Reads and writes the primitives of Thrift's binary protocol; every read is checked against the bounds. */
import { RpcError } from './errors.ts'

/** Writes primitives to a buffer that grows. */
export class Writer {
  #bytes: Buffer
  #length: number

  /** Leaves the first `reserve` bytes free, for the length of a frame. */
  constructor(reserve = 0) {
    this.#bytes = Buffer.allocUnsafe(1024)
    this.#length = reserve
  }

  get length(): number {
    return this.#length
  }

  #room(bytes: number): number {
    const at = this.#length
    this.#length += bytes
    if (this.#length > this.#bytes.length) {
      const grown = Buffer.allocUnsafe(Math.max(this.#bytes.length * 2, this.#length))
      this.#bytes.copy(grown, 0, 0, at)
      this.#bytes = grown
    }
    return at
  }

  byte(value: number): void {
    const at = this.#room(1)
    this.#bytes[at] = value
  }

  i16(value: number): void {
    const at = this.#room(2)
    this.#bytes.writeInt16BE(value, at)
  }

  i32(value: number): void {
    const at = this.#room(4)
    this.#bytes.writeInt32BE(value, at)
  }

  i64(value: bigint): void {
    const at = this.#room(8)
    this.#bytes.writeBigInt64BE(value, at)
  }

  double(value: number): void {
    const at = this.#room(8)
    this.#bytes.writeDoubleBE(value, at)
  }

  string(value: string): void {
    const bytes = Buffer.byteLength(value, 'utf8')
    this.i32(bytes)
    const at = this.#room(bytes)
    this.#bytes.write(value, at, 'utf8')
  }

  binary(value: Uint8Array): void {
    this.i32(value.byteLength)
    const at = this.#room(value.byteLength)
    this.#bytes.set(value, at)
  }

  /** Everything written so far; with a reserve of 4, a whole frame with its length in front. */
  frame(): Buffer {
    this.#bytes.writeInt32BE(this.#length - 4, 0)
    return this.#bytes.subarray(0, this.#length)
  }
}

/** Reads primitives of a message; throws `RpcError` at its end. */
export class Reader {
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  #take(bytes: number): number {
    if (bytes < 0) throw new RpcError('protocol', `A length in the message is negative (${bytes}).`)
    if (bytes > this.left)
      throw new RpcError(
        'protocol',
        `The message ends too early: it needs ${bytes} more bytes and has ${this.left}.`,
      )
    const at = this.#at
    this.#at += bytes
    return at
  }

  byte(): number {
    const at = this.#take(1)
    return this.#bytes.readInt8(at)
  }

  i16(): number {
    const at = this.#take(2)
    return this.#bytes.readInt16BE(at)
  }

  i32(): number {
    const at = this.#take(4)
    return this.#bytes.readInt32BE(at)
  }

  i64(): bigint {
    const at = this.#take(8)
    return this.#bytes.readBigInt64BE(at)
  }

  double(): number {
    const at = this.#take(8)
    return this.#bytes.readDoubleBE(at)
  }

  string(): string {
    const length = this.i32()
    const at = this.#take(length)
    return this.#bytes.toString('utf8', at, at + length)
  }

  /** A view on the message, not a copy. */
  binary(): Uint8Array {
    const length = this.i32()
    const at = this.#take(length)
    return new Uint8Array(this.#bytes.buffer, this.#bytes.byteOffset + at, length)
  }

  skip(bytes: number): void {
    this.#take(bytes)
  }

  /** The size of a container whose elements take at least `elementBytes` each. */
  size(elementBytes: number): number {
    const size = this.i32()
    if (size < 0 || size * elementBytes > this.left)
      throw new RpcError('protocol', `A list or map claims ${size} elements, more than the message can hold.`)
    return size
  }
}
