/** The paper's ten jobs and its scenarios (sections 2.1 and 5.5) as workflows with the times of their tasks. */
import { constant, type Distribution, type Profile, type TierProfile, withMean } from '@hivemind/swarm'
import type { Task, Workflow } from '@hivemind/workflow'
import { type Inputs, JOB_SECONDS } from './parameters.ts'

/** Times vary as measured services do: a right-skewed shape around the mean. */
const SHAPE: Distribution = {
  mean: 1,
  quantiles: [0.68, 0.78, 0.84, 0.88, 0.92, 0.96, 1, 1.05, 1.13, 1.27, 1.69],
  samples: 0,
}

export interface Scenario {
  name: string
  label: string
  workflow: Workflow
  profile: Profile
}

interface Work {
  name: string
  /** Time on a core of a server, in ms. */
  ms: number
  outBytes: number
  parents: string[]
  place?: 'edge' | 'cloud'
  once?: boolean
}

interface Sense {
  bytes: number
  fps: number
  seconds: number
}

const tier = (ms: number, bytes: number, items = 1): TierProfile => ({
  serviceMs: ms > 0 ? withMean(SHAPE, ms) : constant(0),
  outputBytes: constant(bytes),
  outputsPerInvocation: items,
})

function scenario(name: string, label: string, sense: Sense, { workRatio }: Inputs, works: Work[]): Scenario {
  const all: Work[] = [{ name: 'sense', ms: 0, outBytes: sense.bytes, parents: [] }, ...works]
  const tasks = all.map(({ name: own, parents, place, once }): Task => {
    const children = all.filter((other) => other.parents.includes(own)).map((other) => other.name)
    return {
      name: own,
      dataIn: parents.map((parent) => `${parent}Out`),
      dataOut: children.length > 0 ? `${own}Out` : null,
      code: `${own}.py`,
      parents,
      children,
      args: own === 'sense' ? { rate: `${sense.fps}/s` } : {},
      directives: {
        ...(place === 'edge' ? { place: { tier: 'edge' as const, target: 'all' } } : {}),
        ...(place === 'cloud' ? { place: { tier: 'cloud' as const } } : {}),
        ...(once ? { synchronize: { kind: 'all' as const } } : {}),
      },
    }
  })
  const items = Math.round(sense.fps * sense.seconds)
  return {
    name,
    label,
    workflow: { schema: 'hivemind.workflow/1', tasks, data: [], relations: [], constraints: [] },
    profile: {
      schema: 'hivemind.profile/1',
      note: 'Assumed for the reproduction.',
      tasks: Object.fromEntries(
        all.map(({ name: own, ms, outBytes }) => {
          const both = tier(ms * workRatio, outBytes, own === 'sense' ? items : 1)
          return [own, { origin: 'assumed' as const, cloud: both, edge: both }]
        }),
      ),
    },
  }
}

const RESULT = 2e3

/**
 * Jobs with their time on a server core in ms, what their sensors give in MB or in frames, and how often, where it is not
 * that of the light frames: assumptions.
 */
const JOBS: [string, string, number, { mb?: number; frames?: number }, number?][] = [
  ['S1', 'face recognition', 200, { frames: 1 }],
  ['S2', 'tree recognition', 180, { frames: 1 }],
  ['S3', 'drone detection', 25, { mb: 0.3 }],
  ['S4', 'obstacle avoidance', 8, { mb: 0.3 }],
  ['S5', 'people deduplication', 250, { frames: 1 }],
  ['S6', 'maze', 800, { frames: 1 }, 0.5],
  ['S7', 'weather analytics', 20, { mb: 0.01 }],
  ['S8', 'soil analytics', 60, { frames: 0.5 }],
  ['S9', 'text recognition', 400, { frames: 1 }],
  ['S10', 'SLAM', 350, { frames: 1 }],
]

/** The jobs in words, for the page. */
export const JOB_TABLE = JOBS.map(([name, label, ms, { mb, frames }, fps]) => {
  const size = mb ? `${mb} MB` : frames === 1 ? 'a frame' : `${frames} frames`
  return `${name} ${label}: ${ms} ms, ${size}, ${fps ? `${fps}/s` : 'as often as frames otherwise'}`
})

