/** The paper's ten jobs and its scenarios (sections 2.1 and 5.5) as workflows with the times of their tasks. */
import { constant, type Distribution, type Profile, type TierProfile, withMean } from '@hivemind/swarm'
import type { Task, Workflow } from '@hivemind/workflow'
import { FRAME_BYTES, JOB_SECONDS, LIGHT_FPS, PAPER_FPS } from './parameters.ts'

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

function scenario(name: string, label: string, sense: Sense, works: Work[]): Scenario {
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
          const both = tier(ms, outBytes, own === 'sense' ? items : 1)
          return [own, { origin: 'assumed' as const, cloud: both, edge: both }]
        }),
      ),
    },
  }
}

const RESULT = 2e3

/** Jobs with their time on a server core in ms and what the sensors give, in bytes: assumptions within a factor of two. */
const JOBS: [string, string, number, number, number?][] = [
  ['S1', 'face recognition', 200, FRAME_BYTES],
  ['S2', 'tree recognition', 180, FRAME_BYTES],
  ['S3', 'drone detection', 25, 3e5],
  ['S4', 'obstacle avoidance', 8, 3e5],
  ['S5', 'people deduplication', 250, FRAME_BYTES],
  ['S6', 'maze', 800, FRAME_BYTES, 0.5],
  ['S7', 'weather analytics', 20, 1e4],
  ['S8', 'soil analytics', 60, FRAME_BYTES / 2],
  ['S9', 'text recognition', 400, FRAME_BYTES],
  ['S10', 'SLAM', 350, FRAME_BYTES],
]

/** One of S1 to S10: what is sensed is worked on, and the device acts upon it. */
export function jobs(): Scenario[] {
  return JOBS.map(([name, label, ms, bytes, fps = LIGHT_FPS]) =>
    scenario(name, label, { bytes, fps, seconds: JOB_SECONDS }, [
      { name: 'work', ms, outBytes: RESULT, parents: ['sense'] },
      { name: 'act', ms: 0, outBytes: 0, parents: ['work'], place: 'edge' },
    ]),
  )
}

export const JOB_TABLE = JOBS.map(
  ([name, label, ms, bytes, fps = LIGHT_FPS]) =>
    `${name} ${label}: ${ms} ms, ${(bytes / 1e6).toString()} MB, ${fps}/s`,
)

/** Frame after frame of the face recognition job, of any size and rate. */
export function faces(bytes: number, fps: number, seconds = 30): Scenario {
  return scenario('S1', 'face recognition', { bytes, fps, seconds }, [
    { name: 'work', ms: 200, outBytes: RESULT, parents: ['sense'] },
    { name: 'act', ms: 0, outBytes: 0, parents: ['work'], place: 'edge' },
  ])
}

/** Scenario A: tennis balls in a field that 16 drones cross once; recognition is light. */
export function scenarioA(bytes = FRAME_BYTES, fps = PAPER_FPS): Scenario {
  return scenario('ScA', 'stationary items', { bytes, fps, seconds: 60 }, [
    { name: 'avoidObstacles', ms: 4, outBytes: 100, parents: ['sense'], place: 'edge' },
    { name: 'findItems', ms: 60, outBytes: RESULT, parents: ['sense'] },
    { name: 'locate', ms: 15, outBytes: 500, parents: ['findItems'] },
    { name: 'aggregate', ms: 300, outBytes: 5e3, parents: ['locate'], once: true, place: 'cloud' },
  ])
}

/** Scenario B: people who move; recognition and telling them apart are heavy. */
export function scenarioB(bytes = FRAME_BYTES, fps = PAPER_FPS): Scenario {
  return scenario('ScB', 'moving people', { bytes, fps, seconds: 120 }, [
    { name: 'avoidObstacles', ms: 4, outBytes: 100, parents: ['sense'], place: 'edge' },
    { name: 'findFaces', ms: 120, outBytes: 2e5, parents: ['sense'] },
    { name: 'embed', ms: 80, outBytes: RESULT, parents: ['findFaces'] },
    { name: 'deduplicate', ms: 1000, outBytes: 5e3, parents: ['embed'], once: true, place: 'cloud' },
  ])
}

/** The cars' scenarios: instructions read from panels, and an unknown maze; several phases in the cloud. */
export function carScenarios(): Scenario[] {
  const phases = (first: number, second: number, between: number): Work[] => [
    { name: 'avoidObstacles', ms: 4, outBytes: 100, parents: ['sense'], place: 'edge' },
    { name: 'perceive', ms: first, outBytes: between, parents: ['sense'] },
    { name: 'decide', ms: second, outBytes: RESULT, parents: ['perceive'] },
    { name: 'drive', ms: 1, outBytes: 0, parents: ['decide'], place: 'edge' },
  ]
  return [
    scenario('hunt', 'treasure hunt', { bytes: 1e6, fps: 1, seconds: JOB_SECONDS }, phases(250, 30, 5e5)),
    scenario('maze', 'maze', { bytes: 1e6, fps: 1, seconds: JOB_SECONDS }, phases(100, 60, 5e5)),
  ]
}
