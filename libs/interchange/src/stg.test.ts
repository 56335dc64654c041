import { describe, expect, test } from 'vitest'
import { edgeTexts, expectRoundTrip } from '../test/roundtrip.ts'
import { ImportError, randomDag, readStg } from './index.ts'

const SMALL = `          4
          0          0          0
          1          2          1          0
          2          7          1          0
          3          1          2          1          2
          4          5          1          2
          5          0          2          3          4
# made up for this test
# Tasks: 4
`

test('tasks, times and edges; the dummy tasks are left out', () => {
  const imported = readStg(SMALL, { name: 'small', msPerUnit: 10 })
  expectRoundTrip(imported)
  expect(imported.name).toBe('small')
  expect(edgeTexts(imported.workflow)).toEqual(['task1 -> task3', 'task2 -> task3', 'task2 -> task4'])
  expect(
    imported.workflow.tasks.map(({ name }) => imported.profile.tasks[name]?.cloud?.serviceMs.mean),
  ).toEqual([20, 70, 10, 50])
  expect(imported.profile.tasks.task1?.origin).toBe('assumed')
  expect(imported.notes.join('\n')).toContain('The two dummy tasks at the ends')
  expect(imported.notes.join('\n')).toContain('without communication')
})

test('only one dummy, or none', () => {
  const one = readStg('2 3\n1 14 0\n2 20 1 1\n3 0 1 2\n')
  expect(edgeTexts(one.workflow)).toEqual(['task1 -> task2'])
  const none = readStg('2\r\n1 14 0\r\n2 20 1 1\r\n')
  expect(edgeTexts(none.workflow)).toEqual(['task1 -> task2'])
})

test('with communication times', () => {
  const text = '3\n0 0 0\n1 4 1\n0 0\n2 4 1\n1 3\n3 4 2\n1 5\n2 1\n4 0 1\n3 0\n'
  const imported = readStg(text, { bytesPerUnit: 1000 })
  expectRoundTrip(imported)
  expect(edgeTexts(imported.workflow)).toEqual(['task1 -> task2', 'task1 -> task3', 'task2 -> task3'])
  const sizes = Object.fromEntries(imported.workflow.data.map(({ name, size }) => [name, size?.value]))
  expect(sizes).toMatchObject({ task1_out: 5000, task2_out: 1000 })
  expect(imported.notes.join('\n')).toContain('stands for 1,000 bytes')
})

test('edges that follow from others are left out of a dense graph, and the order is the same', () => {
  const count = 260
  const lines = Array.from({ length: count }, (_, at) => {
    const before = Array.from({ length: at }, (_, parent) => parent).filter(
      (parent) => (parent * 7 + at) % 5 > 0,
    )
    return [at, 1, before.length, ...before].join(' ')
  })
  const imported = readStg(`${count}\n${lines.join('\n')}\n`)
  expectRoundTrip(imported)
  expect(imported.notes.join('\n')).toMatch(/\d+ of \d+ edges are left out/)
  const reach = (parents: number[][]) => {
    const sets = parents.map(() => new Set<number>())
    for (const [at, list] of parents.entries())
      for (const parent of list) {
        sets[at]?.add(parent)
        for (const further of sets[parent] ?? []) sets[at]?.add(further)
      }
    return sets.map((set) => [...set].sort((a, b) => a - b))
  }
  const given = lines.map((line) => line.split(' ').slice(3).map(Number))
  const kept = imported.workflow.tasks.map(({ parents }) => parents.map((name) => Number(name.slice(4))))
  expect(kept.flat().length).toBeLessThan(given.flat().length / 10)
  expect(reach(kept)).toEqual(reach(given))
})

describe('what is wrong is said with its line', () => {
  test.each<[string, string, RegExp]>([
    ['', 'the whole file', /no numbers/],
    ['# only a comment\n', 'the whole file', /no numbers/],
    ['hello', 'line 1', /'hello' is no number/],
    ['{"name": 1}', 'line 1', /is this a task graph/],
    ['1.5', 'line 1', /must be a whole number/],
    ['-3', 'line 1', /'-3' is no number/],
    ['999999999', 'line 1', /at most 10000 are read/],
    ['99999999999999999999', 'line 1', /no number from 0 to 1,000,000,000;/],
    ['3\n1 1 0\n', 'line 1', /3 tasks are announced .* but 1 follow/],
    ['1\n1 1 0\n2 1 0\n3 1 0\n4 1 0\n', 'line 1', /but 4 follow/],
    ['1\n1 1\n', 'line 2', /at least three numbers/],
    ['1\n\n1 -1 0\n', 'line 3', /'-1' is no number/],
    ['2\n1 1 0\n1 1 0\n', 'line 3', /task 1 is there twice/],
    ['2\n1 1 0\n2 1 2 1\n', 'line 3', /announces 2 predecessors, but 1 follow/],
    ['2\n1 1 0\n2 1 1 9\n', 'line 3', /predecessor 9 is no task/],
    ['2\n1 1 1 2\n2 1 1 1\n', 'line 3', /cycle.*: 'task2' -> 'task1' -> 'task2'/],
    ['1\n1 1 1\n', 'line 2', /1 predecessors of task 1 are missing/],
    ['2\n1 1 0\n2 1 1\n1 2 3\n', 'line 4', /two numbers, but there are 3/],
    ['0', 'its tasks', /there are none/],
  ])('%#: %j', (text, where, message) => {
    expect(() => readStg(text)).toThrow(ImportError)
    expect(() => readStg(text)).toThrow(message)
    expect(() => readStg(text)).toThrow(expect.objectContaining({ where }))
  })

  test('nonsense of many megabytes', () => {
    expect(() => readStg('7'.repeat(20_000_000))).toThrow(ImportError)
    expect(() => readStg('1 '.repeat(10_000_000))).toThrow(ImportError)
    expect(() => readStg('\n'.repeat(10_000_000))).toThrow(/no numbers/)
    expect(() => readStg('\n'.repeat(70_000_000))).toThrow(/at most 67108864 are read/)
  })
})

test('a random DAG written as a task graph comes back with the same edges', () => {
  for (const seed of [1, 2, 3]) {
    const { workflow } = randomDag({ tasks: 40, seed, jumps: 3 })
    const number = new Map(workflow.tasks.map(({ name }, at) => [name, at + 1]))
    const lines = workflow.tasks.map(({ name, parents }) =>
      [number.get(name), 5, parents.length, ...parents.map((parent) => number.get(parent))].join(' '),
    )
    expect(edgeTexts(readStg(`40\n${lines.join('\n')}`).workflow)).toEqual(edgeTexts(workflow))
  }
})
