import { type Breakdown, type Distribution, momentsOf } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { off, queue, scaledBy } from '../test/queues.ts'
import { plainFleet, profileOf, tier, workflowOf } from '../test/workflows.ts'
import { erlangC } from './closed-form/waiting.ts'
import { buildModel } from './model/build.ts'
import type { Model } from './model/model.ts'
import { simulate } from './simulate.ts'

/** Mean over replications, so that a result does not hang on one seed. */
function meanLatency(model: Model): number {
  const seeds = [1, 2, 3, 4]
  return seeds.reduce((sum, seed) => sum + simulate(model, { seed }).latencyMs.mean, 0) / seeds.length
}

/** Mean time of a task, queue and service. */
const meanOf = (task: { breakdown: Breakdown } | undefined): number =>
  Object.values(task?.breakdown ?? {}).reduce((sum: number, part: number) => sum + part, 0)

describe('against queueing theory', () => {
  test('M/M/1 on a core', () => {
    const model = queue('edge', scaledBy(70), { gap: scaledBy(100) })
    expect(off(meanLatency(model), 70 / (1 - 0.7))).toBeLessThan(0.03)
    const p99 = [1, 2, 3, 4].reduce((sum, seed) => sum + simulate(model, { seed }).latencyMs.p99 / 4, 0)
    expect(off(p99, (Math.log(100) * 70) / 0.3)).toBeLessThan(0.04)
  })

  test('M/D/1 on a core', () => {
    const model = queue('edge', 80, { gap: scaledBy(100) })
    expect(off(meanLatency(model), 80 + (0.8 * 80) / (2 * 0.2))).toBeLessThan(0.03)
  })

  test('M/M/c on a device of several cores', () => {
    const model = queue('edge', scaledBy(320), { gap: scaledBy(100), cores: 4 })
    const wait = (erlangC(4, 3.2) * 320) / (4 * 0.2)
    expect(off(meanLatency(model), 320 + wait)).toBeLessThan(0.03)
  })

  test('M/M/c in the cloud', () => {
    const model = queue('cloud', scaledBy(240), { gap: scaledBy(100), cloud: { coresPerServer: 3 } })
    const wait = (erlangC(3, 2.4) * 240) / (3 * 0.2)
    expect(off(meanLatency(model), 240 + wait)).toBeLessThan(0.03)
  })

  test('M/D/1 on the uplink, shared by many devices', () => {
    // 1 MB at 8 Gb/s takes 1 ms; 100 devices each send one every 125 ms: load 0.8
    const model = queue('cloud', 0, { gap: scaledBy(125), devices: 100, bytes: 1e6, items: 2000 })
    expect(off(meanLatency(model), 1 + (0.8 * 1) / (2 * 0.2))).toBeLessThan(0.03)
  })

  test('M/G/1 on a core', () => {
    const service: Distribution = { mean: 60, quantiles: [5, 10, 20, 30, 40, 60, 90, 150, 300], samples: 0 }
    const model = queue('edge', service, { gap: scaledBy(100) })
    const { mean, variance } = momentsOf(service)
    // Pollaczek and Khinchine
    const wait = (variance + mean * mean) / (2 * (100 - mean))
    expect(off(meanLatency(model), mean + wait)).toBeLessThan(0.03)
  })

  test('a Jackson network: a core, the uplink and the cloud one behind the other', () => {
    const workflow = workflowOf({
      sense: {},
      first: { reads: ['senseOut'], parents: ['sense'] },
      second: { reads: ['firstOut'], parents: ['first'], writes: null },
    })
    const model = buildModel({
      workflow,
      placement: { sense: 'edge', first: 'edge', second: 'cloud' },
      fleet: plainFleet(1, { cloud: { coresPerServer: 1 } }),
      // 1 MB takes 1 ms of the air
      profile: profileOf({
        sense: tier(0),
        first: { ...tier(scaledBy(60)), outputBytes: scaledBy(50e6) },
        second: tier(scaledBy(40)),
      }),
      itemsPerDevice: 100_000,
    })
    const jackson = {
      ...model,
      tasks: model.tasks.map((task) => (task.gap ? { ...task, gap: scaledBy(100) } : task)),
    }
    const inEach = [60, 50, 40].map((service) => service / (1 - service / 100))
    expect(
      off(
        meanLatency(jackson),
        inEach.reduce((sum, each) => sum + each, 0),
      ),
    ).toBeLessThan(0.03)
  })

  test('a process for each task: none waits for another, each for itself', () => {
    const workflow = workflowOf({
      sense: {},
      slow: { reads: ['senseOut'], parents: ['sense'], writes: null },
      quick: { reads: ['senseOut'], parents: ['sense'], writes: null },
    })
    const built = buildModel({
      workflow,
      placement: { sense: 'edge', slow: 'edge', quick: 'edge' },
      fleet: plainFleet(2),
      profile: profileOf({ sense: tier(0), slow: tier(80), quick: tier(5) }),
      itemsPerDevice: 50_000,
    })
    const model = (serverPerTask: boolean): Model => ({
      ...built,
      classes: built.classes.map((each) => ({ ...each, serverPerTask })),
      tasks: built.tasks.map((task) => (task.gap ? { ...task, gap: scaledBy(100) } : task)),
    })
    const apart = simulate(model(true), { seed: 1 })
    // each is a queue of its own: M/D/1
    expect(off(meanOf(apart.perTask.slow), 80 + (0.8 * 80) / (2 * 0.2))).toBeLessThan(0.04)
    expect(off(meanOf(apart.perTask.quick), 5 + (0.05 * 5) / (2 * 0.95))).toBeLessThan(0.01)
    const shared = simulate(model(false), { seed: 1 })
    expect(meanOf(shared.perTask.quick)).toBeGreaterThan(10 * meanOf(apart.perTask.quick))
    expect(shared.energyJ / shared.execTimeMs).toBeCloseTo(apart.energyJ / apart.execTimeMs, 3)
  })

  test('Little: items in the system are throughput times latency', () => {
    const model = queue('edge', scaledBy(50), { gap: scaledBy(100), items: 100_000 })
    const { throughput, latencyMs } = simulate(model, { seed: 5 })
    expect(off((throughput * latencyMs.mean) / 1000, 0.5 / (1 - 0.5))).toBeLessThan(0.05)
  })
})
