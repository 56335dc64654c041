/** What is shown of a robust choice. Pure. */
import type { Objective, RobustCandidate, Robustness } from '@hivemind/placement'
import type { Candidate } from '../../../api/types.ts'
import type { PlotData } from '../charts/plotData.ts'

export const objectives = ['latency', 'energy', 'bandwidth', 'cost'] as const satisfies readonly Objective[]

export interface RobustRow {
  candidate: Candidate
  judged: RobustCandidate
}

/** The candidates that were judged: the choice first, then by their worst regret. */
export function robustRows(
  { candidates: judged, choice }: Robustness,
  all: readonly Candidate[],
): RobustRow[] {
  const byId = new Map(all.map((each) => [each.id, each]))
  return judged
    .flatMap((own) => {
      const candidate = byId.get(own.id)
      return candidate ? [{ candidate, judged: own }] : []
    })
    .sort(
      (a, b) =>
        Number(b.judged.id === choice) - Number(a.judged.id === choice) ||
        a.judged.worstRegret - b.judged.worstRegret ||
        (a.judged.id < b.judged.id ? -1 : 1),
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
    rows.map(({ judged }) => [
      judged.id,
      judged.id === choice,
      judged.onFront,
      judged.meets,
      judged.worstRegret,
      judged.meanRegret,
      ...objectives.map((objective) => judged.regret[objective].worst),
    ]),
})
