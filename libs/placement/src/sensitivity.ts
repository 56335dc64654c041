/** Sensitivity of a placement's figures to the entries of the profile and to the swarm it runs on. */
import {
  completeProfile,
  type Estimate,
  type Fleet,
  mapColumns,
  type Placement,
  type Profile,
  type TaskProfile,
  type TierProfile,
  violationsOf,
  withDevices,
  withMean,
} from '@hivemind/swarm'
import { buildModel, estimateClosedForm } from '@hivemind/swarm-sim'
import { roleOf, type Workflow } from '@hivemind/workflow'
import { OBJECTIVES, type Objective, objectivesOf } from './pareto.ts'

/** What a sensitivity analysis starts from; a profile that is absent or incomplete is completed with assumptions. */
export interface SensitivityInput {
  workflow: Workflow
  fleet: Fleet
  profile?: Profile
  itemsPerDevice?: number
}

/** Effect of one entry of the profile on one objective, by closed form. */
export interface Swing {
  task: string
  entry: 'serviceMs' | 'outputBytes' | 'outputsPerInvocation'
  objective: Objective
  base: number
  /** The objective with the entry lowered, and raised, by the given share. */
  low: number
  high: number
}

function judge(input: SensitivityInput, placement: Placement): Estimate {
  return estimateClosedForm(buildModel({ ...input, placement }))
}

/**
 * How each objective changes when one entry of the profile is off by `share` (0.2: 20%) either way, all else equal.
 * For each objective the bars of a tornado, the widest first; entries without any effect are left out. With `tasks`
 * only the entries of these are tried: each costs two closed forms.
 */
export function tornado(
  input: SensitivityInput & { placement: Placement; share?: number; tasks?: readonly string[] },
): Record<Objective, Swing[]> {
  const { workflow, placement, share = 0.2 } = input
  if (!(share > 0 && share < 1)) throw new RangeError(`'share' must lie between 0 and 1, not ${share}.`)
  const profile = completeProfile(workflow, input.profile)
  const base = objectivesOf(judge({ ...input, profile }, placement))
  const swings: Swing[] = []
  const tried = input.tasks && new Set(input.tasks)
  for (const task of workflow.tasks) {
    if (tried && !tried.has(task.name)) continue
    const entries: Swing['entry'][] = ['serviceMs']
    if (task.dataOut !== null) entries.push('outputBytes')
    if (roleOf(task) === 'sensor' && input.itemsPerDevice === undefined) entries.push('outputsPerInvocation')
    for (const entry of entries) {
      const [low, high] = [1 - share, 1 + share].map((factor) =>
        objectivesOf(judge({ ...input, profile: scaled(profile, task.name, entry, factor) }, placement)),
      )
      for (const [at, objective] of OBJECTIVES.entries())
        swings.push({
          task: task.name,
          entry,
          objective,
          base: base[at] as number,
          low: low?.[at] as number,
          high: high?.[at] as number,
        })
    }
  }
  const width = (swing: Swing) =>
    Math.max(swing.low, swing.high, swing.base) - Math.min(swing.low, swing.high, swing.base)
  const bars = OBJECTIVES.map((objective) => [
    objective,
    swings
      .filter((swing) => swing.objective === objective && width(swing) > 1e-9 * Math.abs(swing.base))
      .sort((a, b) => width(b) - width(a)),
  ])
  return Object.fromEntries(bars) as Record<Objective, Swing[]>
}

function scaled(profile: Profile, task: string, entry: Swing['entry'], factor: number): Profile {
  const tier = (known: TierProfile): TierProfile => {
    if (entry === 'outputsPerInvocation')
      return { ...known, outputsPerInvocation: known.outputsPerInvocation * factor }
    return { ...known, [entry]: withMean(known[entry], known[entry].mean * factor) }
  }
  const known = profile.tasks[task] as TaskProfile
  return {
    ...profile,
    tasks: {
      ...profile.tasks,
      [task]: mapColumns(known, tier),
    },
  }
}

