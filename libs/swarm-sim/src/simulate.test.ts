import { constant, fleetByName, fromSamples, type Placement, withDevices } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { off, queue, scaledBy } from '../test/queues.ts'
import { plainFleet, profileOf, scenarioB, tier, workflowOf } from '../test/workflows.ts'
import { estimateClosedForm } from './closed-form/closed-form.ts'
import { buildModel } from './model/build.ts'
import { type Model, totalItems } from './model/model.ts'
import { simulateScaled } from './scaled.ts'
import { simulate } from './simulate.ts'
import { toEnd } from './steps.ts'

const paperDrones = (devices = 16) => {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('the default fleet is missing')
  return withDevices(fleet, devices)
}

const scenario = (face: 'cloud' | 'edge', devices = 16, items?: number) =>
  buildModel({
    workflow: scenarioB(),
    placement: {
      createRoute: 'cloud',
      collectImage: 'edge',
      obstacleAvoidance: 'edge',
      faceRecognition: face,
      deduplication: 'cloud',
    },
    fleet: paperDrones(devices),
    itemsPerDevice: items,
  })

describe('without load', () => {
  const workflow = workflowOf({
    plan: { reads: ['map'] },
    sense: { parents: ['plan'] },
    detect: { reads: ['senseOut'], parents: ['sense'] },
    match: { reads: ['detectOut'], parents: ['detect'] },
    act: { reads: ['matchOut'], parents: ['match'], args: { role: 'actuator' } },
  })
  const profile = profileOf({
    plan: tier(30, 4e6),
    sense: tier(1, 2e6),
    detect: tier(40, 3e6),
    match: tier(50, 1e6),
    act: tier(5, 0),
  })
  const model = buildModel({
    workflow,
    placement: { plan: 'cloud', sense: 'edge', detect: 'cloud', match: 'cloud', act: 'edge' },
    fleet: plainFleet(1, {
      link: { delayMs: 3 },
      cloud: { dispatchMs: 4, coldStartMs: 100, handOver: { fixedMs: 7, bandwidthMBps: 1000 } },
    }),
    profile,
    itemsPerDevice: 1,
  })

  test('the latency is the sum of its parts, to the last digit of the breakdown', () => {
    const estimate = simulate(model, { seed: 1 })
    // up 2 ms + 3, down 1 ms + 3; two dispatches and cold starts; hand-over of 3 MB; 40 + 50 + 5
    expect(estimate.breakdown.network).toBeCloseTo(9, 9)
    expect(estimate.breakdown.management).toBeCloseTo(208, 9)
    expect(estimate.breakdown.dataExchange).toBeCloseTo(10, 9)
    expect(estimate.breakdown.execution).toBeCloseTo(95, 9)
    expect(estimate.latencyMs.mean).toBeCloseTo(322, 9)
  })

  test('the closed form says the same', () => {
    const simulated = simulate(model, { seed: 1 })
    const closed = estimateClosedForm(model)
    // two transfers on one link may meet: it allows for a wait of a few hundredths of a ms
    expect(off(closed.latencyMs.mean, simulated.latencyMs.mean)).toBeLessThan(0.001)
    expect(off(closed.latencyMs.p99, simulated.latencyMs.p99)).toBeLessThan(0.005)
    for (const part of ['network', 'management', 'dataExchange', 'execution'] as const)
      expect(closed.breakdown[part]).toBeCloseTo(simulated.breakdown[part], 1)
    for (const { name } of workflow.tasks.filter((task) => task.name !== 'sense'))
      expect(closed.perTask[name]?.p50Ms).toBeCloseTo(simulated.perTask[name]?.p50Ms ?? -1, 1)
  })
})

