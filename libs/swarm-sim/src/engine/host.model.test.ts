/** A whole fleet on one computer: what is lost and what is not, and what the closed form makes of it. */
import { constant, localFleet, type Profile } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { off, queue } from '../../test/queues.ts'
import { profileOf, scenarioB, tier } from '../../test/workflows.ts'
import { estimateClosedForm } from '../closed-form/closed-form.ts'
import { buildModel } from '../model/build.ts'
import { type Model, type ModelTask, totalItems } from '../model/model.ts'
import { simulate } from '../simulate.ts'

/** Four times as quick as what is assumed: two cores serve two agents, and more agents fill them up. */
const profile: Profile = profileOf({
  createRoute: tier(5, 2000),
  collectImage: tier(0, 100_000, 200),
  obstacleAvoidance: tier({ mean: 20, quantiles: [10, 20, 30], samples: 0 }, 500),
  faceRecognition: tier({ mean: 60, quantiles: [20, 40, 60, 100], samples: 0 }, 500),
  deduplication: tier(50, 500),
})

function scenario(face: 'cloud' | 'edge', agents: number, cores: number): Model {
  return buildModel({
    workflow: scenarioB(),
    placement: {
      createRoute: 'cloud',
      collectImage: 'edge',
      obstacleAvoidance: 'edge',
      faceRecognition: face,
      deduplication: 'cloud',
    },
    fleet: localFleet(agents, cores),
    profile,
  })
}

describe('a fleet on one host', () => {
  test.each([
    ['cloud', 2, 2],
    ['edge', 2, 2],
    ['cloud', 6, 2],
    ['edge', 6, 2],
  ] as const)(
    '%s, %i agents on %i cores: latency is its breakdown, and every item ends',
    (face, n, cores) => {
      const model = scenario(face, n, cores)
      const estimate = simulate(model, { seed: 3 })
      const { network, management, dataExchange, execution } = estimate.breakdown
      expect(off(network + management + dataExchange + execution, estimate.latencyMs.mean)).toBeLessThan(1e-9)
      expect((estimate.throughput * estimate.execTimeMs) / 1000).toBeCloseTo(totalItems(model), 6)
      // the cores have done the work of all tasks, and could
      const work = n * (5 + 200 * (20 + 60)) + 50
      expect(estimate.execTimeMs * cores).toBeGreaterThan(work * 0.98)
    },
  )

  test('the same bytes for a seed, and others for another', () => {
    const model = scenario('edge', 3, 2)
    const text = JSON.stringify(simulate(model, { seed: 4 }))
    expect(JSON.stringify(simulate(model, { seed: 4 }))).toBe(text)
    expect(JSON.stringify(simulate(model, { seed: 5 }))).not.toBe(text)
  })

  test('with a core for all that may run at once, it is as without a host', () => {
    const model = scenario('edge', 4, 2)
    const apart = simulate({ ...model, host: null }, { seed: 1 })
    const shared = simulate({ ...model, host: { cores: 1000, others: 0 } }, { seed: 1 })
    expect(off(shared.latencyMs.p99, apart.latencyMs.p99)).toBeLessThan(1e-9)
    expect(off(shared.execTimeMs, apart.execTimeMs)).toBeLessThan(1e-9)
    expect(off(shared.energyJ, apart.energyJ)).toBeLessThan(1e-9)
    expect(off(shared.costPerRun, apart.costPerRun)).toBeLessThan(1e-9)
  })

  test('what passes by itself is not slowed down', () => {
    const model = scenario('edge', 3, 2)
    const waiting = { ...model, tasks: model.tasks.map((task) => ({ ...task, computes: 0 })) }
    const p99Of = (each: Model) => simulate(each, { seed: 1 }).perTask.faceRecognition?.p99Ms ?? 0
    expect(off(p99Of(waiting), p99Of({ ...model, host: null }))).toBeLessThan(1e-9)
    expect(p99Of(model)).toBeGreaterThan(1.1 * p99Of(waiting))
  })

  test('work on the devices slows the cloud down', () => {
    const model = scenario('cloud', 3, 2)
    const apart = simulate({ ...model, host: null }, { seed: 1 }).perTask.faceRecognition
    const shared = simulate(model, { seed: 1 }).perTask.faceRecognition
    expect(shared?.p50Ms).toBeGreaterThan(1.1 * (apart?.p50Ms ?? 0))
  })
})

