/** Closed-form estimates of many placements: fast enough to follow a slider. */
import { frontOf, objectivesOf, turned } from '@hivemind/placement'
import { type Candidate, deviceCount, type Estimate, type Placement, violationsOf } from '@hivemind/swarm'
import { estimateClosedForm, modelBuilder } from '@hivemind/swarm-sim'
import type { Scenario } from './knobs.ts'

/** A placement with its candidate's id. */
export interface Named {
  id: string
  placement: Placement
  baseline?: Candidate['baseline']
}

const estimatorOf = (scenario: Scenario) => {
  const build = modelBuilder(scenario)
  return (placement: Placement): Estimate => estimateClosedForm(build(placement))
}

/** Estimates each placement by closed form and marks the front. Leaves out the estimates per task, which are large. */
export function screen(scenario: Scenario, placements: readonly Named[]): Candidate[] {
  const estimate = estimatorOf(scenario)
  const estimates = placements.map(({ placement }) => ({ ...estimate(placement), perTask: {} }))
  const front = new Set(frontOf(estimates.map(objectivesOf)))
  return placements.map((named, at) => {
    const estimate = estimates[at] as Estimate
    const violations = violationsOf(scenario.workflow.constraints, estimate)
    return {
      ...named,
      estimate,
      method: 'closed-form',
      pareto: front.has(at),
      meets: violations.length === 0,
      violations,
    }
  })
}

/**
 * Whether `screen` takes at most a few ms, so that it can run on the page instead of in a worker. The time grows with
 * placements × tasks × (600 + devices).
 */
export const isQuick = ({ workflow, fleet }: Scenario, placements: readonly Named[]): boolean =>
  placements.length * workflow.tasks.length * (600 + deviceCount(fleet)) <= 100_000

export type CurveGoal = 'latency' | 'energy' | 'cost'
const goals: Record<CurveGoal, (estimate: Estimate) => number> = {
  latency: (estimate) => estimate.latencyMs.p99,
  energy: (estimate) => estimate.energyJ,
  cost: (estimate) => estimate.costPerHour,
}
export const curveGoals = Object.keys(goals) as CurveGoal[]

export interface CurvePoint {
  devices: number
  /** Best value of all placements. */
  value: number
  /** Id of the placement that has it. */
  id: string
}
/** From `at` devices up, placement `to` is best instead of `from`. */
export interface Takeover {
  at: number
  from: string
  to: string
  value: number
}
export interface Curve {
  points: CurvePoint[]
  takeovers: Takeover[]
}

/**
 * The best placement for each goal at each number of devices, and the exact numbers at which another becomes the best.
 * Misses a placement that is best only between two neighbouring counts.
 */
export function curves(
  scenario: Scenario,
  placements: readonly Named[],
  counts: readonly number[],
): Record<CurveGoal, Curve> {
  const known = new Map<number, Record<CurveGoal, CurvePoint>>()
  const at = (devices: number): Record<CurveGoal, CurvePoint> => {
    const old = known.get(devices)
    if (old) return old
    const estimate = estimatorOf({ ...scenario, fleet: turned(scenario.fleet, 'devices', devices) })
    const estimates = placements.map(({ placement }) => estimate(placement))
    const points = Object.fromEntries(
      curveGoals.map((goal) => {
        let best = 0
        for (const [index, estimate] of estimates.entries())
          if (goals[goal](estimate) < goals[goal](estimates[best] as Estimate) * (1 - 1e-9)) best = index
        const value = goals[goal](estimates[best] as Estimate)
        return [goal, { devices, value, id: placements[best]?.id ?? '' }]
      }),
    ) as Record<CurveGoal, CurvePoint>
    known.set(devices, points)
    return points
  }
  const curveOf = (goal: CurveGoal): Curve => {
    const points = counts.map((count) => at(count)[goal])
    const takeovers = points.slice(1).flatMap((point, index): Takeover[] => {
      let before = points[index] as CurvePoint
      let after = point
      if (before.id === after.id) return []
      while (after.devices - before.devices > 1) {
        const middle = at(Math.floor((before.devices + after.devices) / 2))[goal]
        if (middle.id === before.id) before = middle
        else after = middle
      }
      return [{ at: after.devices, from: before.id, to: after.id, value: after.value }]
    })
    return { points, takeovers }
  }
  return { latency: curveOf('latency'), energy: curveOf('energy'), cost: curveOf('cost') }
}

/** About `points` numbers of devices from 1 to `max`, in geometric steps, `own` among them. */
export function countsUpTo(max: number, own: number, points = 24): number[] {
  const counts = Array.from({ length: points }, (_, n) => Math.round(max ** (n / (points - 1))))
  return [...new Set([...counts, own])].sort((a, b) => a - b)
}
