import { expect, test } from 'vitest'
import { randomProblem, SHAPES } from '../../test/problems.ts'
import { Changes } from './changes.ts'
import { additiveProblem, judgeOf } from './problem.ts'

/** Every single change of a placement comes to what judging the changed placement gives. */
function expectChangesOf(problem: ReturnType<typeof additiveProblem>, placement: Uint8Array) {
  const changes = new Changes(problem)
  const judge = judgeOf(problem)
  const changed = new Float64Array(problem.figures + 1)
  const anew = new Float64Array(problem.figures + 1)
  changes.take(placement)
  for (let t = 0; t < problem.tasks; t++)
    for (let tier = 0; tier < (problem.tiers[t] as number); tier++) {
      changes.judge(t, tier, changed)
      judge(Uint8Array.from(placement).fill(tier, t, t + 1), 0, anew, 0)
      expect(changed).toEqual(anew)
    }
}

test('a change of one task comes to what the changed placement does, whatever the shape', () => {
  for (const shape of SHAPES)
    for (let seed = 1; seed <= 20; seed++) {
      const problem = randomProblem(seed, 2 + (seed % 13), shape, { tiers: 2 + (seed % 2) })
      expectChangesOf(
        problem,
        Uint8Array.from(problem.tiers, (tiers, t) => (seed * 7 + t * 3 + ((t * seed) >> 2)) % tiers),
      )
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
  const problem = additiveProblem([task, task], [edge, edge])
  for (const placement of [
    [0, 0],
    [0, 1],
    [1, 0],
    [1, 1],
  ])
    expectChangesOf(problem, Uint8Array.from(placement))
})
