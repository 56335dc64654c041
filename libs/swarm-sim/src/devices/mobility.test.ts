import { expect, test } from 'vitest'
import { plainFleet, profileOf, tier, workflowOf } from '../../test/workflows.ts'
import { buildModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import { simulate, simulateInDetail } from '../simulate.ts'
import { type Mobility, Movement } from './mobility.ts'

/** Devices at 4 m/s that send a MB, a millisecond at the best rate, every second. */
function model(devices: number, points = 1, speedMps = 4, items = 60): Model {
  const of = buildModel({
    workflow: workflowOf({
      sense: { args: { rate: '1/s' } },
      work: { reads: ['senseOut'], parents: ['sense'], writes: null },
    }),
    placement: { sense: 'edge', work: 'cloud' },
    fleet: plainFleet(devices, { link: { count: points } }),
    profile: profileOf({ sense: tier(0, 1e6), work: tier(0) }),
    itemsPerDevice: items,
  })
  return { ...of, classes: of.classes.map((each) => ({ ...each, speedMps })) }
}

const field: Mobility = { areaM: [40, 100] }

test('a sweep goes up and down the tracks of its own strip, and back', () => {
  // strips of 20 m in three tracks of 6.67 m
  const movement = new Movement(field, model(2), 1)
  const between = 20 / 3
  expect(movement.positionOf(0, 0)).toEqual([between / 2, 0])
  expect(movement.positionOf(0, 10_000)).toEqual([between / 2, 40])
  expect(movement.positionOf(1, 25_000)).toEqual([20 + between / 2, 100])
  // over to the second track, and 20 m down it
  const [x, y] = movement.positionOf(0, (100 + between + 20) / 0.004)
  expect(x).toBeCloseTo(1.5 * between)
  expect(y).toBeCloseTo(80)
  const way = 3 * 100 + 2 * between
  const [endX, endY] = movement.positionOf(0, way / 0.004)
  expect(endX).toBeCloseTo(2.5 * between)
  expect(endY).toBeCloseTo(100)
  expect(movement.positionOf(0, (2 * way - 40) / 0.004)[1]).toBeCloseTo(40)
  expect(movement.positionOf(0, (2 * way + 40) / 0.004)[1]).toBeCloseTo(40)
})

test.each(['sweep', 'waypoints'] as const)('%s: a device stays in the area and keeps its speed', (route) => {
  const movement = new Movement({ ...field, route }, model(3), 7)
  for (let device = 0; device < 3; device++) {
    let [fromX, fromY] = movement.positionOf(device, 0)
    for (let now = 250; now < 400_000; now += 250) {
      const [x, y] = movement.positionOf(device, now)
      expect(x).toBeGreaterThanOrEqual(0)
      expect(x).toBeLessThanOrEqual(40)
      expect(y).toBeGreaterThanOrEqual(0)
      expect(y).toBeLessThanOrEqual(100)
      // a metre in 250 ms; less where it turns
      expect(Math.sqrt((x - fromX) ** 2 + (y - fromY) ** 2)).toBeLessThanOrEqual(1 + 1e-9)
      fromX = x
      fromY = y
    }
  }
})

test('the nearest access point is used, slower the farther it is', () => {
  const still = (x: number): Mobility => ({
    areaM: [2 * x, 2],
    accessPointsM: [
      [0, 1],
      [5 * x, 1],
    ],
  })
  // what stands still is at the beginning of its strip: half a track from the side
  const slowdown = (metres: number) =>
    new Movement({ ...still(metres), trackM: 2 * metres }, model(1, 2, 0), 1).linkOf(0, 0)
  expect(slowdown(10)).toEqual({ point: 0, slowdown: 1 })
  expect(slowdown(18).slowdown).toBeCloseTo(1 / 0.9)
  expect(slowdown(60).slowdown).toBeCloseTo(1 / 0.45)
  expect(slowdown(10_000).slowdown).toBeCloseTo(1 / 0.075)
  const far = new Movement({ areaM: [100, 10] }, model(10, 2, 0), 1)
  expect([0, 4, 5, 9].map((device) => far.linkOf(device, 0).point)).toEqual([0, 0, 1, 1])
})

test('in a run: near the access point nothing changes; farther away a transfer takes longer', () => {
  const quiet = simulate(model(1, 1, 0), { seed: 1 })
  const mobility: Mobility = { areaM: [10, 10] }
  expect(simulate(model(1, 1, 0), { seed: 1, conditions: { mobility } })).toEqual(quiet)
  const far: Mobility = { areaM: [10, 10], accessPointsM: [[65, 0]] }
  const slow = simulate(model(1, 1, 0), { seed: 1, conditions: { mobility: far } })
  // 60 to 62 m away
  expect(quiet.breakdown.network).toBeCloseTo(1, 6)
  expect(slow.breakdown.network).toBeCloseTo(1 / 0.45, 6)
  expect(slow.bandwidthMBps * slow.execTimeMs).toBeCloseTo(quiet.bandwidthMBps * quiet.execTimeMs, 3)
})

test('a device that passes two access points is handed over: its transfers spread over both', () => {
  // alone it would share one access point with the other three
  const mobility: Mobility = { areaM: [400, 20], trackM: 1 }
  const of = model(4, 2, 4, 100)
  const detail = (route: 'sweep' | 'waypoints', seed: number) =>
    simulateInDetail(of, { seed, conditions: { mobility: { ...mobility, route } } })
  const roaming = detail('waypoints', 3)
  expect(roaming.items.finished).toBe(400)
  expect(roaming).toEqual(detail('waypoints', 3))
  expect(roaming.quantilesMs).not.toEqual(detail('waypoints', 4).quantilesMs)
  expect(roaming.quantilesMs.at(-1)).toBeGreaterThan(1.5 * (roaming.quantilesMs[0] as number))
})

test.each([
  [{ areaM: [0, 10] }, "'mobility.areaM' must be two lengths above 0, not 0 and 10."],
  [{ areaM: [10, 10], trackM: 0 }, "'mobility.trackM' must be above 0, not 0."],
  [{ areaM: [10, 10], accessPointsM: [] }, 'a place for each of the 1 access points of the fleet, not 0.'],
] as [Mobility, string][])('out of range: %j', (mobility, message) => {
  expect(() => simulate(model(1), { seed: 1, conditions: { mobility } })).toThrow(message)
})
