/** Rows of the table of robust choices. Pure. */
import type { Objective, RobustCandidate, Robustness } from '@hivemind/placement'
import type { Candidate } from '../../../api/types.ts'
import type { PlotData } from '../charts/plotData.ts'

export const objectives = ['latency', 'energy', 'bandwidth', 'cost'] as const satisfies readonly Objective[]

export interface RobustRow {
  candidate: Candidate
  result: RobustCandidate
}

/** The evaluated candidates: the robust choice first, the others by their worst regret. */
export function robustRows(
  { candidates: results, choice }: Robustness,
  all: readonly Candidate[],
): RobustRow[] {
  const byId = new Map(all.map((each) => [each.id, each]))
  return results
    .flatMap((result) => {
      const candidate = byId.get(result.id)
      return candidate ? [{ candidate, result }] : []
    })
    .sort(
      (a, b) =>
        Number(b.result.id === choice) - Number(a.result.id === choice) ||
        a.result.worstRegret - b.result.worstRegret ||
        (a.result.id < b.result.id ? -1 : 1),
    )
}

export const robustData = (rows: readonly RobustRow[], choice: string | null): PlotData => ({
  name: 'robust-choice',
  head: [
    'candidate',
    'robust choice',
    'share on the front',
    'share that meets the constraints',
    'worst regret',
    'mean regret',
    'worst regret latency p99 ms',
    'worst regret energy J',
    'worst regret bandwidth MB/s',
    'worst regret cost USD/h',
  ],
  rows: () =>
    rows.map(({ result }) => [
      result.id,
      result.id === choice,
      result.onFront,
      result.meets,
      result.worstRegret,
      result.meanRegret,
      ...objectives.map((objective) => result.regret[objective].worst),
    ]),
})
