import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Recorded, RunReplay } from './replay.ts'
import type { RunOutput, Span } from './types.ts'

const span = (
  task: string,
  seq: number,
  startedAt: number,
  endedAt: number,
  more: Partial<Span> = {},
): Span => ({
  task,
  device: 'd1',
  seq,
  tier: 'edge',
  worker: 'd1',
  queuedAt: startedAt - 1,
  startedAt,
  endedAt,
  breakdown: { network: 0, management: 1, dataExchange: 0, execution: endedAt - startedAt },
  bytesIn: 0,
  bytesOut: 0,
  items: 1,
  status: 'ok',
  attempt: 1,
  ...more,
})
const output = (task: string, seq: number): RunOutput => ({ task, device: 'd1', seq, data: 'x', value: seq })
const recorded: Recorded = {
  state: 'succeeded',
  startedAt: 100,
  endedAt: 200,
  spans: [
    span('sense', 0, 110, 150, { items: 2 }),
    span('judge', 0, 120, 130, { status: 'failed', error: 'no' }),
    span('judge', 0, 132, 140, { attempt: 2 }),
    span('judge', 1, 151, 160),
  ],
  tasks: [
    { task: 'sense', tier: 'edge', state: 'done', started: 1, done: 1, failed: 0 },
    { task: 'judge', tier: 'edge', state: 'done', started: 2, done: 2, failed: 0 },
    { task: 'never', tier: 'cloud', state: 'waiting', started: 0, done: 0, failed: 0 },
  ],
  outputs: [output('judge', 0), output('judge', 1)],
  outputCount: 5,
  logs: [{ at: 125, level: 'info', source: 'judge', text: 'hello' }],
  devices: [
    { at: 135, device: 'd2', state: 'lost', message: 'd2 is gone.' },
    { at: 170, device: 'd2', state: 'up', message: 'd2 is back.' },
  ],
  losses: [],
}
const tasksAt = (time: number) =>
  Object.fromEntries(
    new RunReplay(recorded)
      .at(time)
      .tasks.map(({ task, state, started, done, failed }) => [task, `${state} ${started} ${done} ${failed}`]),
  )

test('tasks have begun and ended what they had by then; tries of one invocation count once', () => {
  expect(tasksAt(100)).toEqual({ sense: 'waiting 0 0 0', judge: 'waiting 0 0 0', never: 'waiting 0 0 0' })
  expect(tasksAt(131)).toEqual({ sense: 'running 1 0 0', judge: 'running 1 0 0', never: 'waiting 0 0 0' })
  expect(tasksAt(150)).toMatchObject({ sense: 'done 1 1 0', judge: 'running 1 1 0' })
  expect(tasksAt(160)).toMatchObject({ judge: 'done 2 2 0' })
})

test('lines, outputs and devices are those of the time; an output keeps its number', () => {
  const replay = new RunReplay(recorded)
  const brief = (time: number) => {
    const { logs, outputs, outputCount, losses, state } = replay.at(time)
    return [logs.length, outputs.length, outputCount, losses.length, state]
  }
  expect(brief(124)).toEqual([0, 0, 3, 0, 'running'])
  expect(brief(140)).toEqual([1, 1, 4, 1, 'running'])
  expect(brief(180)).toEqual([1, 2, 5, 0, 'running'])
  const { spans: _, ...end } = recorded
  expect(replay.at(200)).toEqual(end)
  expect(replay.range).toEqual({ from: 100, to: 200 })
  expect([
    replay.step(125, true),
    replay.step(125, false),
    replay.step(199, true),
    replay.step(100, false),
  ]).toEqual([135, 120, 200, 100])
})

test('where the cursor came from does not matter: backwards is as forwards', () => {
  const time = fc.integer({ min: 90, max: 210 })
  fc.assert(
    fc.property(fc.array(time), time, (before, asked) => {
      const moved = new RunReplay(recorded)
      for (const each of before) moved.at(each)
      expect(moved.at(asked)).toEqual(new RunReplay(recorded).at(asked))
    }),
  )
})
