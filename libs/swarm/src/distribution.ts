/** Empirical distributions: construction, quantiles and moments, without transcendental functions. */
import type { Distribution } from './profile.ts'

/** A distribution that always gives `value`. */
export function constant(value: number, samples = 0): Distribution {
  return { mean: value, quantiles: [value, value], samples }
}

/** The distribution of measured values: 101 evenly spaced quantiles, fewer when there are fewer values. Throws when empty. */
export function fromSamples(values: readonly number[]): Distribution {
  if (values.length === 0) throw new RangeError('A distribution needs at least one value.')
  const sorted = [...values].sort((a, b) => a - b)
  const points = Math.min(101, Math.max(2, sorted.length))
  const quantiles = Array.from({ length: points }, (_, index) => quantileOf(sorted, index / (points - 1)))
  return {
    mean: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    quantiles,
    samples: sorted.length,
  }
}

/** The distribution scaled to another mean. A distribution of mean 0 becomes a constant. */
export function withMean(distribution: Distribution, mean: number): Distribution {
  const factor = distribution.mean > 0 ? mean / distribution.mean : 0
  if (factor === 0) return constant(mean, distribution.samples)
  return {
    mean,
    quantiles: distribution.quantiles.map((value) => value * factor),
    samples: distribution.samples,
  }
}

/** The quantile `p` (0 to 1) of sorted values, interpolated linearly; 0 when there are none. */
export function quantileOf(sorted: ArrayLike<number>, p: number): number {
  if (sorted.length === 0) return 0
  const at = p * (sorted.length - 1)
  const below = Math.floor(at)
  const low = sorted[below] ?? 0
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low
  return low + (high - low) * (at - below)
}

/** Mean and variance of the piecewise linear quantile curve, scaled so that its mean is the distribution's `mean`. */
export function momentsOf(distribution: Distribution): { mean: number; variance: number } {
  const { quantiles, mean } = distribution
  let first = 0
  let second = 0
  for (let i = 1; i < quantiles.length; i++) {
    const a = quantiles[i - 1] ?? 0
    const b = quantiles[i] ?? 0
    first += (a + b) / 2
    second += (a * a + a * b + b * b) / 3
  }
  const pieces = quantiles.length - 1
  if (pieces < 1 || first <= 0) return { mean, variance: 0 }
  const curve = first / pieces
  const scale = mean / curve
  const variance = (second / pieces - curve * curve) * scale * scale
  return { mean, variance: Math.max(0, variance) }
}
