import { appendFileSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { helloSwarm, hivemind, killRunning } from './command.ts'

interface Answer {
  placement: Record<string, string>
  estimate: { latencyMs: { mean: number; p99: number }; bandwidthMBps: number }
  quantilesMs: number[]
  inputs: { conditions: unknown }
  outages: unknown
  items: { planned: number; emitted: number; finished: number }
  completed: number
  series: { finished: number[] }
  traces: { quantile: number; latencyMs: number; spans: { task: string }[] }[]
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

it('simulates one placement; faults of the run show', async () => {
  const quiet = await simulate('--placement', 'all-cloud')
  expect(quiet.placement).toMatchObject({ readSensor: 'edge', judge: 'cloud' })
  expect(quiet.quantilesMs).toHaveLength(101)
  expect(quiet.quantilesMs[99]).toBe(quiet.estimate.latencyMs.p99)
  const rough = await simulate(
    ...[
      '--placement',
      'all-cloud',
      '--loss',
      '20%',
      '--retransmit',
      '200ms',
      '--failures',
      '30%',
      '--load',
      '0s:1,1s:2',
    ],
  )
  expect(rough.estimate.latencyMs.mean).toBeGreaterThan(1.2 * quiet.estimate.latencyMs.mean)
  expect(rough.inputs.conditions).toEqual({
    loss: 0.2,
    retransmitMs: 200,
    functionFailures: 0.3,
    load: [
      { fromMs: 0, factor: 1 },
      { fromMs: 1000, factor: 2 },
    ],
  })
})

it('tells what devices that fail and batteries make of the mission, over time', async () => {
  const { outages, items, completed, series, inputs } = await simulate(
    ...['--placement', 'all-edge', '--series', '--batteries', '--restore', 'ignore'],
    ...['--fail-device', '2@1s', '--fail-device', '3@1500ms', '--detect', '2s', '--restart', '1min'],
  )
  expect(inputs.conditions).toEqual({
    deviceFailures: {
      at: [
        { device: 2, atMs: 1000 },
        { device: 3, atMs: 1500 },
      ],
      detectMs: 2000,
      restartMs: 60_000,
      restore: 'ignore',
    },
    batteries: true,
  })
  expect(outages).toEqual([
    { device: 2, cause: 'failure', atMs: 1000, untilMs: null },
    { device: 3, cause: 'failure', atMs: 1500, untilMs: null },
  ])
  expect(items.emitted).toBeLessThan(items.planned)
  expect(completed).toBeLessThan(1)
  expect(series.finished.at(-1)).toBe(items.finished)
  const text = await hivemind(
    'simulate',
    helloSwarm,
    ...['--fail-device', 'device-1@1s', '--series', '--placement', 'all-edge'],
  )
  expect(text.stdout).toMatch(/^MISSION % +ITEMS/m)
  expect(text.stdout).toContain('1 (device-1 1.00 s failure)')
  expect(text.stdout).toMatch(/^AT s +BATTERY % +LOWEST %/m)
})

it('shows the share of missed deadlines', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hivemind-deadlines-'))
  try {
    cpSync(helloSwarm, folder, { recursive: true })
    appendFileSync(path.join(folder, 'hello-swarm.hive.py'), "\nSchedule(judge, deadline='1ms')\n")
    const { stdout } = await hivemind('simulate', folder, '--placement', 'all-edge')
    expect(stdout).toMatch(/^TASK +MISSED DEADLINES %\njudge +[1-9]/m)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

it('traces single items', async () => {
  const { traces, quantilesMs } = await simulate('--placement', 'all-cloud', '--trace')
  expect(traces.map(({ quantile }) => quantile)).toEqual([0.5, 0.99, 1])
  expect(traces[2]?.latencyMs).toBeCloseTo(quantilesMs[100] as number)
  expect(traces[2]?.spans.map(({ task }) => task)).toContain('judge')
  const { stdout } = await hivemind('simulate', helloSwarm, '--placement', 'all-cloud', '--trace')
  expect(stdout).toMatch(/^Item slowest: [\d.]+ ms, captured by device-\d+ at/m)
})

it('retrains what learns', async () => {
  const { code, stdout } = await hivemind(
    'simulate',
    fileURLToPath(new URL('../../../examples/people-recognition', import.meta.url)),
    ...[
      '--json',
      '--placement',
      'all-edge',
      '--learn',
      'Global',
      '--learn-every',
      '1s',
      '--model-size',
      '1MB',
    ],
  )
  expect(code).toBe(0)
  const { estimate, inputs } = JSON.parse(stdout)
  expect(inputs.conditions).toEqual({ learning: { everyMs: 1000, scope: 'Global', modelBytes: 1e6 } })
  expect(estimate.perTask['faceRecognition training']).toMatchObject({ tier: 'cloud' })
})

it('moves the devices over an area', async () => {
  const near = await simulate('--placement', 'all-cloud', '--area', '20x20')
  const far = await simulate(
    ...[
      '--placement',
      'all-cloud',
      '--area',
      '900x20',
      '--route',
      'waypoints',
      '--access-points',
      '0:0,0:20',
    ],
  )
  expect(far.inputs.conditions).toEqual({
    mobility: {
      areaM: [900, 20],
      route: 'waypoints',
      accessPointsM: [
        [0, 0],
        [0, 20],
      ],
    },
  })
  expect(far.estimate.latencyMs.mean).toBeGreaterThan(near.estimate.latencyMs.mean)
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
  [['--retransmit', 'soon'], 'It must be a time such as 500ms'],
  [['--stragglers', '5%'], 'SHARExSLOWDOWN'],
  [['--load', '5'], "'5' must be SECONDS:FACTOR"],
  [['--load', '9s:1,3s:2'], 'in order of time'],
  [['--fail-device', '3'], "'3' must be DEVICE@TIME, such as 3@20s"],
  [['--fail-device', '3@soon'], 'It must be a time such as 500ms'],
  [['--fail-device', '99@1s'], 'must be a whole number from 1 to 16, not 99'],
  [['--device-mtbf', '0s'], "'deviceFailures.meanMs' must be above 0"],
  [['--area', '100'], 'WIDTHxHEIGHT in metres'],
  [['--area', '0x100'], "'mobility.areaM' must be two lengths above 0"],
  [['--route', 'sweep'], '--route needs --area'],
  [['--area', '9x9', '--access-points', '1,2'], "'1' must be X:Y in metres"],
  [['--area', '9x9', '--access-points', '1:2'], 'each of the 2 access points of the fleet, not 1'],
  [['--learn-every', 'often'], 'It must be a time such as'],
  [['--model-size', '5 apples'], 'It must be a size such as 20kB'],
  [['--learn', 'Global'], "'learning' needs a task that learns"],
  [['--restore', 'pray'], 'Allowed choices are respawn, repartition, checkpoint, ignore'],
  [['--batteries', '--fleet', 'local'], 'run on one host'],
  [['--placement', 'judge=moon'], "the tier 'moon'"],
])('usage: %j', async (options, message) => {
  const { code, stderr } = await hivemind('simulate', helloSwarm, ...options)
  expect(stderr).toContain(message)
  expect(code).toBe(2)
})
