/**
 * Messages between a runner and its process. A frame is a 32-bit big-endian length, a CBOR header of that length, and the
 * payloads whose sizes the header names. Values between tasks are payloads: neither side looks into those it passes on.
 */
import { decodeCbor, type EncodedValue, encodeCbor } from '@hivemind/values'

/** A value of a frame: its media type and the index of the payload that holds its bytes. */
export interface FramedValue {
  type: string
  at: number
}

/** `TaskInput` in a frame; `null` is an input without a value. */
export type FramedInput = FramedValue | { device: string; seq: number; value: FramedValue }[] | null

/** From the runner to the process. `ack` lets a generator go on. */
export type Command =
  | {
      t: 'load'
      dir: string
      code: string
      runtime: string
      args: Record<string, unknown>
      outputType?: string
      /** Whether `context.state` may be changed. */
      stateful: boolean
      /** Field of the input by whose value states are kept apart. */
      stateField?: string
    }
  | {
      t: 'invoke'
      inputs: Record<string, FramedInput>
      context: Record<string, unknown>
      /** Index of the payload with the state; absent when it is empty. */
      state?: number
      scatterTo?: readonly string[]
    }
  | { t: 'ack' }

/** From the process to the runner. `started` comes first, from Python: it is there and runs. */
export type Report =
  | { t: 'started' }
  | { t: 'loaded' }
  | { t: 'log'; level: string; text: string }
  | { t: 'decision'; value: FramedValue }
  /** The `last` item is not acknowledged: `done` comes right behind it. */
  | { t: 'item'; value: FramedValue; parts?: Record<string, FramedValue>; state?: number; last?: true }
  | { t: 'done'; executionMs: number; waitedMs: number; state?: number }
  | { t: 'failed'; kind: 'exception' | 'value' | 'load'; message: string; detail: string }

/** Largest header of a frame, and most bytes of all its payloads. */
const MAX_HEADER_BYTES = 64 * 2 ** 20
const MAX_PAYLOAD_BYTES = 512 * 2 ** 20

/** A message with its payloads, as it was received. */
export interface Frame<T> {
  message: T
  payloads: Uint8Array[]
}

/** Collects the payloads of a frame that is being written. */
export class Payloads {
  readonly all: Uint8Array[] = []

  /** Adds bytes; returns their index. */
  bytes(bytes: Uint8Array): number {
    return this.all.push(bytes) - 1
  }

  value({ type, bytes }: EncodedValue): FramedValue {
    return { type, at: this.bytes(bytes) }
  }
}

/** What a frame is written to. */
interface Wire {
  cork(): void
  uncork(): void
  write(bytes: Uint8Array): unknown
}

/** Writes a frame. The payloads are not copied: they must not change until the other side has them. */
export function writeFrame(
  wire: Wire,
  message: Command | Report,
  payloads: readonly Uint8Array[] = [],
): void {
  const header = encodeCbor(
    payloads.length > 0 ? { ...message, sizes: payloads.map(({ length }) => length) } : message,
  )
  const head = Buffer.allocUnsafe(4 + header.length)
  head.writeUInt32BE(header.length)
  head.set(header, 4)
  wire.cork()
  wire.write(head)
  for (const payload of payloads) if (payload.length > 0) wire.write(payload)
  wire.uncork()
}

/** The value of a frame that was received. */
export function receivedValue({ type, at }: FramedValue, payloads: readonly Uint8Array[]): EncodedValue {
  return { type, bytes: payloads[at] ?? new Uint8Array() }
}

/** Throws an `Error` when the header is no message, or names sizes that cannot be. */
function checkSizes(message: unknown): void {
  if (typeof message !== 'object' || message === null) throw new Error('A header is no map.')
  const { sizes = [] } = message as { sizes?: unknown }
  const isSize = (size: unknown): boolean => Number.isInteger(size) && Number(size) >= 0
  if (!Array.isArray(sizes) || !sizes.every(isSize)) throw new Error('A header names sizes that are none.')
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (total > MAX_PAYLOAD_BYTES)
    throw new Error(`The payloads of a message have ${total} bytes, more than ${MAX_PAYLOAD_BYTES}.`)
}

