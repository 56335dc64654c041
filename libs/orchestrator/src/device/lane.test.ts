import type { Up } from '@hivemind/agent-protocol'
import { MAX_READY_ON_DEVICE } from '@hivemind/swarm'
import type { Plan } from '@hivemind/synthesis'
import { encodeValue } from '@hivemind/values'
import { expect, test } from 'vitest'
import { planOf } from '../../test/plans.ts'
import type { WireItem, WorkResult } from './ports.ts'
import { DeviceRuntime } from './runtime.ts'

/** Runs a lane of a sensor and of what reads it; what the device has sent when nothing happens any more. */
async function sentBy(plan: Plan, itemsOf: (task: string, seq: number) => number): Promise<Up[]> {
  const sent: Up[] = []
  const runtime: DeviceRuntime = new DeviceRuntime(
    plan,
    { device: 'd1', slots: 1 },
    {
      now: () => sent.length,
      after: () => () => {},
      send: async (message) => void sent.push(message),
      execute: async ({ task, seq }, onItem): Promise<WorkResult> => {
        const items = itemsOf(task.name, seq)
        for (let index = 0; index < items; index += 1) await onItem({ value: encodeValue(index) }, index)
        return { items, executionMs: 0, waitedMs: 0, callMs: 0, bytesIn: 0 }
      },
      share: async (value) => ({ kind: 'inline', ...value }),
      pass: (task, item) => {
        for (const { name, parents } of plan.tasks)
          if (parents.includes(task)) queueMicrotask(() => runtime.arrived(name, item))
      },
      whenRoom: () => undefined,
      abortable: () => ({ signal: null, abort: () => {} }),
    },
  )
  runtime.handle({
    ...{ t: 'start', run: 'r', generation: 1, deployment: 'x', lane: 'd1', devices: ['d1'], inputs: {} },
    ...{ done: {}, states: {}, generators: {} },
  })
  await new Promise((resolve) => setTimeout(resolve, 50))
  return sent
}

test('what an earlier start of a lane emitted is not taken by a later one', async () => {
  const plan = planOf({ sense: { sensor: true }, act: { after: ['sense'], on: 'edge' } })
  const passed: WireItem[] = []
  const called: string[] = []
  const runtime = new DeviceRuntime(
    plan,
    { device: 'd1', slots: 1 },
    {
      now: () => 0,
      after: () => () => {},
      send: async () => {},
      execute: async ({ task, seq }, onItem) => {
        called.push(`${task.name} ${seq}`)
        if (task.name === 'sense') await onItem({ value: encodeValue(seq) }, 0)
        return { items: 1, executionMs: 0, waitedMs: 0, callMs: 0, bytesIn: 0 }
      },
      share: async (value) => ({ kind: 'inline', ...value }),
      pass: (_, item) => void passed.push(item),
      whenRoom: () => undefined,
      abortable: () => ({ signal: null, abort: () => {} }),
    },
  )
  const start = (generation: number): void =>
    runtime.handle({
      ...{ t: 'start', run: 'r', generation, deployment: 'x', lane: 'd1', devices: ['d1'], inputs: {} },
      ...{ done: {}, states: {}, generators: {} },
    })
  start(1)
  start(2)
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(passed.map(({ generation }) => generation)).toEqual([1, 2])
  const [old, own] = passed as [WireItem, WireItem]
  runtime.arrived('act', old)
  expect(called).toEqual(['sense 0', 'sense 0'])
  runtime.arrived('act', own)
  expect(called).toEqual(['sense 0', 'sense 0', 'act 0'])
})

test('a call that emits too many items has failed, and the lane goes on', async () => {
  const plan = planOf({ sense: { sensor: true }, act: { after: ['sense'], on: 'edge' } })
  const sent = await sentBy(plan, (task, seq) => (task === 'sense' ? 3 : seq === 1 ? 2 : 1))
  const ends = sent.filter((message) => 'task' in message && message.task === 'act' && message.t !== 'item')
  expect(ends.filter(({ t }) => t === 'done').map((message) => 'seq' in message && message.seq)).toEqual([
    0, 2,
  ])
  expect(ends.filter((message) => message.t === 'failed' && message.final)).toMatchObject([
    { seq: 1, kind: 'value', message: expect.stringContaining('2 items for one item of a stream') },
  ])
})

test.each([2, 3])('a call that emits %i values where one object was promised has failed', async (items) => {
  const plan = planOf({ once: { on: 'edge' }, act: { after: ['once'], on: 'edge' } })
  const sent = await sentBy(plan, (task) => (task === 'once' ? items : 1))
  expect(sent.filter(({ t }) => t === 'item').length).toBe(1)
  expect(sent.filter((message) => message.t === 'failed' && message.final)).toMatchObject([
    { task: 'once', seq: 0, kind: 'value', message: expect.stringContaining(`emitted ${items} values`) },
  ])
  expect(sent.some((message) => message.t === 'done')).toBe(false)
})

/** A lane of a sensor without end, whose items the next task on the device takes when it is told to. */
function fastSensor(whenRoom: () => Promise<void> | undefined = () => undefined) {
  const plan = planOf({ sense: { sensor: true }, act: { after: ['sense'], on: 'edge' } })
  const turns: (() => void)[] = []
  let emitted = 0
  const runtime: DeviceRuntime = new DeviceRuntime(
    plan,
    { device: 'd1', slots: 1 },
    {
      now: () => 0,
      after: () => () => {},
      send: async () => {},
      whenRoom,
      execute: async ({ task }, onItem) => {
        if (task.name === 'sense')
          for (; emitted < 1000; emitted += 1) await onItem({ value: encodeValue(emitted) }, emitted)
        else await new Promise<void>((resolve) => turns.push(resolve))
        return { items: 0, executionMs: 0, waitedMs: 0, callMs: 0, bytesIn: 0 }
      },
      share: async (value) => ({ kind: 'inline', ...value }),
      pass: (_, item) => runtime.arrived('act', item),
      abortable: () => ({ signal: null, abort: () => {} }),
    },
  )
  runtime.handle({
    ...{ t: 'start', run: 'r', generation: 1, deployment: 'x', lane: 'd1', devices: ['d1'], inputs: {} },
    ...{ done: {}, states: {}, generators: {} },
  })
  const settle = () => new Promise((resolve) => setTimeout(resolve, 10))
  return { settle, turns, runtime, emitted: () => emitted }
}

test('a sensor runs no further ahead of the tasks on its device than they may have ready', async () => {
  const { settle, turns, emitted } = fastSensor()
  await settle()
  // One is under way, and the item over the bound is the one that waits.
  expect(emitted()).toBe(MAX_READY_ON_DEVICE + 1)
  turns.shift()?.()
  turns.shift()?.()
  await settle()
  turns.shift()?.()
  await settle()
  expect(emitted()).toBe(MAX_READY_ON_DEVICE + 3)
})

test('a sensor that waits does not hold up the end of its run', async () => {
  const { settle, runtime, emitted } = fastSensor()
  await settle()
  runtime.stop()
  await settle()
  expect(emitted()).toBe(1000)
})

test('a sensor waits for a service that does not keep up', async () => {
  const room = Promise.withResolvers<void>()
  const { settle, turns, emitted } = fastSensor(() => (emitted() < 3 ? undefined : room.promise))
  await settle()
  expect(emitted()).toBe(3)
  room.resolve()
  await settle()
  expect(emitted()).toBeGreaterThan(3)
  expect(turns).toHaveLength(1)
})
