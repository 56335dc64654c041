import { describe, expect, test } from 'vitest'
import { judgeOf } from '../../test/judge.ts'
import { randomProblem, SHAPES, type Shape } from '../../test/problems.ts'
import { Archive } from './archive.ts'
import { BranchAndBound } from './branch.ts'
import { enumerateFront } from './enumerate.ts'
import { type AdditiveFront, boundsOf, exactFront, frontSteps } from './front.ts'
import { setLabels } from './labels.ts'
import { meetLabels, prepare } from './meet.ts'
import { planOf } from './order.ts'
import { type AdditiveProblem, additiveProblem, sizeOf } from './problem.ts'
import { relaxed } from './relax.ts'
import { search } from './search.ts'
import { sequencesOf } from './sequence.ts'
import { drain } from './steps.ts'

const soak = process.env.HIVEMIND_SOAK === '1'

/** The front by judging every placement and comparing it with every other, as plainly as can be. */
function bruteForce(problem: AdditiveProblem): string[] {
  const stride = problem.figures + 1
  const judge = judgeOf(problem)
  const placement = new Uint8Array(problem.tasks)
  const row = new Float64Array(stride)
  const points: number[][] = []
  for (let n = 0; n < sizeOf(problem); n++) {
    let rest = n
    for (const [t, tiers] of problem.tiers.entries()) {
      placement[t] = rest % tiers
      rest = Math.floor(rest / tiers)
    }
    judge(placement, 0, row, 0)
    points.push([...row])
  }
  const compare = (a: number[], b: number[]) => {
    const differs = a.findIndex((value, index) => value !== b[index])
    return differs < 0 ? 0 : (a[differs] as number) - (b[differs] as number)
  }
  const front: number[][] = []
  for (const point of points.sort(compare))
    if (!front.some((kept) => kept.every((value, index) => value <= (point[index] as number))))
      front.push(point)
  return front.map((point) => point.join())
}

/** Objective vectors of placements, judged anew. */
function vectorsOf(problem: AdditiveProblem, found: { placements: Uint8Array; count: number }): string[] {
  const judge = judgeOf(problem)
  const row = new Float64Array(problem.figures + 1)
  return Array.from({ length: found.count }, (_, i) => {
    judge(found.placements, i * problem.tasks, row, 0)
    return row.join()
  })
}

function rowsOf(front: AdditiveFront, stride: number): number[][] {
  return Array.from({ length: front.count }, (_, i) => [
    ...front.objectives.subarray(i * stride, (i + 1) * stride),
  ])
}

/** The problem with its figures in the opposite order. */
function turnedAround(problem: AdditiveProblem): AdditiveProblem {
  const m = problem.figures
  const turned = (table: Float64Array) =>
    table.map((_, i) => table[i - (i % m) + (m - 1 - (i % m))] as number)
  return {
    ...problem,
    own: turned(problem.own),
    send: turned(problem.send),
    edgeFigures: turned(problem.edgeFigures),
  }
}

