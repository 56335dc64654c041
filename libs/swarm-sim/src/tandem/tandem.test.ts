import type { Placement } from '@hivemind/swarm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { scaledBy } from '../../test/queues.ts'
import { plainFleet, profileOf, scenarioB, tier, workflowOf } from '../../test/workflows.ts'
import { buildModel } from '../model/build.ts'
import type { Model } from '../model/model.ts'
import { simulate, simulateInDetail } from '../simulate.ts'
import { isTandem } from './tandem.ts'

interface Given {
  tiers: ('edge' | 'cloud')[]
  /** Whether the last task writes something. */
  hasResult: boolean
  devices: number
  items: number
  varies: { gap: boolean; service: boolean; bytes: boolean }
  serviceMs: number
  accessPoints: number
  kind: 'wired' | 'wireless'
  rpc: boolean
  slots: number
  coldStartMs: number
  keepAliveS: number
  dispatchMs: number
  perTask: boolean
}

const given: fc.Arbitrary<Given> = fc.record({
  tiers: fc.array(fc.constantFrom('edge' as const, 'cloud' as const), { minLength: 1, maxLength: 4 }),
  hasResult: fc.boolean(),
  devices: fc.integer({ min: 1, max: 12 }),
  items: fc.integer({ min: 1, max: 60 }),
  varies: fc.record({ gap: fc.boolean(), service: fc.boolean(), bytes: fc.boolean() }),
  // none but nothing, which makes things happen at the same time
  serviceMs: fc.constantFrom(0, 1.37, 21.7, 203.1),
  accessPoints: fc.integer({ min: 1, max: 3 }),
  kind: fc.constantFrom('wired' as const, 'wireless' as const),
  rpc: fc.boolean(),
  slots: fc.constantFrom(1, 2, 10, 1000),
  coldStartMs: fc.constantFrom(0, 150),
  keepAliveS: fc.constantFrom(0.05, 20),
  dispatchMs: fc.constantFrom(0, 3),
  perTask: fc.boolean(),
})

function modelOf(each: Given): Model {
  const names = each.tiers.map((_, at) => `task${at}`)
  const serviceOf = (at: number) => {
    const meanMs = each.serviceMs * (1 + 0.1713 * at)
    return each.varies.service ? scaledBy(meanMs) : meanMs
  }
  const sized = (task: ReturnType<typeof tier>) =>
    each.varies.bytes ? { ...task, outputBytes: scaledBy(20_000) } : task
  const placement: Placement = { sense: 'edge' }
  for (const [at, name] of names.entries()) placement[name] = each.tiers[at] ?? 'edge'
  const fleet = plainFleet(each.devices, {
    cores: 2,
    link: {
      kind: each.kind,
      count: each.accessPoints,
      bandwidthMbps: 8,
      delayMs: 2,
      ...(each.rpc ? { rpc: { fixedMs: 1, bandwidthMBps: 5 } } : {}),
    },
    cloud: {
      coresPerServer: each.slots,
      coldStartMs: each.coldStartMs,
      keepAliveS: each.keepAliveS,
      dispatchMs: each.dispatchMs,
    },
  })
  const model = buildModel({
    workflow: workflowOf(
      Object.fromEntries([
        ['sense', { args: { rate: '8/s' } }],
        ...names.map((name, at) => [
          name,
          {
            reads: [at === 0 ? 'senseOut' : `task${at - 1}Out`],
            parents: [at === 0 ? 'sense' : `task${at - 1}`],
            ...(at === names.length - 1 && !each.hasResult ? { writes: null } : {}),
          },
        ]),
      ]),
    ),
    placement,
    fleet: {
      ...fleet,
      devices: fleet.devices.map((group) => ({
        ...group,
        class: { ...group.class, processPerTask: each.perTask },
      })),
    },
    profile: profileOf({
      sense: sized(tier(1, 20_000)),
      ...Object.fromEntries(names.map((name, at) => [name, sized(tier(serviceOf(at), 20_000))])),
    }),
    itemsPerDevice: each.items,
  })
  if (!each.varies.gap) return model
  return { ...model, tasks: model.tasks.map((task) => (task.gap ? { ...task, gap: scaledBy(120) } : task)) }
}

/** Sums of other order differ in their last digits. */
function expectSame(actual: unknown, expected: unknown): void {
  if (typeof actual === 'number' && typeof expected === 'number') {
    expect(Math.abs(actual - expected)).toBeLessThanOrEqual(1e-9 * Math.abs(expected) + 1e-9)
  } else if (typeof actual === 'object' && actual !== null) {
    const other = expected as Record<string, unknown>
    expect(Object.keys(actual)).toEqual(Object.keys(other))
    for (const [key, value] of Object.entries(actual)) expectSame(value, other[key])
  } else expect(actual).toEqual(expected)
}

describe('queues in series', () => {
  test('give the figures of the simulation by events', () => {
    let tried = 0
    fc.assert(
      fc.property(given, fc.integer(), (each, seed) => {
        const model = modelOf(each)
        fc.pre(isTandem(model))
        tried++
        // what happens to no item asks for events all the same
        expectSame(simulateInDetail(model, { seed }), simulateInDetail(model, { seed, conditions: {} }))
        expect(simulate(model, { seed })).toEqual(simulateInDetail(model, { seed }).estimate)
      }),
      { numRuns: 300 },
    )
    expect(tried).toBe(300)
  })
})

describe('no queues in series', () => {
  const plain: Given = {
    tiers: ['edge', 'cloud'],
    hasResult: false,
    devices: 3,
    items: 5,
    varies: { gap: false, service: false, bytes: false },
    serviceMs: 1,
    accessPoints: 1,
    kind: 'wireless',
    rpc: false,
    slots: 4,
    coldStartMs: 0,
    keepAliveS: 20,
    dispatchMs: 0,
    perTask: false,
  }
  test.each<[string, boolean, Partial<Given>]>([
    ['one task on each side', true, {}],
    ['two tasks that share the cores of their device', false, { tiers: ['edge', 'edge', 'cloud'] }],
    ['two tasks with processes of their own', true, { tiers: ['edge', 'edge', 'cloud'], perTask: true }],
    ['two tasks that share the cloud', false, { tiers: ['cloud', 'cloud'] }],
    ['both ways over shared air', false, { tiers: ['cloud', 'edge'] }],
    ['both ways over a wire', true, { tiers: ['cloud', 'edge'], kind: 'wired' }],
    [
      'a result that takes the way of the items',
      false,
      { tiers: ['cloud', 'edge'], kind: 'wired', hasResult: true },
    ],
  ])('%s: %s', (_, expected, change) => {
    expect(isTandem(modelOf({ ...plain, ...change }))).toBe(expected)
  })

  test('a workflow with joins and barriers', () => {
    const placement: Placement = {}
    for (const { name } of scenarioB().tasks) placement[name] = name === 'deduplication' ? 'cloud' : 'edge'
    expect(isTandem(buildModel({ workflow: scenarioB(), placement, fleet: plainFleet(2) }))).toBe(false)
  })
})
