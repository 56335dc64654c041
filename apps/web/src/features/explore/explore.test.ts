import { fleetByName, withDevices, withHandOver } from '@hivemind/swarm'
import { parseQuantity } from '@hivemind/workflow'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Candidate, Exploration } from '../../api/types.ts'
import { scaleOf, suitedScale, tickDigits } from '../reports/scale.ts'
import { candidatesCsv, pick, rowsOf } from './candidates.ts'
import { fleetChange } from './fleetChange.ts'
import { choicesOn, frontOf, staircase } from './front.ts'
import { limitOf, metrics } from './metrics.ts'
import { namesOf } from './names.ts'
import { conflictingAxes } from './ScatterPlot.tsx'
import { verdictOf } from './verdict.ts'

interface Figures {
  p99?: number
  energy?: number
  cost?: number
  meets?: boolean
  share?: number
}

function candidate(
  id: string,
  { p99 = 1, energy = 1, cost = 1, meets = true, share = 0 }: Figures,
): Candidate {
  const breakdown = { network: 1, management: 2, dataExchange: 3, execution: 4 }
  return {
    id,
    placement: { a: 'edge', b: cost > 0 ? 'cloud' : 'edge' },
    estimate: {
      latencyMs: { p50: p99 / 2, p99, mean: p99 / 2 },
      breakdown,
      perTask: {},
      execTimeMs: p99 * 10,
      throughput: 1,
      energyJ: energy,
      energyShare: share,
      bandwidthMBps: 1,
      costPerHour: cost,
      costPerRun: cost / 10,
    },
    pareto: true,
    meets,
    violations: meets ? [] : [{ key: 'latency', limit: 1, value: p99, message: 'Too slow, by far.' }],
  }
}
const quantity = (text: string) => {
  const parsed = parseQuantity(text)
  if (!parsed) throw new Error(text)
  return parsed
}

describe('the front of the plot', () => {
  const points = fc.array(
    fc.record({ x: fc.integer({ min: 0, max: 30 }), y: fc.integer({ min: 0, max: 30 }) }),
    { maxLength: 60 },
  )
  test('holds exactly the points that none beats', () => {
    fc.assert(
      fc.property(points, (raw) => {
        const named = raw.map((point, n) => ({ ...point, id: String(n) }))
        const front = new Set(frontOf(named).map((point) => point.id))
        for (const point of named) {
          const beaten = named.some(
            (other) => other.x <= point.x && other.y <= point.y && (other.x < point.x || other.y < point.y),
          )
          expect(front.has(point.id)).toBe(!beaten)
        }
      }),
    )
  })
  test('the staircase goes down and to the right, in single steps', () => {
    fc.assert(
      fc.property(points, (raw) => {
        const front = frontOf(raw.map((point, n) => ({ ...point, id: String(n) })))
        const corners = staircase(front, { x: 31, y: 31 })
        expect(corners.length === 0).toBe(front.length === 0)
        corners.slice(1).forEach((corner, n) => {
          const before = corners[n]
          if (!before) return
          expect(corner.x >= before.x && corner.y <= before.y).toBe(true)
          expect(corner.x === before.x || corner.y === before.y).toBe(true)
        })
        for (const point of front) expect(corners).toContainEqual({ x: point.x, y: point.y })
      }),
    )
  })
  test('leaves out what is no number', () => {
    expect(frontOf([{ id: 'a', x: Number.NaN, y: 1 }])).toEqual([])
  })
})

