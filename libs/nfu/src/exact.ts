/**
 * Exact sums of doubles, and their mean with one rounding. A sum is kept as doubles that do not overlap, smallest first
 * (Shewchuk, "Adaptive Precision Floating-Point Arithmetic", 1997, section 2.4), so it is plain data and few numbers.
 */

/** The sum `parts` with `x` added. `x` must be finite. */
export function addExactly(parts: readonly number[], x: number): number[] {
  const result: number[] = []
  let carried = x
  for (const part of parts) {
    const [large, small] = Math.abs(carried) < Math.abs(part) ? [part, carried] : [carried, part]
    const sum = large + small
    const lost = small - (sum - large)
    if (lost !== 0) result.push(lost)
    carried = sum
  }
  if (carried !== 0) result.push(carried)
  return result
}

/** The double nearest to the sum `parts` divided by `count`, a whole number from 1; ties go to the even one. */
export function meanOf(parts: readonly number[], count: number): number {
  if (parts.length === 0) return 0
  const exact = parts.map(readDouble)
  const lowest = Math.min(...exact.map(({ exponent }) => exponent))
  const sum = exact.reduce(
    (total, { mantissa, exponent }) => total + (mantissa << BigInt(exponent - lowest)),
    0n,
  )
  const magnitude = nearest(sum < 0n ? -sum : sum, BigInt(count), lowest)
  return sum < 0n ? -magnitude : magnitude
}

const bits = new DataView(new ArrayBuffer(8))

/** A double as `mantissa * 2 ** exponent`. */
function readDouble(x: number): { mantissa: bigint; exponent: number } {
  bits.setFloat64(0, x)
  const raw = bits.getBigUint64(0)
  const biased = Number((raw >> 52n) & 0x7ffn)
  const fraction = raw & 0xfffffffffffffn
  const mantissa = biased === 0 ? fraction : fraction | (1n << 52n)
  return { mantissa: raw >> 63n ? -mantissa : mantissa, exponent: Math.max(biased, 1) - 1075 }
}

/** The double nearest to `numerator / denominator * 2 ** exponent`; all from 0. */
function nearest(numerator: bigint, denominator: bigint, exponent: number): number {
  if (numerator === 0n) return 0
  // the lowest bit of the result: 53 bits, or what a subnormal has
  const length = numerator.toString(2).length - denominator.toString(2).length
  let lowest = Math.max(exponent + length - 53, -1074)
  const divide = (at: number) => {
    const shift = BigInt(exponent - at)
    return shift >= 0n
      ? { over: numerator << shift, under: denominator }
      : { over: numerator, under: denominator << -shift }
  }
  if (divide(lowest).over / divide(lowest).under >= 1n << 53n) lowest += 1
  const { over, under } = divide(lowest)
  const floor = over / under
  const twice = (over % under) * 2n
  const rounded = twice > under || (twice === under && floor & 1n) ? floor + 1n : floor
  // in two steps: a power of two below the smallest double would be 0
  const half = Math.trunc(lowest / 2)
  return Number(rounded) * 2 ** half * 2 ** (lowest - half)
}
