/** Judges an estimate by the workflow's constraints. */
import type { Estimate, Violation } from '@hivemind/swarm'
import type { Constraint } from '@hivemind/workflow'

interface Reading {
  value: number
  /** How the figure reads in a sentence, and its subject. */
  subject: string
  text: string
  atLeast?: true
}

/** At most four significant digits, without an exponent. */
function figure(value: number): string {
  const digits = value >= 1000 ? 0 : value >= 100 ? 1 : value >= 1 ? 2 : 4
  return String(Number(value.toFixed(digits)))
}

function time(ms: number): string {
  return ms < 1000 ? `${figure(ms)} ms` : `${figure(ms / 1000)} s`
}

function readingOf(constraint: Constraint, estimate: Estimate): Reading {
  switch (constraint.key) {
    case 'execTime':
      return {
        value: estimate.execTimeMs,
        subject: 'The run takes',
        text: time(estimate.execTimeMs),
      }
    case 'latency':
      return {
        value: estimate.latencyMs.p99,
        subject: 'The p99 latency of an item is',
        text: time(estimate.latencyMs.p99),
      }
    case 'throughput':
      return {
        value: estimate.throughput,
        subject: 'The swarm finishes',
        text: `${figure(estimate.throughput)} items/s`,
        atLeast: true,
      }
    case 'cost':
      return constraint.limit.dimension === 'costPerRun'
        ? { value: estimate.costPerRun, subject: 'A run costs', text: `${figure(estimate.costPerRun)} $` }
        : {
            value: estimate.costPerHour,
            subject: 'The cloud costs',
            text: `${figure(estimate.costPerHour)} $/h`,
          }
    case 'energy':
      return constraint.limit.dimension === 'share'
        ? {
            value: estimate.energyShare,
            subject: 'A device uses',
            text: `${figure(estimate.energyShare * 100)}% of its battery`,
          }
        : { value: estimate.energyJ, subject: 'A device uses', text: `${figure(estimate.energyJ)} J` }
    case 'power': {
      const watts = estimate.execTimeMs > 0 ? estimate.energyJ / (estimate.execTimeMs / 1000) : 0
      return { value: watts, subject: 'A device draws', text: `${figure(watts)} W on average` }
    }
  }
}

/**
 * What an estimate misses. Limits and values are in base units (ms, 1/s, USD, J, share); a time or a cost exactly at
 * its limit is within it.
 */
export function violationsOf(constraints: readonly Constraint[], estimate: Estimate): Violation[] {
  return constraints.flatMap((constraint) => {
    const { value, subject, text, atLeast } = readingOf(constraint, estimate)
    const limit = constraint.limit.value
    if (atLeast ? value >= limit : value <= limit) return []
    const asked = atLeast ? 'asks for at least' : 'allows at most'
    return [
      {
        key: constraint.key,
        limit,
        value,
        message: `${subject} ${text}; the constraint ${constraint.key}='${constraint.limit.text}' ${asked} ${constraint.limit.text}.`,
      },
    ]
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
      const { value, atLeast } = readingOf(constraint, estimate)
      const limit = constraint.limit.value
      const left = atLeast ? value - limit : limit - value
      return { key: constraint.key, limit, value, met: left >= 0, slack: limit > 0 ? left / limit : left }
    })
    .sort((a, b) => a.slack - b.slack)
}
