import {
  type Estimate,
  fleetByName,
  localFleet,
  type Tier,
  violationsOf,
  withDevices,
  withHandOver,
} from '@hivemind/swarm'
import { buildModel, estimateClosedForm, simulate } from '@hivemind/swarm-sim'
import { type Constraint, parseQuantity } from '@hivemind/workflow'
import { describe, expect, test, vi } from 'vitest'
import { randomOf, randomWorkflow, scenarioB, workflowOf } from '../test/workflows.ts'
import { idOf, paretoSearch } from './candidates.ts'
import { evaluate, explore } from './explore.ts'
import { dominates, frontOf, type Objectives, objectivesOf } from './pareto.ts'
import { tiersOf } from './rules.ts'

const drones = (count = 16) => {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('the default fleet is missing')
  return withDevices(fleet, count)
}

describe('the front', () => {
  test('equals brute force, with ties', () => {
    const random = randomOf(11)
    for (let round = 0; round < 200; round++) {
      const points = Array.from(
        { length: 1 + Math.floor(random() * 60) },
        (): Objectives => [0, 0, 0, 0].map(() => Math.floor(random() * 4)) as never,
      )
      const brute = points.flatMap((point, index) =>
        points.some((other) => dominates(other, point)) ? [] : [index],
      )
      expect(frontOf(points)).toEqual(brute)
    }
  })

  test('of an exploration equals brute force over its candidates', async () => {
    const { candidates, front } = await explore({
      workflow: scenarioB(),
      fleet: drones(4),
      seed: 3,
      itemsPerDevice: 40,
    })
    const brute = candidates.filter(
      ({ estimate }) =>
        !candidates.some((other) => dominates(objectivesOf(other.estimate), objectivesOf(estimate))),
    )
    expect(front).toEqual(brute.map((each) => each.id))
  })

  test('the search finds the front of an additive problem nearly whole', () => {
    const random = randomOf(5)
    const tasks = Array.from({ length: 10 }, (_, index) => `t${index}`)
    const weights = tasks.map(() => [0, 1].map(() => [0, 0, 0, 0].map(() => Math.ceil(random() * 50))))
    const judge = (choice: readonly number[]): Objectives =>
      [0, 1, 2, 3].map((at) =>
        choice.reduce((total, tier, task) => total + (weights[task]?.[tier]?.[at] ?? 0), 0),
      ) as never
    const space = { tasks, allowed: tasks.map((): Tier[] => ['cloud', 'edge']) }
    const all = Array.from({ length: 1024 }, (_, n) => tasks.map((_, task) => (n >> task) & 1))
    const exact = frontOf(all.map(judge)).length
    const search = paretoSearch(space, [tasks.map(() => 0), tasks.map(() => 1)], judge, 100_000)
    let step = search.next()
    while (!step.done) step = search.next()
    expect(step.value.length).toBeGreaterThan(0.97 * exact)
    expect(frontOf(step.value.map(judge))).toHaveLength(step.value.length)
  })
})

