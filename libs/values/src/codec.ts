/**
 * Values between tasks as bytes. A value is anything JSON can hold, and bytes, at any depth. Structured values travel as
 * CBOR, a value that is nothing but bytes travels as these bytes with their media type.
 */
import { Decoder, Encoder } from 'cbor-x'

const settings = { useRecords: false, tagUint8Array: false, mapsAsObjects: true, structuredClone: false }
const encoder = new Encoder(settings)
const decoder = new Decoder(settings)
const text = new TextDecoder('utf-8', { fatal: true })

/** Byte strings up to this size fit into the buffer that the encoder fills with many results. */
const SMALL_PAYLOAD_BYTES = 2_048
/** Size of that buffer. */
const ENCODER_BYTES = 8_192
/** Room for what surrounds the byte strings. */
const ROOM_BYTES = 4_096

/** Media type of structured values. */
export const CBOR = 'application/cbor'
/** Media type of bytes of which no other is declared. */
export const OCTETS = 'application/octet-stream'

/** A value as bytes and the media type that says how to read them. */
export interface EncodedValue {
  /** Media type, as declared: `application/cbor`, `image/jpeg`. */
  type: string
  bytes: Uint8Array
}

/** What the bytes of an `EncodedValue` cannot be read as. */
export class ValueError extends Error {
  override readonly name = 'ValueError'
}

/** How bytes of a media type are read: as CBOR, as JSON, or not at all. */
export function formatOf(type: string): 'cbor' | 'json' | 'raw' {
  const essence = (type.split(';', 1)[0] as string).trim().toLowerCase()
  if (essence === CBOR || essence.endsWith('+cbor')) return 'cbor'
  if (essence === 'application/json' || essence === 'text/json' || essence.endsWith('+json')) return 'json'
  return 'raw'
}

/**
 * Encodes a value. A bare `Uint8Array` is not copied: its type is `declaredType`, or `application/octet-stream` when that
 * is absent or is the type of structured values (its reader shall get bytes again). Anything else becomes CBOR.
 */
export function encodeValue(value: unknown, declaredType?: string): EncodedValue {
  if (value instanceof Uint8Array) {
    const raw = declaredType !== undefined && declaredType !== '' && formatOf(declaredType) === 'raw'
    return { type: raw ? declaredType : OCTETS, bytes: value }
  }
  return { type: CBOR, bytes: encodeCbor(value) }
}

/**
 * Reads an encoded value: CBOR and JSON as what they hold, every other media type as bytes. Bytes in the result are views
 * of `value.bytes`, of the same class. Throws `ValueError` when the bytes are not what the type says.
 */
export function decodeValue({ type, bytes }: EncodedValue): unknown {
  const format = formatOf(type)
  if (format === 'raw') return bytes
  try {
    return format === 'json' ? JSON.parse(text.decode(bytes)) : decodeCbor(bytes)
  } catch (error) {
    throw new ValueError(
      `${bytes.length} bytes of type '${type}' cannot be read: ${(error as Error).message}`,
    )
  }
}

/**
 * CBOR of anything JSON can hold, and bytes; `undefined` becomes `null`.
 * @param payloadBytes bytes of the byte strings in it, where the caller knows that they are many: they are then copied
 * once, into a buffer of about that size
 */
export function encodeCbor(value: unknown, payloadBytes = 0): Uint8Array {
  if (payloadBytes > SMALL_PAYLOAD_BYTES) return encodeLarge(value, payloadBytes)
  const bytes = encoder.encode(value ?? null) as Uint8Array
  // The encoder fills one buffer with many results: a small one must not keep the whole of it in memory.
  return bytes.length * 2 > bytes.buffer.byteLength ? bytes : new Uint8Array(bytes)
}

/** The encoder would grow its buffer fourfold, and keep it for what is small. */
function encodeLarge(value: unknown, payloadBytes: number): Uint8Array {
  const pooled = encoder as Encoder & { useBuffer(buffer: Uint8Array): void }
  pooled.useBuffer(allocate(payloadBytes + ROOM_BYTES))
  try {
    return encoder.encode(value ?? null) as Uint8Array
  } finally {
    pooled.useBuffer(allocate(ENCODER_BYTES))
  }
}

/** Memory that the encoder can write to, not cleared where that can be had. */
function allocate(bytes: number): Uint8Array {
  const { Buffer } = globalThis as { Buffer?: { allocUnsafeSlow(bytes: number): Uint8Array } }
  return Buffer?.allocUnsafeSlow(bytes) ?? new Uint8Array(bytes)
}

/** Reads CBOR; bytes in the result are views of `bytes`. Throws an `Error` when `bytes` is not exactly one CBOR value. */
export function decodeCbor(bytes: Uint8Array): unknown {
  // A view of its own, because the decoder leaves a property on what it reads.
  return decoder.decode(bytes.subarray() as Parameters<typeof decoder.decode>[0])
}
