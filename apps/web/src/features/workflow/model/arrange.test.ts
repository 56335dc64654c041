import { check } from '@hivemind/dsl'
import { expect, test } from 'vitest'
import { aligned, distributed, nearest, tidied } from './arrange.ts'
import { NODE_WIDTH } from './card.ts'

const points = { a: { x: 0, y: 0 }, b: { x: 300, y: 100 }, c: { x: 100, y: 400 }, d: { x: 900, y: 40 } }
const three = ['a', 'b', 'c']
const heightOf = (task: string): number => (task === 'b' ? 82 : 60)

test('tasks are aligned by their edges and middles, also those of different heights', () => {
  const xs = (to: Parameters<typeof aligned>[2]) =>
    Object.values(aligned(points, three, to, heightOf)).map(({ x }) => x)
  const ys = (to: Parameters<typeof aligned>[2]) =>
    Object.values(aligned(points, three, to, heightOf)).map(({ y }) => y)
  expect(xs('left')).toEqual([0, 0, 0])
  expect(xs('right')).toEqual([300, 300, 300])
  expect(xs('centre')).toEqual([150, 150, 150])
  expect(ys('left')).toEqual([0, 100, 400])
  expect(ys('top')).toEqual([0, 0, 0])
  expect(ys('bottom')).toEqual([400, 378, 400])
  expect(ys('middle')).toEqual([200, 189, 200])
  expect(aligned(points, three, 'left', heightOf)).not.toHaveProperty('d')
})

test('tasks are distributed between the outermost two, which stay', () => {
  expect(distributed(points, ['a', 'b', 'c', 'd'], 'x')).toEqual({
    a: { x: 0, y: 0 },
    c: { x: 300, y: 400 },
    b: { x: 600, y: 100 },
    d: { x: 900, y: 40 },
  })
  expect(distributed(points, ['b'], 'y')).toEqual({ b: { x: 300, y: 100 } })
})

test('selected tasks go into layers, where the leftmost and topmost of them were', () => {
  const { workflow } = check(`TaskGraph(list=['a', 'b', 'c', 'd'])
Task(a, None, x, 'a.js', childTask=['b', 'd'])
Task(b, x, y, 'b.js', parentTask=['a'], childTask=['c'])
Task(c, y, z, 'c.js', parentTask=['b'])
Task(d, x, w, 'd.js', parentTask=['a'])
`)
  if (!workflow) throw new Error('The workflow does not parse.')
  const placed = tidied(workflow, points, ['b', 'c'])
  expect(Object.keys(placed).sort()).toEqual(['b', 'c'])
  expect(placed.b).toEqual({ x: 100, y: 100 })
  expect(placed.c?.x).toBeGreaterThan(100 + NODE_WIDTH)
  expect(placed.c?.y).toBe(100)
})

test('the nearest task in a direction, of those that lie there rather than beside', () => {
  expect(nearest(points, 'a', 'right')).toBe('b')
  expect(nearest(points, 'b', 'right')).toBe('d')
  expect(nearest(points, 'b', 'left')).toBe('a')
  expect(nearest(points, 'a', 'down')).toBe('c')
  expect(nearest(points, 'd', 'right')).toBeUndefined()
  expect(nearest(points, 'nobody', 'right')).toBeUndefined()
})
