import { type Exploration, fleetByName, marginsOf, type Placement, withDevices } from '@hivemind/swarm'
import { buildModel } from '@hivemind/swarm-sim'
import { parseQuantity } from '@hivemind/workflow'
import { beforeAll, describe, expect, test } from 'vitest'
import { scenarioB } from '../test/workflows.ts'
import { edgeCosts } from './edge-costs.ts'
import { explain, longestTasks } from './explain.ts'
import { evaluate, explore } from './explore.ts'
import { dominates, OBJECTIVES, objectivesOf } from './pareto.ts'
import { crossovers, limits, tornado, turned } from './sensitivity.ts'

const fleetOf = (devices: number) => {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('the default fleet is missing')
  return withDevices(fleet, devices)
}
const limit = (text: string) => {
  const quantity = parseQuantity(text)
  if (!quantity) throw new Error(text)
  return quantity
}
const workflow = {
  ...scenarioB(),
  constraints: [
    { key: 'execTime' as const, limit: limit('125s') },
    { key: 'latency' as const, limit: limit('2s') },
  ],
}
const placed = (route: 'cloud' | 'edge', face: 'cloud' | 'edge'): Placement => ({
  createRoute: route,
  collectImage: 'edge',
  obstacleAvoidance: 'edge',
  faceRecognition: face,
  deduplication: 'cloud',
})

describe('an explanation', () => {
  const fleet = fleetOf(8)
  let exploration: Exploration
  beforeAll(async () => {
    exploration = await explore({ workflow, fleet, seed: 1, itemsPerDevice: 80 })
  })

  test('says of every candidate what brute force says', () => {
    for (const candidate of exploration.candidates) {
      const of = explain({ workflow, fleet, exploration, id: candidate.id })
      const own = objectivesOf(candidate.estimate)
      const above = exploration.candidates.filter((each) => dominates(objectivesOf(each.estimate), own))
      expect(of.standing).toBe(candidate.pareto ? 'front' : 'dominated')
      expect(of.dominators).toBe(above.length)
      expect(of.dominatedBy === null).toBe(above.length === 0)
      if (of.dominatedBy) {
        expect(above.map((each) => each.id)).toContain(of.dominatedBy.id)
        for (const objective of OBJECTIVES) {
          const { from, to, share } = of.dominatedBy.changes[objective]
          expect(to).toBeLessThanOrEqual(from)
          if (share !== null) expect(to).toBeCloseTo(from * (1 + share), 6)
        }
      }
      expect(of.binding?.met).toBe(candidate.meets)
      expect(of.sentences.length).toBeGreaterThan(2)
    }
  })

  test('names the edge that costs most, and moves to what is listed or not', () => {
    const cloud = exploration.candidates.find((each) => each.baseline === 'all-cloud')
    if (!cloud) throw new Error('no baseline')
    const of = explain({ workflow, fleet, exploration, id: cloud.id })
    expect(of.edges[0]).toMatchObject({ from: 'collectImage', to: 'faceRecognition', channel: 'up' })
    // 8 devices send 80 frames of 2 MB
    expect(of.edges[0]?.bytes).toBeCloseTo(8 * 80 * 2e6, 0)
    expect(of.moves.map((move) => move.task).sort()).toEqual(['createRoute', 'faceRecognition'])
    expect(of.moves[0]).toMatchObject({
      task: 'faceRecognition',
      from: 'cloud',
      to: 'edge',
      method: 'simulated',
    })
    const after = exploration.candidates.find((each) => each.id === of.moves[0]?.id)
    expect(after?.estimate.energyJ).toBe(of.moves[0]?.changes.energy.to)
    const alone = { ...exploration, candidates: [cloud] }
    const unlisted = explain({ workflow, fleet, exploration: alone, id: cloud.id })
    expect(unlisted.moves.every((move) => move.method === 'closed-form')).toBe(true)
    expect(unlisted.tried).toEqual({ tasks: 5, of: 5 })
    const some = explain({ workflow, fleet, exploration: alone, id: cloud.id, tasks: ['createRoute'] })
    expect(some.moves).toEqual(unlisted.moves.filter((move) => move.task === 'createRoute'))
    expect(some.tried).toEqual({ tasks: 1, of: 5 })
    expect(some.sentences.at(-1)).toContain('of those tried')
    expect(unlisted.dominatedBy).toBeNull()
    expect(unlisted.bestIn).toEqual([...OBJECTIVES])
    expect(() => explain({ workflow, fleet, exploration, id: 'nobody' })).toThrow(
      /lists no candidate 'nobody'/,
    )
  })

  test('a closed form among simulated ones is not compared', () => {
    const [first, ...rest] = exploration.candidates
    if (!first) throw new Error('no candidate')
    const mixed = {
      ...exploration,
      candidates: [{ ...first, method: 'closed-form' as const, pareto: false }, ...rest],
    }
    expect(explain({ workflow, fleet, exploration: mixed, id: first.id }).standing).toBe('not-compared')
  })

  test('edges with and without a transfer', () => {
    const estimate = evaluate({
      workflow,
      fleet,
      placement: placed('cloud', 'edge'),
      seed: 1,
      itemsPerDevice: 4,
    })
    const model = buildModel({ workflow, fleet, placement: placed('cloud', 'edge'), itemsPerDevice: 4 })
    const costs = edgeCosts(model, estimate)
    const of = (to: string) => costs.find((each) => each.to === to)
    expect(of('faceRecognition')).toMatchObject({ channel: 'wire', timeMs: 0, bytes: 0 })
    // 2 kB for each of 4 frames of 8 devices
    expect(of('deduplication')).toMatchObject({ channel: 'up', bytes: 8 * 4 * 2000 })
    expect(of('deduplication')?.timeMs).toBeGreaterThanOrEqual(fleet.uplink.delayMs)
  })

  test('margins come with the least slack first', () => {
    const [candidate] = exploration.candidates
    if (!candidate) throw new Error('no candidate')
    const margins = marginsOf(
      [
        { key: 'execTime', limit: limit('1000s') },
        { key: 'throughput', limit: limit('1000000/s') },
      ],
      candidate.estimate,
    )
    expect(margins.map((each) => [each.key, each.met])).toEqual([
      ['throughput', false],
      ['execTime', true],
    ])
    expect(margins[0]?.slack).toBeLessThan(0)
  })
})