/** A value of a fleet that can be varied: number of devices, Mbit/s of an access point, USD per core and hour. */
export type Knob = 'devices' | 'bandwidth' | 'price'

/** The fleet with one of its values changed; `devices` is rounded to a whole number. */
export function turned(fleet: Fleet, knob: Knob, value: number): Fleet {
  if (knob === 'devices') return withDevices(fleet, Math.max(1, Math.round(value)))
  if (knob === 'bandwidth') return { ...fleet, uplink: { ...fleet.uplink, bandwidthMbps: value } }
  return { ...fleet, cloud: { ...fleet.cloud, pricePerCoreHour: value } }
}

/** A value of a knob at which one placement takes over from another. */
export interface Crossover {
  /** Where it happens: the first whole number of devices, or the value to within a thousandth. */
  at: number
  /** The answer below that value, and from it on. */
  below: string
  above: string
}

interface Range {
  knob: Knob
  from: number
  to: number
}

/** Points tried over a range before crossings are narrowed down; two crossings between neighbouring points are missed. */
const POINTS = 25

/**
 * Where one of two placements takes over from the other in an objective, between two values of a knob.
 * `below` and `above` are `first`, `second` or `equal`: which is better. By closed form.
 */
export function crossovers(
  input: SensitivityInput & Range & { first: Placement; second: Placement; objective: Objective },
): Crossover[] {
  const at = OBJECTIVES.indexOf(input.objective)
  return changesOver(input, (fleet) => {
    const a = objectivesOf(judge({ ...input, fleet }, input.first))[at] as number
    const b = objectivesOf(judge({ ...input, fleet }, input.second))[at] as number
    const tolerance = 1e-9 * Math.max(Math.abs(a), Math.abs(b))
    return Math.abs(a - b) <= tolerance ? 'equal' : a < b ? 'first' : 'second'
  })
}

/**
 * Where a placement stops or starts to meet the workflow's constraints, between two values of a knob. `below` and
 * `above` name the constraints missed, separated by commas, or `met`. By closed form.
 */
export function limits(input: SensitivityInput & Range & { placement: Placement }): Crossover[] {
  return changesOver(input, (fleet) => {
    const estimate = judge({ ...input, fleet }, input.placement)
    const missed = violationsOf(input.workflow.constraints, estimate).map((each) => each.key)
    return missed.length > 0 ? missed.join(',') : 'met'
  })
}

/** Finds by bisection where an answer changes over a range, tried at evenly spaced points of its logarithm. */
function changesOver(
  { fleet, knob, from, to }: SensitivityInput & Range,
  answer: (fleet: Fleet) => string,
): Crossover[] {
  if (!(from > 0 && to > from && Number.isFinite(to)))
    throw new RangeError(`A range must go from above 0 to something larger, not from ${from} to ${to}.`)
  const whole = knob === 'devices'
  const points = [
    ...new Set(
      Array.from({ length: POINTS }, (_, i) => {
        const value = i === POINTS - 1 ? to : from * (to / from) ** (i / (POINTS - 1))
        return whole ? Math.max(1, Math.round(value)) : value
      }),
    ),
  ]
  const known = new Map<number, string>()
  const ask = (value: number): string => {
    let said = known.get(value)
    if (said === undefined) {
      said = answer(turned(fleet, knob, value))
      known.set(value, said)
    }
    return said
  }
  const crossings: Crossover[] = []
  for (const [i, point] of points.entries()) {
    const before = points[i - 1]
    if (before === undefined || ask(before) === ask(point)) continue
    let low = before
    let high = point
    while (whole ? high - low > 1 : high - low > 1e-3 * high) {
      const middle = whole ? Math.floor((low + high) / 2) : (low + high) / 2
      if (ask(middle) === ask(low)) low = middle
      else high = middle
    }
    crossings.push({ at: high, below: ask(low), above: ask(high) })
  }
  return crossings
}
