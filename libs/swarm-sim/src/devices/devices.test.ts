import type { Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { plainFleet, profileOf, tier, workflowOf } from '../../test/workflows.ts'
import type { Conditions } from '../faults.ts'
import { buildModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import { simulate, simulateInDetail } from '../simulate.ts'

interface Given {
  devices?: number
  items?: number
  /** Time of the work, in ms. */
  ms?: number
  bytes?: number
  work?: 'edge' | 'cloud'
  act?: boolean
  count?: boolean
  restore?: 'respawn' | 'repartition' | 'ignore'
}

/** Devices that sense one item a second; each is worked on, and perhaps acted on, and all are counted. */
function model({
  devices = 3,
  items = 10,
  ms = 0,
  bytes = 0,
  work = 'edge',
  act,
  count,
  restore,
}: Given = {}): Model {
  const workflow: Workflow = workflowOf({
    sense: { args: { rate: '1/s' }, directives: restore ? { restore } : {} },
    work: { reads: ['senseOut'], parents: ['sense'] },
    ...(act ? { act: { reads: ['workOut'], parents: ['work'], writes: null } } : {}),
    ...(count
      ? {
          count: {
            reads: ['workOut'],
            parents: ['work'],
            directives: { synchronize: { kind: 'all' as const } },
          },
        }
      : {}),
  })
  return buildModel({
    workflow,
    placement: { sense: 'edge', work, ...(act && { act: 'edge' }), ...(count && { count: 'cloud' }) },
    fleet: plainFleet(devices),
    profile: profileOf({ sense: tier(0, bytes), work: tier(ms, 0), act: tier(0), count: tier(5) }),
    itemsPerDevice: items,
  })
}

const run = (of: Model, conditions: Conditions, seed = 1) =>
  simulateInDetail(of, { seed, conditions, series: true })

/** The second of three devices fails when about half of its ten items are sensed. */
const halfWay: Conditions['deviceFailures'] = { at: [{ device: 2, atMs: 5000 }] }

describe('a device that fails', () => {
  test('ignored: what it has not sensed is missing, and nothing else', () => {
    const { items, completed, outages, estimate } = run(model({ restore: 'ignore' }), {
      deviceFailures: halfWay,
    })
    const missing = items.planned - items.emitted
    expect(items.planned).toBe(30)
    expect([5, 6]).toContain(missing)
    expect(items).toMatchObject({ finished: 30 - missing, lost: 0 })
    expect(completed).toBeCloseTo(1 - missing / 30)
    expect(outages).toEqual([{ device: 2, cause: 'failure', atMs: 5000, untilMs: null }])
    expect(estimate.execTimeMs).toBeLessThan(10_001)
  })

  test.each([1, 2, 3])('without sensors: what device %i began is its own', (device) => {
    const workflow = workflowOf({
      plan: { reads: ['orders'], directives: { restore: 'ignore' } },
      follow: { reads: ['planOut'], parents: ['plan'] },
    })
    const of = buildModel({
      workflow,
      placement: { plan: 'edge', follow: 'edge' },
      fleet: plainFleet(3),
      profile: profileOf({ plan: tier(1000), follow: tier(2000) }),
    })
    const { items, outages } = run(of, { deviceFailures: { at: [{ device, atMs: 1500 }] } })
    expect(outages.map((each) => each.device)).toEqual([device])
    expect(items).toMatchObject({ planned: 3, finished: 2, lost: 1 })
  })

  test('repartitioned: its neighbours sense the rest after their own', () => {
    const quiet = simulate(model(), { seed: 1 })
    const { items, completed, estimate } = run(model({ restore: 'repartition' }), { deviceFailures: halfWay })
    expect(items).toMatchObject({ planned: 30, emitted: 30, finished: 30, lost: 0 })
    expect(completed).toBe(1)
    // 5 or 6 items over two neighbours: three more seconds, after the end of their own
    expect(estimate.execTimeMs).toBeGreaterThan(quiet.execTimeMs + 2000)
    expect(estimate.execTimeMs).toBeLessThanOrEqual(10_000 + 3000)
  })

  test.each([
    ['checkpoint', 0],
    // the five or six items it has sensed are sensed again, one a second, and do not count
    ['respawn', 5000],
  ] as const)('%s: it goes on after it was noticed and has restarted', (restore, repetitionMs) => {
    const { items, outages, estimate } = run(model(), {
      deviceFailures: { ...halfWay, detectMs: 4000, restartMs: 6000, restore },
    })
    expect(items).toMatchObject({ planned: 30, emitted: 30, finished: 30, lost: 0 })
    expect(outages).toEqual([{ device: 2, cause: 'failure', atMs: 5000, untilMs: 15_000 }])
    // five or six of its items are emitted then, one of them at once
    expect(estimate.execTimeMs).toBeGreaterThanOrEqual(15_000 + 4000 + repetitionMs - 1000)
    expect(estimate.execTimeMs).toBeLessThanOrEqual(15_000 + 5000 + repetitionMs)
  })

  test('what it computes is begun anew when it is back, and its time counts as waiting', () => {
    const one = { devices: 1, items: 1, ms: 2000 }
    const quiet = run(model(one), {})
    const sensedAt = quiet.estimate.execTimeMs - 2000
    const failing = run(model(one), {
      deviceFailures: { at: [{ device: 1, atMs: sensedAt + 500 }], detectMs: 1000, restartMs: 1500 },
    })
    expect(failing.items).toMatchObject({ finished: 1, lost: 0 })
    expect(failing.estimate.latencyMs.mean).toBeCloseTo(500 + 1000 + 1500 + 2000, 6)
    expect(failing.estimate.breakdown.execution).toBeCloseTo(2000, 6)
    expect(failing.estimate.breakdown.management).toBeCloseTo(3000, 6)
    expect(failing.estimate.perTask.work?.breakdown.execution).toBeCloseTo(2000, 6)
    // 2 W idle while it is on, 10 W while it computes: half a second in vain, and two
    const end = failing.estimate.execTimeMs
    expect(failing.estimate.energyJ).toBeCloseTo((2 * (end - 2500) + 10 * 2500) / 1000, 6)
  })

  test('what it computes is lost when its work is shared out', () => {
    const { items } = run(model({ ms: 900, restore: 'repartition' }), { deviceFailures: halfWay })
    expect(items.emitted).toBe(30)
    expect(items.lost).toBeLessThanOrEqual(1)
    expect(items.finished + items.lost).toBe(30)
    const busy = run(model({ ms: 3000, restore: 'repartition' }), { deviceFailures: halfWay }).items
    // it was at its second item, and the others it had sensed waited
    expect(busy.lost).toBeGreaterThanOrEqual(3)
    expect(busy.finished + busy.lost).toBe(30)
  })

  test('answers for its items go to those that have its work', () => {
    const given = { work: 'cloud', act: true, ms: 1500 } as const
    const shared = run(model({ ...given, restore: 'repartition' }), { deviceFailures: halfWay })
    expect(shared.items).toMatchObject({ emitted: 30, finished: 30, lost: 0 })
    const alone = run(model({ ...given, restore: 'ignore' }), { deviceFailures: halfWay })
    expect(alone.items.lost).toBeGreaterThanOrEqual(1)
    expect(alone.items.finished + alone.items.lost).toBe(alone.items.emitted)
  })

  test('a transfer under way is sent again, or lost; a barrier does not wait for it', () => {
    // 3 GB take three seconds
    const given = { devices: 1, items: 3, bytes: 3e9, work: 'cloud', count: true } as const
    const failing: Conditions = { deviceFailures: { at: [{ device: 1, atMs: 2900 }] } }
    const quiet = run(model(given), {})
    const again = run(model(given), failing)
    expect(quiet.items.finished).toBe(3)
    expect(again.items.finished).toBe(3)
    const moved = (detail: typeof quiet) =>
      (detail.estimate.bandwidthMBps * detail.estimate.execTimeMs) / 1000
    expect(moved(quiet)).toBeCloseTo(9000, 3)
    expect(moved(again)).toBeGreaterThan(9500)
    const lost = run(model({ ...given, restore: 'ignore' }), failing)
    expect(lost.items.finished).toBe(0)
    expect(lost.items.lost).toBe(lost.items.emitted)
    expect(lost.estimate.perTask.count?.p50Ms).toBeGreaterThan(0)
  })

  test('the last device has no neighbour: its work is lost', () => {
    const { items, completed } = run(model({ devices: 1, restore: 'repartition' }), {
      deviceFailures: { at: [{ device: 1, atMs: 5000 }] },
    })
    expect(items.emitted).toBeLessThan(7)
    expect(completed).toBeLessThan(0.7)
  })

  test('an heir that fails passes on what it had and what it was given', () => {
    const at = [
      { device: 2, atMs: 2000 },
      { device: 1, atMs: 6000 },
    ]
    const { items } = run(model({ devices: 4, restore: 'repartition' }), { deviceFailures: { at } })
    expect(items).toMatchObject({ planned: 40, emitted: 40, finished: 40 })
  })

  test('a policy that is asked for counts instead of the workflow’s', () => {
    const { items } = run(model(), { deviceFailures: { ...halfWay, restore: 'ignore' } })
    expect(items.emitted).toBeLessThan(30)
  })

  test('the run is over when its work is: failures do not keep it going', () => {
    const of = model({ devices: 1000, items: 5, count: true })
    const { outages, estimate } = run(of, { deviceFailures: { meanMs: 60_000, restore: 'repartition' } })
    // 1 - exp(-1 / 12) of the devices fail in 5 s, somewhat more until their neighbours are done
    expect(outages.length).toBeGreaterThan(50)
    expect(outages.length).toBeLessThan(200)
    expect(Math.max(...outages.map(({ atMs }) => atMs))).toBeLessThanOrEqual(estimate.execTimeMs)
  })

  test('the mean time between failures is that of an exponential distribution', () => {
    const of = model({ devices: 50, items: 1000, restore: 'ignore' })
    const { outages } = run(of, { deviceFailures: { meanMs: 500_000 } })
    // 1 - exp(-2) of 50 devices fail within 1,000 s: 43.2, give or take 2.4
    expect(outages.length).toBeGreaterThan(35)
    expect(outages.length).toBeLessThan(50)
    const again = run(of, {
      deviceFailures: { meanMs: 20_000, detectMs: 0, restartMs: 0, restore: 'respawn' },
    })
    // 50 devices for 1,000 s, every 20 s
    expect(again.outages.length).toBeGreaterThan(2350)
    expect(again.outages.length).toBeLessThan(2650)
    expect(again.items.finished).toBe(50_000)
  })

  test.each([
    [
      { at: [{ device: 4, atMs: 0 }] },
      "'deviceFailures.at[0].device' must be a whole number from 1 to 3, not 4.",
    ],
    [{ at: [{ device: 1, atMs: -1 }] }, "'deviceFailures.at[0].atMs' must be at least 0"],
    [{ meanMs: 0 }, "'deviceFailures.meanMs' must be above 0"],
    [{ detectMs: Number.NaN }, "'deviceFailures.detectMs' must be at least 0"],
  ] as [Conditions['deviceFailures'], string][])('out of range: %j', (deviceFailures, message) => {
    expect(() => run(model(), { deviceFailures })).toThrow(message)
  })
})

describe('a battery', () => {
  const withBattery = (of: Model, batteryJ: number): Model => ({
    ...of,
    classes: of.classes.map((each) => ({ ...each, batteryJ, motionW: 50 })),
  })

  test('of a device that only idles and moves lasts for its energy over its power', () => {
    // 52 W
    const { outages, items, estimate } = run(withBattery(model({ devices: 1, items: 100 }), 52 * 30), {
      batteries: true,
    })
    expect(outages).toHaveLength(1)
    expect(outages[0]).toMatchObject({ device: 1, cause: 'battery', untilMs: null })
    expect(Math.abs((outages[0]?.atMs ?? 0) - 30_000)).toBeLessThan(2)
    expect([29, 30, 31]).toContain(items.emitted)
    expect(estimate.energyShare).toBeLessThanOrEqual(1)
  })

  test('is also used by computing and radio: the device stops when it is empty', () => {
    const busy = withBattery(model({ devices: 2, items: 60, ms: 600, bytes: 1e6, count: true }), 52 * 30)
    const { outages, estimate, completed, series } = run(busy, { batteries: true })
    expect(outages).toHaveLength(2)
    // 10 W for 0.6 of the time are 58 W
    for (const { atMs } of outages) expect(Math.abs(atMs - (52 * 30_000) / 58)).toBeLessThan(400)
    expect(estimate.energyShare).toBeGreaterThan(0.98)
    expect(estimate.energyShare).toBeLessThan(1.0001)
    expect(completed).toBeLessThan(0.5)
    expect(series?.batteryLowest.at(-1)).toBeGreaterThan(-0.0001)
  })

  test('that suffices changes nothing', () => {
    const of = model({ ms: 500, work: 'cloud', bytes: 1e6, count: true })
    expect(run(of, { batteries: true })).toEqual(run(of, {}))
  })

  test('of devices that take over work runs empty, which would suffice for their own', () => {
    const of = withBattery(model({ devices: 5, items: 20, ms: 900, restore: 'repartition' }), 1350)
    expect(run(of, { batteries: true }).outages).toEqual([])
    const { outages } = run(of, { batteries: true, deviceFailures: { at: [{ device: 3, atMs: 3000 }] } })
    expect(outages.map(({ device }) => device)).toEqual([
      3,
      expect.anything(),
      expect.anything(),
      expect.anything(),
      expect.anything(),
    ])
  })
})

test('devices of one host do not go down alone', () => {
  const of = { ...model(), host: { cores: 2, others: 0 } }
  expect(() => run(of, { batteries: true })).toThrow("'batteries' needs devices of their own")
  expect(() => run(of, { deviceFailures: {} })).toThrow("'deviceFailures' needs devices of their own")
  const { series, estimate } = run({ ...model({ ms: 400, devices: 5 }), host: { cores: 1, others: 0 } }, {})
  expect(series?.energyJ.at(-1)).toBeCloseTo(estimate.energyJ, 6)
})

test('a series ends where the estimate does', () => {
  const of = model({ devices: 4, items: 50, ms: 300, bytes: 5e6, work: 'cloud', act: true, count: true })
  for (const conditions of [{}, { deviceFailures: { meanMs: 30_000 }, batteries: true }]) {
    const { series, estimate, items } = run(of, conditions)
    expect(series?.energyJ.at(-1)).toBeCloseTo(estimate.energyJ, 6)
    expect(series?.batteryMean.at(-1)).toBeCloseTo(1 - estimate.energyShare, 9)
    expect(series?.finished.at(-1)).toBe(items.finished)
    const { binMs = 0, bandwidthMBps = [] } = series ?? {}
    const bins = bandwidthMBps.length
    expect(bins).toBeGreaterThan(60)
    expect(bins).toBeLessThanOrEqual(128)
    const megabytes = bandwidthMBps.reduce((sum, value, bin) => {
      const ms = Math.min(estimate.execTimeMs, (bin + 1) * binMs) - bin * binMs
      return sum + (value * ms) / 1000
    }, 0)
    expect(megabytes).toBeCloseTo((estimate.bandwidthMBps * estimate.execTimeMs) / 1000, 6)
  }
})