const isText = (value: unknown): boolean => typeof value === 'string'
const isTime = (value: unknown): boolean => Number.isFinite(value) && Number(value) >= 0
const isFramedValue = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && isText((value as FramedValue).type)

/** What must hold for the fields of a report. */
const REPORT_FIELDS: Record<Report['t'], Record<string, (value: unknown) => boolean>> = {
  started: {},
  loaded: {},
  log: { level: isText, text: isText },
  decision: { value: isFramedValue },
  item: {
    value: isFramedValue,
    parts: (parts) =>
      parts === undefined ||
      (typeof parts === 'object' && parts !== null && Object.values(parts).every(isFramedValue)),
    last: (last) => last === undefined || last === true,
  },
  done: { executionMs: isTime, waitedMs: isTime },
  failed: {
    kind: (kind) => kind === 'exception' || kind === 'value' || kind === 'load',
    message: isText,
    detail: isText,
  },
}

/** The report itself when it is one; task code can write what it likes. Throws an `Error` otherwise. */
export function checkedReport(report: Report): Report {
  const fields = Object.hasOwn(REPORT_FIELDS, report.t) ? REPORT_FIELDS[report.t] : undefined
  if (!fields) throw new Error(`There is no report '${report.t}'.`)
  for (const [name, holds] of Object.entries(fields))
    if (!holds(report[name as keyof Report])) throw new Error(`A report '${report.t}' has a wrong '${name}'.`)
  return report
}

/** Takes bytes as they come and gives the whole frames in them. Throws an `Error` for what is no frame. */
export class Frames<T> {
  #chunks: Buffer[] = []
  #length = 0
  #headerSize = -1
  #message: (T & { sizes?: number[] }) | undefined

  push(chunk: Buffer): Frame<T>[] {
    this.#chunks.push(chunk)
    this.#length += chunk.length
    const frames: Frame<T>[] = []
    for (let frame = this.#next(); frame; frame = this.#next()) frames.push(frame)
    return frames
  }

  #next(): Frame<T> | null {
    if (this.#headerSize < 0) {
      if (this.#length < 4) return null
      this.#headerSize = this.#take(4).readUInt32BE(0)
      if (this.#headerSize > MAX_HEADER_BYTES)
        throw new Error(`A header has ${this.#headerSize} bytes, more than ${MAX_HEADER_BYTES}.`)
    }
    if (!this.#message) {
      if (this.#length < this.#headerSize) return null
      // A copy, because what is decoded has views of it.
      this.#message = decodeCbor(Buffer.from(this.#take(this.#headerSize))) as T & { sizes?: number[] }
      checkSizes(this.#message)
    }
    const { sizes = [], ...message } = this.#message
    if (this.#length < sizes.reduce((sum, size) => sum + size, 0)) return null
    const payloads = sizes.map((size) => owned(this.#take(size)))
    this.#headerSize = -1
    this.#message = undefined
    return { message: message as T, payloads }
  }

  /** The next `size` bytes, of which there are enough: a view where one chunk has them all. */
  #take(size: number): Buffer {
    this.#length -= size
    const first = this.#chunks[0]
    if (first && first.length >= size) {
      if (first.length === size) this.#chunks.shift()
      else this.#chunks[0] = first.subarray(size)
      return first.subarray(0, size)
    }
    const whole = Buffer.allocUnsafeSlow(size)
    for (let at = 0; at < size; ) {
      const chunk = this.#chunks[0] as Buffer
      const part = chunk.subarray(0, size - at)
      whole.set(part, at)
      at += part.length
      if (part.length === chunk.length) this.#chunks.shift()
      else this.#chunks[0] = chunk.subarray(part.length)
    }
    return whole
  }
}

/** The bytes themselves, or a copy where they would keep a much larger buffer in memory. */
function owned(bytes: Buffer): Buffer {
  return bytes.length * 2 > bytes.buffer.byteLength ? bytes : Buffer.from(bytes)
}
