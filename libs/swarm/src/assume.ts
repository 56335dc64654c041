/** Assumed profiles: estimates for tasks that nobody has measured. */
import { parseQuantity, pinsToDevices, roleOf, type Task, type Workflow } from '@hivemind/workflow'
import { constant, withMean } from './distribution.ts'
import {
  columnOf,
  type Distribution,
  PROFILE_COLUMNS,
  type Profile,
  type ProfileColumn,
  type TaskProfile,
  type TierProfile,
} from './profile.ts'
import { TIERS } from './tiers.ts'

/** Default rate of a sensor, in items per second (paper section 2.1). */
export const DEFAULT_RATE_PER_S = 8
/** Default length of a stream, in s (paper section 2.3: each job runs for 120 s). */
export const DEFAULT_STREAM_S = 120

const ASSUMED_FRAME_BYTES = 2e6
const ASSUMED_READING_BYTES = 1e3
const ASSUMED_RESULT_BYTES = 2e3
/** Time on the reference core: 10 ms, and 95 ms for each MB read, so that a 2 MB frame takes 200 ms. */
const ASSUMED_FIXED_MS = 10
const ASSUMED_MS_PER_MB = 95
/** Tasks that the user pinned to devices must sustain their input rate there. */
const ASSUMED_DEVICE_TASK_MS = 4
const ASSUMED_NFU_MS = 0.05

/** A right-skewed distribution of mean 1: most invocations are near the mean, one in ten takes half again as long. */
const ASSUMED_DISTRIBUTION: Distribution = withMean(
  {
    mean: 1.0255,
    quantiles: [0.7, 0.8, 0.86, 0.9, 0.94, 0.98, 1.02, 1.08, 1.16, 1.3, 1.73],
    samples: 0,
  },
  1,
)

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : undefined

/**
 * Items a second that a sensor emits: the rate of its `Data`, else its task argument `rate='8/s'` or `fps=8`,
 * else 8 (paper section 2.1).
 */
export function rateOf(workflow: Workflow, task: Task): number {
  const declared = workflow.data.find((data) => data.name === task.dataOut)?.rate?.value
  if (declared !== undefined && declared > 0) return declared
  const argument = textOf(task.args.rate) ?? textOf(task.args.fps)
  if (argument !== undefined) {
    const rate = parseQuantity(argument, ['rate'])?.value ?? Number(argument)
    if (Number.isFinite(rate) && rate > 0) return rate
  }
  return DEFAULT_RATE_PER_S
}

/** Whether a task is a sensor that emits a stream (rather than one object). */
export function emitsStream(workflow: Workflow, task: Task): boolean {
  if (roleOf(task) !== 'sensor') return false
  return workflow.data.find((data) => data.name === task.dataOut)?.kind !== 'object'
}

