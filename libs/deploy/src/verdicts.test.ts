/** Verdicts on constraints from fabricated events, with figures worked out by hand. */
import type { Up } from '@hivemind/agent-protocol'
import type { Span } from '@hivemind/orchestrator'
import type { Plan, PlanTask } from '@hivemind/synthesis'
import { type Constraint, type ConstraintKey, parseQuantity } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { ConstraintMeter } from './verdicts.ts'

const task = (name: string, tier: 'edge' | 'cloud'): PlanTask =>
  ({ name, tier, scope: 'device', kindIn: 'stream', kindOut: 'stream' }) as unknown as PlanTask
const plan = { tasks: [task('look', 'edge'), task('find', 'cloud')] } as unknown as Plan

function constraint(key: ConstraintKey, limit: string): Constraint {
  const quantity = parseQuantity(limit)
  if (!quantity) throw new Error(`'${limit}' is no quantity.`)
  return { key, limit: quantity }
}

const span = (of: Partial<Span>): Span => ({
  task: 'look',
  device: 'drone-1',
  seq: 0,
  tier: 'edge',
  worker: 'drone-1',
  queuedAt: 0,
  startedAt: 0,
  endedAt: 0,
  breakdown: { network: 0, management: 0, dataExchange: 0, execution: 0 },
  bytesIn: 0,
  bytesOut: 0,
  items: 1,
  status: 'ok',
  attempt: 1,
  ...of,
})
const busy = (execution: number) => ({ network: 0, management: 0, dataExchange: 0, execution })

const drones = [1, 2].map((index) => ({ name: `drone-${index}`, class: 'ar-drone-2' }))

/** A run of 100 s in which drone-2 computes 20 s and sends 2 MB, and receives 1 MB. */
function measured(constraints: Constraint[], devices = drones, more: Span[] = []) {
  const meter = new ConstraintMeter(plan, constraints, devices)
  const spans = [
    span({ breakdown: busy(1_000) }),
    span({ device: 'drone-2', worker: 'drone-2', breakdown: busy(20_000) }),
    ...more,
  ]
  for (const each of spans) meter.take({ type: 'span', at: 0, span: each })
  const bytes = (size: number) =>
    ({ kind: 'stored', pool: 'p', key: 'k', version: 1, size, type: 't' }) as const
  const item: Up = {
    t: 'item',
    run: 'r',
    lane: 'drone-2',
    task: 'look',
    seq: 0,
    generation: 1,
    ref: bytes(2e6),
    at: 0,
  }
  meter.sent('drone-2', item)
  meter.received('drone-2', {
    t: 'item',
    run: 'r',
    lane: 'drone-2',
    task: 'find',
    seq: 0,
    ref: bytes(1e6),
    child: 'look',
  })
  return meter
}
const run = { state: 'succeeded', startedAt: 0, endedAt: 100_000 } as const

