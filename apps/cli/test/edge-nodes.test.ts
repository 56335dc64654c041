/** Edge nodes: estimated on a fleet that has them, and refused where something is to run. */
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
    "Fleet 'local' has no edge nodes. Place tasks on the devices or in the cloud; edge nodes are only estimated",
  ],
  [
    'judge=edge-node',
    "Task 'judge' cannot run on an edge node: fleet 'local' has none. Place it on the devices or in the cloud; edge nodes are only estimated, on a fleet that has them.",
  ],
])('a run with %s is refused, with what to do instead', { timeout: 120_000 }, async (placement, sentence) => {
  const { code, stderr } = await hivemind('run', helloSwarm, '--placement', placement)
  expect(stderr).toContain(sentence)
  expect(code).toBe(exit.workflow)
})
