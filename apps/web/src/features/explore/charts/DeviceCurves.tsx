import { deviceCount } from '@hivemind/swarm'
import { memo, useEffect, useMemo, useState } from 'react'
import type { Candidate } from '../../../api/types.ts'
import { Waiting } from '../../../ui/feedback.tsx'
import * as format from '../../reports/format.ts'
import { PlacementChips } from '../../reports/TierChip.tsx'
import { useWidth } from '../../reports/useWidth.ts'
import { type MetricId, metrics } from '../metrics.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { type Curve, type CurveGoal, countsUpTo, curveGoals } from '../whatif/screen.ts'
import { type Ask, askOnce, openWorker } from '../whatif/work.ts'
import { Figure } from './Figure.tsx'
import { LineChart } from './LineChart.tsx'
import type { PlotData } from './plotData.ts'

/** Most placements evaluated over the number of devices. Fewer for large workflows, whose estimates take longer. */
const maxPlacements = (tasks: number): number => Math.max(8, Math.min(64, Math.floor(6400 / tasks)))
const MAX_DEVICES = 10_000

const metricOf: Record<CurveGoal, MetricId> = { latency: 'p99', energy: 'energy', cost: 'costPerHour' }

export type Curves = Record<CurveGoal, Curve>

/** At most `limit` candidates, those on the front first. */
const frontFirst = (candidates: readonly Candidate[], limit: number): Candidate[] =>
  candidates.length <= limit
    ? [...candidates]
    : [...candidates]
        .sort((a, b) => Number(b.pareto) - Number(a.pareto) || (b.baseline ? 1 : 0) - (a.baseline ? 1 : 0))
        .slice(0, limit)

const questionOf = (scenario: Scenario, candidates: readonly Candidate[]): Ask<'curves'> => {
  const own = deviceCount(scenario.fleet)
  return {
    kind: 'curves',
    scenario,
    placements: frontFirst(candidates, maxPlacements(scenario.workflow.tasks.length)).map(
      ({ id, placement }) => ({ id, placement }),
    ),
    counts: countsUpTo(Math.max(own, Math.min(MAX_DEVICES, Math.max(1000, 4 * own))), own),
  }
}

/** Computes the curves of a scenario in a worker. */
export const curvesOf = (scenario: Scenario, candidates: readonly Candidate[]): Promise<Curves> =>
  askOnce(questionOf(scenario, candidates))

/** The curves of a scenario that changes. The previous ones stay until the new ones are computed. */
function useCurves(scenario: Scenario, candidates: readonly Candidate[]) {
  const [curves, setCurves] = useState<Curves>()
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const worker = openWorker<'curves'>()
    worker.ask(questionOf(scenario, candidates), {
      onAnswer: (answer) => {
        setProblem(undefined)
        setCurves(answer)
      },
      onFailure: setProblem,
    })
    return () => worker.close()
  }, [scenario, candidates])
  return { curves, problem }
}

export const curveData = (goal: CurveGoal, curve: Curve): PlotData => ({
  name: `best-${goal}-over-devices`,
  head: ['devices', `best ${metrics[metricOf[goal]].label}`, 'candidate'],
  rows: () => curve.points.map(({ devices, value, id }) => [devices, value, id]),
})

/** One curve as an SVG picture. */
export function CurveChart({
  goal,
  curve,
  own,
  width,
}: {
  goal: CurveGoal
  curve: Curve
  own: number
  width: number
}) {
  const metric = metrics[metricOf[goal]]
  const [first, last] = [curve.points[0], curve.points.at(-1)]
  return (
    <LineChart
      label={`Best ${metric.label.toLowerCase()} on the front against the number of devices: ${metric.print(first?.value ?? 0)} with ${format.count(first?.devices ?? 0, 'device')}, ${metric.print(last?.value ?? 0)} with ${format.count(last?.devices ?? 0, 'device')}; ${format.count(curve.takeovers.length, 'change')} of the best placement.`}
      width={width}
      series={[
        {
          name: goal,
          colour: 'var(--color-accent)',
          points: curve.points.map(({ devices, value }) => ({ x: devices, y: value })),
        },
      ]}
      marks={curve.takeovers.map(({ at, value }) => ({ x: at, y: value, text: String(at) }))}
      own={own}
      xLabel="Devices"
      xKind="log"
      printX={(value) => value.toLocaleString('en-GB')}
      printY={metric.print}
    />
  )
}

/** The best value of each metric over the number of devices, and the placement that reaches it. */
export const DeviceCurves = memo(function DeviceCurves({
  scenario,
  candidates,
  tasks,
  onSelect,
}: {
  scenario: Scenario
  candidates: readonly Candidate[]
  tasks: readonly string[]
  onSelect: (id: string) => void
}) {
  const { curves, problem } = useCurves(scenario, candidates)
  const { box, width } = useWidth(900)
  const byId = useMemo(() => new Map(candidates.map((each) => [each.id, each])), [candidates])
  const limit = maxPlacements(scenario.workflow.tasks.length)
  const third = Math.floor((width - 32) / 3)
  return (
    <section
      ref={box}
      aria-label="Best values by number of devices"
      data-testid="device-curves"
      className="flex min-w-0 flex-col gap-2 border-t border-line pt-3"
    >
      {problem && (
        <p role="alert" className="text-sm text-danger">
          {problem}
        </p>
      )}
      {!curves && !problem && <Waiting what="Computing the best values by number of devices" />}
      {curves && (
        <div className="grid grid-cols-3 gap-4">
          {curveGoals.map((goal) => (
            <Figure
              key={goal}
              title={`Best ${metrics[metricOf[goal]].label.toLowerCase()}`}
              data={curveData(goal, curves[goal])}
            >
              <CurveChart
                goal={goal}
                curve={curves[goal]}
                own={deviceCount(scenario.fleet)}
                width={Math.max(220, third)}
              />
              <BestPlacements curve={curves[goal]} byId={byId} tasks={tasks} onSelect={onSelect} />
            </Figure>
          ))}
        </div>
      )}
      <p className="text-xs text-muted">
        Quick estimates with the settings above. The dotted line is the current number of devices. A circle
        marks the number from which another placement is best.
        {candidates.length > limit && ` Only ${limit} candidates are evaluated, those on the front first.`}
      </p>
    </section>
  )
})

/** The best placements, each with the number of devices from which it is best. */
function BestPlacements({
  curve,
  byId,
  tasks,
  onSelect,
}: {
  curve: Curve
  byId: ReadonlyMap<string, Candidate>
  tasks: readonly string[]
  onSelect: (id: string) => void
}) {
  const first = curve.points[0]
  if (!first) return null
  const best = [
    { from: first.devices, id: first.id },
    ...curve.takeovers.map(({ at, to }) => ({ from: at, id: to })),
  ]
  return (
    <ol className="flex flex-col gap-0.5 text-xs">
      {best.map(({ from, id }) => {
        const candidate = byId.get(id)
        return (
          <li key={from}>
            <button
              type="button"
              className="flex min-h-6 flex-wrap items-center gap-1.5 rounded text-left hover:underline"
              onClick={() => onSelect(id)}
            >
              <span className="tabular-nums">from {format.count(from, 'device')}</span>
              {candidate && <PlacementChips placement={candidate.placement} tasks={tasks} />}
              <span className="text-muted">{candidate?.baseline ?? id}</span>
            </button>
          </li>
        )
      })}
    </ol>
  )
}
