import type { Estimate } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import { compare, deviationsOf, quantile, repetitionOf } from './comparison.ts'

const nothing = { network: 0, management: 0, dataExchange: 0, execution: 0 }

function estimate(p50: number, p99: number): Estimate {
  return {
    latencyMs: { p50: 2 * p50, p99: 2 * p99, mean: p50 },
    breakdown: nothing,
    perTask: {
      work: { p50Ms: p50, p99Ms: p99, breakdown: nothing, tier: 'cloud' },
      idle: { p50Ms: 1, p99Ms: 1, breakdown: nothing, tier: 'edge' },
    },
    execTimeMs: 100,
    throughput: 1,
    energyJ: 0,
    energyShare: 0,
    bandwidthMBps: 0,
    costPerHour: 0,
    costPerRun: 0,
  }
}

test('medians over simulations and runs are held against each other', () => {
  const run = (times: number[]) => ({
    tasks: { work: times },
    endToEnd: times.map((time) => 4 * time),
    runMs: 80,
  })
  const comparison = compare(
    [estimate(10, 30), estimate(12, 33), estimate(90, 99)],
    [run([30, 10, 20]), run([15, 5, 25]), run([1000, 10, 900])],
  )
  expect(comparison.rows.map(({ task, samples }) => [task, samples])).toEqual([
    ['work', 3],
    [null, 3],
  ])
  const [work, whole] = comparison.rows
  // medians of the runs: 20, 15 and 900
  expect(work?.p50).toEqual({ simulatedMs: 12, measuredMs: 20, deviation: 12 / 20 - 1 })
  expect(whole?.p50.measuredMs).toBe(80)
  expect(work?.p99.measuredMs).toBeCloseTo(29.8)
  expect(comparison.run.deviation).toBeCloseTo(0.25)
})

test('deviations are sizes, whichever way they go', () => {
  const figure = (deviation: number) => ({ simulatedMs: 1, measuredMs: 1, deviation })
  const row = (task: string | null, p50: number, p99: number) => ({
    task,
    tier: null,
    samples: 1,
    p50: figure(p50),
    p99: figure(p99),
  })
  const rows = [row('a', 0.1, -0.1), row(null, -0.2, 0.4)]
  const { endToEndP50, endToEndP99, all, median } = deviationsOf([{ rows, run: figure(0) }])
  expect([endToEndP50, endToEndP99, all, median].map((each) => Number(each.toFixed(6)))).toEqual([
    0.2, 0.4, 0.2, 0.15,
  ])
  expect(deviationsOf([]).median).toBeNaN()
})

test('quantiles lie between neighbours', () => {
  expect(quantile([1, 2, 3, 4], 0.5)).toBe(2.5)
  expect(quantile([7], 0.99)).toBe(7)
  expect(quantile([], 0.5)).toBeNaN()
})

test('runs are held against runs as a simulation would be', () => {
  const runs = (...factors: number[]) =>
    factors.map((factor) => ({
      tasks: {},
      endToEnd: [3 * factor, factor, 2 * factor],
      runMs: 100 * factor,
    }))
  const { endToEndP50, endToEndP99, run } = repetitionOf(runs(9, 2, 3), runs(2, 1, 4))
  for (const share of [endToEndP50, endToEndP99, run]) expect(share).toBeCloseTo(0.5)
  const none = repetitionOf([{ tasks: {}, endToEnd: [], runMs: 1 }], runs(1))
  expect(none.endToEndP99).toBeNaN()
  expect(none.run).toBeCloseTo(-0.99)
})
