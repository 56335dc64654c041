import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Span } from '@hivemind/orchestrator'
import { expect, test } from 'vitest'
import { anyDevices, type Deployment, type DeploymentSpec } from '../src/index.ts'
import { projectSpec } from './example.ts'
import { freshTarget } from './fresh-target.ts'
import { expected, placed, projectDir, synthesised } from './walk.ts'

const DEVICES = 3
const onNodes = placed('edge-node', { frames: 'edge', position: 'edge' })

const fresh = freshTarget()

async function specOf(name: string, more: Partial<DeploymentSpec>): Promise<DeploymentSpec> {
  return { name, synthesis: await synthesised(onNodes), projectDir, devices: anyDevices(DEVICES), ...more }
}

const gateways = (count: number) => ({ edgeNodes: { name: 'gateway', count } })
const pidsOf = (on: Deployment) => new Map(on.status().resources.map(({ name, pid }) => [name, pid]))

test('a device has its items computed on the node that serves it, and one more node leaves the others alone', {
  timeout: 120_000,
}, async () => {
  const two = await fresh.target.apply(await specOf('two', gateways(2)))
  expect([...pidsOf(two).keys()].sort()).toEqual([
    'device-1',
    'device-2',
    'device-3',
    ...['locate', 'loud', 'measure'].flatMap((task) => [`${task}@gateway-1`, `${task}@gateway-2`]),
    'total',
  ])
  const { state, outputs, spans } = await two.run({ keepSpans: true })
  expect(state).toBe('succeeded')
  expect(outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
  const nodes = new Map<string, Set<string>>()
  for (const { task, tier, device, worker } of spans) {
    expect(tier).toBe(onNodes[task])
    if (tier !== 'edge-node') continue
    const node = /^\w+@(gateway-\d)/.exec(worker)?.[1] ?? worker
    nodes.set(device, (nodes.get(device) ?? new Set()).add(node))
  }
  expect(nodes).toEqual(
    new Map([
      ['device-1', new Set(['gateway-1'])],
      ['device-2', new Set(['gateway-2'])],
      ['device-3', new Set(['gateway-1'])],
    ]),
  )

  const next = await specOf('three', gateways(3))
  const { changes } = await fresh.target.plan(two, next)
  expect(changes.filter(({ action }) => action !== 'keep').map(({ name, action }) => [action, name])).toEqual(
    ['measure', 'locate', 'loud'].map((task) => ['create', `${task}@gateway-3`]),
  )
  const before = pidsOf(two)
  const three = await fresh.target.apply(next, { current: two })
  for (const [name, pid] of before) expect(pidsOf(three).get(name)).toBe(pid)
  const again = await three.run()
  expect(again.outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
})

test('a node whose processes are killed in the midst of a run goes on with its work', {
  timeout: 120_000,
}, async () => {
  const deployment = await fresh.target.apply(await specOf('killed', gateways(1)))
  let killed = 0
  const { state, message, outputs } = await deployment.run({
    onItem: () => {
      if (killed > 0) return
      for (const [name, pid] of pidsOf(deployment))
        if (name.endsWith('@gateway-1') && pid !== undefined) {
          process.kill(pid, 'SIGKILL')
          killed += 1
        }
    },
  })
  expect(killed).toBe(3)
  expect(state, message).toBe('succeeded')
  expect(outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
})

/** Most of these invocations that were under way at one moment. */
const mostAtOnce = (spans: readonly Span[]): number =>
  Math.max(
    ...spans.map(
      ({ startedAt: at }) => spans.filter(({ startedAt, endedAt }) => startedAt <= at && at < endedAt).length,
    ),
  )

test('each node takes as many calls at once as one function does: two take more than one', {
  timeout: 120_000,
}, async () => {
  const dir = path.join(fresh.scratchDir, 'project')
  mkdirSync(dir)
  writeFileSync(
    path.join(dir, 'small.hive.py'),
    `TaskGraph(list=['sense', 'work'])
Data(item, kind='stream')
Task(sense, None, item, 'sense.mjs', parentTask=None, childTask=['work'])
Task(work, item, done, 'work.mjs', parentTask=['sense'], childTask=[])
`,
  )
  const items = 'export function* run() { for (let n = 0; n < 12; n++) yield n }'
  writeFileSync(path.join(dir, 'sense.mjs'), items)
  const slow = 'export const run = ({ item }) => new Promise((done) => setTimeout(done, 1000, item))'
  writeFileSync(path.join(dir, 'work.mjs'), slow)
  const spec = await projectSpec(dir, { sense: 'edge', work: 'edge-node' })
  const most = async (nodes: number): Promise<number> => {
    const on = await fresh.target.apply({
      ...spec,
      name: `of-${nodes}`,
      devices: anyDevices(2),
      ...gateways(nodes),
    })
    const { state, message, spans } = await on.run({ keepSpans: true })
    expect(state, message).toBe('succeeded')
    await on.undeploy()
    return mostAtOnce(spans.filter(({ task }) => task === 'work'))
  }
  const [one, two] = [await most(1), await most(2)]
  expect(two).toBeGreaterThan(one)
})

test('without a node it is refused before anything is started', async () => {
  await expect(fresh.target.apply(await specOf('none', {}))).rejects.toThrow(
    "Task 'measure' is on an edge node, and the deployment has none: say how many.",
  )
})