describe('axes', () => {
  test('every value lies on the axis, in order, and so does every tick', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.double({ min: 1e-9, max: 1e9, noNaN: true })), { minLength: 1 }),
        fc.constantFrom<'linear' | 'log'>('linear', 'log'),
        (values, kind) => {
          const scale = scaleOf(values, kind)
          const sorted = [...values].sort((a, b) => a - b).map(scale.at)
          for (const [n, position] of sorted.entries()) {
            expect(position).toBeGreaterThanOrEqual(0)
            expect(position).toBeLessThanOrEqual(1)
            if (n > 0) expect(position).toBeGreaterThanOrEqual((sorted[n - 1] ?? 0) - 1e-9)
          }
          expect(scale.ticks.length).toBeLessThanOrEqual(13)
          for (const tick of scale.ticks) {
            expect(scale.at(tick)).toBeGreaterThanOrEqual(-1e-6)
            expect(scale.at(tick)).toBeLessThanOrEqual(1 + 1e-6)
          }
        },
      ),
    )
  })
  test('a logarithmic axis keeps a place for zero', () => {
    const scale = scaleOf([0, 10, 1000], 'log')
    expect(scale.ticks[0]).toBe(0)
    expect(scale.at(0)).toBeLessThan(scale.at(10))
    expect(scale.valueAt(scale.at(0))).toBe(0)
    expect(scale.valueAt(scale.at(10))).toBeCloseTo(10)
  })
  test('the ticks of a logarithmic axis are the same few multiples in each decade', () => {
    expect(scaleOf([1, 100], 'log').ticks).toEqual([1, 2, 5, 10, 20, 50, 100])
    expect(scaleOf([3, 5000], 'log').ticks).toEqual([3, 10, 30, 100, 300, 1000, 3000])
    expect(scaleOf([1, 1e6], 'log').ticks).toEqual([1, 10, 100, 1000, 10_000, 100_000, 1e6])
  })
  test('values that are all but equal look so, and their ticks can be told apart', () => {
    const scale = scaleOf([131, 131.2], 'linear')
    expect(scale.at(131.2) - scale.at(131)).toBeLessThan(0.05)
    const print = (tick: number) => metrics.energy.print(tick, tickDigits(scale.ticks))
    expect(new Set(scale.ticks.map(print)).size).toBe(scale.ticks.length)
  })
  test('wide ranges suit a logarithmic axis', () => {
    expect(suitedScale([1, 100])).toBe('log')
    expect(suitedScale([0, 10, 20])).toBe('linear')
  })
})

describe('limits', () => {
  const candidates = [candidate('a', { energy: 50, share: 0.1 }), candidate('b', { energy: 100, share: 0.2 })]
  test('go to the axis they concern', () => {
    const constraints = [
      { key: 'execTime' as const, limit: quantity('10s') },
      { key: 'latency' as const, limit: quantity('250ms') },
      { key: 'cost' as const, limit: quantity('0.4$/h') },
    ]
    expect(limitOf('execTime', constraints, candidates)).toBe(10_000)
    expect(limitOf('p99', constraints, candidates)).toBe(250)
    expect(limitOf('p50', constraints, candidates)).toBeUndefined()
    expect(limitOf('costPerHour', constraints, candidates)).toBe(0.4)
    expect(limitOf('costPerRun', constraints, candidates)).toBeUndefined()
    expect(limitOf('energy', constraints, candidates)).toBeUndefined()
  })
  test('a share of the battery becomes joule, when all agree on the battery', () => {
    const constraints = [{ key: 'energy' as const, limit: quantity('20%') }]
    expect(limitOf('energy', constraints, candidates)).toBeCloseTo(100)
    const mixed = [...candidates, candidate('c', { energy: 100, share: 0.9 })]
    expect(limitOf('energy', constraints, mixed)).toBeUndefined()
  })
})

