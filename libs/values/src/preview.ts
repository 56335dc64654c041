/** Values as JSON, for outputs that a person or an HTTP client reads. Made when somebody looks, not on the way. */
import { decodeValue, type EncodedValue, formatOf, OCTETS } from './codec.ts'

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