describe('an exploration', () => {
  const input = { workflow: scenarioB(), fleet: drones(), seed: 7, itemsPerDevice: 60 }

  test('the same seed gives the same bytes', async () => {
    const text = JSON.stringify(await explore(input))
    expect(JSON.stringify(await explore(input))).toBe(text)
    expect(JSON.stringify(await explore({ ...input, seed: 8 }))).not.toBe(text)
  })

  test('lets others work, but not at every step: waiting for a turn takes time as well', async () => {
    const turns = vi.spyOn(globalThis, 'setTimeout')
    const begin = Date.now()
    await explore({ workflow: randomWorkflow(3, 18), fleet: drones(2), seed: 1, itemsPerDevice: 3 })
    const count = turns.mock.calls.length
    turns.mockRestore()
    expect(count).toBeGreaterThan(5)
    expect(count).toBeLessThan((Date.now() - begin) / 8 + 2)
  })

  test('has both baselines, is sorted, and says what it used', async () => {
    const { candidates, inputs } = await explore(input)
    expect(
      candidates
        .map((each) => each.baseline)
        .filter(Boolean)
        .sort(),
    ).toEqual(['all-cloud', 'all-edge'])
    expect(candidates.every((each) => each.method === 'simulated')).toBe(true)
    const p99 = candidates.map((each) => each.estimate.latencyMs.p99)
    expect(p99).toEqual([...p99].sort((a, b) => a - b))
    expect(inputs).toMatchObject({ seed: 7, fleet: 'paper-drones', devices: 16, itemsPerDevice: 60 })
    const paper = await explore({ ...input, fleet: drones(1), itemsPerDevice: undefined })
    expect(paper.inputs.itemsPerDevice).toBe(960)
  })

  test('says how data is handed over, and that not every way can be deployed', async () => {
    const stored = await explore(input)
    expect(stored.inputs.handOver).toBe('store')
    expect(stored.note).toBeUndefined()
    const chain = workflowOf({
      sense: {},
      a: { reads: ['senseOut'], parents: ['sense'] },
      b: { reads: ['aOut'], parents: ['a'] },
    })
    const exchanged = async (kind: string) => {
      const fleet = withHandOver(drones(2), kind)
      const { candidates, inputs, note } = await explore({ ...input, workflow: chain, fleet })
      expect(inputs.handOver).toBe(kind)
      if (kind === 'direct')
        expect(note).toMatch("hand data over by 'direct', which no target can deploy yet")
      if (kind === 'co-placed') expect(note).toMatch(/is taken to run in the container of those before it/)
      return candidates.find(({ baseline }) => baseline === 'all-cloud')?.estimate.breakdown.dataExchange ?? 0
    }
    const times = [await exchanged('store'), await exchanged('direct'), await exchanged('co-placed')]
    expect(times).toEqual([...times].sort((a, b) => b - a))
    expect(times[1]).toBeGreaterThan(times[2] ?? 0)
    expect(times[0]).toBeGreaterThan(times[1] ?? 0)
  })

  test('agrees with evaluating one placement', async () => {
    const { candidates } = await explore(input)
    for (const { placement, estimate } of candidates)
      expect(evaluate({ ...input, placement })).toEqual(estimate)
  })

  test('reports growing progress up to 1 and can be cancelled', async () => {
    const seen: number[] = []
    await explore({ ...input, onProgress: (fraction) => seen.push(fraction) })
    expect(seen.at(-1)).toBe(1)
    expect(seen).toEqual([...seen].sort((a, b) => a - b))
    const controller = new AbortController()
    const cancelled = explore({ ...input, signal: controller.signal, onProgress: () => controller.abort() })
    await expect(cancelled).rejects.toThrow(/abort/i)
  })

  test('of hundreds of placements simulates the front and the baselines, and says which', async () => {
    const names = Array.from({ length: 9 }, (_, index) => `t${index}`)
    const workflow = workflowOf({
      sense: {},
      ...Object.fromEntries(
        names.map((name, index) => {
          const parent = index === 0 ? 'sense' : `t${index - 1}`
          return [name, { reads: [`${parent}Out`], parents: [parent] }]
        }),
      ),
    })
    const { candidates, front } = await explore({ workflow, fleet: drones(2), seed: 1, itemsPerDevice: 20 })
    expect(candidates).toHaveLength(512)
    const simulated = candidates.filter((each) => each.method === 'simulated')
    expect(simulated.length).toBeGreaterThan(2)
    expect(simulated.length).toBeLessThanOrEqual(256)
    expect(simulated.filter((each) => each.baseline)).toHaveLength(2)
    expect(front.every((id) => simulated.some((each) => each.id === id))).toBe(true)
  })

  test('of thousands of placements judges all by closed form and lists the best', async () => {
    const workflow = workflowOf({
      sense: {},
      ...Object.fromEntries(
        Array.from({ length: 13 }, (_, index) => {
          const parent = index === 0 ? 'sense' : `t${Math.floor((index - 1) / 2)}`
          return [`t${index}`, { reads: [`${parent}Out`], parents: [parent] }]
        }),
      ),
    })
    const input = { workflow, fleet: drones(2), seed: 1, itemsPerDevice: 3 }
    const { candidates, proof, note, pruned } = await explore(input)
    expect(proof).toEqual({ kind: 'enumerated', judged: 8192 })
    expect(note).toMatch(/8192 legal placements.*judged all of them/)
    expect(candidates.length + (pruned.byRule['search-limit'] ?? 0)).toBe(8192)
    // what is best by closed form, one figure at a time, is listed
    const ids = new Set(candidates.map((each) => each.id))
    const tiers = tiersOf(workflow, input.fleet)
    const random = randomOf(4)
    const listed = candidates.map(({ placement }) =>
      objectivesOf(estimateClosedForm(buildModel({ ...input, placement }))),
    )
    for (let round = 0; round < 200; round++) {
      const placement = Object.fromEntries(
        Object.entries(tiers).map(([task, each]) => [task, each[Math.floor(random() * each.length)] as Tier]),
      )
      if (ids.has(idOf(placement))) continue
      const other = objectivesOf(estimateClosedForm(buildModel({ ...input, placement })))
      for (const [at, value] of other.entries())
        expect(Math.min(...listed.map((each) => each[at] as number))).toBeLessThanOrEqual(value)
    }
  }, 240_000)

  test('of 1,100 tasks has finite counts, though there are more placements than a number can say', async () => {
    const task = (place: string) => ({ directives: { place: { tier: 'edge' as const, target: place } } })
    const workflow = workflowOf(
      Object.fromEntries(
        Array.from({ length: 1100 }, (_, n) => [`t${n}`, n === 0 ? task('no-such-class') : {}]),
      ),
    )
    const found = await explore({ workflow, fleet: drones(2), seed: 1, itemsPerDevice: 3 })
    expect(found.candidates).toEqual([])
    expect(found.pruned.count).toBe(Number.MAX_VALUE)
    expect(JSON.parse(JSON.stringify(found.pruned))).toEqual(found.pruned)
  })

  test('of 40 tasks neither hangs nor lists everything, and its counts add up', async () => {
    const workflow = workflowOf({
      sense: {},
      ...Object.fromEntries(
        Array.from({ length: 39 }, (_, index) => {
          const parent = index === 0 ? 'sense' : `t${index - 1}`
          return [`t${index}`, { reads: [`${parent}Out`], parents: [parent] }]
        }),
      ),
    })
    const run = () => explore({ workflow, fleet: drones(2), seed: 1, itemsPerDevice: 3 })
    const found = await run()
    expect(found.candidates.length).toBeLessThanOrEqual(256)
    expect(found.note).toMatch(/549755813888 legal placements, more than the 4096/)
    expect(found.proof?.kind).toBe('exact-filter')
    expect(found.proof?.epsilon).toBeLessThan(0.01)
    expect(found.pruned.byRule['search-limit']).toBe(2 ** 39 - found.candidates.length)
    const pruned = Object.values(found.pruned.byRule).reduce((total, each) => total + each, 0)
    expect(pruned / found.pruned.count).toBeCloseTo(1, 12)
    expect(found.candidates.filter((each) => each.baseline)).toHaveLength(2)
    expect(JSON.stringify(await run())).toBe(JSON.stringify(found))
  }, 120_000)
})

