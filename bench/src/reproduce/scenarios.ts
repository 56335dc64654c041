/** The paper's ten jobs and its scenarios (sections 2.1 and 5.5) as workflows with the times of their tasks. */
import { constant, type Distribution, type Profile, type TierProfile, withMean } from '@hivemind/swarm'
import type { Task, Workflow } from '@hivemind/workflow'
import type { Inputs } from './parameters.ts'

/** Times vary as measured services do: a right-skewed shape around the mean. */
export const SHAPE: Distribution = {
  mean: 1,
  quantiles: [0.68, 0.78, 0.84, 0.88, 0.92, 0.96, 1, 1.05, 1.13, 1.27, 1.69],
  samples: 0,
}

/** Each of the ten jobs runs for so long (2.3). */
export const JOB_SECONDS = 120
/** How far a drone flies in a second, and how far a frame reaches along its flight, in m (2.1). */
const FLIGHT_M = 4
const FRAME_M = 6.7
/** Size of a result, in bytes: an assumption. */
const RESULT = 2e3

export interface Scenario {
  name: string
  label: string
  workflow: Workflow
  profile: Profile
  /** Tasks that HiveMind keeps on board, by the user's constraint (2.1, Listing 3). */
  onBoard: string[]
}

interface Work {
  name: string
  /** Time of an invocation on a core of a server, in the form for serverless functions, in ms. */
  ms: number
  outBytes: number
  parents: string[]
  place?: 'edge' | 'cloud'
  once?: boolean
}

interface Sense {
  bytes: number
  /** Batches in a second. */
  rate: number
  seconds: number
}

const tier = (ms: number, bytes: number, items = 1): TierProfile => ({
  serviceMs: ms > 0 ? withMean(SHAPE, ms) : constant(0),
  outputBytes: constant(bytes),
  outputsPerInvocation: items,
})

function scenario(
  { name, label, onBoard = [] }: { name: string; label: string; onBoard?: string[] },
  sense: Sense,
  { workRatio, nativeRatio }: Inputs,
  works: Work[],
): Scenario {
  const all: Work[] = [{ name: 'sense', ms: 0, outBytes: sense.bytes, parents: [] }, ...works]
  const tasks = all.map(({ name: own, parents, place, once, outBytes }): Task => {
    const children = all.filter((other) => other.parents.includes(own)).map((other) => other.name)
    return {
      name: own,
      dataIn: parents.map((parent) => `${parent}Out`),
      dataOut: children.length > 0 || outBytes > 0 ? `${own}Out` : null,
      code: `${own}.py`,
      parents,
      children,
      args: own === 'sense' ? { rate: `${sense.rate}/s` } : {},
      directives: {
        ...(place === 'edge' ? { place: { tier: 'edge' as const, target: 'all' } } : {}),
        ...(place === 'cloud' ? { place: { tier: 'cloud' as const } } : {}),
        ...(once ? { synchronize: { kind: 'all' as const } } : {}),
      },
    }
  })
  const items = Math.max(1, Math.round(sense.rate * sense.seconds))
  return {
    name,
    label,
    onBoard,
    workflow: { schema: 'hivemind.workflow/1', tasks, data: [], relations: [], constraints: [] },
    profile: {
      schema: 'hivemind.profile/1',
      note: 'Assumed for the reproduction.',
      tasks: Object.fromEntries(
        all.map(({ name: own, ms, outBytes }) => {
          const of = (ratio: number) => tier(ms * workRatio * ratio, outBytes, own === 'sense' ? items : 1)
          return [own, { origin: 'assumed' as const, cloud: of(1), edge: of(nativeRatio) }]
        }),
      ),
    },
  }
}

interface Job {
  name: string
  label: string
  /** Time of the task on a core of a server, after the selection of frames, in ms. */
  ms: number
  /** `photos` are selected before the work; `video` and `readings` are worked on as they come. */
  input: 'photos' | 'video' | 'readings'
  /** Tasks in a second; 1 without it. */
  rate?: number
  onBoard?: boolean
  /** Parts that its work can be divided into (3.2, Fig. 5a). */
  parts: number
}

