import type { Distribution } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { plainFleet, profileOf, tier, workflowOf } from '../test/workflows.ts'
import type { Conditions } from './faults.ts'
import { buildModel } from './model/build.ts'
import type { Model } from './model/model.ts'
import { simulate, simulateInDetail } from './simulate.ts'

const skewed: Distribution = {
  mean: 100,
  quantiles: [60, 70, 75, 80, 85, 90, 95, 105, 120, 150, 200],
  samples: 0,
}

/** A sensor on each of ten devices, whose items are worked on in the cloud. */
function model(bytes = 0, items = 2000): Model {
  return buildModel({
    workflow: workflowOf({ sense: {}, work: { reads: ['senseOut'], parents: ['sense'], writes: null } }),
    placement: { sense: 'edge', work: 'cloud' },
    fleet: plainFleet(10, { cloud: { coldStartMs: 50 } }),
    profile: profileOf({ sense: tier(0, bytes), work: tier(skewed) }),
    itemsPerDevice: items,
  })
}

const run = (conditions: Conditions, of = model()) => simulateInDetail(of, { seed: 3, conditions })

describe('conditions', () => {
  test('without any, and with those that befall nothing, the run is the same', () => {
    const plain = simulate(model(), { seed: 3 })
    const nothing: Conditions = {
      loss: 0,
      functionFailures: 0,
      stragglers: { share: 0, slowdown: 5 },
      load: [{ fromMs: 0, factor: 1 }],
    }
    expect(run({}).estimate).toEqual(plain)
    expect(run(nothing).estimate).toEqual(plain)
  })

  test.each([1000, 1_000_000])(
    'packets lost are sent again: %d bytes take 1 / (1 - loss) of the air',
    (bytes) => {
      const quiet = run({}, model(bytes, 500)).estimate
      const lossy = run({ loss: 0.2 }, model(bytes, 500)).estimate
      expect(lossy.bandwidthMBps / quiet.bandwidthMBps).toBeGreaterThan(1.23)
      expect(lossy.bandwidthMBps / quiet.bandwidthMBps).toBeLessThan(1.27)
      expect(lossy.latencyMs.mean).toBeGreaterThan(quiet.latencyMs.mean)
    },
  )

  test('a second instance cuts the tail that stragglers make, and costs core time', () => {
    const slow = { share: 0.03, slowdown: 10 }
    const quiet = run({}).estimate
    const suffered = run({ stragglers: slow }).estimate
    const mended = run({ stragglers: { ...slow, respawnAt: 0.9 } }).estimate
    expect(suffered.latencyMs.p99).toBeGreaterThan(4 * quiet.latencyMs.p99)
    expect(mended.latencyMs.p99).toBeLessThan(suffered.latencyMs.p99 / 2)
    expect(mended.latencyMs.p50).toBeLessThan(1.02 * suffered.latencyMs.p50)
    expect(mended.costPerRun).toBeGreaterThan(quiet.costPerRun)
  })

  test('functions that fail are begun again: the mean grows by what each attempt takes', () => {
    const quiet = run({}).estimate
    const failing = run({ functionFailures: 0.2 }).estimate
    // a fifth fail, half way on average, and start a container; of these a fifth fail again, and so on
    const expected = (0.2 / 0.8) * (0.5 * 100 + 50)
    expect(failing.latencyMs.mean - quiet.latencyMs.mean).toBeGreaterThan(0.9 * expected)
    expect(failing.latencyMs.mean - quiet.latencyMs.mean).toBeLessThan(1.1 * expected)
    const parts = Object.values(failing.breakdown).reduce((sum, part) => sum + part, 0)
    expect(parts).toBeCloseTo(failing.latencyMs.mean, 6)
  })

  test('a load that doubles half way ends after three quarters of the time', () => {
    const quiet = run({}).estimate
    const busy = run({ load: [{ fromMs: quiet.execTimeMs / 2, factor: 2 }] }).estimate
    expect(busy.execTimeMs / quiet.execTimeMs).toBeCloseTo(0.75, 2)
  })

  test.each([
    [{ loss: 1 }, "'loss' must be at least 0 and below 1, not 1."],
    [{ functionFailures: -0.1 }, "'functionFailures' must be"],
    [{ stragglers: { share: 2, slowdown: 2 } }, "'stragglers.share' must be"],
    [{ stragglers: { share: 0.1, slowdown: 0.5 } }, "'stragglers.slowdown' must be at least 1, not 0.5."],
    [{ load: [{ fromMs: 0, factor: 0 }] }, "'load[0].factor' must be above 0, not 0."],
    [
      {
        load: [
          { fromMs: 5, factor: 1 },
          { fromMs: 1, factor: 1 },
        ],
      },
      "'load[1].fromMs' must not be before",
    ],
  ] as [Conditions, string][])('out of range: %j', (conditions, message) => {
    expect(() => run(conditions)).toThrow(message)
  })
})

test('the cost of remote calls at their ends adds to the network, and takes no air', () => {
  const plain = model(1e6, 100)
  const slower = { ...plain, link: { ...plain.link, rpcMsPerByte: 1 / 100_000 } }
  const before = simulate(plain, { seed: 1 })
  const after = simulate(slower, { seed: 1 })
  expect(after.breakdown.network - before.breakdown.network).toBeCloseTo(10, 6)
  expect(after.bandwidthMBps / before.bandwidthMBps).toBeCloseTo(1, 2)
})

test('details agree with the estimate', () => {
  const { estimate, quantilesMs, atMedian, atTail } = run({})
  expect(quantilesMs).toHaveLength(101)
  expect(quantilesMs[50]).toBe(estimate.latencyMs.p50)
  expect(quantilesMs[99]).toBe(estimate.latencyMs.p99)
  const sum = (parts: typeof atMedian) => Object.values(parts).reduce((all, part) => all + part, 0)
  expect(sum(atMedian)).toBeGreaterThan(quantilesMs[44] as number)
  expect(sum(atMedian)).toBeLessThan(quantilesMs[56] as number)
  expect(sum(atTail)).toBeGreaterThanOrEqual(quantilesMs[99] as number)
})