describe('random placements', () => {
  test('the closed form is finite, and near the simulation for most', () => {
    const times: number[] = []
    const latencies: number[] = []
    for (let seed = 0; seed < 300; seed++) {
      const workflow = randomWorkflow(seed, 2 + (seed % 9))
      const random = randomOf(seed + 999)
      const fleet = seed % 2 === 0 ? drones(5) : localFleet(3)
      const tiers = Object.entries(tiersOf(workflow, fleet))
      if (tiers.some(([, allowed]) => allowed.length === 0)) continue
      const placement = Object.fromEntries(
        tiers.map(([task, allowed]) => [task, allowed[Math.floor(random() * allowed.length)] as Tier]),
      )
      const model = buildModel({ workflow, placement, fleet, itemsPerDevice: 40 })
      const closed = estimateClosedForm(model)
      const simulated = simulate(model, { seed: 1 })
      // JSON turns what is not finite into null
      expect(JSON.stringify([closed, simulated])).not.toContain('null')
      times.push(closed.execTimeMs / simulated.execTimeMs)
      if (simulated.latencyMs.mean > 0) latencies.push(closed.latencyMs.mean / simulated.latencyMs.mean)
    }
    const between = (ratios: number[], low: number, high: number) =>
      ratios.filter((ratio) => ratio >= low && ratio <= high).length / ratios.length
    expect(times.length).toBeGreaterThan(150)
    expect(between(times, 0.9, 1.1)).toBeGreaterThan(0.85)
    expect(between(latencies, 0.5, 1.5)).toBeGreaterThan(0.85)
  })
})

