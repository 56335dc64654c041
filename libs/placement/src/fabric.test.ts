/** The fabric as a tier: network functions in hardware, where a fleet has boards. */
import { canRun, type Fleet, fleetByName, fleetFaults, localFleet, taskFacts, tierRow } from '@hivemind/swarm'
import { buildModel, estimateClosedForm, simulate } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { workflowOf } from '../test/workflows.ts'
import { checkPlacement, explore, tiersOf } from './index.ts'

const boards = { boards: 1, places: 64, clockMHz: 125, cyclesPerItem: 151, sources: [] }
/** Time of an item in it, in ms. */
const FABRIC_MS = 151 / 125_000

const withFabric = (agents: number, fabric = boards): Fleet => ({ ...localFleet(agents), fabric })

/** A field of sensors whose readings are averaged; `codes` are those of its functions. */
function field(...codes: string[]): Workflow {
  const functions = Object.fromEntries(
    codes.map((_, n) => [`mean${n}`, { reads: ['senseOut'], parents: ['sense'] }]),
  )
  const workflow = workflowOf({
    sense: {},
    ...functions,
    draw: {
      reads: codes.map((_, n) => `mean${n}Out`),
      parents: Object.keys(functions),
      directives: { synchronize: { kind: 'all' } },
    },
  })
  const tasks = workflow.tasks.map((task) => {
    const n = /^mean(\d)$/.exec(task.name)?.[1]
    return n === undefined ? task : { ...task, code: codes[Number(n)] as string }
  })
  return { ...workflow, tasks }
}

const mean = field('nfu:average?window=10')
const refusalOf = (workflow: Workflow, fleet: Fleet, name = 'mean0') => {
  const facts = taskFacts(workflow).find((each) => each.name === name)
  return facts && canRun(tierRow('fabric'), facts, fleet)
}

describe('who may run on the fabric', () => {
  test('a network function, where the fleet has boards', () => {
    expect(tiersOf(mean, withFabric(4))).toEqual({
      sense: ['edge'],
      mean0: ['cloud', 'edge', 'fabric'],
      draw: ['cloud'],
    })
    expect(refusalOf(mean, localFleet(4))?.reason).toBe(
      "Task 'mean0' cannot run on the fabric: fleet 'local' has none.",
    )
  })

  test.each(['nfu:average', 'nfu:max?window=65536', 'nfu:counter?count=65536'])('not %s', (code) => {
    expect(refusalOf(field(code), withFabric(4))?.rule).toBe('fabric-needs-window')
  })

  test.each(['nfu:forward', 'nfu:filter?above=1', 'nfu:counter', 'nfu:max?window=65535'])('%s', (code) => {
    expect(refusalOf(field(code), withFabric(4))).toBeNull()
  })

  test('as many functions as there are boards, those first that are pinned there', () => {
    const two = field('nfu:max?window=2', 'nfu:min?window=2')
    expect(refusalOf(two, withFabric(4), 'mean0')).toBeNull()
    expect(refusalOf(two, withFabric(4), 'mean1')?.reason).toBe(
      "Task 'mean1' cannot run on the fabric: fleet 'local' has one board, which runs one network function. Place(mean1, 'Fabric') puts it before the others.",
    )
    expect(refusalOf(two, withFabric(4, { ...boards, boards: 2 }), 'mean1')).toBeNull()
    const pinned: Workflow = {
      ...two,
      tasks: two.tasks.map((task) =>
        task.name === 'mean1' ? { ...task, directives: { place: { tier: 'fabric' } } } : task,
      ),
    }
    expect(refusalOf(pinned, withFabric(4), 'mean1')).toBeNull()
    expect(refusalOf(pinned, withFabric(4), 'mean0')?.rule).toBe('fabric-has-too-few-boards')
  })

  test('as many devices as a board keeps windows for', () => {
    expect(refusalOf(mean, withFabric(64))).toBeNull()
    expect(refusalOf(mean, withFabric(65))?.rule).toBe('fabric-has-too-few-places')
  })

  test('a figure beyond its range is refused by its name', () => {
    expect(fleetFaults(withFabric(2))).toEqual([])
    expect(fleetFaults(withFabric(2, { ...boards, clockMHz: 0 })).map(({ path }) => path)).toEqual([
      'fabric.clockMHz',
    ])
  })
})

describe('what it is estimated to take', () => {
  const at = (tier: 'cloud' | 'edge' | 'fabric', fleet = withFabric(4)) => ({
    workflow: mean,
    fleet,
    placement: { sense: 'edge', mean0: tier, draw: 'cloud' } as const,
    itemsPerDevice: 200,
  })

  test('its cycles at its clock, and no time of a core, by simulation and by closed form', () => {
    for (const clockMHz of [125, 62.5]) {
      const fleet = withFabric(4, { ...boards, clockMHz })
      const model = buildModel(at('fabric', fleet))
      for (const estimate of [simulate(model, { seed: 1 }), estimateClosedForm(model)]) {
        const { breakdown, tier } = estimate.perTask.mean0 ?? {}
        expect(tier).toBe('fabric')
        expect(breakdown?.execution).toBeCloseTo((FABRIC_MS * 125) / clockMHz, 9)
        expect(breakdown?.management).toBe(0)
        expect(breakdown?.network).toBeGreaterThan(0)
      }
    }
  })

  test('readings cross the uplink as to the cloud, and no function is paid for', () => {
    const [fabric, cloud, edge] = (['fabric', 'cloud', 'edge'] as const).map((tier) =>
      simulate(buildModel(at(tier)), { seed: 1 }),
    )
    expect(fabric?.bandwidthMBps).toBeCloseTo(cloud?.bandwidthMBps ?? 0, 1)
    expect(fabric?.costPerRun).toBeLessThan(cloud?.costPerRun ?? 0)
    expect(fabric?.energyJ).toBeLessThan(edge?.energyJ ?? 0)
    expect(fabric?.latencyMs.p50).toBeLessThan(cloud?.latencyMs.p50 ?? 0)
  })

  test('devices that fail, and functions that do, leave the fabric as it is', () => {
    const fleet: Fleet = { ...(fleetByName('paper-drones') as Fleet), fabric: boards }
    const estimate = simulate(buildModel(at('fabric', fleet)), {
      seed: 1,
      conditions: { deviceFailures: { at: [{ device: 1, atMs: 5_000 }] }, functionFailures: 0.2 },
    })
    expect(estimate.perTask.mean0?.breakdown.execution).toBeCloseTo(FABRIC_MS, 6)
  })

  test('an exploration has candidates on it, and a baseline where the fleet has one', async () => {
    const { candidates } = await explore({
      workflow: mean,
      fleet: withFabric(4),
      seed: 1,
      itemsPerDevice: 20,
    })
    expect(candidates.map(({ placement }) => placement.mean0).sort()).toEqual(['cloud', 'edge', 'fabric'])
    expect(candidates.find(({ baseline }) => baseline === 'all-fabric')?.placement).toEqual({
      sense: 'edge',
      mean0: 'fabric',
      draw: 'cloud',
    })
    const without = await explore({ workflow: mean, fleet: localFleet(4), seed: 1, itemsPerDevice: 20 })
    expect(without.candidates.map(({ baseline }) => baseline).sort()).toEqual(['all-cloud', 'all-edge'])
    expect(checkPlacement(mean, { sense: 'edge', mean0: 'fabric', draw: 'cloud' }, withFabric(4))).toEqual([])
  })
})
