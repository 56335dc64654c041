/** Selection, filtering, sorting and export of an exploration's candidates. */
import { tierRow } from '@hivemind/swarm'
import type { Breakdown, Candidate, Exploration, Tier } from '../../api/types.ts'
import { type Cell, csv } from '../reports/csv.ts'
import type { PlotData } from './charts/plotData.ts'
import { type MetricId, metrics, tableMetrics } from './metrics.ts'

export type Goal = 'energy' | 'latency' | 'cost'

const order: Record<Goal, MetricId[]> = {
  energy: ['energy', 'p99', 'costPerHour', 'bandwidth'],
  latency: ['p99', 'energy', 'costPerHour', 'bandwidth'],
  cost: ['costPerHour', 'costPerRun', 'energy', 'p99'],
}

/**
 * The best candidate for a goal among those that meet the constraints; `undefined` when none does.
 * Ties are broken by the next goals and then by the smaller id, so that the choice is deterministic.
 */
export function pick(candidates: readonly Candidate[], goal: Goal): Candidate | undefined {
  let best: Candidate | undefined
  for (const candidate of candidates)
    if (candidate.meets && (!best || compare(candidate, best, order[goal]) < 0)) best = candidate
  return best
}

function compare(a: Candidate, b: Candidate, by: readonly MetricId[]): number {
  for (const id of by) {
    const difference = metrics[id].of(a.estimate) - metrics[id].of(b.estimate)
    if (difference !== 0 && !Number.isNaN(difference)) return difference
  }
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0
}

export type SortKey = MetricId | 'placement' | 'pareto' | 'meets'
export interface Sorting {
  key: SortKey
  descending: boolean
}
export interface Filter {
  front: boolean
  meets: boolean
}

/** Number of a candidate's tasks that do not run on the devices. */
const tasksOffDevices = (candidate: Candidate): number =>
  Object.values(candidate.placement).filter((tier) => !tierRow(tier).perDevice).length

/** Candidates that pass the filter, sorted. Ties are broken by id. */
export function rowsOf(candidates: readonly Candidate[], filter: Filter, sorting: Sorting): Candidate[] {
  const sign = sorting.descending ? -1 : 1
  const value = (candidate: Candidate): number => {
    if (sorting.key === 'placement') return tasksOffDevices(candidate)
    if (sorting.key === 'pareto') return candidate.pareto ? 0 : 1
    if (sorting.key === 'meets') return candidate.violations.length
    return metrics[sorting.key].of(candidate.estimate)
  }
  return candidates
    .filter((candidate) => (!filter.front || candidate.pareto) && (!filter.meets || candidate.meets))
    .sort((a, b) => sign * (value(a) - value(b)) || (a.id < b.id ? -1 : 1))
}

const units: Record<MetricId, string> = {
  p99: 'latencyP99Ms',
  p50: 'latencyP50Ms',
  execTime: 'execTimeMs',
  throughput: 'throughputPerS',
  energy: 'energyJ',
  bandwidth: 'bandwidthMBps',
  costPerHour: 'costPerHourUsd',
  costPerRun: 'costPerRunUsd',
}

/** All candidates as CSV: tier of each task, every metric with its unit, front and constraints. */
export function candidatesCsv(exploration: Exploration, tasks: readonly string[]): string {
  const head = [
    'id',
    'baseline',
    ...tasks.map((task) => `tier of ${task}`),
    ...tableMetrics.map((id) => units[id]),
    'networkMs',
    'managementMs',
    'dataExchangeMs',
    'executionMs',
    'pareto',
    'meets',
    'violations',
  ]
  const rows = exploration.candidates.map((candidate): Cell[] => [
    candidate.id,
    candidate.baseline,
    ...tasks.map((task) => candidate.placement[task]),
    ...tableMetrics.map((id) => metrics[id].of(candidate.estimate)),
    candidate.estimate.breakdown.network,
    candidate.estimate.breakdown.management,
    candidate.estimate.breakdown.dataExchange,
    candidate.estimate.breakdown.execution,
    candidate.pareto,
    candidate.meets,
    candidate.violations.map((violation) => violation.message).join(' '),
  ])
  return csv(head, rows)
}

/** Latency breakdown of a candidate: one row per task, then the whole workflow. Means per item, in ms. */
export const breakdownData = (
  id: string,
  whole: Breakdown,
  rows: readonly { task: string; tier: Tier; breakdown: Breakdown }[],
): PlotData => ({
  name: `latency-of-${id}`,
  head: ['task', 'tier', 'networkMs', 'managementMs', 'dataExchangeMs', 'executionMs'],
  rows: () =>
    [...rows, { task: 'whole workflow', tier: undefined, breakdown: whole }].map(
      ({ task, tier, breakdown }) => [
        task,
        tier,
        breakdown.network,
        breakdown.management,
        breakdown.dataExchange,
        breakdown.execution,
      ],
    ),
})
