/** Runs whose figures are on record (reference-figures.json), so that a change of the engine that moves them is seen. */
import type { Estimate, Placement } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import type { Conditions } from '../src/faults.ts'
import { buildModel } from '../src/model/build.ts'
import type { Model } from '../src/model/model.ts'
import { plainFleet, profileOf, scenarioB, tier, workflowOf } from './workflows.ts'

const skewed = { mean: 60, quantiles: [10, 20, 40, 80, 150], samples: 0 }
const SENSORS = ['sense', 'eye', 'ear', 'collectImage', 'obstacleAvoidance']

const forkAndJoin = workflowOf({
  sense: { args: { rate: '8/s' } },
  left: { reads: ['senseOut'], parents: ['sense'] },
  right: { reads: ['senseOut'], parents: ['sense'] },
  join: { reads: ['leftOut', 'rightOut'], parents: ['left', 'right'] },
  after: { reads: ['joinOut'], parents: ['join'] },
})
const twoSensors = workflowOf({
  map: { reads: ['area'] },
  eye: { parents: ['map'], args: { role: 'sensor', rate: '4/s' } },
  ear: { args: { role: 'sensor', rate: '3/s' } },
  fuse: { reads: ['eyeOut', 'earOut'], parents: ['eye', 'ear'] },
  act: { reads: ['fuseOut', 'eyeOut'], parents: ['fuse', 'eye'], writes: null },
})

/** Every task not on the devices by need is in the cloud where `inCloud` names it. */
function modelOf(workflow: Workflow, inCloud: readonly string[], cores: number): Model {
  const placement: Placement = Object.fromEntries(
    workflow.tasks.map(({ name }) => [name, inCloud.includes(name) ? 'cloud' : 'edge']),
  )
  return buildModel({
    workflow,
    placement,
    fleet: plainFleet(5, {
      cores,
      link: { bandwidthMbps: 100, delayMs: 2, count: 2 },
      cloud: {
        coresPerServer: 3,
        coldStartMs: 120,
        dispatchMs: 4,
        handOver: { fixedMs: 6, bandwidthMBps: 100 },
      },
    }),
    profile: profileOf(
      Object.fromEntries(
        workflow.tasks.map(({ name }) => [name, tier(SENSORS.includes(name) ? 5 : skewed, 150_000)]),
      ),
    ),
    itemsPerDevice: 80,
  })
}

interface Reference {
  name: string
  model: Model
  conditions?: Conditions
}

const shared = () => modelOf(forkAndJoin, ['right', 'join'], 1)

/** The runs on record, each with seed 1. */
export const references = (): Reference[] => [
  { name: 'fork and join on the devices', model: modelOf(forkAndJoin, [], 2) },
  { name: 'fork and join on both sides', model: shared() },
  { name: 'fork and join in the cloud', model: modelOf(forkAndJoin, ['left', 'right', 'join', 'after'], 1) },
  { name: 'two sensors', model: modelOf(twoSensors, ['map', 'fuse'], 1) },
  {
    name: 'people recognition, in the cloud',
    model: modelOf(scenarioB(), ['createRoute', 'faceRecognition', 'deduplication'], 1),
  },
  { name: 'people recognition, on the devices', model: modelOf(scenarioB(), ['deduplication'], 1) },
  { name: 'loss', model: shared(), conditions: { loss: 0.02, retransmitMs: 100 } },
  {
    name: 'slow functions',
    model: shared(),
    conditions: { stragglers: { share: 0.1, slowdown: 6, respawnAt: 0.9 }, functionFailures: 0.05 },
  },
  { name: 'load', model: shared(), conditions: { load: [{ fromMs: 2000, factor: 3 }] } },
  { name: 'mobility', model: shared(), conditions: { mobility: { areaM: [200, 200] } } },
  {
    name: 'devices that fail for good',
    model: shared(),
    conditions: { deviceFailures: { meanMs: 20_000, restore: 'ignore' } },
  },
]

/** The figures of an estimate that are on record. */
export function figuresOf(estimate: Estimate): Record<string, number> {
  const { latencyMs, breakdown, execTimeMs, throughput, energyJ, bandwidthMBps, costPerRun } = estimate
  return { ...latencyMs, ...breakdown, execTimeMs, throughput, energyJ, bandwidthMBps, costPerRun }
}
