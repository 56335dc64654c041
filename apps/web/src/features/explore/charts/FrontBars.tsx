import { useMemo } from 'react'
import type { Candidate } from '../../../api/types.ts'
import { Scroll } from '../../../ui/Panel.tsx'
import { PartsLegend, StackedBar } from '../../reports/BreakdownBars.tsx'
import * as format from '../../reports/format.ts'
import { PlacementChips } from '../../reports/TierChip.tsx'
import { useCandidateName } from '../CandidateNames.tsx'
import { type MetricId, metrics } from '../metrics.ts'
import { Bar } from './Bar.tsx'
import { Figure } from './Figure.tsx'
import type { PlotData } from './plotData.ts'

const MAX_ROWS = 24
const barMetrics: MetricId[] = ['energy', 'bandwidth', 'costPerHour']

/**
 * At most `limit` candidates: the baselines, the selected one, and the front, thinned evenly when it is long. Sorted by
 * p99 latency.
 */
export function representatives(
  candidates: readonly Candidate[],
  selected: string | undefined,
  limit = MAX_ROWS,
): Candidate[] {
  const always = candidates.filter((each) => each.baseline || each.id === selected)
  const rest = candidates.filter((each) => each.pareto && !always.includes(each))
  const room = Math.max(0, limit - always.length)
  const thinned =
    rest.length <= room
      ? rest
      : Array.from({ length: room }, (_, n) => rest[Math.floor((n * rest.length) / room)] as Candidate)
  return [...always, ...thinned].sort(
    (a, b) => a.estimate.latencyMs.p99 - b.estimate.latencyMs.p99 || (a.id < b.id ? -1 : 1),
  )
}

export const barsData = (rows: readonly Candidate[], name = 'front-in-bars'): PlotData => ({
  name,
  head: [
    'candidate',
    'baseline',
    'networkMs',
    'managementMs',
    'dataExchangeMs',
    'executionMs',
    'latencyP50Ms',
    'latencyP99Ms',
    'energyJ',
    'bandwidthMBps',
    'costPerHourUsd',
  ],
  rows: () =>
    rows.map(({ id, baseline, estimate }) => [
      id,
      baseline,
      estimate.breakdown.network,
      estimate.breakdown.management,
      estimate.breakdown.dataExchange,
      estimate.breakdown.execution,
      estimate.latencyMs.p50,
      estimate.latencyMs.p99,
      estimate.energyJ,
      estimate.bandwidthMBps,
      estimate.costPerHour,
    ]),
})

/** Latency breakdown, energy, bandwidth and cost of the candidates on the front, as bars. */
export function FrontBars({
  candidates,
  tasks,
  selected,
  onSelect,
}: {
  candidates: readonly Candidate[]
  tasks: readonly string[]
  selected: string | undefined
  onSelect: (id: string) => void
}) {
  const nameOf = useCandidateName()
  const rows = useMemo(() => representatives(candidates, selected), [candidates, selected])
  const maxOf = (of: (candidate: Candidate) => number) => Math.max(0, ...rows.map(of))
  const longest = maxOf((each) => each.estimate.latencyMs.mean)
  return (
    <Figure
      title="Front and baselines"
      data={barsData(rows)}
      note="The bars show the mean latency of an item, by part. Compare two candidates below to see their distributions."
    >
      <PartsLegend />
      <Scroll className="max-h-96 overflow-auto" label="The front in bars, scrollable">
        <table className="w-full border-collapse text-xs" data-testid="front-bars">
          <caption className="sr-only">Latency by part, energy, bandwidth and cost of each</caption>
          <thead className="text-left text-muted">
            <tr>
              <th scope="col" className="py-1 pr-3 font-medium">
                Placement
              </th>
              <th scope="col" className="py-1 pr-4 font-medium">
                Latency, mean
              </th>
              {barMetrics.map((id) => (
                <th key={id} scope="col" className="py-1 pr-4 font-medium">
                  {metrics[id].label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((candidate) => (
              <tr
                key={candidate.id}
                className={`border-t border-line ${candidate.id === selected ? 'bg-accent-soft' : ''}`}
              >
                <th scope="row" className="py-1 pr-3 text-left font-normal whitespace-nowrap">
                  <button
                    type="button"
                    className="flex items-center gap-1.5 hover:underline"
                    aria-pressed={candidate.id === selected}
                    onClick={() => onSelect(candidate.id)}
                  >
                    <PlacementChips placement={candidate.placement} tasks={tasks} />
                    {nameOf(candidate)}
                  </button>
                </th>
                <td className="w-1/3 min-w-40 py-1 pr-4">
                  <span className="flex items-center gap-2">
                    <StackedBar breakdown={candidate.estimate.breakdown} scale={longest} />
                    <span className="w-16 shrink-0 text-right tabular-nums">
                      {format.time(candidate.estimate.latencyMs.mean)}
                    </span>
                  </span>
                </td>
                {barMetrics.map((id) => (
                  <td key={id} className="min-w-28 py-1 pr-4">
                    <Bar
                      value={metrics[id].of(candidate.estimate)}
                      max={maxOf((each) => metrics[id].of(each.estimate))}
                      text={metrics[id].print(metrics[id].of(candidate.estimate))}
                    />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
    </Figure>
  )
}
