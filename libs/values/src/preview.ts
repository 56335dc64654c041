/** Values as JSON, for outputs that a person or an HTTP client reads. Made when somebody looks, not on the way. */
import { decodeValue, type EncodedValue, encodeValue, formatOf, OCTETS } from './codec.ts'

/** Bytes beyond this are cut from a preview. */
export const MAX_PREVIEW_BYTES = 64 * 1024
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Bytes in a preview. */
export interface PreviewBytes {
  /** Base64. */
  $bytes: string
  /** Media type, where one is declared. */
  $type?: string
  /** The value has more bytes than the preview. */
  $truncated?: true
}

/**
 * An encoded value as JSON can hold it (see `previewOfValue`). A value of bytes has their media type as `$type`. Bytes that
 * are not what their media type says are shown as bytes; it never throws.
 */
export function previewOf(value: EncodedValue): unknown {
  if (formatOf(value.type) !== 'raw')
    try {
      return previewOfValue(decodeValue(value))
    } catch {}
  return previewOfBytes(value.bytes, value.type === OCTETS ? undefined : value.type)
}

/**
 * The value as JSON can hold it: bytes become `{ $bytes: base64 }`, cut at `maxBytes` (64 kB when absent) with
 * `$truncated: true`; numbers that JSON does not know become strings.
 */
export function previewOfValue(value: unknown, maxBytes = MAX_PREVIEW_BYTES): unknown {
  if (value instanceof Uint8Array) return previewOfBytes(value, undefined, maxBytes)
  if (Array.isArray(value)) return value.map((each) => previewOfValue(each, maxBytes))
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, previewOfValue(inner, maxBytes)]),
    )
  return value
}

function previewOfBytes(bytes: Uint8Array, type?: string, maxBytes = MAX_PREVIEW_BYTES): PreviewBytes {
  const cut = bytes.length > maxBytes
  return {
    $bytes: base64(cut ? bytes.subarray(0, maxBytes) : bytes),
    ...(type !== undefined && { $type: type }),
    ...(cut && { $truncated: true }),
  }
}

function base64(bytes: Uint8Array): string {
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += 3) {
    const word = ((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0)
    parts.push(
      DIGITS.charAt(word >> 18) + DIGITS.charAt((word >> 12) & 63),
      at + 1 < bytes.length ? DIGITS.charAt((word >> 6) & 63) : '=',
      at + 2 < bytes.length ? DIGITS.charAt(word & 63) : '=',
    )
  }
  return parts.join('')
}

/**
 * The encoded value of which a preview shows everything; `null` when bytes in it were cut. Dates and numbers that JSON does not know
 * stay the texts that they are in the preview. `type`: media type of the value, where it is bytes.
 */
export function valueOfPreview(preview: unknown, type?: string): EncodedValue | null {
  try {
    if (!isBytes(preview)) return encodeValue(revived(preview))
    return { type: preview.$type ?? type ?? OCTETS, bytes: revived(preview) as Uint8Array }
  } catch (error) {
    if (error instanceof CutError) return null
    throw error
  }
}

class CutError extends Error {}

const isBytes = (value: unknown): value is PreviewBytes =>
  typeof value === 'object' && value !== null && '$bytes' in value && typeof value.$bytes === 'string'

function revived(preview: unknown): unknown {
  if (isBytes(preview)) {
    if (preview.$truncated) throw new CutError()
    return bytesOf(preview.$bytes)
  }
  if (Array.isArray(preview)) return preview.map(revived)
  if (preview !== null && typeof preview === 'object')
    return Object.fromEntries(Object.entries(preview).map(([key, inner]) => [key, revived(inner)]))
  return preview
}

function bytesOf(base64: string): Uint8Array {
  const digits = base64.replace(/=+$/, '')
  const bytes = new Uint8Array(Math.floor((digits.length * 3) / 4))
  let word = 0
  let bits = 0
  let at = 0
  for (const digit of digits) {
    word = ((word << 6) | DIGITS.indexOf(digit)) & 0xffff
    bits += 6
    if (bits < 8) continue
    bits -= 8
    bytes[at++] = (word >> bits) & 255
  }
  return bytes
}
