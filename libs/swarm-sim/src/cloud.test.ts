import { constant } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import { off, queue } from '../test/queues.ts'
import { plainFleet, profileOf, tier, workflowOf } from '../test/workflows.ts'
import { estimateClosedForm } from './closed-form/closed-form.ts'
import { buildModel } from './model/build.ts'
import { simulate, simulateInDetail } from './simulate.ts'

/** On each device a stream of items that two functions work on, one after the other; 2 MB pass between them. */
function chain(devices: number, gapMs: number, isShared: boolean) {
  const workflow = workflowOf({
    sense: {},
    first: { reads: ['senseOut'], parents: ['sense'] },
    second: { reads: ['firstOut'], parents: ['first'], writes: null },
  })
  const model = buildModel({
    workflow,
    placement: { sense: 'edge', first: 'cloud', second: 'cloud' },
    fleet: plainFleet(devices, {
      cloud: { dispatchMs: 0, handOver: { fixedMs: 5, bandwidthMBps: 100, isShared } },
    }),
    profile: profileOf({ sense: tier(0, 0), first: tier(10, 2e6), second: tier(10) }),
    itemsPerDevice: 400,
  })
  return {
    ...model,
    tasks: model.tasks.map((task) => (task.gap ? { ...task, gap: constant(gapMs) } : task)),
  }
}

test('through a store that all share, hand-overs wait for one another; otherwise each has the bandwidth for itself', () => {
  const apart = simulate(chain(16, 400, false), { seed: 1 })
  expect(apart.breakdown.dataExchange).toBeCloseTo(25, 9)
  // 16 devices, 20 ms each every 400 ms: the store is busy for 80 % of the time
  const shared = simulate(chain(16, 400, true), { seed: 1 })
  expect(shared.breakdown.dataExchange).toBeGreaterThan(30)
  expect(shared.breakdown.execution).toBeCloseTo(apart.breakdown.execution, 9)
})

test('a lone device never waits for the store', () => {
  const { breakdown } = simulate(chain(1, 400, true), { seed: 1 })
  expect(breakdown.dataExchange).toBeCloseTo(25, 9)
})

test('a store that is asked for more than it can do makes a backlog that grows with the run', () => {
  // 32 devices ask for 1.6 times what the store can do, so that the last of 400 items waits for .6 of 160 s
  const { latencyMs, breakdown } = simulate(chain(32, 400, true), { seed: 1 })
  expect(off(latencyMs.p99, 0.99 * 0.6 * 160_000)).toBeLessThan(0.03)
  expect(breakdown.dataExchange / latencyMs.mean).toBeGreaterThan(0.99)
})

test.each([
  [4, 0.05],
  [12, 0.15],
  [32, 0.1],
])('the closed form knows the wait for a shared store (%d devices)', (devices, tolerance) => {
  const model = chain(devices, 400, true)
  const means = [1, 2, 3, 4, 5].map((seed) => simulate(model, { seed }).breakdown.dataExchange)
  const mean = means.reduce((sum, each) => sum + each, 0) / means.length
  expect(off(estimateClosedForm(model).breakdown.dataExchange, mean)).toBeLessThan(tolerance)
})

const SPREAD = [0.5, 0.8, 1, 1.2, 1.5]

/** Items so far apart that each starts a container. */
const starts = (coldStartSpread?: number[]) =>
  queue('cloud', 10, {
    gap: constant(5000),
    items: 4000,
    cloud: {
      coldStartMs: 300,
      keepAliveS: 1,
      dispatchMs: 0,
      ...(coldStartSpread ? { coldStartSpread } : {}),
    },
  })

test('starts vary as the spread says, around the mean', () => {
  const { quantilesMs, estimate } = simulateInDetail(starts(SPREAD), { seed: 1 })
  const beside = 10
  expect(off((quantilesMs[25] as number) - beside, 240)).toBeLessThan(0.02)
  expect(off((quantilesMs[50] as number) - beside, 300)).toBeLessThan(0.02)
  expect(off((quantilesMs[100] as number) - beside, 450)).toBeLessThan(0.02)
  expect(off(estimate.breakdown.management, 300)).toBeLessThan(0.01)
  const fixed = simulate(starts(), { seed: 1 })
  expect(fixed.breakdown.management).toBeCloseTo(300, 6)
  expect(fixed.latencyMs.p99).toBeCloseTo(310, 6)
})

test('the closed form knows how starts vary', () => {
  const model = starts(SPREAD)
  const simulated = simulate(model, { seed: 1 })
  const closed = estimateClosedForm(model)
  expect(off(closed.latencyMs.mean, simulated.latencyMs.mean)).toBeLessThan(0.01)
  // it takes a latency as gamma distributed, whose tail has no end as this one has
  expect(off(closed.latencyMs.p99, simulated.latencyMs.p99)).toBeLessThan(0.2)
  expect(closed.latencyMs.p99).toBeGreaterThan(1.2 * estimateClosedForm(starts()).latencyMs.p99)
})
