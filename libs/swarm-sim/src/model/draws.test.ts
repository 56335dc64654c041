import { expect, test } from 'vitest'
import { plainFleet, profileOf, tier, workflowOf } from '../../test/workflows.ts'
import { sample } from '../random.ts'
import { buildModel } from './build.ts'
import { drawsOf } from './draws.ts'
import { wiringOf } from './wiring.ts'

const skewed = { mean: 60, quantiles: [10, 20, 40, 80, 150], samples: 0 }

/** A sensor, and a task whose times vary, on as many devices with as many items each. */
function modelOf(devices: number, items: number, service: typeof skewed | number = skewed) {
  return buildModel({
    workflow: workflowOf({
      sense: { args: { rate: '8/s' } },
      work: { parents: ['sense'], reads: ['senseOut'] },
    }),
    placement: { sense: 'edge', work: 'edge' },
    fleet: plainFleet(devices),
    profile: profileOf({ sense: tier(0, 0, items), work: tier(service, 0) }),
    itemsPerDevice: items,
  })
}

function workOf(
  devices: number,
  items: number,
  { seed = 1, service }: { seed?: number; service?: typeof skewed | number } = {},
) {
  const work = wiringOf(modelOf(devices, items, service), seed)[1]
  if (!work) throw new Error('no such task')
  return work
}

/** What is drawn of one task. */
function drawn(work: ReturnType<typeof workOf>) {
  return drawsOf([work])[0]
}

test('are what is drawn one by one, and kept for the same task, seed and size', () => {
  const work = workOf(3, 50)
  const draws = drawn(work)
  expect(draws).toHaveLength(150)
  for (let lane = 0; lane < 3; lane++)
    for (let seq = 0; seq < 50; seq++)
      expect(draws?.[lane * 50 + seq]).toBe(sample(work.service, work.services[lane] as number, seq))
  expect(drawn(workOf(3, 50))).toBe(draws)
  for (const other of [workOf(3, 50, { seed: 2 }), workOf(4, 50), workOf(3, 51)]) {
    expect(drawn(other)?.[0]).toBe(sample(other.service, other.services[0] as number, 0))
    expect(drawn(other)).not.toBe(draws)
  }
})

test('are forgotten when too many are kept', () => {
  const first = drawn(workOf(1, 2 ** 16, { seed: 100 }))
  expect(drawn(workOf(1, 2 ** 16, { seed: 100 }))).toBe(first)
  for (let seed = 101; seed < 165; seed++) drawn(workOf(1, 2 ** 16, { seed }))
  const again = drawn(workOf(1, 2 ** 16, { seed: 100 }))
  expect(again).not.toBe(first)
  expect(again).toEqual(first)
})

test('are not made of what never varies, nor where they are too many: then each is drawn in time', () => {
  expect(drawn(workOf(2, 10, { service: 5 }))).toBeNull()
  const items = 2 ** 16 + 1
  expect(drawn(workOf(1, items))).toBeNull()
  const tasks = Array.from({ length: 66 }, (_, seed) => workOf(1, 2 ** 16, { seed: 200 + seed }))
  expect(drawsOf(tasks).map((draws) => draws !== null)).toEqual([...Array(64).fill(true), false, false])
})