describe('choosing', () => {
  const all = [
    candidate('d', { p99: 1, energy: 1, cost: 9, meets: false }),
    candidate('c', { p99: 5, energy: 2, cost: 0 }),
    candidate('b', { p99: 4, energy: 2, cost: 3 }),
    candidate('a', { p99: 2, energy: 7, cost: 3 }),
  ]
  test('takes the best that meets the constraints, ties by the next goal', () => {
    expect(pick(all, 'energy')?.id).toBe('b')
    expect(pick(all, 'latency')?.id).toBe('a')
    expect(pick(all, 'cost')?.id).toBe('c')
    expect(pick([...all].reverse(), 'energy')?.id).toBe('b')
  })
  test('gives nothing when none meets', () => {
    expect(
      pick(
        all.filter((one) => !one.meets),
        'energy',
      ),
    ).toBeUndefined()
  })
  test('filters and sorts both ways', () => {
    const ids = (descending: boolean) =>
      rowsOf(all, { front: true, meets: true }, { key: 'p99', descending }).map((row) => row.id)
    expect(ids(false)).toEqual(['a', 'b', 'c'])
    expect(ids(true)).toEqual(['c', 'b', 'a'])
  })
  test('the CSV holds every candidate, quoted where it must be', () => {
    const exploration: Exploration = {
      schema: 'hivemind.exploration/1',
      candidates: all,
      front: [],
      pruned: { count: 0, byRule: {} },
      inputs: {
        seed: 1,
        fleet: 'f',
        devices: 1,
        itemsPerDevice: 1,
        profile: { schema: 'hivemind.profile/1', note: '', tasks: {} },
      },
    }
    const lines = candidatesCsv(exploration, ['a', 'b']).trimEnd().split('\r\n')
    expect(lines).toHaveLength(5)
    expect(lines[0]).toContain('id,baseline,tier of a,tier of b,latencyP99Ms')
    expect(lines[1]).toContain('"Too slow, by far."')
    expect(lines[2]).toMatch(/^c,,edge,edge,5,2\.5,50,1,2,1,0,0,1,2,3,4,true,true,$/)
  })
})

describe('the names of candidates', () => {
  const placed = (id: string, placement: Candidate['placement']): Candidate => ({
    ...candidate(id, {}),
    placement,
  })
  const name = (...placements: Candidate['placement'][]): string[] => [
    ...namesOf(placements.map((placement, n) => placed(String(n), placement))).values(),
  ]
  test('say what differs, and nothing of tasks that are always at one place', () => {
    expect(
      name(
        { sense: 'edge', detect: 'edge', plan: 'edge', track: 'edge' },
        { sense: 'edge', detect: 'cloud', plan: 'edge', track: 'edge' },
        { sense: 'edge', detect: 'cloud', plan: 'cloud', track: 'edge' },
        { sense: 'edge', detect: 'cloud', plan: 'cloud', track: 'cloud' },
      ),
    ).toEqual([
      'all on the devices',
      'detect in the cloud',
      'track on the devices, the rest in the cloud',
      'all in the cloud',
    ])
    expect(name({ sense: 'edge' })).toEqual(['the only placement'])
  })
  test('differ, also where tasks are only counted', () => {
    const tasks = Array.from({ length: 12 }, (_, n) => `t${n}`)
    const placements = Array.from({ length: 300 }, (_, n) =>
      Object.fromEntries(tasks.map((task, at) => [task, ((n * 7) >> at) & 1 ? 'cloud' : 'edge'] as const)),
    )
    const names = name(...placements)
    expect(names.some((one) => one.includes('others'))).toBe(true)
    expect(new Set(names).size).toBe(300)
  })
})

