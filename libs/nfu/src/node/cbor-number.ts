/** Numbers in CBOR (RFC 8949, section 3), as readings and summaries carry them. */

const HALF = 0xf9
const SINGLE = 0xfa
const DOUBLE = 0xfb

/**
 * The number that begins at `at`: a double, float, half or integer. `undefined` when there is another item, or its bytes are not all
 * there, or an integer that no double is equal to. What follows the number is not looked at.
 */
export function readCborNumber(bytes: Buffer, at: number): number | undefined {
  const first = bytes[at]
  if (first === undefined) return undefined
  const left = bytes.length - at - 1
  if (first === DOUBLE) return left < 8 ? undefined : bytes.readDoubleBE(at + 1)
  if (first === SINGLE) return left < 4 ? undefined : bytes.readFloatBE(at + 1)
  if (first === HALF) return left < 2 ? undefined : half(bytes.readUInt16BE(at + 1))
  if (first >> 6 !== 0) return undefined
  const magnitude = unsigned(bytes, at, first & 31, left)
  if (magnitude === undefined) return undefined
  const value = first >> 5 === 0 ? magnitude : -1n - magnitude
  const result = Number(value)
  return BigInt(result) === value ? result : undefined
}

function unsigned(bytes: Buffer, at: number, info: number, left: number): bigint | undefined {
  if (info < 24) return BigInt(info)
  if (info > 27 || left < 1 << (info - 24)) return undefined
  return info === 27 ? bytes.readBigUInt64BE(at + 1) : BigInt(bytes.readUIntBE(at + 1, 1 << (info - 24)))
}

/** A half-precision number of IEEE 754. */
function half(bits: number): number {
  const sign = bits >> 15 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25)
}

/** A double as CBOR: nine bytes. */
export function cborDouble(value: number): Buffer {
  const bytes = Buffer.allocUnsafe(9)
  bytes[0] = DOUBLE
  bytes.writeDoubleBE(value, 1)
  return bytes
}
