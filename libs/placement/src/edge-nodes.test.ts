/** Edge nodes as a tier: who may run there, what the rules count, and that explorations trade them off. */
import { check } from '@hivemind/dsl'
import { canRun, type Fleet, fleetByName, taskFacts, tierRow, withDevices } from '@hivemind/swarm'
import { buildModel, estimateClosedForm, simulateInDetail } from '@hivemind/swarm-sim'
import type { Pin, Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { randomWorkflow, workflowOf } from '../test/workflows.ts'
import { allChoices, placementOf, spaceOf } from './candidates.ts'
import { contentionFree } from './contention-free.ts'
import { edgeCosts } from './edge-costs.ts'
import { checkPlacement, explain, explore, tiersOf } from './index.ts'
import { countPlacements, dilemmas } from './rules.ts'

const shipped = (name: string): Fleet => {
  const fleet = fleetByName(name)
  if (!fleet) throw new Error(`the fleet ${name} is missing`)
  return fleet
}
const gateways = (devices = 6): Fleet => withDevices(shipped('sensor-gateways'), devices)
const drones = () => withDevices(shipped('paper-drones'), 4)

/** A mixed fleet: sensors, and cars that no gateway serves. */
function mixed(): Fleet {
  const fleet = gateways(3)
  const [car] = shipped('paper-cars').devices
  if (!car || !fleet.edgeNodes) throw new Error('a fleet is not what it was')
  return {
    ...fleet,
    devices: [...fleet.devices, { ...car, count: 2 }],
    edgeNodes: { ...fleet.edgeNodes, serves: ['field-sensor'] },
  }
}

function field(place?: Pin, sensed?: Pin): Workflow {
  return workflowOf({
    // a camera: its frames have 2 MB
    sense: { args: { resolution: '1024p' }, directives: sensed ? { place: sensed } : {} },
    look: { reads: ['senseOut'], parents: ['sense'], directives: place ? { place } : {} },
    act: { reads: ['lookOut'], parents: ['look'], args: { role: 'actuator' }, writes: null },
    sum: { reads: ['lookOut'], parents: ['look'], directives: { synchronize: { kind: 'all' } } },
  })
}

const refusalOf = (workflow: Workflow, fleet: Fleet, name: string) => {
  const facts = taskFacts(workflow).find((each) => each.name === name)
  return facts && canRun(tierRow('edge-node'), facts, fleet)
}
const at = (target: string): Pin => ({ tier: 'edge', target })

describe('who may run on an edge node', () => {
  test('what neither senses, nor moves, nor is one for the swarm', () => {
    expect(tiersOf(field(), gateways())).toEqual({
      sense: ['edge'],
      look: ['cloud', 'edge', 'edge-node'],
      act: ['edge'],
      sum: ['cloud'],
    })
    expect(refusalOf(field(), gateways(), 'sense')?.rule).toBe('edge-node-not-for-devices')
    expect(refusalOf(field(), gateways(), 'act')?.reason).toBe(
      "Task 'act' moves the device it runs on, which an edge node cannot.",
    )
    expect(refusalOf(field(), gateways(), 'sum')?.rule).toBe('swarm-barrier-not-on-edge')
  })

  test('not in a fleet without them, which does not count them as a choice either', () => {
    expect(tiersOf(field(), drones()).look).toEqual(['cloud', 'edge'])
    expect(countPlacements(field(), drones()).product).toBe(3n ** 4n)
    expect(Object.keys(countPlacements(field(), drones()).byRule)).not.toContain('edge-node-not-available')
    expect(
      checkPlacement(field(), { sense: 'edge', look: 'edge-node', act: 'edge', sum: 'cloud' }, drones()),
    ).toEqual([
      "Task 'look' cannot run on an edge node: fleet 'paper-drones' has none. Place it on the devices or in the cloud, or choose a fleet that has some.",
    ])
  })

  test('not a task that runs for devices which no edge node serves', () => {
    expect(refusalOf(field(), mixed(), 'look')?.reason).toBe(
      "Task 'look' cannot run on an edge node: it runs for devices of class 'robot-car', which 'gateway' does not serve.",
    )
    // below a sensor of the devices that are served
    expect(refusalOf(field(undefined, at('field-sensor')), mixed(), 'look')).toBeNull()
    expect(refusalOf(field(undefined, at('device-4')), mixed(), 'look')?.rule).toBe('edge-node-serves-others')
  })

  test("Place(look, 'Edge:gateway') puts it there, for the devices that are served", () => {
    expect(tiersOf(field(at('gateway')), mixed())).toEqual({
      sense: ['edge'],
      look: ['edge-node'],
      act: ['edge'],
      sum: ['cloud'],
    })
    expect(
      checkPlacement(
        field(at('gateway')),
        { sense: 'edge', look: 'edge', act: 'edge', sum: 'cloud' },
        mixed(),
      ),
    ).toEqual(["Place(look, 'Edge:gateway') does not allow tier 'edge'."])
    // where a fleet has none that are called so it is a class of devices that is missing
    expect(
      checkPlacement(
        field(at('gateway')),
        { sense: 'edge', look: 'edge', act: 'edge', sum: 'cloud' },
        drones(),
      )[0],
    ).toMatch(/names no device or class of fleet 'paper-drones'/)
    // and a class of devices stays one
    expect(tiersOf(field(at('field-sensor')), mixed()).look).toEqual(['edge'])
  })
})

test('what the editor finds no fault with can be placed, also with pins to edge nodes', () => {
  const context = { deviceClasses: ['field-sensor'], edgeNodes: ['gateway'] }
  const statements = ['', "Place(X, 'Edge:gateway')", "Place(X, 'Edge:all')", "Synchronize(X, 'all')"]
  const options = statements.flatMap((statement) =>
    ['', ", role='actuator'"].map((role) => ({ statement, role })),
  )
  let clean = 0
  for (const a of statements)
    for (const b of options)
      for (const c of options)
        for (const stays of ['', "Data(d1, stays='device')"]) {
          const text = [
            "TaskGraph(list=['a', 'b', 'c'])",
            "Task(a, None, d1, 'a.js', childTask=['b'])",
            `Task(b, d1, d2, 'b.js', parentTask=['a'], childTask=['c']${b.role})`,
            `Task(c, d2, d3, 'c.js', parentTask=['b']${c.role})`,
            stays,
            ...[a, b.statement, c.statement].map((each, index) =>
              each.replaceAll('X', 'abc'[index] as string),
            ),
          ].join('\n')
          const { workflow, diagnostics } = check(text, context)
          if (!workflow || diagnostics.some(({ severity }) => severity !== 'hint')) continue
          clean++
          expect(dilemmas(workflow, gateways()), text).toEqual([])
        }
  expect(clean).toBeGreaterThan(50)
})

describe('an exploration', () => {
  test('lists placements with edge nodes, names their baseline, and counts what the rules removed', async () => {
    const { candidates, front, pruned } = await explore({
      workflow: field(),
      fleet: gateways(),
      seed: 1,
      itemsPerDevice: 20,
    })
    expect(candidates).toHaveLength(3)
    expect(candidates.length + pruned.count).toBe(4 ** 4)
    expect(pruned.byRule['edge-node-not-for-devices']).toBeGreaterThan(0)
    const own = candidates.find(({ baseline }) => baseline === 'all-edge-node')
    expect(own?.placement).toEqual({ sense: 'edge', look: 'edge-node', act: 'edge', sum: 'cloud' })
    expect(own?.estimate.edgeNodes?.busyShare).toBeGreaterThan(0)
    // frames stay near the devices, and no function is started: less bandwidth and cost than in the cloud, and less energy than on the device
    expect(front).toContain(own?.id)
    const cloud = candidates.find(({ baseline }) => baseline === 'all-cloud')
    expect(own?.estimate.bandwidthMBps).toBeLessThan(0.1 * (cloud?.estimate.bandwidthMBps ?? 0))
    expect(own?.estimate.costPerRun).toBeLessThan(cloud?.estimate.costPerRun ?? 0)
  })

  test('explains a candidate by its links, and names the tier in words', async () => {
    const input = { workflow: field(), fleet: gateways(), seed: 1, itemsPerDevice: 20 }
    const exploration = await explore(input)
    const own = exploration.candidates.find(({ baseline }) => baseline === 'all-edge')
    const { edges, sentences } = explain({ ...input, exploration, id: own?.id ?? '' })
    expect(sentences.join(' ')).toMatch(/look to the (edge node|cloud)/)
    expect(edges.find(({ to }) => to === 'sum')?.channel).toBe('up')
    const placement = { sense: 'edge', look: 'edge-node', act: 'edge', sum: 'cloud' } as const
    const model = buildModel({ ...input, placement })
    const costs = edgeCosts(model, estimateClosedForm(model))
    const bytes = Object.fromEntries(costs.map(({ channel, bytes }) => [channel, bytes > 0]))
    expect(bytes).toEqual({ toNode: false, fromNode: false, nodeUp: true })
    expect(costs.every(({ timeMs }) => timeMs >= 2)).toBe(true)
  })
})

test.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'random DAG %i: with tasks on edge nodes every item is finished, and closed form and simulation agree about the bytes',
  (seed) => {
    const workflow = randomWorkflow(seed, 5 + (seed % 4))
    const fleet = gateways(5)
    const space = spaceOf(tiersOf(workflow, fleet))
    if (space.allowed.some((tiers) => tiers.length === 0)) return
    const placements = [...allChoices(space)]
      .map((choice) => placementOf(space, choice))
      .filter((placement) => Object.values(placement).includes('edge-node'))
    for (const placement of placements.filter((_, index) => index % Math.ceil(placements.length / 6) === 0)) {
      const model = buildModel({ workflow, placement, fleet, itemsPerDevice: 30 })
      const { estimate, items } = simulateInDetail(model, { seed })
      expect(items).toMatchObject({ emitted: items.planned, finished: items.planned, lost: 0 })
      const closed = estimateClosedForm(model)
      const bytes = (of: typeof estimate) => of.bandwidthMBps * of.execTimeMs
      expect(Math.abs(bytes(closed) - bytes(estimate))).toBeLessThan(0.05 * bytes(estimate) + 1e-9)
    }
  },
)

