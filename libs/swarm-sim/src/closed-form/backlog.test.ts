import { expect, test } from 'vitest'
import { type Backlog, inOrder, joined, withOne } from './backlog.ts'

const of = (...entries: [string, number][]) =>
  entries.reduce<Backlog | undefined>((all, [resource, ms]) => withOne(all, resource, ms), undefined)
const entries = (all: Backlog | undefined) => inOrder(all).map(({ resource, ms }) => [resource, ms])

test('backlogs join as the entries of two maps do, and so does their sum', () => {
  const cases: [[string, number][], [string, number][]][] = [
    [[], []],
    [[['up', 0.1]], []],
    [[], [['up', 0.1]]],
    [
      [
        ['up', 0.1],
        ['core', 0.2],
      ],
      [
        ['cloud', 0.3],
        ['up', 0.1],
      ],
    ],
    [
      [
        ['up', 0.1],
        ['core', 0.2],
        ['down', 0.7],
      ],
      [
        ['up', 5],
        ['host', 0.3],
      ],
    ],
    [
      [
        ['up', 0.1],
        ['core', 0.2],
        ['down', 0.7],
      ],
      [
        ['down', 1 / 3],
        ['core', 1e-9],
      ],
    ],
  ]
  for (const [a, b] of cases) {
    const map = new Map([...a, ...b])
    const all = joined(of(...a), of(...b))
    expect(entries(all)).toEqual([...map])
    expect(all?.sumMs ?? 0).toBe([...map.values()].reduce((sum, each) => sum + each, 0))
  }
})

test('joining changes neither side, and shares what was there', () => {
  const a = of(['up', 1], ['core', 2], ['cloud', 3])
  const b = of(['core', 9])
  expect(entries(joined(a, b))).toEqual([
    ['up', 1],
    ['core', 9],
    ['cloud', 3],
  ])
  expect(entries(a)).toEqual([
    ['up', 1],
    ['core', 2],
    ['cloud', 3],
  ])
  expect(joined(a, of(['up', 1]))).toBe(a)
  expect(joined(a, of(['down', 1]))?.before).toBe(a)
})