/** Expected size of one item of a task's output, in bytes: its `Data` size, else by role and media type. */
function outputBytesOf(workflow: Workflow, task: Task): number {
  if (task.dataOut === null) return 0
  const data = workflow.data.find((item) => item.name === task.dataOut)
  if (data?.size) return data.size.value
  if (/^(image|video)\//.test(data?.type ?? '')) return ASSUMED_FRAME_BYTES
  if (roleOf(task) !== 'sensor') return ASSUMED_RESULT_BYTES
  const camera = ['resolution', 'fps', 'colorFormat'].some((name) => Object.hasOwn(task.args, name))
  return camera ? ASSUMED_FRAME_BYTES : ASSUMED_READING_BYTES
}

/** Size of an input of the workflow, in bytes: its `Data` size, else 2 kB. */
export function inputBytesOf(workflow: Workflow, name: string): number {
  return workflow.data.find((item) => item.name === name)?.size?.value ?? ASSUMED_RESULT_BYTES
}

function serviceMsOf(workflow: Workflow, task: Task): number {
  const given = textOf(task.args.serviceTime)
  const parsed = given === undefined ? null : parseQuantity(given, ['time'])
  if (parsed) return parsed.value
  if (task.code.startsWith('nfu:')) return ASSUMED_NFU_MS
  if (roleOf(task) === 'sensor') return 1
  if (roleOf(task) === 'actuator' || pinsToDevices(task.directives.place)) return ASSUMED_DEVICE_TASK_MS
  let bytes = 0
  for (const name of task.dataIn) {
    const writer = workflow.tasks.find((other) => other.dataOut === name)
    bytes += writer ? outputBytesOf(workflow, writer) : inputBytesOf(workflow, name)
  }
  return ASSUMED_FIXED_MS + (bytes / 1e6) * ASSUMED_MS_PER_MB
}

function assumedTier(workflow: Workflow, task: Task): TierProfile {
  return {
    serviceMs: withMean(ASSUMED_DISTRIBUTION, serviceMsOf(workflow, task)),
    outputBytes: constant(Math.round(outputBytesOf(workflow, task))),
    outputsPerInvocation: emitsStream(workflow, task)
      ? Math.max(1, Math.round(rateOf(workflow, task) * DEFAULT_STREAM_S))
      : 1,
  }
}

/**
 * A profile without any measurement. Sizes and rates come from `Data` statements; times from the size of what a task
 * reads, from its role and pin, or from its task argument `serviceTime='20ms'` (time on the reference core).
 * docs/placement.md, "Assumed profiles", gives every figure.
 */
export function assumedProfile(workflow: Workflow): Profile {
  return {
    schema: 'hivemind.profile/1',
    note: 'Assumed from the workflow; nothing was measured.',
    tasks: Object.fromEntries(
      workflow.tasks.map((task) => {
        const tier = assumedTier(workflow, task)
        return [task.name, { origin: 'assumed', ...columns(() => tier) } satisfies TaskProfile]
      }),
    ),
  }
}

/** The same function for every column of a profile. */
function columns<T>(of: (column: ProfileColumn) => T): Record<ProfileColumn, T> {
  return Object.fromEntries(PROFILE_COLUMNS.map((column) => [column, of(column)])) as Record<ProfileColumn, T>
}

/** Columns from which a missing one is derived, best first, as in the table of tiers. */
const DERIVED_FROM = columns(
  (column) => TIERS.find((tier) => tier.profile?.column === column)?.profile?.derivedFrom ?? [],
)

/**
 * A profile with every column of exactly the workflow's tasks: a missing column is derived from another one (all are
 * in time of the reference core), a missing task is assumed. `profile` is not changed.
 */
export function completeProfile(
  workflow: Workflow,
  profile?: Profile,
): Profile & { tasks: Record<string, Required<TaskProfile>> } {
  const assumed = assumedProfile(workflow)
  const tasks: Record<string, Required<TaskProfile>> = {}
  for (const { name } of workflow.tasks) {
    const known = profile && Object.hasOwn(profile.tasks, name) ? profile.tasks[name] : undefined
    const fallback = assumed.tasks[name] as Required<TaskProfile>
    const all = columns((column) =>
      [column, ...DERIVED_FROM[column]].map((from) => known?.[from]).find(Boolean),
    )
    tasks[name] =
      known && PROFILE_COLUMNS.every((column) => all[column])
        ? { origin: known.origin, ...(all as Record<ProfileColumn, TierProfile>) }
        : fallback
  }
  return { schema: 'hivemind.profile/1', note: profile?.note ?? assumed.note, tasks }
}

/** The profile column of the tier on which sensors run; their streams are read from it first. */
export const SENSOR_COLUMN: ProfileColumn =
  TIERS.find((tier) => tier.perDevice && tier.profile)?.profile?.column ?? 'edge'

/**
 * Default number of items that each device emits in a run: the maximum over the sensors of the profile's items per invocation;
 * 1 for a workflow whose sensors emit no stream.
 */
export function itemsPerDeviceOf(workflow: Workflow, profile: Profile): number {
  let items = 1
  for (const task of workflow.tasks) {
    const known = profile.tasks[task.name]
    const tier = known && columnOf(known, SENSOR_COLUMN)
    if (tier && emitsStream(workflow, task)) items = Math.max(items, Math.round(tier.outputsPerInvocation))
  }
  return items
}