describe('the verdict', () => {
  const edge: Candidate = {
    ...candidate('a', { p99: 1200, energy: 140, cost: 0 }),
    baseline: 'all-edge',
    placement: { a: 'edge', b: 'edge' },
  }
  const cloud: Candidate = {
    ...candidate('b', { p99: 100, energy: 100, cost: 3.44 }),
    baseline: 'all-cloud',
    placement: { a: 'edge', b: 'cloud' },
  }
  test('is a sentence with what is gained, against what, and at which cost', () => {
    expect(verdictOf([edge, cloud])).toMatchObject({
      candidate: { id: 'b' },
      name: 'all in the cloud',
      reason: '12 times faster, 40 J less a device than all on the devices; costs $3.44 an hour.',
    })
  })
  test('says when no placement meets the constraints, or there is only one', () => {
    const late = { ...candidate('c', { p99: 5, meets: false }), placement: cloud.placement }
    expect(verdictOf([late, { ...late, id: 'd', placement: edge.placement }])?.reason).toContain(
      'No placement meets every constraint',
    )
    expect(verdictOf([edge])?.reason).toContain('The rules leave no other.')
    expect(verdictOf([])).toBeUndefined()
  })
  test('leads to one that meets the constraints, and that none beats in everything', () => {
    const figure = fc.integer({ min: 1, max: 9 })
    const some = fc.array(fc.record({ p99: figure, energy: figure, cost: figure, meets: fc.boolean() }), {
      minLength: 1,
      maxLength: 20,
    })
    fc.assert(
      fc.property(some, (raw) => {
        const all = raw.map((figures, n) => candidate(String(n), figures))
        const chosen = verdictOf(all)?.candidate
        if (!chosen) throw new Error('There is no verdict.')
        const field = all.some(({ meets }) => meets) ? all.filter(({ meets }) => meets) : all
        expect(field).toContain(chosen)
        const goals = ['p99', 'energy', 'costPerHour'] as const
        for (const other of field)
          expect(
            goals.every((goal) => metrics[goal].of(other.estimate) < metrics[goal].of(chosen.estimate)),
          ).toBe(false)
      }),
    )
  })
})

describe('the axes of the plot', () => {
  test('are at first those with most to choose between', () => {
    const figures = [
      { p99: 1, energy: 1, cost: 9 },
      { p99: 2, energy: 2, cost: 6 },
      { p99: 3, energy: 3, cost: 2 },
    ]
    const all = figures.map((each, n) => candidate(String(n), each))
    expect(conflictingAxes(all)).toEqual(['p99', 'costPerHour'])
    expect(conflictingAxes(all.slice(0, 1))).toEqual(['p99', 'energy'])
  })
  test('count points that hardly differ once', () => {
    const at = (x: number, y: number) => ({ id: `${x} ${y}`, x, y })
    expect(choicesOn([at(100, 50), at(100.5, 49.8), at(200, 10)])).toBe(2)
  })
  test('have round times as ticks', () => {
    const minutes = (ticks: readonly number[]) => ticks.map((tick) => tick / 60_000)
    expect(minutes(scaleOf([0, 290_000], 'linear', 6, 'time').ticks)).toEqual([0, 1, 2, 3, 4, 5])
    expect(minutes(scaleOf([0, 1_500_000], 'linear', 6, 'time').ticks)).toEqual([0, 5, 10, 15, 20, 25])
    expect(scaleOf([40, 300_000], 'log', 5, 'time').ticks).toEqual([100, 1000, 10_000, 60_000])
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1e-6, max: 1e9, noNaN: true }), { minLength: 1, maxLength: 8 }),
        fc.constantFrom('linear' as const, 'log' as const),
        (values, kind) => {
          const { ticks, domain } = scaleOf(values, kind, 6, 'time')
          expect(new Set(ticks).size).toBe(ticks.length)
          for (const tick of ticks)
            expect(tick >= domain[0] - 1e-9 && tick <= domain[1] * (1 + 1e-9)).toBe(true)
        },
      ),
    )
  })
})

test('a fleet that is gone or was changed since its exploration is said so', () => {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('There is no fleet.')
  const profile = { schema: 'hivemind.profile/1' as const, note: '', tasks: {} }
  const used = withHandOver(withDevices(fleet, 4), 'direct')
  const inputs = {
    ...{ seed: 1, fleet: fleet.name, devices: 4, profile, itemsPerDevice: 1 },
    ...{ handOver: 'direct' as const, fleetUsed: used },
  }
  expect(fleetChange(inputs, fleet)).toBeUndefined()
  expect(fleetChange(inputs, { ...fleet, label: 'Another description' })).toBeUndefined()
  expect(fleetChange(inputs, { ...fleet, uplink: { ...fleet.uplink, delayMs: 7 } })).toMatch(/changed since/)
  expect(fleetChange(inputs, undefined)).toMatch(/no longer in this project/)
  expect(fleetChange({ ...inputs, fleetUsed: undefined }, undefined)).toBeUndefined()
})
