/** Metrics by which candidates are compared. */
import type { Constraint } from '@hivemind/workflow'
import { extent, min } from 'd3-array'
import type { Candidate, Estimate } from '../../api/types.ts'
import * as format from '../reports/format.ts'
import type { TickUnit } from '../reports/scale.ts'

export type MetricId =
  | 'p99'
  | 'p50'
  | 'execTime'
  | 'throughput'
  | 'energy'
  | 'bandwidth'
  | 'costPerHour'
  | 'costPerRun'

/** A metric of estimates. `print` formats a value with its unit, with three significant digits unless told otherwise. */
export interface Metric {
  id: MetricId
  label: string
  /** Short label, for table headings. */
  short: string
  of: (estimate: Estimate) => number
  print: (value: number, digits?: number) => string
  better: 'less' | 'more'
  /** What ticks of its axis are round in. */
  ticks?: TickUnit
}

const list: Metric[] = [
  {
    id: 'p99',
    label: 'Latency p99',
    short: 'p99',
    of: (estimate) => estimate.latencyMs.p99,
    print: format.time,
    better: 'less',
    ticks: 'time',
  },
  {
    id: 'p50',
    label: 'Latency p50',
    short: 'p50',
    of: (estimate) => estimate.latencyMs.p50,
    print: format.time,
    better: 'less',
    ticks: 'time',
  },
  {
    id: 'execTime',
    label: 'Execution time',
    short: 'Exec. time',
    of: (estimate) => estimate.execTimeMs,
    print: format.time,
    better: 'less',
    ticks: 'time',
  },
  {
    id: 'throughput',
    label: 'Throughput',
    short: 'Items/s',
    of: (estimate) => estimate.throughput,
    print: (value, digits) => `${format.number(value, digits)}/s`,
    better: 'more',
  },
  {
    id: 'energy',
    label: 'Energy per device',
    short: 'Energy',
    of: (estimate) => estimate.energyJ,
    print: format.energy,
    better: 'less',
  },
  {
    id: 'bandwidth',
    label: 'Bandwidth',
    short: 'Bandwidth',
    of: (estimate) => estimate.bandwidthMBps,
    print: format.bandwidth,
    better: 'less',
  },
  {
    id: 'costPerHour',
    label: 'Cloud cost per hour',
    short: 'Cost/h',
    of: (estimate) => estimate.costPerHour,
    print: format.cost,
    better: 'less',
  },
  {
    id: 'costPerRun',
    label: 'Cloud cost per run',
    short: 'Cost/run',
    of: (estimate) => estimate.costPerRun,
    print: format.cost,
    better: 'less',
  },
]

export const metrics = Object.fromEntries(list.map((metric) => [metric.id, metric])) as Record<
  MetricId,
  Metric
>
export const latencyMetrics: MetricId[] = ['p99', 'p50', 'execTime']
export const priceMetrics: MetricId[] = ['energy', 'bandwidth', 'costPerHour', 'costPerRun']
export const tableMetrics: MetricId[] = list.map((metric) => metric.id)

/**
 * The limit of a metric that the workflow's constraints set, in the metric's unit; `undefined` when there is none.
 * A limit on the share of a battery is converted to joule by the candidates' ratio of energy to share. Device classes
 * differ in that ratio: the limit is left out when the candidates differ by more than 1%.
 */
export function limitOf(
  metric: MetricId,
  constraints: readonly Constraint[],
  candidates: readonly Candidate[],
): number | undefined {
  const limits = constraints.flatMap((constraint) => {
    const { key, limit } = constraint
    if (key === 'latency' && metric === 'p99') return [limit.value]
    if (key === 'execTime' && metric === 'execTime') return [limit.value]
    if (key === 'throughput' && metric === 'throughput') return [limit.value]
    if (key === 'cost' && metric === limit.dimension) return [limit.value]
    if (key === 'energy' && metric === 'energy') {
      if (limit.dimension === 'energy') return [limit.value]
      const battery = batteryJoule(candidates)
      return battery === undefined ? [] : [limit.value * battery]
    }
    return []
  })
  return min(limits)
}

function batteryJoule(candidates: readonly Candidate[]): number | undefined {
  const ratios = candidates
    .filter(({ estimate }) => estimate.energyShare > 0)
    .map(({ estimate }) => estimate.energyJ / estimate.energyShare)
  const [low, high] = extent(ratios)
  return low !== undefined && high <= low * 1.01 ? high : undefined
}
