import { describe, expect, test } from 'vitest'
import { judgeOf } from '../../test/judge.ts'
import { randomProblem, type Shape } from '../../test/problems.ts'
import { randomOf } from '../../test/workflows.ts'
import { lookaheadOf } from './lookahead.ts'
import { PartialPlacement } from './partial.ts'
import { sequencesOf } from './sequence.ts'

const SLANT = 0.7

describe('a partial placement', () => {
  test('is never bounded above what can become of it, and at its end by what became of it', () => {
    let tight = 0
    for (let seed = 0; seed < 120; seed++) {
      const shape = (['sparse', 'dense', 'complete'] as const)[seed % 3] as Shape
      const figures = 1 + ((seed % 4) >> 1)
      const problem = randomProblem(seed, 4 + (seed % 7), shape, {
        figures,
        tiers: seed % 5 === 0 ? 3 : 2,
        most: 900,
        stays: seed % 2 === 1,
      })
      const random = randomOf(seed)
      const judge = judgeOf(problem)
      const row = new Float64Array(figures + 1)
      for (const { order, problem: ordered, isTurned } of sequencesOf(problem))
        for (let round = 0; round < 10; round++) {
          const figure = round % figures
          const partial = new PartialPlacement(lookaheadOf(ordered, isTurned, { figure, weight: SLANT }))
          const placement = problem.tiers.map((tiers) => Math.floor(random() * tiers))
          judge(placement, 0, row, 0)
          const values = [...row, (row[0] as number) + SLANT * (row[1 + figure] as number)]
          for (const [depth, task] of order.entries()) {
            partial.place(depth, placement[task] as number)
            const what = `seed ${seed}, ${depth + 1} of ${order.length} tasks${isTurned ? ', turned' : ''}`
            if (depth < order.length - 1) partial.propagate(depth)
            const from = (depth + 1) * partial.wide
            const bound = [...partial.bound.subarray(from, from + partial.wide)]
            expect(bound, what).toHaveLength(values.length)
            for (const [d, value] of values.entries()) {
              expect(bound[d], `${what}, ${d}`).toBeLessThanOrEqual(value + 1e-6)
              if (depth === order.length - 1 && d <= figures) expect(bound[d], what).toBeCloseTo(value, 6)
              if (depth === order.length - 2 && (bound[d] as number) > 0.9 * value) tight++
            }
          }
        }
    }
    expect(tight).toBeGreaterThan(300)
  })
})
