/** A run that may have everything, and in which nothing befalls, is the run that has nothing to spare: byte by byte. */
import type { Placement } from '@hivemind/swarm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainFleet, profileOf, scenarioB, tier, workflowOf } from '../../test/workflows.ts'
import { buildModel } from '../model/build.ts'
import { simulateInDetail } from '../simulate.ts'

const skewed = { mean: 60, quantiles: [10, 20, 40, 80, 150], samples: 0 }

const forkAndJoin = workflowOf(
  {
    sense: { args: { rate: '8/s' } },
    left: { reads: ['senseOut'], parents: ['sense'] },
    right: { reads: ['senseOut'], parents: ['sense'] },
    join: { reads: ['leftOut', 'rightOut'], parents: ['left', 'right'] },
    after: { parents: ['join'] },
  },
  { relations: [{ kind: 'serial', a: 'left', b: 'right' }] },
)
const twoSensors = workflowOf({
  map: { reads: ['area'] },
  eye: { parents: ['map'], args: { role: 'sensor', rate: '4/s' } },
  ear: { args: { role: 'sensor', rate: '3/s' } },
  fuse: { reads: ['eyeOut', 'earOut'], parents: ['eye', 'ear'] },
  act: { reads: ['fuseOut', 'eyeOut'], parents: ['fuse', 'eye'], writes: null },
})

const isSensor = (name: string) => ['sense', 'eye', 'ear', 'collectImage', 'obstacleAvoidance'].includes(name)

const given = fc.record({
  workflow: fc.constantFrom(forkAndJoin, twoSensors, scenarioB()),
  inCloud: fc.array(fc.boolean(), { minLength: 6, maxLength: 6 }),
  outputs: fc.constantFrom(1, 0.5, 2),
  dispatchMs: fc.constantFrom(0, 5),
  handOverMs: fc.constantFrom(0, 3),
  items: fc.integer({ min: 1, max: 40 }),
  seed: fc.integer(),
})

test('with conditions that say nothing, the estimate is the same', () => {
  fc.assert(
    fc.property(given, ({ workflow, inCloud, outputs, dispatchMs, handOverMs, items, seed }) => {
      const placement: Placement = {}
      for (const [at, { name }] of workflow.tasks.entries())
        placement[name] = inCloud[at] && !isSensor(name) ? 'cloud' : 'edge'
      const model = buildModel({
        workflow,
        placement,
        fleet: plainFleet(3, {
          cloud: {
            coresPerServer: 2,
            coldStartMs: 40,
            dispatchMs,
            handOver: { fixedMs: handOverMs, bandwidthMBps: 100 },
          },
        }),
        profile: profileOf(
          Object.fromEntries(
            workflow.tasks.map(({ name }) => [name, tier(skewed, 20_000, isSensor(name) ? 40 : outputs)]),
          ),
        ),
        itemsPerDevice: items,
      })
      expect(simulateInDetail(model, { seed })).toEqual(simulateInDetail(model, { seed, conditions: {} }))
    }),
    { numRuns: 200 },
  )
})
