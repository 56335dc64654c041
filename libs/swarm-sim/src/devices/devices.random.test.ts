import { expect, test } from 'vitest'
import { randomModel } from '../../test/random.ts'
import type { Conditions } from '../faults.ts'
import { simulate, simulateInDetail } from '../simulate.ts'

/** Something goes wrong with most of the devices while the run lasts. */
function conditionsOf(seed: number, endMs: number): Conditions {
  return {
    deviceFailures: {
      meanMs: endMs * (0.3 + (seed % 7)),
      detectMs: seed % 3 === 0 ? 0 : endMs / 20,
      restartMs: seed % 2 === 0 ? 0 : endMs / 10,
    },
    batteries: seed % 4 === 0,
    ...(seed % 5 === 0 ? { loss: 0.1 } : {}),
  }
}

test('over random workflows: every item is finished or lost, nothing waits for ever, and runs are repeatable', {
  timeout: 120_000,
}, () => {
  let lost = 0
  let missing = 0
  let outages = 0
  for (let seed = 1; seed <= 400; seed++) {
    const model = randomModel(seed)
    const quiet = simulateInDetail(model, { seed, series: true })
    expect(quiet.items, `seed ${seed}`).toMatchObject({ emitted: quiet.items.planned, lost: 0 })
    expect(quiet.items.finished, `seed ${seed}`).toBe(quiet.items.planned)
    expect(quiet.estimate).toEqual(simulate(model, { seed }))
    const conditions = conditionsOf(seed, quiet.estimate.execTimeMs)
    const of =
      seed % 4 === 0
        ? { ...model, classes: model.classes.map((each) => ({ ...each, batteryJ: quiet.estimate.energyJ })) }
        : model
    const detail = simulateInDetail(of, { seed, conditions, series: true })
    const { items, estimate, series } = detail
    expect(items.finished + items.lost, `seed ${seed}`).toBe(items.emitted)
    expect(items.emitted).toBeLessThanOrEqual(items.planned)
    expect(detail.completed).toBeCloseTo((items.emitted - items.lost) / items.planned)
    expect(series?.energyJ.at(-1), `seed ${seed}`).toBeCloseTo(estimate.energyJ, 6)
    const { network, management, dataExchange, execution } = estimate.breakdown
    // an item that waits for one of another sensor waits before the chain that is told
    if (model.tasks.filter((task) => task.gap).length === 1)
      expect(network + management + dataExchange + execution, `seed ${seed}`).toBeCloseTo(
        estimate.latencyMs.mean,
        5,
      )
    for (const parts of [
      estimate.breakdown,
      ...Object.values(estimate.perTask).map((each) => each.breakdown),
    ])
      for (const part of Object.values(parts)) expect(part).toBeGreaterThanOrEqual(-1e-9)
    // a device is stopped within a millisecond, at 22 or 32 W
    if (conditions.batteries)
      expect(Math.min(...(series?.batteryLowest ?? [])) * quiet.estimate.energyJ).toBeGreaterThan(-0.04)
    expect(simulateInDetail(of, { seed, conditions, series: true })).toEqual(detail)
    lost += items.lost
    missing += items.planned - items.emitted
    outages += detail.outages.length
  }
  // what is tested does happen
  expect(outages).toBeGreaterThan(400)
  expect(lost).toBeGreaterThan(400)
  expect(missing).toBeGreaterThan(400)
})

test('over random workflows: a series ends where the estimate does, also where servers are held or shared', () => {
  for (let seed = 1; seed <= 80; seed++) {
    const model = randomModel(seed)
    const held = { ...model, classes: model.classes.map((each) => ({ ...each, awaitsArrival: true })) }
    for (const of of [held, { ...held, host: { cores: 2, others: 0 } }]) {
      const { series, estimate } = simulateInDetail(of, { seed, series: true })
      expect(series?.energyJ.at(-1), `seed ${seed}`).toBeCloseTo(estimate.energyJ, 6)
    }
  }
})
