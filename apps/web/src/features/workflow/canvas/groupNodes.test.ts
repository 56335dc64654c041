import { expect, test } from 'vitest'
import type { LinkEdge, TaskNode } from './graph.ts'
import { foldedEdges, groupId, groupNodes, groupOfId, hiddenTasks } from './groupNodes.ts'

const edge = (source: string, target: string, label = ''): LinkEdge => ({
  id: `${source}>${target}`,
  type: 'data',
  source,
  target,
  data: { label, detail: '' },
})
const node = (id: string, x: number, y: number, errors = 0): TaskNode =>
  ({
    id,
    type: 'task',
    position: { x, y },
    width: 192,
    height: 60,
    selected: true,
    data: { errors, warnings: 1 },
  }) as TaskNode
const groups = new Map([['Eyes', ['b', 'c']]])
const eyes = groupId('Eyes')

test('edges lead to the card of a folded group, one for each pair, and those within it are gone', () => {
  const edges = [
    edge('a', 'b', 'x'),
    edge('a', 'c', 'y'),
    edge('b', 'c', 'z'),
    edge('c', 'd', 'w'),
    edge('a', 'd', 'v'),
  ]
  const hidden = hiddenTasks(groups, new Set(['Eyes']))
  const shown = foldedEdges(edges, hidden)
  expect(shown.map(({ source, target, data }) => [source, target, data?.label])).toEqual([
    ['a', 'd', 'v'],
    ['a', eyes, 'x, y'],
    [eyes, 'd', 'w'],
  ])
  expect(foldedEdges(edges, hiddenTasks(groups, new Set()))).toEqual(edges)
})

test('more than two pieces of data on one edge are counted', () => {
  const hidden = hiddenTasks(groups, new Set(['Eyes']))
  expect(foldedEdges([edge('a', 'b', 'x, y'), edge('a', 'c', 'z')], hidden)[0]?.data?.label).toBe('3 data')
})

test('a frame lies around its tasks, a card in their place; both know their problems', () => {
  const tasks = new Map([node('b', 100, 50, 2), node('c', 500, 300)].map((one) => [one.id, one]))
  const [frame] = groupNodes(groups, tasks, new Set())
  expect(frame?.position).toEqual({ x: 80, y: -2 })
  expect(frame).toMatchObject({ width: 632, height: 382, data: { errors: 2, warnings: 2, selected: true } })
  const [card] = groupNodes(groups, tasks, new Set(['Eyes']))
  expect(card).toMatchObject({ position: { x: 100, y: 50 }, width: 192, data: { folded: true } })
  expect(groupOfId(card?.id ?? '')).toBe('Eyes')
  expect(groupOfId('task')).toBeUndefined()
})