const WORK_AND_ACT = (ms: number): Work[] => [
  { name: 'work', ms, outBytes: RESULT, parents: ['sense'] },
  { name: 'act', ms: 0, outBytes: 0, parents: ['work'], place: 'edge' },
]

/** The paper's jobs and scenarios with given inputs. */
export interface Scenarios {
  /** S1 to S10: what is sensed is worked on, and the device acts upon it. */
  jobs: () => Scenario[]
  /** Frame after frame of the face recognition job, of any size and rate. */
  faces: (bytes: number, fps: number, seconds?: number) => Scenario
  /** Scenario A: tennis balls in a field that 16 drones cross once; recognition is light. */
  scenarioA: (bytes?: number, fps?: number) => Scenario
  /** Scenario B: people who move; recognition and telling them apart are heavy. */
  scenarioB: (bytes?: number, fps?: number) => Scenario
  /** The cars' scenarios: instructions read from panels, and an unknown maze; several phases in the cloud. */
  carScenarios: () => Scenario[]
  /** The jobs and both scenarios, at a rate that the links can carry. */
  everything: () => Scenario[]
}

/** The paper's jobs and scenarios with these inputs. */
export function scenariosOf(inputs: Inputs): Scenarios {
  const { lightFps } = inputs
  const frameBytes = inputs.frameMB * 1e6

  const jobs = () =>
    JOBS.map(([name, label, ms, { mb, frames = 0 }, fps = lightFps]) => {
      const bytes = mb ? mb * 1e6 : frames * frameBytes
      return scenario(name, label, { bytes, fps, seconds: JOB_SECONDS }, inputs, WORK_AND_ACT(ms))
    })

  const scenarioA = (bytes = frameBytes, fps = inputs.fps) =>
    scenario('ScA', 'stationary items', { bytes, fps, seconds: 60 }, inputs, [
      { name: 'avoidObstacles', ms: 4, outBytes: 100, parents: ['sense'], place: 'edge' },
      { name: 'findItems', ms: 60, outBytes: RESULT, parents: ['sense'] },
      { name: 'locate', ms: 15, outBytes: 500, parents: ['findItems'] },
      { name: 'aggregate', ms: 300, outBytes: 5e3, parents: ['locate'], once: true, place: 'cloud' },
    ])

  const scenarioB = (bytes = frameBytes, fps = inputs.fps) =>
    scenario('ScB', 'moving people', { bytes, fps, seconds: 120 }, inputs, [
      { name: 'avoidObstacles', ms: 4, outBytes: 100, parents: ['sense'], place: 'edge' },
      { name: 'findFaces', ms: 120, outBytes: 2e5, parents: ['sense'] },
      { name: 'embed', ms: 80, outBytes: RESULT, parents: ['findFaces'] },
      { name: 'deduplicate', ms: 1000, outBytes: 5e3, parents: ['embed'], once: true, place: 'cloud' },
    ])

  const phases = (first: number, second: number): Work[] => [
    { name: 'avoidObstacles', ms: 4, outBytes: 100, parents: ['sense'], place: 'edge' },
    { name: 'perceive', ms: first, outBytes: 5e5, parents: ['sense'] },
    { name: 'decide', ms: second, outBytes: RESULT, parents: ['perceive'] },
    { name: 'drive', ms: 1, outBytes: 0, parents: ['decide'], place: 'edge' },
  ]
  const panels = { bytes: 1e6, fps: 1, seconds: JOB_SECONDS }

  return {
    jobs,
    scenarioA,
    scenarioB,
    faces: (bytes, fps, seconds = 30) =>
      scenario('S1', 'face recognition', { bytes, fps, seconds }, inputs, WORK_AND_ACT(200)),
    carScenarios: () => [
      scenario('hunt', 'treasure hunt', panels, inputs, phases(250, 30)),
      scenario('maze', 'maze', panels, inputs, phases(100, 60)),
    ],
    everything: () => [...jobs(), scenarioA(frameBytes, lightFps), scenarioB(frameBytes, lightFps)],
  }
}
