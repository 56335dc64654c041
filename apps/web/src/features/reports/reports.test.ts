import type { Task, Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { csv } from './csv.ts'
import { fileName } from './download.ts'
import * as format from './format.ts'
import { arrange } from './graphLayout.ts'

describe('figures for people', () => {
  test('three significant digits and a fitting unit', () => {
    expect(format.time(0)).toBe('0 ms')
    expect(format.time(12.3456)).toBe('12.3 ms')
    expect(format.time(2345)).toBe('2.35 s')
    expect(format.time(90_000)).toBe('1.5 min')
    expect(format.time(0.0123)).toBe('12.3 µs')
    expect(format.energy(12_345)).toBe('12.3 kJ')
    expect(format.bandwidth(0.0123)).toBe('12.3 kB/s')
    expect(format.bytes(2_000_000)).toBe('2 MB')
    expect(format.cost(0.4)).toBe('$0.400')
    expect(format.cost(0.00012)).toBe('$0.00012')
    expect(format.share(0.123)).toBe('12%')
    expect(format.number(1234)).toBe('1,234')
    expect(format.time(Number.NaN)).toBe('–')
  })
  test('counts, however large', () => {
    expect(format.count(1, 'task')).toBe('1 task')
    expect(format.count(12_345, 'task')).toBe('12,345 tasks')
    expect(format.whole(2 ** 1000)).toBe('1.1e+301')
    expect(format.count(Number.MAX_VALUE, 'task')).toBe('over 10^308 tasks')
  })
  test('deviations', () => {
    expect(format.deviation(110, 100)).toBe('+10%')
    expect(format.deviation(50, 100)).toBe('−50%')
    expect(format.deviation(340, 100)).toBe('×3.4')
    expect(format.deviation(100, 100)).toBe('±0%')
    expect(format.deviation(1, 0)).toBe('–')
  })
  test('times ago, in the largest whole unit', () => {
    const now = Date.UTC(2026, 10, 21, 12)
    const ago = (seconds: number) => format.ago(new Date(now - seconds * 1000).toISOString(), now)
    expect([-5, 2.9, 3, 59, 60, 3599, 3600, 86_399, 86_400 * 2].map(ago)).toEqual([
      'now',
      'now',
      '3 s ago',
      '59 s ago',
      '1 min ago',
      '59 min ago',
      '1 h ago',
      '23 h ago',
      '2 d ago',
    ])
    expect(format.ago('never', now)).toBe('–')
  })
  test('instants of today are clock times', () => {
    const now = new Date(2026, 10, 21, 12)
    expect(format.instant(new Date(2026, 10, 21, 9, 5, 7).toISOString(), now)).toBe('09:05:07')
    expect(format.instant(new Date(2026, 10, 20, 9, 5, 7).toISOString(), now)).toBe('20 Nov 2026, 09:05:07')
  })
})

test('CSV quotes what it must, and no cell becomes a formula', () => {
  expect(
    csv(
      ['a', 'b'],
      [
        ['x,"y"', 1],
        ['=1+1', undefined],
        [-3, true],
      ],
    ),
  ).toBe('a,b\r\n"x,""y""",1\r\n\'=1+1,\r\n-3,true\r\n')
})

test('file names are plain', () => {
  expect(fileName('csv', 'People / recognition', 'ab12')).toBe('people-recognition-ab12.csv')
  expect(fileName('json', '///')).toBe('hivemind.json')
})

describe('the read-only canvas', () => {
  const task = (name: string, parents: string[], children: string[]): Task => ({
    name,
    dataIn: [],
    dataOut: null,
    code: 'tasks/a.py',
    parents,
    children,
    args: {},
    directives: {},
  })
  const workflow: Workflow = {
    schema: 'hivemind.workflow/1',
    tasks: [task('a', [], ['b']), task('b', ['a'], ['c']), task('c', ['b'], ['d']), task('d', ['c'], [])],
    data: [],
    relations: [],
    constraints: [],
  }
  const own = { nodes: Object.fromEntries(workflow.tasks.map(({ name }, n) => [name, { x: n * 300, y: 7 }])) }

  test("keeps the person's arrangement where it can be read", () => {
    const { flow, positions } = arrange(workflow, own, { width: 1000, height: 300 })
    expect(flow).toBe('right')
    expect(positions.get('d')).toEqual({ x: 900, y: 7 })
  })
  test('goes from top to bottom in a narrow box, parents above children', () => {
    const { flow, positions } = arrange(workflow, own, { width: 380, height: 300 })
    expect(flow).toBe('down')
    const heights = ['a', 'b', 'c', 'd'].map((name) => positions.get(name)?.y ?? 0)
    expect(heights).toEqual([...heights].sort((a, b) => a - b))
  })
  test('makes an arrangement when the own one lacks a task', () => {
    const { positions } = arrange(workflow, { nodes: { a: { x: 5, y: 5 } } }, undefined)
    expect(positions.get('a')).not.toEqual({ x: 5, y: 5 })
    expect(positions.size).toBe(4)
  })
})
