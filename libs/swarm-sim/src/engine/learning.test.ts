import type { Estimate } from '@hivemind/swarm'
import type { LearnScope } from '@hivemind/workflow'
import { expect, test } from 'vitest'
import { randomModel } from '../../test/random.ts'
import { plainFleet, profileOf, tier, workflowOf } from '../../test/workflows.ts'
import { buildModel } from '../model/build.ts'
import { simulate, simulateInDetail } from '../simulate.ts'
import type { Learning } from './learning.ts'

/** Four devices that sense an item a second for a minute, each of which a task decides on at once. */
function model(work: 'edge' | 'cloud', learn?: LearnScope) {
  return buildModel({
    workflow: workflowOf({
      sense: { args: { rate: '1/s' } },
      work: {
        reads: ['senseOut'],
        parents: ['sense'],
        writes: null,
        directives: learn ? { learn } : {},
      },
    }),
    placement: { sense: 'edge', work },
    fleet: plainFleet(4),
    profile: profileOf({ sense: tier(0), work: tier(0) }),
    itemsPerDevice: 60,
  })
}

const learning: Learning = { everyMs: 10_000, decisionBytes: 10_000, trainMs: 5, modelBytes: 1e6 }
const run = (of: ReturnType<typeof model>, more: Learning = {}) =>
  simulate(of, { seed: 1, conditions: { learning: { ...learning, ...more } } })
const bytes = ({ bandwidthMBps, execTimeMs }: Estimate) => bandwidthMBps * execTimeMs * 1000

// rounds at 10, 20, ..., 50 s; at 60 s the run is over
const DECISIONS = 4 * 50

test('global, on the devices: decisions go up, a function learns from all, and models come down', () => {
  const estimate = run(model('edge', 'Global'))
  expect(bytes(estimate)).toBeCloseTo(DECISIONS * 10_000 + 5 * 4 * 1e6, 3)
  const training = estimate.perTask['work training']
  expect(training?.tier).toBe('cloud')
  expect(training?.breakdown.execution).toBeCloseTo(40 * 5, 6)
  // four uploads of ten decisions, a tenth of a ms each
  expect(training?.breakdown.network).toBeCloseTo(0.4, 6)
})

test('global, in the cloud: only the function is added', () => {
  const quiet = simulate(model('cloud', 'Global'), { seed: 1 })
  const estimate = run(model('cloud', 'Global'))
  expect(bytes(estimate)).toBe(bytes(quiet))
  expect(estimate.perTask['work training']?.breakdown.execution).toBeCloseTo(40 * 5, 6)
  expect(estimate.costPerRun).toBeGreaterThan(quiet.costPerRun)
})

test('each device for itself: on the device it takes its cores, in the cloud a function for each', () => {
  const quiet = simulate(model('edge', 'Device'), { seed: 1 })
  const edge = run(model('edge', 'Device'))
  expect(edge.perTask['work training']?.tier).toBe('edge')
  // 10 W while a core works: 50 decisions of 5 ms
  expect(edge.energyJ - quiet.energyJ).toBeCloseTo((10 * 50 * 5) / 1000, 6)
  expect(bytes(edge)).toBe(bytes(quiet))
  const cloud = run(model('cloud', 'Device'))
  expect(cloud.perTask['work training']?.tier).toBe('cloud')
  expect(cloud.perTask['work training']?.breakdown.execution).toBeCloseTo(10 * 5, 6)
})

test('off: nothing is added; what is asked for counts instead of the directive', () => {
  expect(run(model('edge', 'Off'))).toEqual(simulate(model('edge', 'Off'), { seed: 1 }))
  expect(run(model('edge', 'Global'), { scope: 'Off' })).toEqual(run(model('edge', 'Off')))
  expect(run(model('edge', 'Device'), { scope: 'Global' })).toEqual(run(model('edge', 'Global')))
})

test('training competes: decisions of the devices wait for it', () => {
  const slow = run(model('edge', 'Device'), { trainMs: 100 })
  expect(slow.latencyMs.p99).toBeGreaterThan(500)
})

test('over random workflows with devices that fail, every run ends and is repeatable', {
  timeout: 120_000,
}, () => {
  let trained = 0
  for (let seed = 1; seed <= 150; seed++) {
    const plain = randomModel(seed)
    const scopes = ['Global', 'Device'] as const
    const of = {
      ...plain,
      tasks: plain.tasks.map((task, index) => ({
        ...task,
        learn: task.gap ? null : (scopes[(seed + index) % 2] ?? null),
      })),
    }
    const { execTimeMs } = simulate(of, { seed })
    const conditions = {
      learning: { ...learning, everyMs: execTimeMs / 10 },
      ...(seed % 2 === 0 ? { deviceFailures: { meanMs: execTimeMs } } : {}),
    }
    const detail = simulateInDetail(of, { seed, conditions, series: true })
    expect(detail.items.finished + detail.items.lost, `seed ${seed}`).toBe(detail.items.emitted)
    expect(detail.series?.energyJ.at(-1), `seed ${seed}`).toBeCloseTo(detail.estimate.energyJ, 6)
    expect(simulateInDetail(of, { seed, conditions, series: true })).toEqual(detail)
    for (const [name, { p50Ms }] of Object.entries(detail.estimate.perTask))
      if (name.endsWith('training') && p50Ms > 0) trained++
  }
  expect(trained).toBeGreaterThan(100)
})

test.each([
  [{ everyMs: 0 }, "'learning.everyMs' must be above 0, not 0."],
  [{ decisionBytes: -1 }, "'learning.decisionBytes' must be at least 0, not -1."],
  [{ trainMs: Number.NaN }, "'learning.trainMs' must be at least 0, not NaN."],
] as [Learning, string][])('out of range: %j', (more, message) => {
  expect(() => run(model('edge', 'Global'), more)).toThrow(message)
  expect(() => run(model('edge'))).toThrow("Learn(task, 'Global')")
})
