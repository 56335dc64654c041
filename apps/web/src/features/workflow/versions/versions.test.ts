import { check } from '@hivemind/dsl'
import { fleetByName } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { expect, test } from 'vitest'
import { placementBy } from './figures.ts'
import { diffOf, summaryOf } from './versionDiff.ts'

const parsed = (text: string): Workflow => {
  const { workflow } = check(text, { fileExists: () => true })
  if (!workflow) throw new Error('The workflow does not parse.')
  return workflow
}
const before = parsed(`TaskGraph(list=['sense', 'detect', 'count', 'show'])
Data(frames, kind='stream', size='1MB')
Task(sense, None, frames, 'sense.js', childTask=['detect'])
Task(detect, frames, found, 'detect.js', parentTask=['sense'], childTask=['count'], limit=3, mode='fast')
Task(count, found, total, 'count.js', parentTask=['detect'], childTask=['show'])
Task(show, total, None, 'show.js', parentTask=['count'])
`)
const after = parsed(`TaskGraph(list=['sense', 'shrink', 'detect', 'count'])
Data(frames, kind='stream', size='2MB')
Task(sense, None, frames, 'sense.js', childTask=['shrink'])
Task(shrink, frames, small, 'shrink.js', parentTask=['sense'], childTask=['detect'])
Task(detect, small, found, 'detect.js', parentTask=['shrink'], childTask=['count'], mode='fast', limit=3)
Task(count, found, total, 'count.js', parentTask=['detect'])
Persist(count)
`)

test('tasks and edges that were added, removed and changed, and what of them changed', () => {
  const { tasks, edges, union } = diffOf(before, after, new Set(['count.js']))
  expect(Object.fromEntries(tasks)).toEqual({
    sense: { change: 'changed', what: ['data frames'] },
    shrink: { change: 'added', what: [] },
    // The order of arguments means nothing.
    detect: { change: 'changed', what: ['what it reads'] },
    count: { change: 'changed', what: ['code in count.js', 'persist'] },
    show: { change: 'removed', what: [] },
  })
  expect(Object.fromEntries(edges)).toEqual({
    'sense>shrink': 'added',
    'shrink>detect': 'added',
    'sense>detect': 'removed',
    'count>show': 'removed',
  })
  expect(union.tasks.map(({ name }) => name)).toEqual(['sense', 'shrink', 'detect', 'count', 'show'])
  expect(union.tasks.find(({ name }) => name === 'sense')?.children).toEqual(['shrink', 'detect'])
  expect(summaryOf(diffOf(before, after, new Set()))).toBe(
    '3 tasks changed, 1 added, 1 removed; 2 edges added, 2 removed.',
  )
})

test('a version is the same as itself; the other way round what was added was removed', () => {
  const { tasks, edges } = diffOf(after, after, new Set())
  expect([tasks.size, edges.size]).toEqual([0, 0])
  expect(summaryOf(diffOf(after, after, new Set()))).toBe('No task and no edge differs.')
  const back = diffOf(after, before, new Set())
  expect([back.tasks.get('shrink')?.change, back.tasks.get('show')?.change]).toEqual(['removed', 'added'])
  expect(back.edges.get('sense>detect')).toBe('added')
})

test('both versions are placed by one rule: as deployed, or all that may on one tier', () => {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('There is no fleet.')
  const deployed = { sense: 'edge', detect: 'edge', count: 'cloud', show: 'cloud' } as const
  expect(placementBy('deployed', after, fleet, deployed)).toEqual({
    sense: 'edge',
    shrink: 'cloud',
    detect: 'edge',
    count: 'cloud',
  })
  expect(placementBy('edge', after, fleet, deployed)).toMatchObject({
    sense: 'edge',
    shrink: 'edge',
    detect: 'edge',
  })
  // A sensor stays on its device.
  expect(placementBy('cloud', before, fleet, undefined)).toEqual({
    sense: 'edge',
    detect: 'cloud',
    count: 'cloud',
    show: 'cloud',
  })
})
