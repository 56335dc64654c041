/** Differences between two candidates. */
import type { Candidate, Tier } from '../../../api/types.ts'
import { parts } from '../../reports/BreakdownBars.tsx'
import * as format from '../../reports/format.ts'
import type { PlotData } from '../charts/plotData.ts'
import { metrics, tableMetrics } from '../metrics.ts'

export interface Figures {
  label: string
  a: number
  b: number
  /** Change from A to B: `+12%`, `×3.4`; empty when A is zero. */
  change: string
  /** Whether B is better or worse than A. `same` when they differ by less than half a percent. */
  verdict: 'same' | 'better' | 'worse'
  print: (value: number) => string
}

const SAME = 0.005

function figureOf(
  label: string,
  a: number,
  b: number,
  better: 'less' | 'more',
  print: Figures['print'],
): Figures {
  const same = Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b))
  const change = format.deviation(b, a)
  return {
    label,
    a,
    b,
    change: same || change === '–' ? '' : change,
    verdict: same ? 'same' : b < a === (better === 'less') ? 'better' : 'worse',
    print,
  }
}

/** A task with different tiers in A and B. */
export interface Moved {
  task: string
  a: Tier
  b: Tier
}

/** The tasks with different tiers, in the order of `tasks`, and every metric of both. */
export function differences(
  a: Candidate,
  b: Candidate,
  tasks: readonly string[],
): { tasks: Moved[]; figures: Figures[] } {
  const names = tasks.length > 0 ? tasks : Object.keys(a.placement)
  return {
    tasks: names.flatMap((task) => {
      const [x, y] = [a.placement[task], b.placement[task]]
      return x !== undefined && y !== undefined && x !== y ? [{ task, a: x, b: y }] : []
    }),
    figures: [
      ...tableMetrics.map((id) => {
        const { label, of, better, print } = metrics[id]
        return figureOf(label, of(a.estimate), of(b.estimate), better, print)
      }),
      ...parts.map(({ key, label }) =>
        figureOf(
          `Latency: ${label.toLowerCase()}`,
          a.estimate.breakdown[key],
          b.estimate.breakdown[key],
          'less',
          format.time,
        ),
      ),
    ],
  }
}

export const comparisonData = (figures: readonly Figures[], a: Candidate, b: Candidate): PlotData => ({
  name: `compare-${a.id}-${b.id}`,
  head: ['figure', a.id, b.id, 'verdict'],
  rows: () => figures.map((each) => [each.label, each.a, each.b, each.verdict]),
})
