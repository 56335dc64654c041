import { expect, test } from 'vitest'
import { randomModel } from '../../test/random.ts'
import { plainFleet, profileOf, tier, workflowOf } from '../../test/workflows.ts'
import { buildModel } from '../model/build.ts'
import { simulateInDetail, traceItems } from '../simulate.ts'

const partsOf = (of: { network: number; management: number; dataExchange: number; execution: number }) =>
  of.network + of.management + of.dataExchange + of.execution

test('the way of an item through a chain is told without gaps, and its parts are those of the estimate', () => {
  const model = buildModel({
    workflow: workflowOf({
      sense: { args: { rate: '1/s' } },
      detect: { reads: ['senseOut'], parents: ['sense'] },
      match: { reads: ['detectOut'], parents: ['detect'] },
      act: { reads: ['matchOut'], parents: ['match'], writes: null },
    }),
    placement: { sense: 'edge', detect: 'cloud', match: 'cloud', act: 'edge' },
    fleet: plainFleet(1, {
      cloud: { dispatchMs: 4, coldStartMs: 100, handOver: { fixedMs: 7, bandwidthMBps: 1e6 } },
    }),
    profile: profileOf({ sense: tier(0, 2e6), detect: tier(40), match: tier(50, 1e6), act: tier(5) }),
    itemsPerDevice: 3,
  })
  const [slowest] = traceItems(model, { seed: 1, quantiles: [1] })
  expect(slowest?.spans.map(({ task }) => task)).toEqual(['detect', 'match', 'act'])
  const close = (value: number) => expect.closeTo(value, 6)
  // 2 ms up, a dispatch and a cold start each, the hand-over, 1 ms down
  expect(slowest?.spans).toMatchObject([
    {
      tier: 'cloud',
      fromMs: close(0),
      toMs: close(146),
      network: close(2),
      management: close(104),
      dataExchange: close(0),
      execution: close(40),
    },
    {
      tier: 'cloud',
      fromMs: close(146),
      toMs: close(307),
      network: close(0),
      management: close(104),
      dataExchange: close(7),
      execution: close(50),
    },
    {
      tier: 'edge',
      fromMs: close(307),
      toMs: close(313),
      network: close(1),
      management: close(0),
      dataExchange: close(0),
      execution: close(5),
    },
  ])
  expect(slowest).toMatchObject({ quantile: 1, device: 1, latencyMs: close(313) })
})

test('over random workflows: spans add up, and the last one ends the item', () => {
  let told = 0
  for (let seed = 1; seed <= 150; seed++) {
    const model = randomModel(seed)
    const conditions = seed % 3 === 0 ? { deviceFailures: { meanMs: 20_000 } } : {}
    const { quantilesMs, items } = simulateInDetail(model, { seed, conditions })
    const traces = traceItems(model, { seed, conditions, quantiles: [0, 0.5, 1] })
    expect(traces).toHaveLength(items.finished > 0 ? 3 : 0)
    const [fastest, , slowest] = traces
    if (!fastest || !slowest) continue
    expect(fastest.latencyMs).toBeCloseTo(quantilesMs[0] as number, 6)
    expect(slowest.latencyMs).toBeCloseTo(quantilesMs[100] as number, 6)
    for (const { spans, latencyMs, device } of traces) {
      expect(device).toBeLessThanOrEqual(model.classOf.length)
      for (const span of spans) expect(partsOf(span), `seed ${seed}`).toBeCloseTo(span.toMs - span.fromMs, 6)
      // what no task works on is finished when it is delivered
      if (spans.length > 0)
        expect(Math.max(...spans.map(({ toMs }) => toMs))).toBeLessThanOrEqual(latencyMs + 1e-6)
      if (spans.some(({ toMs }) => Math.abs(toMs - latencyMs) < 1e-6)) told++
    }
  }
  expect(told).toBeGreaterThan(350)
})
