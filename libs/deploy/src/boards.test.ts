/** Tasks on the fabric and the boards they need; `libs/fabric/test/tier.hdl.test.ts` runs them. */
import { synthesise } from '@hivemind/synthesis'
import type { Workflow } from '@hivemind/workflow'
import { afterAll, expect, test } from 'vitest'
import { changesOf } from './changes.ts'
import { anyDevices, type DeploymentSpec, type FunctionPlace, localTarget } from './index.ts'

const names = ['sense', 'low', 'high'] as const
const codes = { sense: 'tasks/sense.mjs', low: 'nfu:min?window=4', high: 'nfu:max?window=4' }
const workflow: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: names.map((name) => ({
    name,
    dataIn: name === 'sense' ? [] : ['senseOut'],
    dataOut: `${name}Out`,
    code: codes[name],
    parents: name === 'sense' ? [] : ['sense'],
    children: name === 'sense' ? ['low', 'high'] : [],
    args: {},
    directives: {},
  })),
  data: names.map((name) => ({ name: `${name}Out`, declared: false })),
  relations: [],
  constraints: [],
}

const spec = (
  boards: Record<string, string>,
  low: 'fabric' | 'cloud' = 'fabric',
  more: Partial<DeploymentSpec> = {},
): DeploymentSpec => ({
  name: 'd',
  projectDir: '/nowhere',
  devices: anyDevices(1),
  boards,
  synthesis: synthesise({
    name: 'w',
    workflow,
    placement: { sense: 'edge', low, high: 'fabric' },
    files: [{ path: 'tasks/sense.mjs', hash: 'sense', bytes: 1 }],
  }),
  ...more,
})

const target = localTarget()
afterAll(() => target.close())

test('a task on the fabric without a board is refused before anything is started', async () => {
  await expect(target.apply(spec({ low: '/tmp/a' }))).rejects.toThrow(
    "Task 'high' is on the fabric, and there is no board for it: start one with the engine distil, or place the task elsewhere.",
  )
})

test('two tasks do not share a board', async () => {
  await expect(target.apply(spec({ low: '/tmp/a', high: '/tmp/a' }))).rejects.toThrow(
    "Tasks 'low' and 'high' have the same board, which runs one network function: give each its own.",
  )
})

test('functions on a cluster have no boards', async () => {
  const on = { kind: 'knative', place: 'cluster x', onThisMachine: false } as FunctionPlace
  await expect(target.apply(spec({ low: '/tmp/a', high: '/tmp/b' }, 'fabric', { on }))).rejects.toThrow(
    /functions on cluster x cannot reach them yet/,
  )
})

test('a board that does not run is named, and nothing is left', { timeout: 60_000 }, async () => {
  const applied = target.apply(spec({ low: '/tmp/no-board-a', high: '/tmp/no-board-b' }))
  await expect(applied).rejects.toThrow(
    /Task '(low|high)' on the board in '\/tmp\/no-board-[ab]': .*no board runs there; `hivemind fabric sim` runs one/,
  )
})

test('a change of the board is a change of its function, and its agents stay', () => {
  const before = spec({ low: '/tmp/a', high: '/tmp/b' })
  const of = (after: DeploymentSpec) =>
    Object.fromEntries(changesOf(before, after).map(({ name, action, why }) => [name, `${action}: ${why}`]))
  expect(of(spec({ low: '/tmp/c', high: '/tmp/b' }))).toEqual({
    low: 'change: Changed: board of the fabric.',
    high: 'keep: Code and settings are the same.',
    'device-1': 'keep: Its tasks are the same.',
  })
  expect(of(spec({ high: '/tmp/b' }, 'cloud')).low).toBe('change: Changed: the fabric is left.')
})
