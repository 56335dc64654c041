/** Deployments with measurements, and comparisons of estimates with them. Pure. */
import { quantile } from '@hivemind/orchestrator'
import type {
  Candidate,
  DeploymentComparison,
  DeploymentRecord,
  Placement,
  RunRecord,
} from '../../../api/types.ts'
import * as format from '../../reports/format.ts'
import type { PlotData } from '../charts/plotData.ts'

type Figure = DeploymentComparison['rows'][number]['p50']

/** A deployment with successful runs. */
export interface MeasuredDeployment {
  deployment: DeploymentRecord
  /** Id of the candidate with its placement; when there is none, the one it was deployed from. */
  candidate: string | undefined
  /** Newest first. */
  runs: RunRecord[]
}

const keyOf = (placement: Placement): string =>
  JSON.stringify(Object.entries(placement).sort(([a], [b]) => (a < b ? -1 : 1)))

/** The deployments of a version that have successful runs. Those with the newest runs come first. */
export function measuredDeployments(
  deployments: readonly DeploymentRecord[],
  runs: readonly RunRecord[],
  candidates: readonly Candidate[],
  version: number,
): MeasuredDeployment[] {
  const idOf = new Map(candidates.map(({ id, placement }) => [keyOf(placement), id]))
  const newest = (tried: MeasuredDeployment): string => tried.runs[0]?.createdAt ?? ''
  return deployments
    .filter(({ request }) => request.version === version)
    .map((deployment) => ({
      deployment,
      candidate: idOf.get(keyOf(deployment.request.placement)) ?? deployment.request.candidate,
      runs: runs
        .filter((run) => run.deployment === deployment.id && run.state === 'succeeded')
        .sort((a, b) => (a.createdAt < b.createdAt ? 1 : -1)),
    }))
    .filter((tried) => tried.runs.length > 0)
    .sort((a, b) => (newest(a) < newest(b) ? 1 : -1))
}

/** A point of the plot: a time of a task, of an item from end to end, or of the whole run. */
export interface Point {
  name: string
  of: 'p50' | 'p99' | 'run'
  /** `null` for times that are not of a single task. */
  task: string | null
  figure: Figure
}

/** The points of a comparison. */
export function pointsOf({ rows, run }: DeploymentComparison): Point[] {
  const points = rows.flatMap(({ task, p50, p99 }): Point[] => [
    { name: `${task ?? 'end to end'}, p50`, of: 'p50', task, figure: p50 },
    { name: `${task ?? 'end to end'}, p99`, of: 'p99', task, figure: p99 },
  ])
  return run ? [...points, { name: 'whole run', of: 'run', task: null, figure: run }] : points
}

/** Deviation of an estimate as text: `+12%`, and `×3` from twice the measurement up; `−12%`, and `÷3` from half down. */
export function deviationText(deviation: number | null): string {
  if (deviation === null) return '–'
  const ratio = 1 + deviation
  if (ratio >= 2) return `×${format.number(ratio, 2)}`
  if (ratio <= 0.5) return ratio > 0 ? `÷${format.number(1 / ratio, 2)}` : '−100%'
  const percent = Math.round(deviation * 100)
  return percent === 0 ? '±0%' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`
}

/** Median and mean of the absolute deviations, as shares; `undefined` without any. */
export function deviationsOf(points: readonly Point[]): { median: number; mean: number } | undefined {
  const sizes = points
    .flatMap(({ figure }) => (figure.deviation === null ? [] : [Math.abs(figure.deviation)]))
    .sort((a, b) => a - b)
  if (sizes.length === 0) return undefined
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length
  return { median: quantile(sizes, 0.5), mean }
}

/** A comparison as a table. */
export const comparisonData = (comparison: DeploymentComparison): PlotData => ({
  name: 'estimate-against-measurement',
  head: ['task', 'figure', 'estimatedMs', 'measuredMs', 'deviation'],
  rows: () =>
    pointsOf(comparison).map(({ task, of, figure }) => [
      task ?? (of === 'run' ? 'whole run' : 'end to end'),
      of,
      figure.simulatedMs,
      figure.measuredMs,
      figure.deviation,
    ]),
})

/** Label of a deployment in a drop-down list. */
export const deploymentLabel = (
  { deployment, candidate, runs }: MeasuredDeployment,
  candidates: readonly Candidate[],
): string => {
  const name = candidates.find((each) => each.id === candidate)?.baseline ?? candidate ?? 'own placement'
  return `${name}, ${format.count(deployment.request.agents, 'agent')}: ${format.count(runs.length, 'run')}, newest ${format.instant(runs[0]?.createdAt ?? '')}`
}
