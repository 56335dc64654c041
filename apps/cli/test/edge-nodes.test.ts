/** Edge nodes: estimated on a fleet that has them, played by this machine where something is to run. */
import { appendFileSync, cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { exit, helloSwarm, hivemind, killRunning } from './command.ts'

afterAll(killRunning)

it('a placement on edge nodes is simulated, with what the nodes use', { timeout: 120_000 }, async () => {
  const args = ['simulate', helloSwarm, '--fleet', 'sensor-gateways', '--devices', '4', '--placement']
  const { code, stdout } = await hivemind(...args, 'all-edge-node')
  expect(code).toBe(0)
  expect(stdout).toMatch(/judge +edge-node/)
  expect(stdout).toMatch(/EDGE NODES BUSY % +J\/NODE\n\d/)
  const { estimate } = JSON.parse((await hivemind(...args, 'judge=edge-node', '--json')).stdout)
  expect(estimate.edgeNodes.energyJ).toBeGreaterThan(0)
  const fails = await hivemind(...args, 'all-edge-node', '--batteries')
  expect(fails.stderr).toContain("'batteries' is not simulated with tasks on edge nodes, such as 'judge'")
})

it.each([
  [
    'all-edge-node',
    "Fleet 'paper-drones' has no edge nodes. Place tasks on the devices or in the cloud, or choose a fleet",
  ],
  [
    'judge=edge-node',
    "Task 'judge' cannot run on an edge node: fleet 'paper-drones' has none. Place it on the devices or in the cloud, or choose a fleet that has some.",
  ],
])('a fleet without edge nodes refuses %s, with what to do instead', async (placement, sentence) => {
  const { code, stderr } = await hivemind(
    'simulate',
    helloSwarm,
    '--fleet',
    'paper-drones',
    '--placement',
    placement,
  )
  expect(stderr).toContain(sentence)
  expect(code).toBe(exit.workflow)
})

it('a run has tasks on the edge nodes that this machine plays, each for its devices', {
  timeout: 120_000,
}, async () => {
  const args = [
    'run',
    helloSwarm,
    '--placement',
    'all-edge-node',
    '--edge-nodes',
    '2',
    '--items',
    '3',
    '--json',
  ]
  const { code, stdout, stderr } = await hivemind(...args)
  expect(stderr).toContain('function judge@edge-node-2 is ready')
  expect(code).toBe(0)
  const { spans } = JSON.parse(stdout) as {
    spans: { task: string; tier: string; device: string; worker: string }[]
  }
  const judged = spans.filter(({ task }) => task === 'judge')
  expect(judged).toHaveLength(6)
  for (const { tier, device, worker } of judged) {
    expect(tier).toBe('edge-node')
    expect(worker).toContain(`judge@edge-node-${device.slice('device-'.length)}`)
  }
})

it('a task that is pinned to edge nodes runs on those of that name, and is measured in the cloud', {
  timeout: 120_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hivemind-pinned-'))
  try {
    cpSync(helloSwarm, folder, { recursive: true })
    const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.hive.py'))
    appendFileSync(path.join(folder, file), "Place(judge, 'Edge:gateway')\n")
    const ran = await hivemind('run', folder, '--items', '2', '--agents', '1', '--json')
    expect(ran.code, ran.stderr).toBe(0)
    expect(ran.stderr).toContain('function judge@gateway-1 is ready')
    const { tasks } = JSON.parse(ran.stdout) as { tasks: { task: string; tier: string; done: number }[] }
    expect(tasks.find(({ task }) => task === 'judge')).toMatchObject({ tier: 'edge-node', done: 2 })
    const measured = await hivemind('profile', folder, '--items', '2', '--agents', '1', '--json')
    expect(measured.code, measured.stderr).toBe(0)
    expect(Object.keys(JSON.parse(measured.stdout).tasks.judge)).toContain('cloud')
  } finally {
    rmSync(folder, { recursive: true })
  }
})
