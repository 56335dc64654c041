import { expect, test } from 'vitest'
import { judgeOf } from '../../test/judge.ts'
import { randomProblem, SHAPES } from '../../test/problems.ts'
import { randomOf } from '../../test/workflows.ts'
import { Judge } from './judge.ts'
import { type AdditiveProblem, additiveProblem } from './problem.ts'

/** Placements judged one after the other come to what each comes to by itself. */
function expectJudged(problem: AdditiveProblem, placements: readonly Uint8Array[]) {
  const judge = new Judge(problem)
  const anew = judgeOf(problem)
  const row = new Float64Array(problem.figures + 1)
  const expected = new Float64Array(problem.figures + 1)
  for (const placement of placements) {
    judge.judge(placement, 0, row, 0)
    anew(placement, 0, expected, 0)
    expect(row).toEqual(expected)
  }
}

test('placements that change anywhere come to what each comes to by itself, whatever the shape', () => {
  for (const shape of SHAPES)
    for (let seed = 1; seed <= 20; seed++) {
      const problem = randomProblem(seed, 2 + (seed % 13), shape, { tiers: 2 + (seed % 2) })
      const random = randomOf(seed)
      const placement = Uint8Array.from(problem.tiers, (tiers) => Math.floor(random() * tiers))
      const placements = Array.from({ length: 60 }, () => {
        const task = Math.floor(random() * problem.tasks)
        placement[task] = Math.floor(random() * (problem.tiers[task] as number))
        return placement.slice()
      })
      expectJudged(problem, placements)
    }
})

test('two edges between the same tasks send once', () => {
  const task = {
    time: [1, 2],
    figures: [[1], [2]],
    send: [[10], [20]],
  }
  const edge = {
    from: 0,
    to: 1,
    time: [
      [0, 3],
      [4, 0],
    ],
    crosses: [
      [false, true],
      [true, false],
    ],
  }
  const other = {
    ...edge,
    crosses: [
      [false, false],
      [true, true],
    ],
  }
  const placements = [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
    [0, 1],
  ].map((placement) => Uint8Array.from(placement))
  expectJudged(additiveProblem([task, task], [edge, edge]), placements)
  expectJudged(additiveProblem([task, task], [edge, other]), placements)
  expectJudged(additiveProblem([task, task], [other, edge]), placements)
})