describe('sensitivity', () => {
  test('a tornado has the widest bar first, and points the right way', () => {
    const bars = tornado({ workflow, fleet: fleetOf(4), placement: placed('cloud', 'edge') })
    const [widest] = bars.latency
    expect(widest).toMatchObject({ task: 'faceRecognition', entry: 'serviceMs' })
    expect(widest?.low).toBeLessThan(widest?.base ?? 0)
    expect(widest?.high).toBeGreaterThan(widest?.base ?? 0)
    for (const objective of OBJECTIVES) {
      const widths = bars[objective].map(
        ({ low, high, base }) => Math.max(low, high, base) - Math.min(low, high, base),
      )
      expect(widths).toEqual([...widths].sort((a, b) => b - a))
    }
    const cloud = tornado({ workflow, fleet: fleetOf(4), placement: placed('cloud', 'cloud') })
    expect(cloud.bandwidth[0]).toMatchObject({ task: 'collectImage', entry: 'outputBytes' })
    expect(() =>
      tornado({ workflow, fleet: fleetOf(4), placement: placed('cloud', 'edge'), share: 2 }),
    ).toThrow(/between 0 and 1/)
  })

  test('only some tasks are tried when asked: those that take longest', () => {
    const placement = placed('cloud', 'cloud')
    const estimate = evaluate({ workflow, fleet: fleetOf(4), placement, itemsPerDevice: 8, seed: 1 })
    const all = Object.keys(estimate.perTask)
    const mean = (task: string) =>
      Object.values(estimate.perTask[task]?.breakdown ?? {}).reduce((sum, part) => sum + part, 0)
    const tasks = longestTasks(estimate, 2)
    expect(tasks).toHaveLength(2)
    for (const task of all)
      if (!tasks.includes(task)) expect(mean(task)).toBeLessThanOrEqual(mean(tasks[1] as string))
    expect(longestTasks(estimate, 99).sort()).toEqual([...all].sort())
    const whole = tornado({ workflow, fleet: fleetOf(4), placement })
    const part = tornado({ workflow, fleet: fleetOf(4), placement, tasks })
    for (const objective of OBJECTIVES)
      expect(part[objective]).toEqual(whole[objective].filter((swing) => tasks.includes(swing.task)))
  })

  test('crossovers over the devices are where one placement takes over from the other', () => {
    const fleet = fleetOf(16)
    const input = { workflow, fleet, itemsPerDevice: 240 }
    const found = crossovers({
      ...input,
      first: placed('cloud', 'cloud'),
      second: placed('cloud', 'edge'),
      objective: 'latency',
      knob: 'devices',
      from: 1,
      to: 1000,
    })
    // the radio saturates before a thousand drones send every frame
    expect(found.map((each) => [each.below, each.above])).toEqual([['first', 'second']])
    const at = found[0]?.at as number
    expect(Number.isInteger(at)).toBe(true)
    const repeated = crossovers({
      ...input,
      first: placed('cloud', 'cloud'),
      second: placed('cloud', 'edge'),
      objective: 'latency',
      knob: 'devices',
      from: at - 1,
      to: at,
    })
    expect(repeated).toEqual(found)
  })

  test('limits over bandwidth and price; a range must make sense', () => {
    const input = { workflow, fleet: fleetOf(8), itemsPerDevice: 80, placement: placed('cloud', 'cloud') }
    const found = limits({ ...input, knob: 'bandwidth', from: 1, to: 10_000 })
    expect(found.at(-1)?.below).toContain('latency')
    const cost = { ...workflow, constraints: [{ key: 'cost' as const, limit: limit('0.01$/run') }] }
    const [priced] = limits({ ...input, workflow: cost, knob: 'price', from: 1e-4, to: 100 })
    expect(priced).toMatchObject({ below: 'met', above: 'cost' })
    expect(() => limits({ ...input, knob: 'price', from: 0, to: 1 })).toThrow(/from above 0/)
    expect(turned(fleetOf(3), 'devices', 6.4).devices[0]?.count).toBe(6)
  })
})