describe('the closed form', () => {
  test.each([
    ['cloud', 1, 2],
    ['edge', 1, 2],
    ['edge', 2, 2],
    ['cloud', 2, 4],
    ['edge', 8, 2],
    ['cloud', 8, 2],
  ] as const)('%s, %i agents on %i cores: near the simulation', (face, agents, cores) => {
    const model = scenario(face, agents, cores)
    const runs = [1, 2, 3, 4, 5].map((seed) => simulate(model, { seed }))
    const mean = runs.reduce((sum, run) => sum + run.latencyMs.mean, 0) / runs.length
    const closed = estimateClosedForm(model)
    expect(off(closed.latencyMs.mean, mean)).toBeLessThan(0.35)
    expect(off(closed.execTimeMs, runs[0]?.execTimeMs ?? 0)).toBeLessThan(0.06)
  })

  test('a server for each task: a quick task does not wait for a slow one', () => {
    const model = { ...scenario('edge', 1, 2), host: null }
    const { obstacleAvoidance } = estimateClosedForm(model).perTask
    const together = { ...model, classes: model.classes.map((each) => ({ ...each, serverPerTask: false })) }
    expect(obstacleAvoidance?.p50Ms).toBeLessThan(25)
    expect(estimateClosedForm(together).perTask.obstacleAvoidance?.p50Ms).toBeGreaterThan(28)
    const simulated = simulate(model, { seed: 1 }).perTask.obstacleAvoidance
    expect(off(obstacleAvoidance?.p50Ms ?? 0, simulated?.p50Ms ?? 0)).toBeLessThan(0.1)
  })
})

describe('what a task has the host work on beside its time', () => {
  const link = { delayMs: 10, bandwidthMbps: 1600 }
  /** Two devices, an item every 100 ms in step; 1 MB takes 5 ms of the air, 1 ms of work follows in the cloud. */
  const stream = (given: Partial<ModelTask>): Model => {
    const model = queue('cloud', 1, {
      ...{ gap: constant(100), bytes: 1e6, items: 50, link, awaitsArrival: true, devices: 2 },
    })
    const host = { cores: 1, others: 0 }
    return { ...model, host, tasks: model.tasks.map((task) => ({ ...task, ...(task.gap && given) })) }
  }
  const run = (given: Partial<ModelTask>) =>
    simulate(stream({ begin: { afterMs: 100, spreadMs: 0 }, ...given }), { seed: 1 })

  test('the arrival of an item: its sensor goes on only then', () => {
    const { execTimeMs, latencyMs } = run({ arrivalMs: 8 })
    // a whole gap each; of the last one, and its task, no way back. Who comes second on the air meets the other's work
    expect(execTimeMs).toBeGreaterThan(50 * (100 + 5 + 20 + 8) - 18)
    expect(execTimeMs).toBeLessThan(50 * (100 + 10 + 20 + 16) + 16)
    expect(run({}).execTimeMs).toBeLessThan(50 * (100 + 10 + 20) + 16)
    expect(latencyMs.p50).toBeLessThan(30)
  })

  test('streams begin when they are said to, and so far apart', () => {
    const after = (afterMs: number, spreadMs: number) =>
      run({ begin: { afterMs, spreadMs } }).execTimeMs - run({}).execTimeMs
    expect(run({ outputs: 1 }).execTimeMs).toBeGreaterThan(100 + 5 + 10)
    expect(after(30, 0)).toBeCloseTo(-70)
    expect(after(100, 1000)).toBeGreaterThan(0)
    expect(after(100, 1000)).toBeLessThan(1000)
  })

  test('work that nobody waits for slows down what is waited for, and no pace', () => {
    // after the first items, one device is 5 ms of the air behind the other. 20 ms of work beside, one job of it at a time:
    // some is left when the first item arrives, after 15 ms, and some when the second does, so that 1 ms of work takes 2
    const [without, beside] = [run({}), run({ besideMs: 10 })]
    expect(without.latencyMs.p50).toBeCloseTo(16, 6)
    expect(beside.latencyMs.p50).toBeCloseTo(17, 6)
    expect(off(beside.execTimeMs, without.execTimeMs)).toBeLessThan(0.01)
  })
})