describe('constraints', () => {
  const estimate: Estimate = {
    latencyMs: { p50: 100, p99: 1234, mean: 200 },
    breakdown: { network: 0, management: 0, dataExchange: 0, execution: 0 },
    perTask: {},
    execTimeMs: 20_000,
    throughput: 5,
    energyJ: 900,
    energyShare: 0.3,
    bandwidthMBps: 1,
    costPerHour: 0.5,
    costPerRun: 0.01,
  }
  const judge = (key: Constraint['key'], text: string) => {
    const limit = parseQuantity(text)
    if (!limit) throw new Error(text)
    return violationsOf([{ key, limit }], estimate)
  }

  test.each([
    ['execTime', '20s', null],
    ['execTime', '10s', "The run takes 20 s; the constraint execTime='10s' allows at most 10s."],
    ['latency', '2s', null],
    [
      'latency',
      '250ms',
      "The p99 latency of an item is 1.23 s; the constraint latency='250ms' allows at most 250ms.",
    ],
    ['throughput', '5/s', null],
    [
      'throughput',
      '8/s',
      "The swarm finishes 5 items/s; the constraint throughput='8/s' asks for at least 8/s.",
    ],
    ['cost', '0.4$/h', "The cloud costs 0.5 $/h; the constraint cost='0.4$/h' allows at most 0.4$/h."],
    ['cost', '0.01$/run', null],
    ['cost', '0.005$/run', "A run costs 0.01 $; the constraint cost='0.005$/run' allows at most 0.005$/run."],
    ['energy', '500J', "A device uses 900 J; the constraint energy='500J' allows at most 500J."],
    ['energy', '30%', null],
    ['energy', '20%', "A device uses 30% of its battery; the constraint energy='20%' allows at most 20%."],
    ['power', '45W', null],
    ['power', '40W', "A device draws 45 W on average; the constraint power='40W' allows at most 40W."],
  ] as const)('%s %s', (key, text, message) => {
    expect(judge(key, text).map((each) => each.message)).toEqual(message === null ? [] : [message])
  })

  test('of the workflow decide what meets', async () => {
    const limit = parseQuantity('130s')
    if (!limit) throw new Error('130s')
    const workflow = { ...scenarioB(), constraints: [{ key: 'execTime' as const, limit }] }
    const { candidates } = await explore({ workflow, fleet: drones(8), seed: 1 })
    for (const each of candidates) expect(each.meets).toBe(each.estimate.execTimeMs <= 130_000)
    expect(candidates.some((each) => each.meets)).toBe(true)
    expect(candidates.some((each) => !each.meets)).toBe(true)
  })
})

describe('what the paper says of Scenario B', () => {
  const placed = (face: Tier, devices: number, itemsPerDevice?: number) =>
    evaluate({
      workflow: scenarioB(),
      placement: {
        createRoute: 'cloud',
        collectImage: 'edge',
        obstacleAvoidance: 'edge',
        faceRecognition: face,
        deduplication: 'cloud',
      },
      fleet: drones(devices),
      itemsPerDevice,
      seed: 1,
    })

  test('on-board execution is slower and drains the battery (2.3)', () => {
    const edge = placed('edge', 8)
    const hybrid = placed('cloud', 8)
    expect(edge.latencyMs.p50).toBeGreaterThan(5 * hybrid.latencyMs.p50)
    expect(edge.execTimeMs).toBeGreaterThan(hybrid.execTimeMs)
    expect(edge.energyJ).toBeGreaterThan(hybrid.energyJ)
    // "several drones running out of power"
    expect(edge.energyShare).toBeGreaterThan(1)
    expect(hybrid.energyShare).toBeLessThan(0.5)
  })

  test('the cloud increases network traffic greatly (2.3, 5.3)', () => {
    expect(placed('cloud', 8).bandwidthMBps).toBeGreaterThan(100 * placed('edge', 8).bandwidthMBps)
  })

  test('below 4 drones the tail is low; 16 drones saturate the network (2.2, Fig. 3b)', () => {
    const few = placed('cloud', 3)
    const many = placed('cloud', 16)
    expect(few.latencyMs.p99).toBeLessThan(1000)
    expect(many.latencyMs.p99).toBeGreaterThan(10 * few.latencyMs.p99)
    expect(many.breakdown.network / many.latencyMs.mean).toBeGreaterThan(0.5)
    // the two routers carry 2 x 867 Mb/s and no more
    expect(many.bandwidthMBps).toBeLessThan((2 * 867) / 8)
    expect(many.bandwidthMBps).toBeGreaterThan(0.85 * ((2 * 867) / 8))
    expect(placed('cloud', 64, 120).execTimeMs).toBeGreaterThan(2 * placed('cloud', 16, 120).execTimeMs)
  })

  test('motion dominates the energy (5.2)', () => {
    const { energyJ, execTimeMs } = placed('cloud', 8)
    expect((52 * execTimeMs) / 1000 / energyJ).toBeGreaterThan(0.7)
  })
})
