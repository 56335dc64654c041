/**
 * Processor sharing against its closed forms, with random arrivals: the mean time in an M/G/1-PS station is
 * s / (1 - load) whatever the distribution, that of a job of size x is x / (1 - load), and the mean of M/M/c-PS is that of
 * M/M/c, as as many jobs are there at any time. Each exact value must lie within the confidence interval of ten runs.
 */
import type { Breakdown, Distribution } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { queue, scaledBy } from '../../test/queues.ts'
import { plainFleet, profileOf, tier, workflowOf } from '../../test/workflows.ts'
import { erlangC } from '../closed-form/waiting.ts'
import { buildModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import { simulate } from '../simulate.ts'

const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
/** 99 % of Student's distribution with nine degrees of freedom, both sides. */
const STUDENT = 3.25

/** Mean over the runs, and half the width of its 99 % confidence interval. */
function confidence(values: readonly number[]): { mean: number; half: number } {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const squares = values.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { mean, half: STUDENT * Math.sqrt(squares / (values.length - 1) / values.length) }
}

function expectMean(values: readonly number[], exact: number): void {
  const { mean, half } = confidence(values)
  expect(Math.abs(mean - exact)).toBeLessThanOrEqual(half)
  // an interval that says something
  expect(half / exact).toBeLessThan(0.03)
}

const latencies = (model: Model) => SEEDS.map((seed) => simulate(model, { seed }).latencyMs.mean)

const meanOf = (task: { breakdown: Breakdown } | undefined): number =>
  Object.values(task?.breakdown ?? {}).reduce((sum: number, part: number) => sum + part, 0)

const many = { cores: 1000, items: 40_000 }
const uneven: Distribution = { mean: 60, quantiles: [5, 10, 20, 30, 40, 60, 90, 150, 300], samples: 0 }

describe('processor sharing against its closed forms', () => {
  test('M/M/1-PS on the devices', () => {
    const model = queue('edge', scaledBy(70), { ...many, gap: scaledBy(100), host: 1 })
    expectMean(latencies(model), 70 / (1 - 0.7))
  })

  test('M/D/1-PS in the cloud: the same mean as M/M/1-PS', () => {
    const model = queue('cloud', 70, { ...many, gap: scaledBy(100), host: 1 })
    expectMean(latencies(model), 70 / (1 - 0.7))
  })

  test('M/G/1-PS', () => {
    const model = queue('edge', uneven, { ...many, gap: scaledBy(100), host: 1 })
    expectMean(latencies(model), 60 / (1 - 0.6))
  })

  test('M/M/c-PS', () => {
    const model = queue('cloud', scaledBy(240), { ...many, gap: scaledBy(100), host: 3 })
    expectMean(latencies(model), 240 + (erlangC(3, 2.4) * 240) / (3 * 0.2))
  })

  test('devices and cloud share: each job takes its size over the share that is free', () => {
    const workflow = workflowOf({
      left: {},
      right: {},
      small: { reads: ['leftOut'], parents: ['left'], writes: null },
      large: { reads: ['rightOut'], parents: ['right'], writes: null },
    })
    const built = buildModel({
      workflow,
      placement: { left: 'edge', right: 'edge', small: 'edge', large: 'cloud' },
      fleet: plainFleet(1, { cores: 1000, host: 1 }),
      profile: profileOf({ left: tier(0), right: tier(0), small: tier(10), large: tier(scaledBy(50)) }),
      itemsPerDevice: 40_000,
    })
    const model: Model = {
      ...built,
      tasks: built.tasks.map((task) => (task.gap ? { ...task, gap: scaledBy(100) } : task)),
    }
    const runs = SEEDS.map((seed) => simulate(model, { seed }).perTask)
    const from = (name: string) => runs.map((perTask) => meanOf(perTask[name]))
    expectMean(from('small'), 10 / (1 - 0.6))
    expectMean(from('large'), 50 / (1 - 0.6))
  })

  test('with k jobs that are always there: s (1 + k) / (1 - load)', () => {
    const model = queue('edge', scaledBy(50), { ...many, gap: scaledBy(100), host: 1 })
    expectMean(latencies({ ...model, host: { cores: 1, others: 2 } }), (50 * 3) / (1 - 0.5))
  })

  test('dispatch is work of the host, too', () => {
    const model = queue('cloud', 40, { ...many, gap: scaledBy(100), host: 1, cloud: { dispatchMs: 30 } })
    // a job of 30 and then one of 40: as far as it goes, one that is served in two stages (insensitive, again)
    expectMean(latencies(model), 70 / (1 - 0.7))
  })
})
