import { topologyOf } from '@hivemind/orchestrator'
import type { Plan, PlanTask } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import { Deliveries } from './deliveries.ts'
import { Exclusion } from './exclusion.ts'
import { OUTSIDE, RunOnAgent } from './run.ts'
import { fromWire, sizeOf, toWire } from './values.ts'

function task(name: string, tier: 'edge' | 'cloud', parents: string[], children: string[]): PlanTask {
  return {
    name,
    tier,
    parents,
    children,
    runtime: 'node',
    code: `${name}.mjs`,
    args: {},
    dataIn: parents.map((parent) => `${parent}Out`),
    dataOut: `${name}Out`,
    scope: 'device',
    kindIn: 'object',
    kindOut: 'object',
    serialWith: [],
    isolate: false,
    restore: 'respawn',
    persist: false,
    priority: 0,
    timeoutMs: 1000,
    memoryMB: 100,
    bundle: null,
  }
}

const tasks = [
  task('cam', 'edge', [], ['both']),
  task('map', 'edge', [], ['both']),
  task('plan', 'cloud', [], ['both']),
  task('both', 'edge', ['cam', 'map', 'plan'], []),
]
const plan: Plan = {
  schema: 'hivemind.plan/1',
  workflow: 'w',
  placement: {},
  tasks,
  links: ['cam', 'map', 'plan'].map((from) => ({
    from,
    to: 'both',
    data: [`${from}Out`],
    transport: from === 'plan' ? 'thrift' : 'wire',
  })),
  inputs: [],
  sinks: ['both'],
  names: { tasks: {}, data: {} },
}

test('a join waits for its wired parents and for what comes from outside; objects go with every item', () => {
  const run = new RunOnAgent('r', ['d1'], undefined, topologyOf(plan))
  const at = (seq: number, attempt = 1) => ({ run: 'r', device: 'd1', seq, attempt, delivery: 1 })
  expect(run.offer('both', at(0), 'cam', 'c0', undefined).ready).toEqual([])
  run.offer('both', at(1), 'cam', 'c1', undefined)
  run.offer('both', at(0), 'map', 'm', undefined)
  const first = run.offer('both', at(0), OUTSIDE, { planOut: 'p' }, 'object')
  expect(first.ready).toEqual([{ seq: 0, parts: { cam: 'c0', map: 'm', [OUTSIDE]: { planOut: 'p' } } }])
  run.setInputShape('cam', at(0), 'object')
  run.setInputShape('map', at(0), 'object')
  expect(run.invocationDone('cam', at(0), 2)).toEqual([])
  const [second] = run.invocationDone('map', at(0), 1)
  expect(second?.ready.map(({ seq, parts }) => [seq, parts.map])).toEqual([[1, 'm']])
  expect(second?.shape).toBe('stream')
  expect(run.offer('both', at(0, 2), 'cam', 'c0', undefined).ready).toEqual([])
})

test('a delivery ends when every message below it has been dealt with', () => {
  const ended: number[] = []
  const deliveries = new Deliveries((_, epoch) => ended.push(epoch))
  const key = { run: 'r', task: 't', device: 'd', seq: 0 }
  const id = deliveries.begin(key, 7)
  deliveries.hold(id, 2)
  deliveries.release(id)
  deliveries.release(id)
  expect(ended).toEqual([])
  deliveries.release(id)
  expect(ended).toEqual([7])
  deliveries.release(id)
  deliveries.begin(key, 8)
  deliveries.drop('r')
  expect(ended).toEqual([7])
})

test('what excludes each other is kept apart, other names are not', async () => {
  const exclusion = new Exclusion()
  const order: string[] = []
  const free = await exclusion.take(['a', 'b'])
  const second = exclusion.take(['b']).then((give) => {
    order.push('b')
    give()
  })
  const third = exclusion.take(['c']).then((give) => {
    order.push('c')
    give()
  })
  await third
  expect(order).toEqual(['c'])
  free()
  await second
  expect(order).toEqual(['c', 'b'])
})

test('values survive the wire, and their size is known without encoding them', () => {
  const value = { n: 1, f: 1.5, t: 'grün', b: new Uint8Array([1, 2]), l: [null, true, -70_000], o: {} }
  const wire = toWire('x', value)
  const back = fromWire(wire) as typeof value
  expect({ ...back, b: [...back.b] }).toEqual({ ...value, b: [1, 2] })
  expect(Math.abs(sizeOf(value) - wire.payload.length)).toBeLessThan(8)
  expect(sizeOf(new Uint8Array(100_000))).toBe(100_005)
})
