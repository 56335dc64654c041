/** Values between tasks as they travel: CBOR, bytes native. */
import { Decoder, Encoder } from 'cbor-x'

const settings = { useRecords: false, tagUint8Array: false, mapsAsObjects: true, structuredClone: false }
const encoder = new Encoder(settings)
const decoder = new Decoder(settings)

/** A value as the Thrift struct `Value`. */
export interface WireValue {
  name: string
  contentType: string
  payload: Uint8Array
}

export function toWire(name: string, value: unknown): WireValue {
  // cbor-x reuses its buffer: what leaves this function is a copy of its own.
  return { name, contentType: 'application/cbor', payload: Buffer.from(encoder.encode(value ?? null)) }
}

/** Throws an `Error` when the payload is no CBOR value. */
export function fromWire({ payload }: WireValue): unknown {
  return decoder.decode(Buffer.from(payload))
}

/** Size of a value as CBOR, in bytes, without encoding it: exact for bytes and text, close for the rest. */
export function sizeOf(value: unknown): number {
  if (value instanceof Uint8Array) return value.byteLength + headOf(value.byteLength)
  if (typeof value === 'string') {
    const bytes = Buffer.byteLength(value)
    return bytes + headOf(bytes)
  }
  if (typeof value === 'number') return Number.isSafeInteger(value) ? headOf(Math.abs(value)) : 9
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + sizeOf(item), headOf(value.length))
  if (typeof value !== 'object' || value === null) return 1
  const entries = Object.entries(value)
  return entries.reduce((sum, [key, item]) => sum + sizeOf(key) + sizeOf(item), headOf(entries.length))
}

const headOf = (length: number): number =>
  length < 24 ? 1 : length < 256 ? 2 : length < 65_536 ? 3 : length < 2 ** 32 ? 5 : 9

/** Wall clock, ms since 1970 with fraction. */
export const now = (): number => performance.timeOrigin + performance.now()