describe('conservation', () => {
  test.each([
    ['hybrid', scenario('cloud', 8, 50)],
    ['saturated cores', scenario('edge', 4, 50)],
    ['saturated network', scenario('cloud', 24, 50)],
  ])('%s: latency is its breakdown, and every item is finished', (_, model) => {
    const estimate = simulate(model, { seed: 3 })
    const { network, management, dataExchange, execution } = estimate.breakdown
    expect(network + management + dataExchange + execution).toBeCloseTo(estimate.latencyMs.mean, 6)
    const items = totalItems(model)
    expect((estimate.throughput * estimate.execTimeMs) / 1000).toBeCloseTo(items, 6)
  })

  test('a task’s time is its breakdown', () => {
    const model = queue('cloud', 20, { gap: constant(100), devices: 5, bytes: 1e6, items: 40 })
    const work = simulate(model, { seed: 1 }).perTask.work
    const sum = Object.values(work?.breakdown ?? {}).reduce((a, b) => a + b, 0)
    expect(work?.p50Ms).toBeGreaterThan(20)
    expect(off(sum, work?.p50Ms ?? 0)).toBeLessThan(0.1)
  })
})

describe('monotony', () => {
  test('more devices never take less bandwidth, and finish no less', () => {
    let before = { bandwidthMBps: 0, throughput: 0, costPerHour: 0 }
    for (const devices of [1, 2, 4, 8, 12, 16, 24]) {
      const estimate = simulate(scenario('cloud', devices, 240), { seed: 2 })
      expect(estimate.bandwidthMBps).toBeGreaterThanOrEqual(before.bandwidthMBps * 0.999)
      expect(estimate.throughput).toBeGreaterThanOrEqual(before.throughput * 0.999)
      before = estimate
    }
  })

  test('slower tasks never make an item faster, larger data never less traffic', () => {
    let before = { mean: 0, bytes: 0 }
    for (const factor of [1, 2, 5, 20]) {
      const model = queue('cloud', scaledBy(10 * factor), {
        gap: constant(100),
        devices: 4,
        bytes: 1e5 * factor,
        items: 200,
      })
      const estimate = simulate(model, { seed: 9 })
      expect(estimate.latencyMs.mean).toBeGreaterThan(before.mean)
      expect(estimate.bandwidthMBps).toBeGreaterThan(before.bytes)
      before = { mean: estimate.latencyMs.mean, bytes: estimate.bandwidthMBps }
    }
  })
})

