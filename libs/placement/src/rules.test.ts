import { check } from '@hivemind/dsl'
import { fleetByName, localFleet, type Placement, TIER_IDS, withDevices } from '@hivemind/swarm'
import { roleOf, swarmWideTasks, type Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { randomWorkflow, scenarioB, workflowOf } from '../test/workflows.ts'
import { idOf } from './candidates.ts'
import { evaluate, explore } from './explore.ts'
import { checkPlacement, countPlacements, dilemmas, tiersOf } from './rules.ts'

const drones = (count = 16) => {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('the default fleet is missing')
  return withDevices(fleet, count)
}

/** Every placement of the full product, by brute force. */
function product(workflow: Workflow): Placement[] {
  return workflow.tasks.reduce<Placement[]>(
    (all, task) => all.flatMap((each) => TIER_IDS.map((tier): Placement => ({ ...each, [task.name]: tier }))),
    [{}],
  )
}

function sum(byRule: Record<string, number>): number {
  return Object.values(byRule).reduce((total, each) => total + each, 0)
}

describe('candidates', () => {
  const fleet = localFleet(2)

  test.each(Array.from({ length: 40 }, (_, seed) => seed))(
    'random DAG %i: exactly what is legal',
    async (seed) => {
      const workflow = randomWorkflow(seed, 2 + (seed % 5))
      const legal = product(workflow).filter(
        (placement) => checkPlacement(workflow, placement, fleet).length === 0,
      )
      const counted = countPlacements(workflow, fleet)
      expect(Number(counted.legal)).toBe(legal.length)
      const { candidates, pruned, front, note } = await explore({
        workflow,
        fleet,
        seed: 1,
        itemsPerDevice: 3,
      })
      expect(candidates.map((each) => each.id).sort()).toEqual(legal.map(idOf).sort())
      expect(candidates.length + pruned.count).toBe(3 ** workflow.tasks.length)
      expect(sum(pruned.byRule)).toBe(pruned.count)
      expect(front).toEqual(candidates.filter((each) => each.pareto).map((each) => each.id))
      if (legal.length === 0) expect(note).toMatch(/can run nowhere/)
      const wide = swarmWideTasks(workflow)
      for (const { placement } of candidates)
        for (const task of workflow.tasks) {
          const tier = placement[task.name]
          expect(tier).not.toBe('fabric')
          if (roleOf(task) !== 'compute') expect(tier).toBe('edge')
          if (wide.has(task.name)) expect(tier).toBe('cloud')
          if (task.directives.place) expect(tier).toBe(task.directives.place.tier)
        }
    },
  )

  test('each rule counts what it removes first', () => {
    const workflow = workflowOf({
      sense: {},
      filter: { reads: ['senseOut'], parents: ['sense'] },
      act: { reads: ['filterOut'], parents: ['filter'], args: { role: 'actuator' }, writes: null },
      all: {
        reads: ['filterOut'],
        parents: ['filter'],
        directives: { synchronize: { kind: 'all' }, place: { tier: 'cloud' } },
      },
    })
    const nfu = {
      ...workflow,
      tasks: workflow.tasks.map((task) =>
        task.name === 'filter' ? { ...task, code: 'nfu:filter?min=1' } : task,
      ),
    }
    expect(countPlacements(nfu, fleet)).toEqual({
      product: 81n,
      legal: 2n,
      byRule: {
        'sensor-not-in-cloud': 27n,
        'actuator-not-in-cloud': 18n,
        'swarm-barrier-not-on-edge': 12n,
        'fabric-needs-nfu': 21n,
        'fabric-not-available': 1n,
      },
    })
    expect(tiersOf(nfu, fleet)).toEqual({
      sense: ['edge'],
      filter: ['cloud', 'edge'],
      act: ['edge'],
      all: ['cloud'],
    })
  })

  test('what is illegal is said in a sentence', () => {
    const workflow = scenarioB()
    const legal: Placement = {
      createRoute: 'cloud',
      collectImage: 'edge',
      obstacleAvoidance: 'edge',
      faceRecognition: 'cloud',
      deduplication: 'cloud',
    }
    expect(checkPlacement(workflow, legal, fleet)).toEqual([])
    const say = (change: Record<string, string>) =>
      checkPlacement(workflow, { ...legal, ...change } as Placement, fleet).join(' ')
    expect(say({ collectImage: 'cloud' })).toMatch(/'collectImage' collects sensor data/)
    expect(say({ obstacleAvoidance: 'cloud' })).toMatch(
      /Place\(obstacleAvoidance, 'Edge:all'\) does not allow/,
    )
    expect(say({ deduplication: 'edge' })).toMatch(/once for the whole swarm \(it is a barrier\)/)
    expect(say({ faceRecognition: 'fabric' })).toMatch(/only a network function/)
    expect(say({ faceRecognition: 'moon' })).toMatch(/'moon' is no tier/)
    expect(say({ other: 'edge' })).toMatch(/'other', which is no task/)
    const { faceRecognition: _, ...incomplete } = legal
    expect(checkPlacement(workflow, incomplete, fleet)[0]).toMatch(/no tier for task 'faceRecognition'/)
    expect(() =>
      evaluate({ workflow, placement: { ...legal, collectImage: 'cloud' }, fleet, seed: 1 }),
    ).toThrow(/not possible.*sensor data/)
  })

  test('a task behind a barrier that is pinned to the devices, or an actuator, is scattered to them', () => {
    const loop = workflowOf({
      sense: {},
      decide: { reads: ['senseOut'], parents: ['sense'], directives: { synchronize: { kind: 'all' } } },
      move: {
        reads: ['decideOut'],
        parents: ['decide'],
        directives: { place: { tier: 'edge', target: 'all' } },
      },
      act: { reads: ['decideOut'], parents: ['decide'], args: { role: 'actuator' } },
      store: { reads: ['decideOut'], parents: ['decide'] },
    })
    expect(tiersOf(loop, fleet)).toEqual({
      sense: ['edge'],
      decide: ['cloud'],
      move: ['edge'],
      act: ['edge'],
      store: ['cloud'],
    })
    // the barrier itself stays in the cloud
    for (const task of loop.tasks)
      if (task.name === 'decide') task.directives.place = { tier: 'edge', target: 'all' }
    expect(tiersOf(loop, fleet).decide).toEqual([])
  })

  test('data that stays on the device holds those who work with it, and not what is made of it', async () => {
    const workflow = scenarioB()
    for (const data of workflow.data) if (data.name === 'sensorData') data.stays = 'device'
    expect(tiersOf(workflow, fleet)).toEqual({
      createRoute: ['cloud', 'edge'],
      collectImage: ['edge'],
      obstacleAvoidance: ['edge'],
      faceRecognition: ['edge'],
      deduplication: ['cloud'],
    })
    const { byRule, legal } = countPlacements(workflow, fleet)
    expect(legal).toBe(2n)
    // of 3 x 2 x 3 x 3 x 3, the 3 x 3 with three tasks on the edge are left
    expect(byRule['data-stays-on-device']).toBe(162n - 9n)
    const placement = {
      ...(await explore({ workflow, fleet, seed: 1, itemsPerDevice: 3 })).candidates[0]?.placement,
    }
    expect(checkPlacement(workflow, { ...placement, faceRecognition: 'cloud' }, fleet)).toEqual([
      "Task 'faceRecognition' writes, reads or is handed 'sensorData', which stays on the device, so it must run on the edge.",
    ])
    // a barrier must run in the cloud, so it cannot read what stays
    for (const data of workflow.data) if (data.name === 'recognitionStats') data.stays = 'device'
    const { candidates, note } = await explore({ workflow, fleet, seed: 1 })
    expect(candidates).toEqual([])
    expect(note).toMatch(/'deduplication' can run nowhere.*'recognitionStats', which stays on the device/)
  })

  test('a pin to a class or device the fleet lacks leaves no candidate and says why', async () => {
    const pinned = (target: string) => {
      const workflow = scenarioB()
      for (const task of workflow.tasks)
        if (task.name === 'obstacleAvoidance') task.directives.place = { tier: 'edge', target }
      return workflow
    }
    const none = await explore({ workflow: pinned('rover'), fleet: drones(), seed: 1 })
    expect(none.candidates).toEqual([])
    expect(none.pruned.count).toBe(243)
    expect(sum(none.pruned.byRule)).toBe(243)
    expect(none.note).toMatch(/'Edge:rover'.*its classes: ar-drone-2; its devices: device-1 to device-16/)
    for (const target of ['ar-drone-2', 'device-3']) {
      const some = await explore({ workflow: pinned(target), fleet: drones(4), seed: 1, itemsPerDevice: 5 })
      expect(some.candidates).toHaveLength(4)
    }
  })

  test('an id does not hang on the order of the tasks, and differs with any tier', () => {
    expect(idOf({ a: 'cloud', b: 'edge' })).toBe(idOf({ b: 'edge', a: 'cloud' }))
    expect(idOf({ a: 'cloud', b: 'edge' })).toMatch(/^[0-9a-f]{12}$/)
    const ids = product(randomWorkflow(3, 8)).map(idOf)
    expect(new Set(ids).size).toBe(TIER_IDS.length ** 8)
  })
})

test('what the editor finds no fault with can be placed', () => {
  const fabric = { boards: 1, places: 64, clockMHz: 125, cyclesPerItem: 151, sources: [] }
  const fleet = { ...localFleet(2), fabric }
  const statements = [
    '',
    "Place(X, 'Edge:all')",
    "Place(X, 'Cloud')",
    "Place(X, 'Fabric')",
    "Synchronize(X, 'all')",
  ]
  const roles = ['', ", role='sensor'", ", role='actuator'"]
  const options = statements.flatMap((statement) => roles.map((role) => ({ statement, role })))
  const stuck: string[] = []
  let clean = 0
  for (const a of options)
    for (const b of options)
      for (const c of options)
        for (const stays of ['', "Data(d1, stays='device')", "Data(d2, stays='device')"]) {
          const text = [
            "TaskGraph(list=['a', 'b', 'c'])",
            `Task(a, None, d1, 'a.js', childTask=['b']${a.role})`,
            `Task(b, d1, d2, 'nfu:forward', parentTask=['a'], childTask=['c']${b.role})`,
            `Task(c, d2, d3, 'c.js', parentTask=['b']${c.role})`,
            stays,
            ...[a, b, c].map(({ statement }, index) => statement.replaceAll('X', 'abc'[index] as string)),
          ].join('\n')
          const { workflow, diagnostics } = check(text)
          if (!workflow || diagnostics.some(({ severity }) => severity !== 'hint')) continue
          clean++
          if (dilemmas(workflow, fleet).length > 0) stuck.push(text)
        }
  expect(stuck).toEqual([])
  expect(clean).toBeGreaterThan(500)
})

test.each([
  [
    "Place(b, 'Edge:all')",
    "Synchronize(b, 'all')",
    "remove Place(b, 'Edge:all'), or remove the barrier of 'b'",
  ],
  ["Place(b, 'Cloud')", "Data(d1, stays='device')", "remove Place(b, 'Cloud'), or let 'd1' leave the device"],
  [
    "Synchronize(b, 'all')",
    "Data(d1, stays='device')",
    "let 'd1' leave the device, or remove the barrier of 'b'",
  ],
  ["Place(a, 'Cloud')", '', "remove Place(a, 'Cloud'), or give 'a' role='compute'"],
])('what would help a task that can run nowhere: %s %s', (first, second, advice) => {
  const { workflow } = check(
    `TaskGraph(list=['a', 'b'])
Task(a, None, d1, 'a.js', childTask=['b'])
Task(b, d1, d2, 'b.js', parentTask=['a'])
${first}
${second}`,
  )
  const [sentence] = workflow ? dilemmas(workflow, localFleet(2)) : []
  expect(sentence).toContain(`To place it, ${advice}.`)
})
