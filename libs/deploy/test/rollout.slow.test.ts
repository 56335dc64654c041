/** A second version beside the first: what is replaced, what serves meanwhile, and the way back. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Placement } from '@hivemind/swarm'
import type { Task } from '@hivemind/workflow'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anyDevices, type Deployment, FunctionClient, localTarget, type Target } from '../src/index.ts'
import { projectSpec } from './example.ts'
import { probing } from './probe.ts'
import { processesIn, until } from './processes.ts'
import { expected, placements, projectDir, synthesised, walk } from './walk.ts'

const DEVICES = 2
const PROBE_MS = 50

let scratchDir = ''
let target: Target
let client: FunctionClient

beforeEach(() => {
  scratchDir = mkdtempSync(path.join(tmpdir(), 'hivemind-test-'))
  target = localTarget({ scratchDir })
  client = new FunctionClient()
})
afterEach(async () => {
  await client.close()
  await target.close()
  await until(() => processesIn(scratchDir).length === 0, 'a process is left', 10_000)
  rmSync(scratchDir, { recursive: true, force: true })
}, 60_000)

type Change = Record<string, Partial<Task>>

/** The second version: everything is loud. */
const louder: Change = { loud: { args: { atLeast: 0 } } }

async function deploy(placement: Placement, change: Change, current?: Deployment): Promise<Deployment> {
  const synthesis = await synthesised(placement, walk(change))
  const spec = { name: `walk-${++deployments}`, synthesis, projectDir, devices: anyDevices(DEVICES) }
  return target.apply(spec, current && { current })
}
let deployments = 0

const pidsOf = (on: Deployment): Record<string, number | undefined> =>
  Object.fromEntries(on.status().resources.map(({ name, pid }) => [name, pid]))

async function valuesOf(on: Deployment): Promise<unknown[]> {
  const { state, message, outputs } = await on.run()
  expect(state, message).toBe('succeeded')
  return outputs.map(({ value }) => value)
}

/** The sum that the second version gives: frame of value v measures 2v, on every device and item. */
const louderSum = Array.from({ length: DEVICES }, (_, device) => device * 10).reduce(
  (sum, first) => sum + [0, 1, 2, 3, 4, 5].reduce((all, item) => all + 2 * (first + item), 0),
  0,
)

test('one changed task: one function is replaced, under calls, and rolled back', {
  timeout: 240_000,
}, async () => {
  const first = await deploy(placements.cloud, {})
  expect(await valuesOf(first)).toEqual([expected(DEVICES)])
  const before = pidsOf(first)
  const changed = probing(client, PROBE_MS, first, 'loud', 'found', { sum: 6 })
  const other = probing(client, PROBE_MS, first, 'measure', 'frame', new Uint8Array(10).fill(3))

  const second = await deploy(placements.cloud, louder, first)
  const after = pidsOf(second)
  expect(Object.keys(after)).toEqual(Object.keys(before))
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['loud'])
  expect(await valuesOf(second)).toMatchObject([{ count: 12, sum: louderSum }])
  expect(first.status().state).toBe('stopped')

  const third = await deploy(placements.cloud, {}, second)
  expect(await valuesOf(third)).toEqual([expected(DEVICES)])
  const back = pidsOf(third)
  expect(Object.keys(back).filter((name) => back[name] !== after[name])).toEqual(['loud'])

  const [loud, measure] = await Promise.all([changed(), other()])
  expect(measure.length).toBeGreaterThan(20)
  expect(measure).toMatchObject(measure.map(() => [{ sum: 6 }]))
  // version 1 filters what version 2 lets through
  const versions = loud.map((items) => ((items as unknown[]).length === 0 ? 1 : 2))
  const turns = versions.filter((version, index) => version !== versions[index - 1])
  expect(turns).toEqual([1, 2, 1])
})

