import { expect, test } from 'vitest'
import { md1, mmc, mmcShared } from './sim-accuracy-theory.ts'

test('M/M/1: the time in the system is exponential', () => {
  const { mean, p50, p95, p99 } = mmc(1, 0.7, 70)
  expect(mean).toBeCloseTo(70 / 0.3, 9)
  expect(p50).toBeCloseTo((Math.LN2 * 70) / 0.3, 6)
  expect(p95).toBeCloseTo((Math.log(20) * 70) / 0.3, 6)
  expect(p99).toBeCloseTo((Math.log(100) * 70) / 0.3, 6)
})

test('M/M/2: the mean has a formula of its own', () => {
  expect(mmc(2, 0.6, 10).mean).toBeCloseTo(10 / (1 - 0.36), 9)
})

test('M/M/c with very many servers is the service alone', () => {
  const { mean, p99 } = mmc(500, 0.2, 10)
  expect(mean).toBeCloseTo(10, 6)
  expect(p99).toBeCloseTo(10 * Math.log(100), 4)
})

test('M/D/1: half wait for nothing at load 0.5; Pollaczek and Khinchine give the mean', () => {
  const { mean, p50 } = md1(0.5, 8)
  expect(mean).toBeCloseTo(8 * 1.5, 9)
  expect(p50).toBeCloseTo(8, 9)
})

test('M/D/1: the quantiles beyond a service agree with the exponential tail', () => {
  // the tail falls by exp(-eta) in one service, where eta solves load * (exp(eta) - 1) = eta
  let eta = 1
  for (let step = 0; step < 200; step++) eta = Math.log(1 + eta / 0.8)
  const constant = (1 - 0.8) / (0.8 * Math.exp(eta) - 1)
  const waited = Math.log(constant / 0.01) / eta
  expect(md1(0.8, 1).p99 - 1).toBeCloseTo(waited, 3)
})

test('processor sharing: with very many cores the service alone, with one spread wider than in turn', () => {
  const alone = mmcShared(200, 0.1, 10)
  expect(alone.mean).toBeCloseTo(10, 6)
  expect(alone.p99).toBeCloseTo(10 * Math.log(100), 3)
  const shared = mmcShared(1, 0.7, 70)
  const inTurn = mmc(1, 0.7, 70)
  expect(shared.mean).toBeCloseTo(70 / 0.3, 9)
  expect(shared.p50).toBeLessThan(inTurn.p50)
  expect(shared.p99).toBeGreaterThan(inTurn.p99)
})

test('processor sharing on two cores: the mean is that of a queue, the tail is heavier', () => {
  const { p50, p99, mean } = mmcShared(2, 0.5, 20)
  expect(mean).toBeCloseTo(20 / (1 - 0.25), 9)
  expect(p50).toBeGreaterThan(20 * Math.LN2)
  expect(p99).toBeGreaterThan(mmc(2, 0.5, 20).mean * 4)
})
