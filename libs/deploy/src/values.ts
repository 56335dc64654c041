/** Values on their way between tasks: CBOR, bytes native. */
import { Decoder, Encoder } from 'cbor-x'

const settings = { useRecords: false, tagUint8Array: false, mapsAsObjects: true, structuredClone: false }
const encoder = new Encoder(settings)
const decoder = new Decoder(settings)

export const CBOR = 'application/cbor'
export function encodeValue(value: unknown): Buffer {
  // cbor-x reuses its buffer: what leaves this function is a copy of its own.
  return Buffer.from(encoder.encode(value ?? null))
}

/** Throws an `Error` when the bytes are no CBOR value. */
export function decodeValue(bytes: Uint8Array): unknown {
  return decoder.decode(bytes instanceof Buffer ? bytes : Buffer.from(bytes))
}