describe('energy and power are those of the device that used most', () => {
  // 54 W of motion and idle for 100 s, 2.5 W for 20 s of computing, .5 J and .3 J for each MB.
  const joules = 54 * 100 + 2.5 * 20 + 0.5 * 2 + 0.3 * 1

  test('energy in J', () => {
    const [verdict] = measured([constraint('energy', '5kJ')]).verdicts(run)
    expect(verdict?.value).toBeCloseTo(joules, 6)
    expect(verdict).toMatchObject({ key: 'energy', limit: 5000, met: false })
    expect(verdict?.rule).toContain('power figures of its class')
    expect(verdict?.text).toBe('5451 J, at most 5kJ was asked for: missed by 9.0%.')
  })

  test('energy as a share of the battery', () => {
    const [verdict] = measured([constraint('energy', '20%')]).verdicts(run)
    expect(verdict?.value).toBeCloseTo(joules / (11.1 * 3600), 9)
    expect(verdict).toMatchObject({
      limit: 0.2,
      met: true,
      text: '13.64% of its battery, at most 20% was asked for.',
    })
  })

  test('power is the energy by the time of the run', () => {
    const [verdict] = measured([constraint('power', '60W')]).verdicts(run)
    expect(verdict?.value).toBeCloseTo(joules / 100, 6)
    expect(verdict).toMatchObject({ key: 'power', limit: 60, met: true })
  })

  test('a device that was lost used nothing meanwhile', () => {
    const meter = measured([constraint('energy', '5kJ')])
    meter.take({ type: 'device', at: 10_000, device: 'drone-2', state: 'lost', message: '' })
    meter.take({ type: 'device', at: 60_000, device: 'drone-2', state: 'respawned', message: '' })
    meter.take({ type: 'device', at: 90_000, device: 'drone-1', state: 'lost', message: '' })
    const [verdict] = meter.verdicts(run)
    expect(verdict?.value).toBeCloseTo(54 * 90 + 2.5 * 1, 6)
  })

  test('of a run whose service was restarted there is no verdict, since not all of its messages are known', () => {
    const meter = measured([constraint('energy', '5kJ'), constraint('latency', '1min')])
    meter.interrupted()
    const [energy, latency] = meter.verdicts(run)
    expect(energy?.met).toBeUndefined()
    expect(energy?.text).toContain('Not judged: the service was restarted')
    expect(latency?.met).toBe(true)
  })

  test('without power figures there is no verdict, and the reason is said', () => {
    const devices = [{ name: 'probe-1', class: 'probe' }]
    const verdicts = measured([constraint('energy', '1J'), constraint('power', '1W')], devices).verdicts(run)
    expect(verdicts.map(({ key, met, value }) => ({ key, met, value }))).toEqual([
      { key: 'energy', met: undefined, value: undefined },
      { key: 'power', met: undefined, value: undefined },
    ])
    for (const { text } of verdicts) expect(text).toMatch(/^Not judged: .*'probe'.*probe-1/)
  })
})

test('cost is the core time of function workers, idle under keep-alive included, at the price of the fleet', () => {
  const cloud = (worker: string, startedAt: number, endedAt: number) =>
    span({ task: 'find', tier: 'cloud', worker, startedAt, endedAt })
  const spans = [cloud('find-1', 0, 10_000), cloud('find-1', 15_000, 20_000), cloud('find-2', 0, 30_000)]
  // a node is there anyway
  const onNode = span({ task: 'find', tier: 'edge-node', worker: 'find@gateway-1', endedAt: 50_000 })
  const meter = measured([constraint('cost', '0.001$/run'), constraint('cost', '0.15$/h')], drones, [
    ...spans,
    onNode,
  ])
  const [perRun, perHour] = meter.verdicts(run)
  // find-1: 15 s busy, 5 s between, 60 s (keep-alive) after; find-2: 30 s busy, 60 s after. 0.05 $ for a core and hour.
  const dollars = ((15 + 5 + 60 + 30 + 60) / 3600) * 0.05
  expect(perRun?.value).toBeCloseTo(dollars, 9)
  expect(perRun).toMatchObject({ key: 'cost', limit: 0.001, met: false })
  expect(perHour?.value).toBeCloseTo(dollars * 36, 9)
  expect(perHour).toMatchObject({ limit: 0.15, met: true })
})

test('latency and throughput are of items, and need some', () => {
  const both = [constraint('latency', '50s'), constraint('throughput', '1/s')]
  const late = span({ task: 'find', tier: 'cloud', worker: 'find-1', queuedAt: 5_000, endedAt: 40_000 })
  expect(measured(both, drones, [late]).verdicts(run)).toMatchObject([
    { key: 'latency', value: 40_000, met: true },
    { key: 'throughput', value: 0.02, met: false },
  ])
  for (const { met, text } of new ConstraintMeter(plan, both, drones).verdicts(run)) {
    expect(met).toBeUndefined()
    expect(text).toBe('Not judged: no item was finished before a barrier.')
  }
})

test('a run that did not succeed has no verdicts', () => {
  expect(measured([constraint('power', '60W')]).verdicts({ ...run, state: 'failed' })).toEqual([])
})
