import type { Robustness } from '@hivemind/placement'
import { expect, test } from 'vitest'
import type { Candidate } from '../../../api/types.ts'
import { csvOf } from '../charts/plotData.ts'
import { robustData, robustRows } from './robustRows.ts'

const regret = (worst: number) => ({ mean: worst / 2, worst, worstShare: 0.5 })
const judged = (id: string, worstRegret: number): Robustness['candidates'][number] => ({
  id,
  onFront: 0.75,
  meets: 1,
  worstRegret,
  meanRegret: worstRegret / 4,
  regret: { latency: regret(100), energy: regret(2), bandwidth: regret(0.5), cost: regret(0.01) },
})

test('the choice stands first, then the least worst regret; what the page does not know is left out', () => {
  const robustness: Robustness = {
    candidates: [judged('a', 0.4), judged('gone', 0), judged('b', 0.6), judged('c', 0.2)],
    choice: 'b',
    sentences: [],
    inputs: { seed: 1, samples: 200, factor: 2, measured: 3, assumed: 4 },
    method: 'closed-form',
  }
  const candidates = ['a', 'b', 'c', 'd'].map((id) => ({ id }) as Candidate)
  const rows = robustRows(robustness, candidates)
  expect(rows.map(({ candidate }) => candidate.id)).toEqual(['b', 'c', 'a'])
  const [head, first] = csvOf(robustData(rows, 'b')).split('\r\n')
  expect(head?.split(',')).toHaveLength(10)
  expect(first).toBe('b,true,0.75,1,0.6,0.15,100,2,0.5,0.01')
})
