/** What tasks take alone on the local target, found from runs in which they shared its cores. */
import { compare, type Timings } from '@hivemind/orchestrator'
import { type Distribution, type Estimate, emitsStream, mapColumns, type Profile } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'

/** How often the runs are simulated at most. */
const ROUNDS = 15
/**
 * How much of a deviation a round takes back, as an exponent. Near saturation a little more work waits much longer: half as much from then on
 * when a round took back too much.
 */
const DAMPING = 0.6
/** No more rounds when no median is off by more than this share. */
const NEAR = 0.02
/** A task's time alone, as a multiple of the one that is given. */
const LEAST = 0.1
const MOST = 2
/** The median of fewer invocations of a run says too little. */
const ENOUGH = 5

/**
 * The profile of what tasks take alone: each time is so scaled that a simulation of these runs has their median latency of the task,
 * a median over runs. Sensors keep theirs, and so do tasks with fewer than five invocations in a run.
 *
 * @param profile what tasks took in these runs
 * @param runs the runs that the profile is from
 * @param simulated simulates the same runs with another profile
 */
export function profileAlone(
  workflow: Workflow,
  profile: Profile,
  runs: readonly Timings[],
  simulated: (profile: Profile) => readonly Estimate[],
): Profile {
  const scales = new Map<string, Scale>()
  for (const task of workflow.tasks)
    if (!emitsStream(workflow, task)) scales.set(task.name, { by: 1, damping: DAMPING, isSlow: null })
  let alone = profile
  for (let round = 0; round < ROUNDS; round++) {
    if (rescale(scales, simulated(alone), runs) <= NEAR) break
    alone = scaled(profile, scales)
  }
  return alone
}

/** What a task's time is multiplied by. */
interface Scale {
  by: number
  damping: number
  /** Whether the simulation was slower than the runs in the last round. */
  isSlow: boolean | null
}

/** Moves scales towards what the runs took. Returns how far the simulation was off, as the largest share. */
function rescale(
  scales: ReadonlyMap<string, Scale>,
  estimates: readonly Estimate[],
  runs: readonly Timings[],
): number {
  let largest = 0
  for (const { task, samples, p50 } of compare(estimates, runs).rows) {
    const scale = scales.get(task ?? '')
    if (!scale || samples < ENOUGH || !(p50.simulatedMs > 0)) continue
    const isSlow = p50.simulatedMs > p50.measuredMs
    if (scale.isSlow !== null && isSlow !== scale.isSlow) scale.damping /= 2
    scale.isSlow = isSlow
    scale.by *= (p50.measuredMs / p50.simulatedMs) ** scale.damping
    scale.by = Math.min(MOST, Math.max(LEAST, scale.by))
    largest = Math.max(largest, Math.abs(p50.deviation))
  }
  return largest
}

function scaled(profile: Profile, scales: ReadonlyMap<string, Scale>): Profile {
  const tasks = Object.entries(profile.tasks).map(([name, known]) => {
    const scale = scales.get(name)?.by ?? 1
    return [name, mapColumns(known, (column) => ({ ...column, serviceMs: times(column.serviceMs, scale) }))]
  })
  return { ...profile, tasks: Object.fromEntries(tasks) }
}

const times = ({ mean, quantiles, samples }: Distribution, scale: number): Distribution => ({
  mean: mean * scale,
  quantiles: quantiles.map((value) => value * scale),
  samples,
})