describe('the exact front', () => {
  test(
    'equals brute force on random workflows of up to 14 tasks, by every method',
    () => {
      const rounds = soak ? 1000 : 300
      for (let seed = 0; seed < rounds; seed++) {
        const shape = SHAPES[seed % SHAPES.length] as Shape
        const tiers = seed % 7 === 0 ? 3 : 2
        const tasks = 1 + (Math.floor(seed / 3) % (tiers === 3 ? 7 : soak || seed % 10 === 0 ? 14 : 11))
        const problem = randomProblem(seed, tasks, shape, {
          tiers,
          figures: 1 + (seed % 3),
          most: seed % 2 ? 9 : 90,
          stays: seed % 5 === 0,
        })
        const stride = problem.figures + 1
        const brute = bruteForce(problem)
        const what = `seed ${seed}: ${tasks} tasks, ${shape}`
        const front = exactFront(problem)
        expect(front.proven, what).toBe(true)
        expect(
          rowsOf(front, stride).map((row) => row.join()),
          what,
        ).toEqual(brute)
        // every vector belongs to the placement that is given for it
        expect(vectorsOf(problem, front), what).toEqual(brute)
        expect([...vectorsOf(problem, enumerateFront(problem))].sort(), what).toEqual([...brute].sort())
        const found = drain(search(problem, { budget: 30 }))
        const plan = planOf(problem)
        for (const known of [new Float64Array(0), found.objectives]) {
          const before = known.length > 0 ? vectorsOf(problem, found) : []
          const labels = drain(setLabels(problem, plan, known, 1e6))
          const met = drain(meetLabels(problem, plan, new Archive(stride, known), 1e6))
          if (!labels || !met) throw new Error(`no labels for ${what}`)
          expect(labels.epsilon, what).toBe(0)
          // each order in its turn
          const branches = new BranchAndBound(problem, { objectives: known }, (weighted) => {
            const orders = sequencesOf(weighted)
            return orders.slice(seed % orders.length, (seed % orders.length) + 1)
          })
          drain(branches.steps())
          for (const part of [labels, met, branches.found]) {
            const all = new Set([...before, ...vectorsOf(problem, part)])
            for (const vector of brute) expect(all.has(vector), what).toBe(true)
          }
        }
      }
    },
    soak ? 1_200_000 : 300_000,
  )

  test(
    'abandons no partial placement too many, with many known placements and few, in every order, on 15 and 16 tasks',
    () => {
      const rounds = soak ? 60 : 12
      for (let seed = 0; seed < rounds; seed++) {
        const shape = seed % 2 ? 'complete' : 'dense'
        const one = randomProblem(seed, seed % 3 === 2 ? 15 : 16, shape, {
          figures: 1 + (seed % 3),
          most: 900,
          stays: seed % 4 === 1,
        })
        // whichever of two figures the sums are along
        for (const problem of one.figures === 2 ? [one, turnedAround(one)] : [one]) {
          const truth = vectorsOf(problem, enumerateFront(problem))
          for (const budget of [30, 3_000]) {
            const found = drain(search(problem, { budget }))
            for (let order = 0; order < sequencesOf(problem).length; order++) {
              const branches = new BranchAndBound(problem, found, (weighted) =>
                sequencesOf(weighted).slice(order, order + 1),
              )
              drain(branches.steps())
              const all = new Set([...vectorsOf(problem, found), ...vectorsOf(problem, branches.found)])
              for (const vector of truth) expect(all.has(vector), `seed ${seed}, order ${order}`).toBe(true)
            }
          }
        }
      }
    },
    soak ? 1_200_000 : 300_000,
  )

  test(
    'with few labels matches every placement within the epsilon it reports, on 15 to 20 tasks',
    () => {
      const rounds = soak ? 40 : 12
      let approximate = 0
      let tight = 0
      let narrowed = 0
      for (let seed = 0; seed < rounds; seed++) {
        const shape = SHAPES[seed % SHAPES.length] as Shape
        const tasks = 15 + (seed % (soak ? 6 : 3))
        const problem = randomProblem(seed + 5000, tasks, shape, { most: 500 })
        const stride = problem.figures + 1
        const truth = vectorsOf(problem, enumerateFront(problem)).map((text) => text.split(',').map(Number))
        const exact = exactFront(problem)
        expect(rowsOf(exact, stride).map((row) => row.join())).toEqual(truth.map((row) => row.join()))
        const plan = planOf(problem)
        const few = exactFront(problem, { maxLabels: Math.max(plan.widest, 40) })
        const rows = rowsOf(few, stride)
        if (few.epsilon > 0 && few.epsilon < 1) tight++
        for (const row of Number.isFinite(few.epsilon) ? truth : []) {
          const matched = rows.some((each) =>
            each.every((value, d) => value <= (1 + few.epsilon) * (row[d] as number) + 1e-9),
          )
          expect(matched, `seed ${seed}: ${row.join()} within ${few.epsilon}, few labels`).toBe(true)
        }
        // with fewer edges, every placement is at or above what is found
        const narrow = drain(relaxed(problem, 8))
        const below = narrow && drain(setLabels(narrow.problem, narrow.plan, new Float64Array(0), 400, true))
        if (below) {
          const bounds = rowsOf(
            { ...exact, objectives: below.vectors, count: below.vectors.length / stride },
            stride,
          )
          for (const row of truth) {
            const bounded = bounds.some((each) =>
              each.every((value, d) => value <= (row[d] as number) + 1e-9),
            )
            expect(bounded, `seed ${seed}: ${row.join()} above a bound`).toBe(true)
          }
          narrowed++
        }
        const labels = drain(setLabels(problem, plan, new Float64Array(0), Math.max(plan.widest, 60)))
        if (!labels) continue
        if (labels.epsilon > 0) approximate++
        const found = vectorsOf(problem, labels).map((text) => text.split(',').map(Number))
        for (const row of truth) {
          const matched = found.some((each) =>
            each.every((value, d) => value <= (1 + labels.epsilon) * (row[d] as number) + 1e-9),
          )
          expect(matched, `seed ${seed}: ${row.join()} within ${labels.epsilon}`).toBe(true)
        }
      }
      expect(approximate).toBeGreaterThan(rounds / 3)
      expect(tight).toBeGreaterThan(0)
      expect(narrowed).toBeGreaterThan(rounds / 2)
    },
    soak ? 1_200_000 : 300_000,
  )

  test('lower bounds hold, and no point of a front dominates another', () => {
    for (const shape of SHAPES) {
      const problem = randomProblem(77, 16, shape)
      const stride = problem.figures + 1
      const front = exactFront(problem)
      const bounds = boundsOf(problem)
      const rows = rowsOf(front, stride)
      for (const row of rows)
        for (const [d, value] of row.entries()) expect(value).toBeGreaterThanOrEqual(bounds[d] as number)
      for (const a of rows)
        expect(rows.filter((b) => b.every((value, d) => value <= (a[d] as number)))).toHaveLength(1)
    }
  })

  test('with many placements and wide cuts is enumerated with bounds, unless that is likely to take too many tries', () => {
    const problem = randomProblem(5, 30, 'dense', { most: 900 })
    const front = exactFront(problem)
    expect(front).toMatchObject({ proven: true, method: 'bounded' })
    const labels = exactFront(problem, { maxTries: 10 })
    expect(labels).toMatchObject({ proven: true, method: 'labels' })
    expect(labels.objectives).toEqual(front.objectives)
    const search = exactFront(problem, { maxTries: 10, maxLabels: 100 })
    expect(search).toMatchObject({ proven: false, method: 'search' })
    const archive = new Archive(problem.figures + 1, front.objectives)
    for (let i = 0; i < search.count; i++)
      expect(archive.covers(search.objectives, i * (problem.figures + 1))).toBe(true)
  }, 240_000)

  test('is the same every time, tells its progress, and stops when asked, with what it has', () => {
    const problem = randomProblem(3, 24, 'dense', { most: 900 })
    const seen: number[] = []
    const front = exactFront(problem, { onProgress: (fraction) => seen.push(fraction) })
    expect(exactFront(problem)).toEqual(front)
    expect(seen.length).toBeGreaterThan(3)
    expect(seen.every((fraction) => fraction >= 0 && fraction <= 1)).toBe(true)
    for (const after of [0, 1, Math.floor(seen.length / 2)]) {
      let asked = 0
      const part = exactFront(problem, { shouldStop: () => asked++ >= after })
      expect(part).toMatchObject({ proven: false, method: 'search', epsilon: Number.POSITIVE_INFINITY })
      expect(part.count).toBeGreaterThan(0)
    }
  }, 240_000)

  test('set from both ends, stops at any time with what it has', () => {
    const problem = randomProblem(11, 40, 'branches', { most: 900 })
    let asked = 0
    const whole = exactFront(problem, {
      shouldStop: () => {
        asked++
        return false
      },
    })
    expect(whole).toMatchObject({ proven: true, method: 'labels' })
    expect(asked).toBeGreaterThan(20)
    for (const share of [0, 0.2, 0.5, 0.8, 0.95]) {
      const last = Math.floor(share * asked)
      let now = 0
      const part = exactFront(problem, { shouldStop: () => now++ >= last })
      expect(part).toMatchObject({ proven: false, method: 'search' })
      expect(part.count).toBeGreaterThan(10)
      expect(vectorsOf(problem, part)).toEqual(rowsOf(part, problem.figures + 1).map((row) => row.join()))
    }
  }, 240_000)

  test('a search goes on from what is known, and loses none of it', () => {
    const problem = randomProblem(11, 40, 'branches', { most: 900 })
    const stride = problem.figures + 1
    const known = drain(search(problem, { budget: 2_000 }))
    expect(drain(search(problem, { budget: 0 }, known))).toEqual(known)
    const found = drain(search(problem, { budget: 2_000 }, known))
    const archive = new Archive(stride, found.objectives)
    for (let i = 0; i < known.count; i++) expect(archive.covers(known.objectives, i * stride)).toBe(true)
    const before = new Archive(stride, known.objectives)
    const isNew = Array.from({ length: found.count }, (_, i) => !before.covers(found.objectives, i * stride))
    expect(isNew.filter(Boolean).length).toBeGreaterThan(found.count / 10)
  })

  test('a rough front takes few labels, and matches every placement of the whole one nearly', () => {
    const problem = randomProblem(11, 40, 'branches', { most: 900 })
    const stride = problem.figures + 1
    const plan = planOf(problem)
    const ready = drain(prepare(problem, plan))
    const rough = drain(meetLabels(problem, plan, new Archive(stride), 1e6, { epsilon: 0.03, ready }))
    const whole = rowsOf(exactFront(problem), stride)
    const rows = rough && vectorsOf(problem, rough).map((text) => text.split(',').map(Number))
    expect(rows?.length).toBeGreaterThan(50)
    expect(rows?.length).toBeLessThan(whole.length / 2)
    for (const row of whole)
      expect(rows?.some((each) => each.every((value, d) => value <= 1.1 * (row[d] as number)))).toBe(true)
    const few = drain(meetLabels(problem, plan, new Archive(stride), 200, { epsilon: 0, ready }))
    expect(few).toBeNull()
  }, 60_000)

  test('labels of four and five figures meet as well', () => {
    for (const figures of [4, 5]) {
      const problem = randomProblem(5 + figures, 9, 'branches', { figures, most: 90 })
      const met = drain(meetLabels(problem, planOf(problem), new Archive(figures + 1), 1e6))
      const vectors = new Set(met && vectorsOf(problem, met))
      for (const vector of bruteForce(problem)) expect(vectors.has(vector)).toBe(true)
    }
  })

  test('pauses often while it works out tables of wide cuts, and while it thins labels out', () => {
    const problem = randomProblem(4, 30, 'dense', { most: 900 })
    const plan = planOf(problem)
    expect(plan.widest).toBeGreaterThan(2_000)
    const stepsOf = (steps: Generator<unknown>) => [...steps].length
    expect(stepsOf(prepare(problem, plan))).toBeGreaterThan(30)
    expect(stepsOf(setLabels(problem, plan, new Float64Array(0), 2 * plan.widest))).toBeGreaterThan(250)
  }, 120_000)

  test('of 1,000 tasks comes as a heuristic front in small steps', () => {
    const problem = randomProblem(8, 1000, 'dense', { most: 900 })
    let steps = 0
    const work = frontSteps(problem, { maxLabels: 5000 })
    let step = work.next()
    for (; !step.done; step = work.next()) steps++
    expect(steps).toBeGreaterThan(3)
    expect(step.value.count).toBeGreaterThan(10)
    expect(step.value.proven).toBe(false)
  }, 240_000)

  test('no task, one task, and tasks without edges', () => {
    expect(exactFront(additiveProblem([], [])).objectives).toEqual(new Float64Array([0, 0]))
    const one = additiveProblem([{ time: [3, 5], figures: [[2], [1]] }], [])
    expect(exactFront(one).objectives).toEqual(new Float64Array([3, 2, 5, 1]))
    const free = additiveProblem(
      Array.from({ length: 30 }, (_, t) => ({ time: [1, 2], figures: [[t + 1], [0]] })),
      [],
    )
    expect(exactFront(free).objectives).toEqual(new Float64Array([1, 465, 2, 0]))
  })

  test('what makes no sense is refused with a sentence', () => {
    const task = { time: [1, 2], figures: [[1], [1]] }
    const time = [
      [0, 1],
      [1, 0],
    ]
    expect(() => additiveProblem([task, task], [{ from: 1, to: 0, time }])).toThrow(/not forward/)
    expect(() => additiveProblem([{ time: [-1], figures: [[1]] }], [])).toThrow(
      /time of task 0 on tier 0 .* not -1/,
    )
    expect(() => additiveProblem([{ time: [1], figures: [[Number.NaN]] }], [])).toThrow(/at least 0, not NaN/)
    expect(() => additiveProblem([{ time: [], figures: [] }], [])).toThrow(/at least one/)
    expect(() => additiveProblem([task, task], [{ from: 0, to: 1, time: [[0]] }])).toThrow(
      /edge 0 .* undefined/,
    )
  })
})
