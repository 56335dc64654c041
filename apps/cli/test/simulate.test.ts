import { afterAll, expect, it } from 'vitest'
import { helloSwarm, hivemind, killRunning } from './command.ts'

interface Answer {
  placement: Record<string, string>
  estimate: { latencyMs: { mean: number; p99: number }; bandwidthMBps: number }
  quantilesMs: number[]
  inputs: { conditions: unknown }
}

afterAll(killRunning)

const simulate = async (...options: string[]): Promise<Answer> => {
  const { code, stdout, stderr } = await hivemind(
    'simulate',
    helloSwarm,
    '--json',
    '--devices',
    '4',
    ...options,
  )
  expect(stderr).not.toMatch(/^\s+at /m)
  expect(code).toBe(0)
  return JSON.parse(stdout) as Answer
}

it('simulates one placement; what befalls the run shows', async () => {
  const quiet = await simulate('--placement', 'all-cloud')
  expect(quiet.placement).toMatchObject({ readSensor: 'edge', judge: 'cloud' })
  expect(quiet.quantilesMs).toHaveLength(101)
  expect(quiet.quantilesMs[99]).toBe(quiet.estimate.latencyMs.p99)
  const rough = await simulate(
    ...['--placement', 'all-cloud', '--loss', '20%', '--failures', '30%', '--load', '0s:1,1s:2'],
  )
  expect(rough.estimate.latencyMs.mean).toBeGreaterThan(1.2 * quiet.estimate.latencyMs.mean)
  expect(rough.inputs.conditions).toEqual({
    loss: 0.2,
    functionFailures: 0.3,
    load: [
      { fromMs: 0, factor: 1 },
      { fromMs: 1000, factor: 2 },
    ],
  })
})

it('prints tables for people', async () => {
  const { code, stdout } = await hivemind('simulate', helloSwarm, '--placement', 'all-edge')
  expect(code).toBe(0)
  expect(stdout).toMatch(/LATENCY ms +P50 +P90/)
  expect(stdout).toMatch(/the slowest 1 %/)
  expect(stdout).toMatch(/^judge +edge/m)
})

it.each([
  [['--loss', '100%'], 'It must be a share such as 2%'],
  [['--stragglers', '5%'], 'SHARExSLOWDOWN'],
  [['--load', '5'], "'5' must be SECONDS:FACTOR"],
  [['--load', '9s:1,3s:2'], 'in order of time'],
  [['--placement', 'judge=moon'], "the tier 'moon'"],
])('usage: %j', async (options, message) => {
  const { code, stderr } = await hivemind('simulate', helloSwarm, ...options)
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})