/** Bytes of a frame of the front camera's video that the two jobs for flying look at: an assumption. */
const VIDEO_BYTES = 0.3e6
/** Bytes of the readings of a second: an assumption. */
const READINGS_BYTES = 10e3

/** The ten jobs (2.1). Times are assumptions, set with the calibration rows in view. */
const JOBS: readonly Job[] = [
  { name: 'S1', label: 'face recognition', ms: 1300, input: 'photos', parts: 2 },
  { name: 'S2', label: 'tree recognition', ms: 1200, input: 'photos', parts: 2 },
  { name: 'S3', label: 'drone detection', ms: 250, input: 'video', parts: 2 },
  { name: 'S4', label: 'obstacle avoidance', ms: 120, input: 'video', parts: 2, onBoard: true },
  { name: 'S5', label: 'people deduplication', ms: 1500, input: 'photos', parts: 2 },
  { name: 'S6', label: 'maze', ms: 2000, input: 'photos', rate: 0.5, parts: 2 },
  { name: 'S7', label: 'weather analytics', ms: 190, input: 'readings', parts: 2 },
  { name: 'S8', label: 'soil analytics', ms: 700, input: 'photos', parts: 2 },
  { name: 'S9', label: 'text recognition', ms: 2000, input: 'photos', parts: 8 },
  { name: 'S10', label: 'SLAM', ms: 1800, input: 'photos', parts: 8 },
]

/** The jobs in words, for the page. */
export const JOB_TABLE = JOBS.map(
  ({ name, label, ms, input, rate, onBoard, parts }) =>
    `${name} ${label}: ${ms} ms, ${input}${rate ? `, ${rate} tasks a second` : ''}${onBoard ? ', on board in HiveMind' : ''}; work that can be divided in ${parts}`,
)

/** The paper's jobs and scenarios with given inputs. */
export interface Scenarios {
  /** S1 to S10: what is sensed is worked on, and the device acts upon it. With `parts`, work is divided among functions. */
  jobs: (options?: { parts?: boolean; fps?: number }) => Scenario[]
  /** The face recognition job alone, with frames of any size and rate. */
  faces: (frameBytes: number, fps: number, options?: { seconds?: number; rate?: number }) => Scenario
  /** Scenario A: tennis balls in a field that 16 drones cross once; recognition is light. */
  scenarioA: (frameBytes?: number, fps?: number) => Scenario
  /** Scenario B: people who move; recognition and telling them apart are heavy. */
  scenarioB: (frameBytes?: number, fps?: number) => Scenario
  /** The cars' scenarios: instructions read from panels, and an unknown maze; several phases in the cloud. */
  carScenarios: () => Scenario[]
  /** The jobs and both scenarios, at a rate that the links can carry. */
  everything: () => Scenario[]
}

