/** Values as JSON, for outputs a person or an HTTP client reads. */

const MAX_BYTES = 64 * 1024
const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/**
 * The value as JSON can hold it: bytes become `{ $bytes: base64 }`, cut at 64 kB with `$truncated: true`;
 * numbers that JSON does not know become strings.
 */
export function toJsonValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return bytesToJson(value)
  if (Array.isArray(value)) return value.map(toJsonValue)
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value)
  if (value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (value !== null && typeof value === 'object')
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, toJsonValue(inner)]))
  return value
}

function bytesToJson(bytes: Uint8Array): { $bytes: string; $truncated?: true } {
  const cut = bytes.length > MAX_BYTES
  return { $bytes: base64(cut ? bytes.subarray(0, MAX_BYTES) : bytes), ...(cut && { $truncated: true }) }
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
