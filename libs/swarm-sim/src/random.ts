/**
 * Random numbers without state: the n-th number of a stream is a hash of stream and n. The same task, device and item
 * thus draw the same numbers whatever the placement is, so that candidates are compared under equal luck; and only
 * whole-number arithmetic is used, so every platform gives the same bytes.
 */
import type { Distribution } from '@hivemind/swarm'

/** Finaliser of MurmurHash3: every bit of the input reaches every bit of the output. */
function mix(value: number): number {
  let h = value
  h ^= h >>> 16
  h = Math.imul(h, 0x85ebca6b)
  h ^= h >>> 13
  h = Math.imul(h, 0xc2b2ae35)
  return h ^ (h >>> 16)
}

/** A stream of random numbers, named by a seed and whole-number keys. */
export function streamOf(seed: number, ...keys: number[]): number {
  let h = mix((seed | 0) ^ 0x5851f42d)
  // a seed above 32 bits counts in full
  h = mix(h ^ Math.imul((seed / 0x100000000) | 0, 0x9e3779b1))
  for (const key of keys) h = laneOf(h, key)
  return h
}

/** The stream that `streamOf` names with one more key. */
export function laneOf(stream: number, lane: number): number {
  return mix((stream + Math.imul(lane + 1, 0x9e3779b1)) | 0)
}

/** The n-th number of a stream, evenly spread over (0, 1). */
export function uniform(stream: number, n: number): number {
  const h = mix((stream ^ mix((Math.imul(n, 0x9e3779b1) + 0x7f4a7c15) | 0)) | 0)
  return ((h >>> 0) + 0.5) / 0x100000000
}

/** A quantile curve ready for sampling: linear between points, scaled to the distribution's mean. */
export interface Sampler {
  points: Float64Array
  /** The value when it never varies, else NaN. */
  fixed: number
}

export function samplerOf(distribution: Distribution, factor = 1): Sampler {
  const { quantiles, mean } = distribution
  let area = 0
  for (let i = 1; i < quantiles.length; i++) area += ((quantiles[i - 1] ?? 0) + (quantiles[i] ?? 0)) / 2
  const curve = area / (quantiles.length - 1)
  const scale = curve > 0 ? (mean / curve) * factor : 0
  const points = Float64Array.from(quantiles, (value) => value * scale)
  const first = points[0] ?? 0
  return { points, fixed: points.every((value) => value === first) ? first : Number.NaN }
}

/** The value of the curve at the n-th number of a stream. */
export function sample(sampler: Sampler, stream: number, n: number): number {
  if (!Number.isNaN(sampler.fixed)) return sampler.fixed
  const at = uniform(stream, n) * (sampler.points.length - 1)
  const below = Math.floor(at)
  const low = sampler.points[below] as number
  return low + ((sampler.points[below + 1] as number) - low) * (at - below)
}
