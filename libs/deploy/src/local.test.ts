/** One deployment of real processes: gateway, functions, two agents with Node-RED. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { RunEvent } from '@hivemind/orchestrator'
import { localFleet } from '@hivemind/swarm'
import { buildModel } from '@hivemind/swarm-sim'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { processesIn } from '../test/processes.ts'
import { expected, placements, projectDir, synthesised, taskNames, walk } from '../test/walk.ts'
import { type Deployment, type DeploymentSpec, type ItemSent, localTarget } from './index.ts'

const scratchDir = mkdtempSync(path.join(tmpdir(), 'hivemind-test-'))
let spec: DeploymentSpec
let deployment: Deployment

beforeAll(async () => {
  spec = { name: 'walk', synthesis: await synthesised(placements.hybrid), projectDir, agents: 2 }
  deployment = await localTarget({ scratchDir }).apply(spec)
})
afterAll(async () => {
  await deployment?.undeploy()
  rmSync(scratchDir, { recursive: true, force: true })
})

test('a hybrid placement runs from sensors to result, with a span for every invocation', {
  timeout: 60_000,
}, async () => {
  const events: RunEvent[] = []
  const result = await deployment.run({ onEvent: (event) => events.push(event) })
  expect(result).toMatchObject({ state: 'succeeded', losses: [] })
  expect(result.outputs).toEqual([{ task: 'total', data: 'report', device: '*', seq: 0, value: expected(2) }])
  const spans = Object.fromEntries(
    taskNames.map((name) => [name, result.spans.filter(({ task }) => task === name).length]),
  )
  expect(spans).toEqual({ frames: 2, position: 2, measure: 12, locate: 12, loud: 12, total: 1 })
  for (const span of result.spans) {
    const { network, management, dataExchange, execution } = span.breakdown
    expect(Math.min(network, management, dataExchange, execution)).toBeGreaterThanOrEqual(0)
    expect(network + management + dataExchange + execution).toBeLessThan(span.endedAt - span.queuedAt + 50)
    expect(span.startedAt).toBeGreaterThanOrEqual(span.queuedAt - 1)
    expect(span.endedAt).toBeGreaterThanOrEqual(span.startedAt)
  }
  const frames = result.spans.filter(({ task }) => task === 'frames')
  expect(frames.map(({ items, worker }) => [items, worker]).sort()).toEqual([
    [6, 'device-1'],
    [6, 'device-2'],
  ])
  expect(frames.every(({ breakdown, bytesOut }) => breakdown.network > 0 && bytesOut >= 6000)).toBe(true)
  const lines = events.flatMap((event) => (event.type === 'log' ? [event.line.text] : []))
  expect(lines.sort()).toEqual(['at home on device-1', 'at home on device-2'])
})

test('a deployment that the memory of this machine cannot hold is refused before anything is started', async () => {
  const before = readdirSync(scratchDir)
  await expect(localTarget({ scratchDir }).apply({ ...spec, agents: 1_000_000 })).rejects.toThrow(
    /needs \d+ processes on this machine.*suffices for \d+/,
  )
  expect(readdirSync(scratchDir)).toEqual(before)
})

test('sensors keep to the number of items asked for', { timeout: 60_000 }, async () => {
  const { outputs } = await deployment.run({ itemsPerDevice: 2 })
  expect(outputs.at(0)?.value).toEqual(expected(2, 2))
})

test('a second run waits for the first', { timeout: 60_000 }, async () => {
  const runs = await Promise.all([
    deployment.run({ itemsPerDevice: 1 }),
    deployment.run({ itemsPerDevice: 1 }),
  ])
  expect(runs.map(({ state }) => state)).toEqual(['succeeded', 'succeeded'])
  expect(runs[1]?.startedAt).toBeGreaterThanOrEqual(runs[0]?.endedAt ?? Number.POSITIVE_INFINITY)
})

test('status names functions and agents; the plan says what a new placement changes', async () => {
  const status = deployment.status()
  expect(status.state).toBe('ready')
  expect(status.resources.map(({ kind, name, state }) => `${kind} ${name} ${state}`)).toEqual([
    'function measure ready',
    'function loud ready',
    'function total ready',
    'agent device-1 ready',
    'agent device-2 ready',
  ])
  const target = localTarget({ scratchDir })
  expect(target.plan(spec, spec)).toEqual({ create: [], change: [], remove: [] })
  const next = { ...spec, synthesis: await synthesised(placements.edge), agents: 3 }
  expect(target.plan(spec, next)).toEqual({
    create: ['agent device-3'],
    change: ['agent device-1', 'agent device-2'],
    remove: ['function measure', 'function loud'],
  })
})

test('undeploying leaves no process and no file', { timeout: 60_000 }, async () => {
  expect(processesIn(scratchDir).length).toBeGreaterThan(2)
  await deployment.undeploy()
  await deployment.undeploy()
  expect(processesIn(scratchDir)).toEqual([])
  expect(readdirSync(scratchDir)).toEqual([])
  expect(deployment.status().state).toBe('stopped')
  await expect(deployment.run()).rejects.toThrow(/not running/)
})

test('a pin to a device keeps a task to it, as the model has it', { timeout: 60_000 }, async () => {
  const directives = { place: { tier: 'edge', target: 'device-2' } } as const
  const workflow = walk({ measure: { directives } })
  const synthesis = await synthesised(placements.edge, workflow)
  const pinned = await localTarget({ scratchDir }).apply({ ...spec, synthesis })
  try {
    const result = await pinned.run()
    expect(result).toMatchObject({ state: 'succeeded', losses: [] })
    // all that is loud comes from the second device
    expect(result.outputs[0]?.value).toEqual(expected(2))
    const model = buildModel({
      workflow,
      placement: placements.edge,
      fleet: localFleet(2),
      itemsPerDevice: 6,
    })
    for (const { name, swarmWide, lanes } of model.tasks) {
      const devices = swarmWide ? ['*'] : lanes.map((lane) => `device-${lane + 1}`)
      const seen = result.spans.filter(({ task }) => task === name).map(({ device }) => device)
      expect([name, [...new Set(seen)].sort()]).toEqual([name, devices])
    }
  } finally {
    await pinned.undeploy()
  }
})

test('over a shaped link items take their time, and the result is the same', {
  timeout: 90_000,
}, async () => {
  const link = { mbps: 20, delayMs: 30, loss: 0, shared: true }
  const shaped = await localTarget({ scratchDir, link }).apply(spec)
  try {
    const items: ItemSent[] = []
    const result = await shaped.run({ onItem: (item) => items.push(item) })
    expect(result).toMatchObject({ state: 'succeeded', losses: [] })
    expect(result.outputs[0]?.value).toEqual(expected(2))
    for (const { task, items: count, breakdown } of result.spans)
      if (task === 'frames') expect(breakdown.network).toBeGreaterThan(count * 59)
    expect(items.filter(({ key }) => key.task === 'frames')).toHaveLength(12)
    for (const { key, sentAt } of items) {
      const reader = result.spans.find(
        ({ task, device, seq }) => task === 'measure' && device === key.device && seq === key.seq,
      )
      if (key.task === 'frames') expect((reader?.queuedAt ?? 0) - sentAt).toBeGreaterThan(29)
    }
    const killed = shaped.status().resources.find(({ name }) => name === 'device-2')?.pid ?? 0
    process.kill(killed, 'SIGKILL')
    const again = await shaped.run()
    expect(again).toMatchObject({ state: 'succeeded', losses: [] })
    expect(again.outputs[0]?.value).toEqual(expected(2))
  } finally {
    await shaped.undeploy()
  }
  expect(readdirSync(scratchDir)).toEqual([])
})
