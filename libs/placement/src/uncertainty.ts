/** Random profiles: every entry is drawn within its uncertainty. */
import {
  type Distribution,
  mapColumns,
  momentsOf,
  PROFILE_COLUMNS,
  type Profile,
  type TaskProfile,
  type TierProfile,
  withMean,
} from '@hivemind/swarm'
import { streamOf, uniform } from '@hivemind/swarm-sim'

/** Minimum factor of a drawn mean relative to the measured one. */
const MIN_DRAWN_FACTOR = 0.05
const SERVICE = 0
const OUTPUT = 1

/**
 * A profile in which the mean of every service time and output size is drawn, the shape of its distribution kept. A
 * measured mean is drawn from a normal distribution with its standard error (standard deviation over the root of
 * `samples`); one with fewer than two samples, and an assumed one, is multiplied by a factor between 1/`factor` and
 * `factor`, as often below 1 as above. A column whose means are those of an earlier one (it was
 * derived from it) draws the same. Draw `n` of a seed is the same on every machine.
 * @param profile complete: every column of every task
 */
export function drawnProfile(profile: Profile, draw: { seed: number; n: number; factor: number }): Profile {
  const tasks = Object.entries(profile.tasks).map(([name, known], task): [string, TaskProfile] => {
    const tier = (own: TierProfile, side: number): TierProfile => {
      const drawn = (of: Distribution, entry: number) =>
        withMean(of, of.mean * factorOf(known, of, streamOf(draw.seed, task, entry, side), draw))
      return {
        ...own,
        serviceMs: drawn(own.serviceMs, SERVICE),
        outputBytes: drawn(own.outputBytes, OUTPUT),
      }
    }
    return [name, mapColumns(known, (own, index) => tier(own, originOf(known, own, index)))]
  })
  return { ...profile, tasks: Object.fromEntries(tasks) }
}

/** How many means are measured well enough to have a standard error, and how many are assumed. */
export function knownMeans(profile: Profile): { measured: number; assumed: number } {
  const known = { measured: 0, assumed: 0 }
  for (const task of Object.values(profile.tasks)) {
    for (const [index, name] of PROFILE_COLUMNS.entries()) {
      const column = task[name]
      if (!column || originOf(task, column, index) !== index) continue
      for (const entry of [column.serviceMs, column.outputBytes])
        if (entry.mean > 0) known[isMeasured(task, entry) ? 'measured' : 'assumed']++
    }
  }
  return known
}

function isMeasured(task: TaskProfile, entry: Distribution): boolean {
  return task.origin === 'measured' && entry.samples >= 2
}

/** The index of the first column with the same means: that from which this one was derived, or its own. */
function originOf(task: TaskProfile, own: TierProfile, index: number): number {
  const first = PROFILE_COLUMNS.findIndex((name) => {
    const other = task[name]
    return other !== undefined && sameMeans(other, own)
  })
  return first < 0 ? index : first
}

function sameMeans(a: TierProfile, b: TierProfile): boolean {
  return a.serviceMs.mean === b.serviceMs.mean && a.outputBytes.mean === b.outputBytes.mean
}

function factorOf(
  task: TaskProfile,
  entry: Distribution,
  stream: number,
  { n, factor }: { n: number; factor: number },
): number {
  if (entry.mean <= 0) return 1
  if (!isMeasured(task, entry)) return between(factor, uniform(stream, n))
  const error = Math.sqrt(momentsOf(entry).variance / entry.samples)
  return Math.max(MIN_DRAWN_FACTOR, 1 + (error / entry.mean) * normal(stream, n))
}

/** From 1/factor at 0 over 1 at a half to factor at 1. */
function between(factor: number, u: number): number {
  return u < 0.5 ? 1 / (1 + (factor - 1) * (1 - 2 * u)) : 1 + (factor - 1) * (2 * u - 1)
}

/** Approximately standard normal: a sum of twelve uniform numbers, which needs no function that platforms round differently. */
function normal(stream: number, n: number): number {
  let sum = -6
  for (let i = 0; i < 12; i++) sum += uniform(stream, 12 * n + i)
  return sum
}