describe('what a run means', () => {
  const counts = (model: Model, seed = 1) => simulate(model, { seed })

  test('a barrier waits for every item of every device', () => {
    const workflow = workflowOf({
      sense: {},
      count: { reads: ['senseOut'], parents: ['sense'], directives: { synchronize: { kind: 'all' } } },
    })
    const build = (kind: 'all' | 'any') =>
      buildModel({
        workflow: {
          ...workflow,
          tasks: workflow.tasks.map((task) =>
            task.name === 'count' ? { ...task, directives: { synchronize: { kind } } } : task,
          ),
        },
        placement: { sense: 'edge', count: 'cloud' },
        fleet: plainFleet(3),
        profile: profileOf({ sense: tier(1, 1e6), count: tier(1000) }),
        itemsPerDevice: 10,
      })
    // 10 items at 8/s: the last leaves after 9 gaps and a phase of up to one
    const all = counts(build('all')).execTimeMs
    expect(all).toBeGreaterThan(9 * 125 + 1000)
    expect(all).toBeLessThan(10 * 125 + 1010)
    expect(counts(build('any')).execTimeMs).toBeLessThan(10 * 125 + 5)
  })

  test('a barrier waits for the ends of streams that come after their last items', () => {
    const build = (kind: 'all' | 'any', endMs?: number) => {
      const model = buildModel({
        workflow: workflowOf({
          sense: {},
          check: { reads: ['senseOut'], parents: ['sense'] },
          count: { reads: ['checkOut'], parents: ['check'], directives: { synchronize: { kind } } },
          last: { reads: ['countOut'], parents: ['count'], directives: { synchronize: { kind: 'all' } } },
        }),
        placement: { sense: 'edge', check: 'edge', count: 'cloud', last: 'cloud' },
        fleet: plainFleet(3),
        profile: profileOf({ sense: tier(1), check: tier(20), count: tier(1000), last: tier(10) }),
        itemsPerDevice: 10,
      })
      const ends = (task: Model['tasks'][number]) => (endMs === undefined ? task : { ...task, endMs })
      return { ...model, tasks: model.tasks.map((task) => (task.gap ? ends(task) : task)) }
    }
    const { execTimeMs, perTask } = counts(build('all'))
    const late = counts(build('all', 300))
    // The items take 20 ms on the device and something to the cloud, which pass meanwhile.
    expect(late.execTimeMs - execTimeMs).toBeGreaterThan(300 - 40)
    expect(late.execTimeMs - execTimeMs).toBeLessThan(300)
    expect((late.perTask.sense?.p50Ms ?? 0) - (perTask.sense?.p50Ms ?? 0)).toBeCloseTo(300)
    expect((late.perTask.count?.p50Ms ?? 0) - (perTask.count?.p50Ms ?? 0)).toBeGreaterThan(250)
    expect(late.perTask.last?.p50Ms).toBeCloseTo(perTask.last?.p50Ms ?? 0)
    expect(counts(build('any', 300)).perTask.count?.p50Ms).toBeCloseTo(
      counts(build('any')).perTask.count?.p50Ms ?? 0,
    )
    expect(counts(build('all', 0)).execTimeMs).toBeCloseTo(execTimeMs)
  })

  test('a count that is never reached opens the barrier when all have ended', () => {
    const model = buildModel({
      workflow: workflowOf({
        sense: {},
        count: {
          reads: ['senseOut'],
          parents: ['sense'],
          directives: { synchronize: { kind: 'count', count: 99 } },
        },
      }),
      placement: { sense: 'edge', count: 'cloud' },
      fleet: plainFleet(2),
      profile: profileOf({ sense: tier(1), count: tier(500) }),
      itemsPerDevice: 4,
    })
    expect(counts(model).execTimeMs).toBeGreaterThan(3 * 125 + 500)
  })

  test('Serial siblings take turns for an item; without it they overlap', () => {
    const build = (serial: boolean) =>
      buildModel({
        workflow: workflowOf(
          {
            sense: { args: { rate: '1/s' } },
            a: { reads: ['senseOut'], parents: ['sense'] },
            b: { reads: ['senseOut'], parents: ['sense'] },
          },
          { relations: serial ? [{ kind: 'serial', a: 'a', b: 'b' }] : [] },
        ),
        placement: { sense: 'edge', a: 'cloud', b: 'cloud' },
        fleet: plainFleet(2),
        profile: profileOf({ sense: tier(1), a: tier(300), b: tier(200) }),
        itemsPerDevice: 20,
      })
    expect(counts(build(false)).latencyMs.mean).toBeCloseTo(300, 6)
    expect(counts(build(true)).latencyMs.mean).toBeCloseTo(500, 6)
  })

  test('a join waits for all its parents, and an object goes with every item', () => {
    const model = buildModel({
      workflow: workflowOf({
        map: { reads: ['area'] },
        sense: {},
        slow: { reads: ['senseOut'], parents: ['sense'] },
        quick: { reads: ['senseOut'], parents: ['sense'] },
        merge: { reads: ['slowOut', 'quickOut', 'mapOut'], parents: ['slow', 'quick', 'map'] },
      }),
      placement: { map: 'cloud', sense: 'edge', slow: 'cloud', quick: 'cloud', merge: 'cloud' },
      fleet: plainFleet(2),
      profile: profileOf({
        map: tier(10),
        sense: tier(1),
        slow: tier(200),
        quick: tier(50),
        merge: tier(30),
      }),
      itemsPerDevice: 15,
    })
    const estimate = counts(model)
    expect(estimate.latencyMs.p50).toBeCloseTo(230, 6)
    expect(estimate.latencyMs.p99).toBeLessThan(231)
  })

  test('a container that was idle too long is started again', () => {
    const build = (keepAliveS: number) =>
      queue('cloud', 10, { gap: constant(5000), items: 20, cloud: { coldStartMs: 300, keepAliveS } })
    expect(counts(build(4)).latencyMs.mean).toBeCloseTo(310, 6)
    expect(counts(build(6)).latencyMs.mean).toBeCloseTo(10 + 300 / 20, 6)
  })

  test('cost is core time: busy, starting and kept alive', () => {
    const model = queue('cloud', 1000, {
      gap: constant(4000),
      items: 3,
      cloud: { coldStartMs: 500, keepAliveS: 2, pricePerCoreHour: 3.6 },
    })
    // three starts; busy 3 x 1.5 s; idle 2 s after the first and the second; none after the last
    expect(counts(model).costPerRun).toBeCloseTo(((3 * 1.5 + 2 * 2) * 3.6) / 3600, 9)
  })

  test('energy is motion and idle over the run, computing as used, radio by the byte', () => {
    const model = scenario('cloud', 1, 8)
    const kind = { ...(model.classes[0] as Model['classes'][number]) }
    const estimate = simulate(model, { seed: 1 })
    const busyMs = 8 * 50
    const radio = kind.txJPerByte * 8 * (2e6 + 2e3) + kind.rxJPerByte * 2e3
    const run = ((kind.motionW + kind.idleW) * estimate.execTimeMs) / 1000
    expect(off(estimate.energyJ - run, (kind.computeW * busyMs) / 1000 + radio)).toBeLessThan(0.05)
    expect(estimate.energyShare).toBeCloseTo(estimate.energyJ / (11.1 * 3600), 9)
  })

  test.each([simulate, estimateClosedForm])(
    'of a mixed fleet the device that uses most is told (%s)',
    (estimateOf) => {
      const drones = paperDrones(1)
      const [group] = drones.devices
      if (!group) throw new Error('the default fleet has no devices')
      const heavy = {
        ...group.class,
        name: 'heavy',
        power: { motionW: 104, idleW: 4, computeW: 2.5 },
        batteryWh: 5.55,
      }
      const placement = {
        createRoute: 'cloud',
        collectImage: 'edge',
        obstacleAvoidance: 'edge',
        deduplication: 'cloud',
      }
      const of = (devices: typeof drones.devices) =>
        estimateOf(
          buildModel({
            workflow: scenarioB(),
            placement: { ...placement, faceRecognition: 'cloud' } as Placement,
            fleet: { ...drones, devices },
            itemsPerDevice: 8,
          }),
          { seed: 1 },
        )
      const equal = of([{ class: group.class, count: 4 }])
      expect(equal.maxEnergyJ).toBeCloseTo(equal.energyJ, 0)
      const {
        energyJ,
        energyShare,
        maxEnergyJ = 0,
        maxEnergyShare = 0,
      } = of([
        { class: group.class, count: 3 },
        { class: heavy, count: 1 },
      ])
      // Twice the power of the others, and half the battery.
      expect(maxEnergyJ / energyJ).toBeGreaterThan(1.5)
      expect(maxEnergyShare / energyShare).toBeGreaterThan(2)
    },
  )
})

