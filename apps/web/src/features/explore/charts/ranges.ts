/** Ranges of figures that a person has marked, and the candidates that lie within all of them. */
import type { Candidate } from '../../../api/types.ts'
import type { Scale } from '../../reports/scale.ts'
import { type MetricId, metrics } from '../metrics.ts'

/** From and to, both included. */
export type Range = readonly [number, number]
export type Ranges = Partial<Record<MetricId, Range>>

export const isWithin = (ranges: Ranges, candidate: Candidate): boolean =>
  Object.entries(ranges).every(([id, range]) => {
    const value = metrics[id as MetricId].of(candidate.estimate)
    return !range || (value >= range[0] && value <= range[1])
  })

export const anyRange = (ranges: Ranges): boolean => Object.values(ranges).some((range) => range)

/** The ranges in words: `Latency p99 1.2 s to 3 s`. */
export const rangesText = (ranges: Ranges): string =>
  Object.entries(ranges)
    .flatMap(([id, range]) => {
      const { label, print } = metrics[id as MetricId]
      return range ? [`${label} ${print(range[0])} to ${print(range[1])}`] : []
    })
    .join(', ')

/** The value at a position (0 to 1) of an axis, to within a millionth of its length. */
export function invert(scale: Scale, position: number): number {
  let [low, high] = scale.domain
  for (let step = 0; step < 60; step++) {
    const middle = low > 0 && high / low > 4 ? Math.sqrt(low * high) : (low + high) / 2
    if (scale.at(middle) < position) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/**
 * One end of a range moved by so many of the values that occur. Passing the other end stops there; a range that holds
 * every value is none.
 */
export function nudged(
  values: readonly number[],
  range: Range | undefined,
  end: 0 | 1,
  steps: number,
): Range | undefined {
  const sorted = [...new Set(values)].sort((a, b) => a - b)
  const [least, most] = [sorted[0], sorted.at(-1)]
  if (least === undefined || most === undefined) return undefined
  const now: [number, number] = [range?.[0] ?? least, range?.[1] ?? most]
  const nearest =
    end === 0
      ? sorted.findIndex((value) => value >= now[0])
      : sorted.length - 1 - [...sorted].reverse().findIndex((value) => value <= now[1])
  const at = Math.min(sorted.length - 1, Math.max(0, nearest + steps))
  const value = sorted[at] as number
  now[end] = end === 0 ? Math.min(value, now[1]) : Math.max(value, now[0])
  return now[0] <= least && now[1] >= most ? undefined : now
}
