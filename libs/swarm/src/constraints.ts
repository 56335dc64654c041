/** Judges figures of a run, estimated or measured, by the workflow's constraints. */
import type { Constraint, ConstraintKey } from '@hivemind/workflow'
import type { Estimate, Violation } from './placement.ts'
import type { constraintResultSchema } from './run-records.ts'
import type { TypeOf } from './schema.ts'

/** A figure that could not be measured, with the reason as a sentence. */
export interface Unknown {
  unknown: string
}

/** The figures of a run that constraints are about. Times in ms, rates per s, money in USD, energy in J. */
export interface RunFigures {
  execTimeMs: number
  /** p99 over the items. */
  latencyMs: number | Unknown
  /** Items per second. */
  throughput: number | Unknown
  costPerRun: number | Unknown
  costPerHour: number | Unknown
  /** Of the device that uses most. */
  energyJ: number | Unknown
  /** Share of its battery: 1 is all of it. */
  energyShare: number | Unknown
}

/** The figures of an estimate. */
export function figuresOf(estimate: Estimate): RunFigures {
  return {
    ...estimate,
    latencyMs: estimate.latencyMs.p99,
    energyJ: estimate.maxEnergyJ ?? estimate.energyJ,
    energyShare: estimate.maxEnergyShare ?? estimate.energyShare,
  }
}

/** A figure with at most four significant digits. */
function figure(value: number): string {
  const digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 1 ? 2 : 4
  const rounded = Number(value.toFixed(digits))
  return rounded === 0 && value > 0 ? value.toPrecision(2) : String(rounded)
}

function time(ms: number): string {
  return ms < 1000 ? `${figure(ms)} ms` : `${figure(ms / 1000)} s`
}

interface Reading {
  subject: string
  value(figures: RunFigures): number | Unknown
  text(value: number): string
  atLeast?: true
}

const READINGS: Record<string, Reading> = {
  execTime: { subject: 'The run takes', value: ({ execTimeMs }) => execTimeMs, text: time },
  latency: { subject: 'The p99 latency of an item is', value: ({ latencyMs }) => latencyMs, text: time },
  throughput: {
    subject: 'The swarm finishes',
    value: ({ throughput }) => throughput,
    text: (value) => `${figure(value)} items/s`,
    atLeast: true,
  },
  costPerRun: {
    subject: 'A run costs',
    value: ({ costPerRun }) => costPerRun,
    text: (value) => `${figure(value)} $`,
  },
  costPerHour: {
    subject: 'The cloud costs',
    value: ({ costPerHour }) => costPerHour,
    text: (value) => `${figure(value)} $/h`,
  },
  energy: {
    subject: 'A device uses',
    value: ({ energyJ }) => energyJ,
    text: (value) => `${figure(value)} J`,
  },
  energyShare: {
    subject: 'A device uses',
    value: ({ energyShare }) => energyShare,
    text: (value) => `${figure(value * 100)}% of its battery`,
  },
  power: {
    subject: 'A device draws',
    value: ({ energyJ, execTimeMs }) =>
      typeof energyJ === 'number' ? (execTimeMs > 0 ? energyJ / (execTimeMs / 1000) : 0) : energyJ,
    text: (value) => `${figure(value)} W on average`,
  },
}

function readingOf({ key, limit }: Constraint): Reading {
  const byUnit = key === 'cost' ? limit.dimension : limit.dimension === 'share' ? 'energyShare' : key
  return READINGS[byUnit] as Reading
}

const isMet = ({ atLeast }: Reading, value: number, limit: number): boolean =>
  atLeast ? value >= limit : value <= limit

/** An estimate on one constraint; every figure of an estimate is a number. */
function judged(constraint: Constraint, estimate: Estimate) {
  const reading = readingOf(constraint)
  const value = reading.value(figuresOf(estimate)) as number
  return { reading, value, met: isMet(reading, value, constraint.limit.value) }
}

/**
 * The constraints that an estimate misses. Limits and values are in base units (ms, 1/s, USD, J, W, share); a value exactly
 * at its limit is within it.
 */
export function violationsOf(constraints: readonly Constraint[], estimate: Estimate): Violation[] {
  return constraints.flatMap((constraint) => {
    const { key, limit } = constraint
    const { reading, value, met } = judged(constraint, estimate)
    if (met) return []
    const asked = reading.atLeast ? 'asks for at least' : 'allows at most'
    const message = `${reading.subject} ${reading.text(value)}; the constraint ${key}='${limit.text}' ${asked} ${limit.text}.`
    return [{ key, limit: limit.value, value, message }]
  })
}

/** How far an estimate is from the limit of a constraint. `limit` and `value` are in base units. */
export interface Margin {
  key: string
  limit: number
  value: number
  met: boolean
  /** Distance to the limit, relative to it; negative when it is missed. */
  slack: number
}

/** The margin of every constraint, smallest slack first. */
export function marginsOf(constraints: readonly Constraint[], estimate: Estimate): Margin[] {
  return constraints
    .map((constraint): Margin => {
      const { reading, value, met } = judged(constraint, estimate)
      const limit = constraint.limit.value
      const left = reading.atLeast ? value - limit : limit - value
      return { key: constraint.key, limit, value, met, slack: limit > 0 ? left / limit : left }
    })
    .sort((a, b) => a.slack - b.slack)
}

/** How each constraint of a measured run is judged: what is measured, and of what. docs/dsl.md, "Verdicts". */
const RULES: Record<ConstraintKey, string> = {
  execTime: 'from the start of the run to its end',
  latency:
    'p99 over items, each from when its first task could start to the end of its last one before a barrier',
  throughput: 'items finished before a barrier, by the time of the whole run',
  cost: 'measured core time of the functions, idle time under keep-alive included, at the price of the fleet',
  energy:
    'the device that used most, computed from measured times and bytes with the power figures of its class in the fleet',
  power:
    'the energy of the device that used most, computed from measured times and bytes with the power figures of its class in the fleet, by the time of the run',
}

/** The verdict of a constraint in one word or two. */
export function verdictWord({ met }: { met?: boolean }): 'met' | 'missed' | 'not judged' {
  if (met === undefined) return 'not judged'
  return met ? 'met' : 'missed'
}

/**
 * Judges a run by one constraint: `met` is absent when the figure could not be measured, and `text` says why. A value
 * exactly at the limit is within it.
 */
export function verdictOf(
  constraint: Constraint,
  figures: RunFigures,
): TypeOf<typeof constraintResultSchema> {
  const { key, limit } = constraint
  const reading = readingOf(constraint)
  const value = reading.value(figures)
  const common = { key, limit: limit.value, rule: RULES[key] }
  if (typeof value !== 'number') return { ...common, text: `Not judged: ${value.unknown}` }
  const met = isMet(reading, value, limit.value)
  const distance = limit.value > 0 ? Math.abs(value / limit.value - 1) * 100 : 100
  const missed = `missed by ${distance.toFixed(distance < 10 ? 1 : 0)}%`
  const asked = `${reading.atLeast ? 'at least' : 'at most'} ${limit.text}`
  const text = `${reading.text(value)}, ${asked} was asked for${met ? '' : `: ${missed}`}.`
  return { ...common, value, met, text }
}
