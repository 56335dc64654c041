/** Pareto dominance over what an exploration trades off. All four are better when smaller. */
import type { Estimate } from '@hivemind/swarm'

/** The objectives of one candidate, in the order of `OBJECTIVES`. Smaller is better. */
export type Objectives = readonly [latency: number, energy: number, bandwidth: number, cost: number]

/** Names of the objectives, in order. */
export const OBJECTIVES = ['latency', 'energy', 'bandwidth', 'cost'] as const
/** Name of an objective. */
export type Objective = (typeof OBJECTIVES)[number]

/** What an exploration trades off: p99 latency in ms, energy in J, bandwidth in MB/s, cost in USD an hour. */
export function objectivesOf(estimate: Estimate): Objectives {
  return [estimate.latencyMs.p99, estimate.energyJ, estimate.bandwidthMBps, estimate.costPerHour]
}

/** Whether `a` is nowhere worse than `b` and somewhere better. */
export function dominates(a: Objectives, b: Objectives): boolean {
  let better = false
  for (let i = 0; i < a.length; i++) {
    const x = a[i] as number
    const y = b[i] as number
    if (x > y) return false
    if (x < y) better = true
  }
  return better
}

/** Indices of the points no other point dominates, in order. Equal points stand or fall together. */
export function frontOf(points: readonly Objectives[]): number[] {
  // in lexicographic order a point can only be dominated by one before it
  const order = points.map((_, index) => index)
  order.sort((a, b) => compare(points[a] as Objectives, points[b] as Objectives) || a - b)
  const front: number[] = []
  for (const index of order) {
    const point = points[index] as Objectives
    if (!front.some((kept) => dominates(points[kept] as Objectives, point))) front.push(index)
  }
  return front.sort((a, b) => a - b)
}

function compare(a: Objectives, b: Objectives): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] as number) - (b[i] as number)
    if (difference !== 0) return difference
  }
  return 0
}