test('without contention no placement takes longer, or sends more, than the closed form says', () => {
  const workflow = workflowOf({
    sense: {},
    look: { reads: ['senseOut'], parents: ['sense'] },
    hear: { reads: ['senseOut'], parents: ['sense'] },
    both: { reads: ['lookOut', 'hearOut'], parents: ['look', 'hear'] },
  })
  const fleet = gateways()
  const space = spaceOf(tiersOf(workflow, fleet))
  const build = (tiers: readonly string[]) =>
    buildModel({
      workflow,
      fleet,
      itemsPerDevice: 10,
      placement: Object.fromEntries(space.tasks.map((task, index) => [task, tiers[index]])) as never,
    })
  const baselines = (['cloud', 'edge', 'edge-node'] as const).map((tier) =>
    build(space.allowed.map((allowed) => (allowed.includes(tier) ? tier : (allowed[0] as string)))),
  )
  const { problem } = contentionFree(space, baselines as never)
  const seconds = (ms: number) => ms / 1000
  for (const look of ['cloud', 'edge', 'edge-node'])
    for (const hear of ['cloud', 'edge', 'edge-node'])
      for (const both of ['cloud', 'edge', 'edge-node']) {
        const placement = { sense: 'edge', look, hear, both } as Record<string, string>
        const order = build(space.tasks.map((task) => placement[task] as string)).tasks.map(
          ({ name }) => name,
        )
        const choice = order.map(
          (name) => space.allowed[space.tasks.indexOf(name)]?.indexOf(placement[name] as never) ?? 0,
        )
        const estimate = estimateClosedForm(build(space.tasks.map((task) => placement[task] as string)))
        const figures = figuresOf(problem, choice)
        expect(figures.latencyMs).toBeLessThanOrEqual(estimate.latencyMs.mean * (1 + 1e-9))
        const bytes = estimate.bandwidthMBps * 1e6 * seconds(estimate.execTimeMs)
        expect(figures.bytes * 6).toBeLessThanOrEqual(bytes * (1 + 1e-9) + 1e-6)
      }
})

