/** A run from a task on gives what the whole run gave, from the values that were kept of it. */
import type { ValueRef } from '@hivemind/values'
import { expect, test } from 'vitest'
import { planOf } from '../test/plans.ts'
import { rng } from '../test/random-plan.ts'
import { CALM, runWorld } from '../test/world.ts'
import { giveRecorded, planFrom, type RecordedItem, recordedItems } from './from-task.ts'

const DEVICES = ['d1', 'd2', 'd3']
const plan = planOf({
  cam: { on: 'edge', sensor: true },
  see: { on: 'edge', after: ['cam'], directives: { persist: true } },
  hear: { on: 'edge', after: ['cam'], directives: { persist: true } },
  judge: { on: 'cloud', after: ['see', 'hear'] },
  all: { on: 'cloud', after: ['judge'], directives: { synchronize: { kind: 'all' } } },
  log: { on: 'cloud', after: ['see'] },
})

const kept = (task: string, device: string, seq: number): RecordedItem => ({ task, device, seq })
const all = ['see', 'hear'].flatMap((task) =>
  DEVICES.flatMap((device) => [0, 1, 2].map((seq) => kept(task, device, seq))),
)

/** The value of an item: in the store under its own name. */
const refOf = ({ task, device, seq }: RecordedItem): ValueRef => ({
  kind: 'stored',
  pool: 'old',
  key: `${task}/${device}/${seq}`,
  version: 1,
  size: 1,
  type: '',
})

async function runFrom(
  task: string,
  outputs: readonly RecordedItem[],
  chosen?: { device: string; seq: number },
) {
  const part = planFrom(plan, task)
  const values = Object.fromEntries(
    Object.entries(recordedItems(part, outputs, chosen)).map(([task, lanes]) => [
      task,
      Object.fromEntries(Object.entries(lanes).map(([lane, items]) => [lane, items.map(refOf)])),
    ]),
  )
  return runWorld(part.plan, DEVICES, () => 1, rng(1), CALM, {
    wrap: (ports) => ({
      ...ports,
      invoke: async (work, onItem, signal) =>
        part.recorded.includes(work.task.name)
          ? giveRecorded(work, values, onItem, ports.now)
          : ports.invoke(work, onItem, signal),
    }),
  })
}

/** Tasks and lanes that were called, each with its number of calls. */
const calls = ({ work }: Awaited<ReturnType<typeof runFrom>>) => {
  const counts: Record<string, number> = {}
  for (const { phase, key } of work) {
    const [task = ''] = key.split(' ')
    if (phase === 'begin') counts[task] = (counts[task] ?? 0) + 1
  }
  return counts
}

test('only the task and what follows it are called, once for each recorded item', async () => {
  const run = await runFrom('judge', all)
  expect(run.outcome).toMatchObject({ state: 'succeeded', losses: [] })
  expect(calls(run)).toEqual({ judge: 9, all: 1 })
  expect(run.outputs.map(({ device }) => device)).toEqual(['*'])
})

test('a parent of another task than the chosen one is recorded too', async () => {
  expect(planFrom(plan, 'all').recorded).toEqual(['judge'])
  expect(planFrom(plan, 'log').recorded).toEqual(['see'])
  expect(planFrom(plan, 'judge').plan.tasks.map(({ name }) => name)).toEqual(['see', 'hear', 'judge', 'all'])
})

test('of two parents, the items that both have kept', async () => {
  const run = await runFrom(
    'judge',
    all.filter(({ task, device, seq }) => !(task === 'see' && device === 'd2' && seq === 1)),
  )
  expect(calls(run)).toEqual({ judge: 8, all: 1 })
})

test('of a device on which one of two parents has kept nothing, no item', async () => {
  const part = planFrom(plan, 'judge')
  const without = (device: string) => all.filter((item) => !(item.task === 'hear' && item.device === device))
  expect(recordedItems(part, without('d1')).see).toMatchObject({ d1: [], d2: [{}, {}, {}] })
  expect(calls(await runFrom('judge', without('d1')))).toEqual({ judge: 6, all: 1 })
  const apart = all.filter(({ task, device }) => (task === 'hear') === (device === 'd1'))
  expect(() => recordedItems(part, apart)).toThrow('have no item in common')
})

test('one item alone', async () => {
  const run = await runFrom('judge', all, { device: 'd3', seq: 2 })
  expect(run.outcome.state).toBe('succeeded')
  expect(calls(run)).toEqual({ judge: 1, all: 1 })
  expect(() => recordedItems(planFrom(plan, 'judge'), all, { device: 'd3', seq: 7 })).toThrow(
    'Item 7 of d3 is not among what the run has kept.',
  )
})

test('what cannot be is said, with what to do', () => {
  expect(() => planFrom(plan, 'nothing')).toThrow("no task 'nothing' in what is deployed; it has cam, see")
  expect(() => planFrom(plan, 'see')).toThrow("'see' would run on devices")
  expect(() => planFrom(planOf({ alone: { on: 'cloud' } }), 'alone')).toThrow('reads nothing of other tasks')
  expect(() =>
    recordedItems(
      planFrom(plan, 'judge'),
      all.filter(({ task }) => task === 'hear'),
    ),
  ).toThrow("has not kept what 'see' gave: put it under Persist")
})