test('of an example whose tasks share a folder, one changed task replaces one function, under calls', {
  timeout: 240_000,
}, async () => {
  const dir = path.join(scratchDir, 'hello-swarm')
  cpSync(fileURLToPath(new URL('../../../examples/hello-swarm', import.meta.url)), dir, { recursive: true })
  const placement: Placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }
  const apply = async (current?: Deployment): Promise<Deployment> => {
    const spec = { ...(await projectSpec(dir, placement)), devices: anyDevices(1) }
    return target.apply({ ...spec, name: `hello-${++deployments}` }, current && { current })
  }
  const edit = (file: string, before: string, after: string): void => {
    const text = readFileSync(path.join(dir, file), 'utf8')
    expect(text).toContain(before)
    writeFileSync(path.join(dir, file), text.replace(before, after))
  }
  const reading = { station: 's', minute: 1, temperatureC: 10, humidity: 0.95 }

  const first = await apply()
  const before = pidsOf(first)
  const calls = probing(client, PROBE_MS, first, 'judge', 'reading', reading, 'hello-swarm')

  edit('tasks/summary.mjs', 'readings: verdicts.length', 'readings: -1')
  const second = await apply(first)
  const after = pidsOf(second)
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['summary'])
  expect(await valuesOf(second)).toMatchObject([{ readings: -1 }])

  edit('tasks/judge.py', "ground = 'wet'", "ground = 'dry'")
  const third = await apply(second)
  const last = pidsOf(third)
  expect(Object.keys(last).filter((name) => last[name] !== after[name])).toEqual(['judge'])
  // So that calls are made of it, too, however quick the deployment was.
  await pause(3 * PROBE_MS)

  const grounds = (await calls()).map((items) => (items as { ground: string }[]).map(({ ground }) => ground))
  expect(grounds.length).toBeGreaterThan(20)
  const turns = grounds.flat().filter((ground, index, all) => ground !== all[index - 1])
  expect(grounds.flat()).toHaveLength(grounds.length)
  expect(turns).toEqual(['wet', 'dry'])
})

test('agents load another version without a restart', { timeout: 240_000 }, async () => {
  const first = await deploy(placements.edge, {})
  const before = pidsOf(first)
  const second = await deploy(placements.edge, louder, first)
  expect(pidsOf(second)).toEqual(before)
  expect(await valuesOf(second)).toMatchObject([{ count: 12, sum: louderSum }])
  const third = await deploy(placements.edge, {}, second)
  expect(pidsOf(third)).toEqual(before)
  expect(await valuesOf(third)).toEqual([expected(DEVICES)])
})

test('tasks move from the cloud to the devices and back', { timeout: 240_000 }, async () => {
  const first = await deploy(placements.cloud, {})
  const second = await deploy(placements.edge, {}, first)
  expect(await valuesOf(second)).toEqual([expected(DEVICES)])
  const third = await deploy(placements.cloud, {}, second)
  expect(third.status().resources.filter(({ kind }) => kind === 'agent')).toEqual([])
  expect(await valuesOf(third)).toEqual([expected(DEVICES)])
})

test.each([
  ['cloud', placements.cloud],
  ['edge', placements.edge],
])(
  'on the %s, a version that cannot start leaves the one before as it was',
  { timeout: 240_000 },
  async (_, placement) => {
    const first = await deploy(placement, {})
    const before = pidsOf(first)
    const broken: Change = { ...louder, total: { args: { other: true } } }
    const synthesis = await synthesised(placement, walk(broken))
    const tasks = synthesis.plan.tasks.map((task) =>
      task.name === 'total' ? { ...task, code: 'tasks/gone.py' } : task,
    )
    const spec = {
      name: 'broken',
      synthesis: { ...synthesis, plan: { ...synthesis.plan, tasks } },
      projectDir,
      devices: anyDevices(DEVICES),
    }
    await expect(target.apply(spec, { current: first })).rejects.toThrow(/total/)
    expect(first.status().state).toBe('ready')
    expect(pidsOf(first)).toEqual(before)
    expect(await valuesOf(first)).toEqual([expected(DEVICES)])
  },
)