describe('determinism', () => {
  test('the same seed gives the same bytes, another seed another sample', () => {
    const model = scenario('cloud', 16, 100)
    const text = JSON.stringify(simulate(model, { seed: 4 }))
    expect(JSON.stringify(simulate(model, { seed: 4 }))).toBe(text)
    expect(JSON.stringify(simulate(model, { seed: 5 }))).not.toBe(text)
    expect(JSON.stringify(simulate(model, { seed: 4 + 2 ** 33 }))).not.toBe(text)
  })
})

describe('the closed form', () => {
  test.each([
    ['one drone', scenario('cloud', 1)],
    ['eight drones', scenario('cloud', 8)],
    ['saturated network', scenario('cloud', 16)],
    ['very saturated network', scenario('cloud', 32)],
    ['saturated cores', scenario('edge', 8)],
  ])('%s: close to the simulation', (_, model) => {
    const simulated = simulate(model, { seed: 1 })
    const closed = estimateClosedForm(model)
    expect(off(closed.latencyMs.mean, simulated.latencyMs.mean)).toBeLessThan(0.15)
    expect(off(closed.latencyMs.p99, simulated.latencyMs.p99)).toBeLessThan(0.15)
    expect(off(closed.execTimeMs, simulated.execTimeMs)).toBeLessThan(0.05)
    expect(off(closed.energyJ, simulated.energyJ)).toBeLessThan(0.05)
    expect(off(closed.bandwidthMBps, simulated.bandwidthMBps)).toBeLessThan(0.05)
  })

  test('a saturated queue gives finite latencies that grow with the run', () => {
    let before = 0
    for (const items of [10, 100, 1000, 10_000]) {
      const { mean, p99 } = estimateClosedForm(scenario('edge', 16, items)).latencyMs
      expect(Number.isFinite(p99)).toBe(true)
      expect(mean).toBeGreaterThan(before)
      before = mean
    }
  })
})

