/** Ranges of metrics that the user has marked, and the candidates that lie within all of them. */
import { bisectLeft, bisectRight, extent, sort } from 'd3-array'
import type { Candidate } from '../../../api/types.ts'
import { type MetricId, metrics } from '../metrics.ts'

/** Lower and upper bound, both included. */
export type Range = readonly [number, number]
export type Ranges = Partial<Record<MetricId, Range>>

/** Whether every metric of a candidate lies within its range. */
export const isWithin = (ranges: Ranges, candidate: Candidate): boolean =>
  Object.entries(ranges).every(([id, range]) => {
    const value = metrics[id as MetricId].of(candidate.estimate)
    return !range || (value >= range[0] && value <= range[1])
  })

/** Whether any metric has a range. */
export const anyRange = (ranges: Ranges): boolean => Object.values(ranges).some((range) => range)

/** The ranges as text: `Latency p99 1.2 s to 3 s`. */
export const rangesText = (ranges: Ranges): string =>
  Object.entries(ranges)
    .flatMap(([id, range]) => {
      const { label, print } = metrics[id as MetricId]
      return range ? [`${label} ${print(range[0])} to ${print(range[1])}`] : []
    })
    .join(', ')

/**
 * One end of a range, moved by `steps` of the values that occur. It stops at the range's other end. Undefined when the
 * range then holds every value.
 */
export function nudged(
  values: readonly number[],
  range: Range | undefined,
  end: 0 | 1,
  steps: number,
): Range | undefined {
  const sorted = sort(new Set(values))
  const [min, max] = extent(sorted)
  if (min === undefined) return undefined
  const moved: [number, number] = [range?.[0] ?? min, range?.[1] ?? max]
  const nearest = end === 0 ? bisectLeft(sorted, moved[0]) : bisectRight(sorted, moved[1]) - 1
  const value = sorted[Math.min(sorted.length - 1, Math.max(0, nearest + steps))] as number
  moved[end] = end === 0 ? Math.min(value, moved[1]) : Math.max(value, moved[0])
  return moved[0] <= min && moved[1] >= max ? undefined : moved
}
