import { fleetByName, type Tier, withDevices } from '@hivemind/swarm'
import { buildModel, estimateClosedForm } from '@hivemind/swarm-sim'
import { expect, test } from 'vitest'
import { judgeOf } from '../test/judge.ts'
import { randomOf, randomWorkflow, workflowOf } from '../test/workflows.ts'
import { allChoices, baselineOf, placementOf, spaceOf } from './candidates.ts'
import { contentionFree } from './contention-free.ts'
import { tiersOf } from './rules.ts'

test('its latency is below that of the closed form, and its bytes are those that cross the uplink', () => {
  const drones = fleetByName('paper-drones')
  if (!drones) throw new Error('the default fleet is missing')
  const fleet = withDevices(drones, 3)
  let judged = 0
  for (let seed = 0; seed < 120; seed++) {
    const workflow = randomWorkflow(seed, 3 + (seed % 8))
    const space = spaceOf(tiersOf(workflow, fleet))
    if (space.allowed.some((tiers) => tiers.length === 0)) continue
    const modelOf = (choice: readonly number[]) =>
      buildModel({ workflow, fleet, itemsPerDevice: 5, placement: placementOf(space, choice) })
    const free = contentionFree(space, [
      modelOf(baselineOf(space, 'cloud')),
      modelOf(baselineOf(space, 'edge')),
    ])
    const random = randomOf(seed)
    const judge = judgeOf(free.problem)
    const row = new Float64Array(4)
    for (const choice of allChoices(space)) {
      if (random() < 0.7) continue
      // the tasks of the problem are in the order of the model
      const model = modelOf(choice)
      const placement = Uint8Array.from(model.tasks, ({ name, tier }) => {
        const at = space.tasks.indexOf(name)
        return (space.allowed[at] as Tier[]).indexOf(tier)
      })
      expect(free.choiceOf(placement, 0)).toEqual(choice)
      judge(placement, 0, row, 0)
      const estimate = estimateClosedForm(model)
      const what = `seed ${seed}, ${choice.join('')}`
      expect(row[0], what).toBeLessThanOrEqual(estimate.latencyMs.p99 * (1 + 1e-9))
      expect(row[3], what).toBeGreaterThanOrEqual(0)
      judged++
    }
  }
  expect(judged).toBeGreaterThan(300)
})

test('a result that is sent to each device behind a barrier costs the uplink once for each, and no latency', () => {
  const drones = fleetByName('paper-drones')
  if (!drones) throw new Error('the default fleet is missing')
  const fleet = withDevices(drones, 3)
  const workflow = workflowOf({
    sense: { args: { rate: '8/s' } },
    decide: { reads: ['senseOut'], parents: ['sense'], directives: { synchronize: { kind: 'all' } } },
    move: {
      reads: ['decideOut'],
      parents: ['decide'],
      writes: null,
      directives: { place: { tier: 'edge', target: 'all' } },
    },
  })
  const space = spaceOf(tiersOf(workflow, fleet))
  expect(space.allowed).toEqual([['edge'], ['cloud'], ['edge']])
  const model = buildModel({
    workflow,
    fleet,
    itemsPerDevice: 5,
    placement: { sense: 'edge', decide: 'cloud', move: 'edge' },
  })
  const { problem } = contentionFree(space, [model])
  const row = new Float64Array(4)
  judgeOf(problem)(Uint8Array.from([0, 0, 0]), 0, row, 0)
  const { bandwidthMBps, execTimeMs } = estimateClosedForm(model)
  // bytes are for each device
  expect(3 * (row[2] as number)).toBeCloseTo(bandwidthMBps * execTimeMs * 1000, 3)
  const toDevices = model.tasks[1]?.outputBytes.mean as number
  const frames = 5 * (model.tasks[0]?.outputBytes.mean as number)
  expect(row[2]).toBeCloseTo(frames + toDevices, 6)
  // that of a task on a device would be far more
  expect(row[0]).toBeLessThan(50)
})