/** Latency and bytes of one placement of an additive problem, by its definition. */
function figuresOf(problem: ReturnType<typeof contentionFree>['problem'], choice: readonly number[]) {
  const m = problem.figures
  const ends: number[] = []
  let bytes = 0
  for (let task = 0; task < problem.tasks; task++) {
    const row = (problem.first[task] as number) + (choice[task] as number)
    let start = 0
    for (const edge of problem.into[task] as Int32Array) {
      const from = problem.from[edge] as number
      const pair =
        (problem.pair[edge] as number) +
        (choice[from] as number) * (problem.tiers[task] as number) +
        (choice[task] as number)
      start = Math.max(start, (ends[from] as number) + (problem.edgeTime[pair] as number))
      bytes += problem.edgeFigures[pair * m + 1] as number
    }
    const sends = [...(problem.outOf[task] as Int32Array)].some((edge) => {
      const to = problem.to[edge] as number
      return (
        problem.crosses[
          (problem.pair[edge] as number) +
            (choice[task] as number) * (problem.tiers[to] as number) +
            (choice[to] as number)
        ] === 1
      )
    })
    ends.push(start + (problem.time[row] as number))
    bytes += (problem.own[row * m + 1] as number) + (sends ? (problem.send[row * m + 1] as number) : 0)
  }
  return { latencyMs: Math.max(...ends), bytes }
}