/** The paper's jobs and scenarios with these inputs. */
export function scenariosOf(inputs: Inputs): Scenarios {
  const { lightFps, newGround, selectMs } = inputs
  const frameBytes = inputs.frameMB * 1e6
  /** Frames a second that show enough new ground. */
  const keptOf = (fps: number) => Math.min(fps, FLIGHT_M / (FRAME_M * newGround))
  const selects = inputs.selects >= 0.5
  /** What the work on photos reads. */
  const photos = selects ? 'select' : 'sense'
  /** The selection of photos, where there is one. Each of its readers gets a part of those that are kept. */
  const selection = (bytes: number, fps: number, readers = 1): Work[] =>
    selects
      ? [
          {
            name: 'select',
            ms: (selectMs * fps) / inputs.workRatio,
            outBytes: (keptOf(fps) * bytes) / readers,
            parents: ['sense'],
          },
        ]
      : []

  const job = (each: Job, bytes: number, fps: number, seconds: number, parts: number): Scenario => {
    const isPhotos = each.input === 'photos'
    const rate = each.rate ?? 1
    const sensed = each.input === 'readings' ? READINGS_BYTES : fps * (isPhotos ? bytes : VIDEO_BYTES)
    const from = isPhotos ? photos : 'sense'
    const names = Array.from({ length: parts }, (_, part) => (parts > 1 ? `work${part + 1}` : 'work'))
    const works = names.map(
      (name): Work => ({ name, ms: each.ms / parts, outBytes: RESULT, parents: [from] }),
    )
    return scenario(
      { ...each, onBoard: each.onBoard ? names : [] },
      { bytes: sensed, rate, seconds },
      inputs,
      [
        ...(isPhotos ? selection(bytes, fps, parts) : []),
        ...works,
        { name: 'act', ms: 0, outBytes: RESULT, parents: names, place: 'edge' },
      ],
    )
  }

  const scenarioA = (bytes = frameBytes, fps = inputs.fps) =>
    scenario(
      { name: 'ScA', label: 'stationary items' },
      { bytes: bytes * fps, rate: 1, seconds: 60 },
      inputs,
      [
        { name: 'avoidObstacles', ms: 120, outBytes: 100, parents: ['sense'], place: 'edge' },
        ...selection(bytes, fps),
        { name: 'findItems', ms: 500, outBytes: RESULT, parents: [photos] },
        { name: 'locate', ms: 100, outBytes: 500, parents: ['findItems'] },
        { name: 'aggregate', ms: 1000, outBytes: 5e3, parents: ['locate'], once: true, place: 'cloud' },
      ],
    )

  const scenarioB = (bytes = frameBytes, fps = inputs.fps) =>
    scenario({ name: 'ScB', label: 'moving people' }, { bytes: bytes * fps, rate: 1, seconds: 120 }, inputs, [
      { name: 'avoidObstacles', ms: 120, outBytes: 100, parents: ['sense'], place: 'edge' },
      ...selection(bytes, fps),
      { name: 'findFaces', ms: 1000, outBytes: 2e5, parents: [photos] },
      { name: 'embed', ms: 700, outBytes: RESULT, parents: ['findFaces'] },
      { name: 'deduplicate', ms: 4000, outBytes: 5e3, parents: ['embed'], once: true, place: 'cloud' },
    ])

  const phases = (first: number, second: number): Work[] => [
    { name: 'avoidObstacles', ms: 40, outBytes: 100, parents: ['sense'] },
    { name: 'sensorAnalytics', ms: 20, outBytes: 100, parents: ['sense'] },
    { name: 'perceive', ms: first, outBytes: 5e5, parents: ['sense'] },
    { name: 'decide', ms: second, outBytes: RESULT, parents: ['perceive'] },
    {
      name: 'drive',
      ms: 1,
      outBytes: RESULT,
      parents: ['decide', 'avoidObstacles', 'sensorAnalytics'],
      place: 'edge',
    },
  ]
  const panels = { bytes: 1e6, rate: 1, seconds: JOB_SECONDS }

  return {
    jobs: ({ parts = false, fps = lightFps } = {}) =>
      JOBS.map((each) => job(each, frameBytes, fps, JOB_SECONDS, parts ? each.parts : 1)),
    scenarioA,
    scenarioB,
    faces: (bytes, fps, { seconds = 30, rate = 1 } = {}) =>
      job({ ...(JOBS[0] as Job), rate }, bytes, fps, seconds, 1),
    carScenarios: () => [
      scenario({ name: 'hunt', label: 'treasure hunt' }, panels, inputs, phases(400, 150)),
      scenario({ name: 'maze', label: 'maze' }, panels, inputs, phases(150, 250)),
    ],
    everything: () => [
      ...JOBS.map((each) => job(each, frameBytes, lightFps, JOB_SECONDS, 1)),
      scenarioA(frameBytes, lightFps),
      scenarioB(frameBytes, lightFps),
    ],
  }
}