describe('a shortened simulation', () => {
  test.each([
    ['unsaturated', 'cloud', 8],
    ['saturated network', 'cloud', 20],
    ['saturated cores', 'edge', 8],
  ] as const)('%s: close to the full one', (_, face, devices) => {
    const model = scenario(face, devices)
    const full = simulate(model, { seed: 1 })
    const part = toEnd(simulateScaled(model, { seed: 1, maxItems: 2000 }))
    expect(off(part.latencyMs.mean, full.latencyMs.mean)).toBeLessThan(0.12)
    expect(part.latencyMs.p99).toBeGreaterThan(part.latencyMs.p50)
    const { network, management, dataExchange, execution } = part.breakdown
    expect(network + management + dataExchange + execution).toBeCloseTo(part.latencyMs.mean, 6)
    expect(off(part.execTimeMs, full.execTimeMs)).toBeLessThan(0.05)
    expect(off(part.energyJ, full.energyJ)).toBeLessThan(0.05)
  })

  test('short cloud tasks with rare cold starts keep their order of quantiles', () => {
    const model = queue('cloud', 5, {
      gap: constant(50),
      devices: 16,
      items: 2400,
      cloud: { coldStartMs: 400 },
    })
    for (const maxItems of [500, 2000, 20_000]) {
      const { latencyMs, perTask } = toEnd(simulateScaled(model, { seed: 1, maxItems }))
      expect(latencyMs.p99).toBeGreaterThanOrEqual(latencyMs.p50)
      expect(perTask.work?.p99Ms).toBeGreaterThanOrEqual(perTask.work?.p50Ms ?? 0)
    }
  })

  test('is the full one when the run is short', () => {
    const model = scenario('cloud', 4, 20)
    expect(toEnd(simulateScaled(model, { seed: 1, maxItems: 80 }))).toEqual(simulate(model, { seed: 1 }))
  })
})

describe('measured profiles', () => {
  test('what was sampled is what is simulated', () => {
    const values = Array.from({ length: 500 }, (_, i) => 20 + ((i * 37) % 100))
    const measured = fromSamples(values)
    const model = queue('cloud', measured, { gap: constant(200), items: 20_000 })
    const { latencyMs } = simulate(model, { seed: 1 })
    expect(off(latencyMs.mean, measured.mean)).toBeLessThan(0.01)
    expect(off(latencyMs.p99, measured.quantiles[99] ?? 0)).toBeLessThan(0.02)
  })
})
