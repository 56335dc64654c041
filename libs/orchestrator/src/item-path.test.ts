import { check } from '@hivemind/dsl'
import { expect, test } from 'vitest'
import { ItemPaths } from './item-path.ts'
import type { Span } from './types.ts'

/** A sensor's stream to two readers, one behind a barrier, and orders that go back to each device. */
const text = `TaskGraph(list=['watch', 'near', 'far', 'plan', 'move'])
Data(frame, kind='stream', rate='10/s')
Task(watch, None, frame, 'watch.mjs', childTask=['near', 'far'])
Task(near, frame, turn, 'near.mjs', parentTask=['watch'], childTask=[])
Task(far, frame, found, 'far.mjs', parentTask=['watch'], childTask=['plan'])
Task(plan, found, orders, 'plan.mjs', parentTask=['far'], childTask=['move'])
Task(move, orders, None, 'move.mjs', role='actuator', parentTask=['plan'])
Synchronize(plan, 'all')
`
const { workflow } = check(text, { fileExists: () => true })
if (!workflow) throw new Error('The workflow does not parse.')

const span = (
  task: string,
  device: string,
  seq: number,
  from: number,
  to: number,
  more: Partial<Span> = {},
): Span => ({
  task,
  device,
  seq,
  tier: device === '*' || task === 'far' ? 'cloud' : 'edge',
  worker: device,
  queuedAt: from,
  startedAt: from,
  endedAt: to,
  breakdown: { network: 0, management: 0, dataExchange: 0, execution: to - from },
  bytesIn: 0,
  bytesOut: 0,
  items: 1,
  status: 'ok',
  attempt: 1,
  ...more,
})
const spans = [
  span('watch', 'a', 0, 0, 50, { items: 2 }),
  span('watch', 'b', 0, 0, 60, { items: 2 }),
  ...['a', 'b'].flatMap((device) => [0, 1].map((seq) => span('near', device, seq, 10 + seq, 20 + seq))),
  span('far', 'a', 0, 12, 30),
  span('far', 'a', 1, 22, 40, { status: 'failed', error: 'no' }),
  span('far', 'a', 1, 41, 55, { attempt: 2 }),
  span('far', 'b', 0, 12, 35),
  span('far', 'b', 1, 22, 70),
  span('plan', '*', 0, 71, 80),
  span('move', 'a', 0, 82, 90, { breakdown: { network: 0, management: 0, dataExchange: 0, execution: 8 } }),
  span('move', 'b', 0, 83, 95),
]
const paths = new ItemPaths(workflow, spans)
const wayOf = (task: string, device: string, seq: number) =>
  paths.pathOf({ task, device, seq }).map(({ span: { task, device, seq } }) => `${task} ${device} ${seq}`)

test('an item is followed from its sensor through the barrier to the device it came from', () => {
  expect(wayOf('far', 'a', 1)).toEqual(['watch a 0', 'far a 1', 'plan * 0', 'move a 0'])
  expect(wayOf('near', 'b', 1)).toEqual(['watch b 0', 'near b 1'])
  expect(wayOf('far', 'c', 1)).toEqual([])
})

test('from behind a barrier the input that ended last is followed, since the barrier waited for it', () => {
  const way = paths.pathOf({ task: 'plan', device: '*', seq: 0 })
  expect(way.map(({ span: { task, device, seq } }) => `${task} ${device} ${seq}`)).toEqual([
    'watch b 0',
    'far b 1',
    'plan * 0',
    'move a 0',
  ])
  expect(way[2]?.inputs).toEqual([{ step: 1, of: 4, leftAt: 70, readyAt: 71, crosses: false }])
  expect(way[3]?.inputs).toEqual([{ step: 2, of: 1, leftAt: 80, readyAt: 82, crosses: true }])
})

test('from a sensor the first item is followed, to every task below', () => {
  expect(wayOf('watch', 'b', 0)).toEqual(['watch b 0', 'near b 0', 'far b 0', 'plan * 0', 'move b 0'])
})

test('a step has all its tries, the last one counts', () => {
  const [, far] = paths.pathOf({ task: 'far', device: 'a', seq: 1 })
  expect(far?.tries.map(({ attempt, status }) => [attempt, status])).toEqual([
    [1, 'failed'],
    [2, 'ok'],
  ])
  expect(far?.span.attempt).toBe(2)
  expect(far?.inputs).toEqual([{ step: 0, of: 1, leftAt: 41, readyAt: 41, crosses: true }])
})

test('the time on the network of a single item lies between the end of its task and the next one', () => {
  const sent = new ItemPaths(workflow, [
    span('watch', 'a', 0, 0, 10, {
      breakdown: { network: 4, management: 0, dataExchange: 0, execution: 6 },
    }),
    span('far', 'a', 0, 10, 20),
  ])
  expect(sent.pathOf({ task: 'far', device: 'a', seq: 0 })[1]?.inputs).toEqual([
    { step: 0, of: 1, leftAt: 6, readyAt: 10, crosses: true },
  ])
})
