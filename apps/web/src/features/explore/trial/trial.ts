/** Placements that are tried on the canvas: their estimates and the bytes on each edge, fast enough to follow the pointer. */
import { edgeCosts, tiersOf } from '@hivemind/placement'
import type { Candidate, Fleet, Placement, Tier } from '@hivemind/swarm'
import { estimateClosedForm, modelBuilder } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'
import type { Scenario } from '../whatif/knobs.ts'
import { screen } from '../whatif/screen.ts'

/** A placement that is tried, beside the one it started from. Both by the same closed form, so that they can be compared. */
export interface Trial {
  before: Candidate
  after: Candidate
  /** Bytes that cross the network in a run, by edge (`from>to`), under the tried placement. */
  bytes: Record<string, number>
}

/** Estimates `placement` and the placement it started from. */
export function trialOf(scenario: Scenario, before: Placement, placement: Placement): Trial {
  const [first, second] = screen(scenario, [
    { id: 'before', placement: before },
    { id: 'after', placement },
  ])
  if (!first || !second) throw new Error('There is no estimate of this placement.')
  const model = modelBuilder(scenario)(placement)
  const bytes: Record<string, number> = {}
  for (const edge of edgeCosts(model, estimateClosedForm(model)))
    bytes[`${edge.from}>${edge.to}`] = edge.bytes
  return { before: first, after: second, bytes }
}

/** The tiers that each task can be flipped to; tasks that can run on one tier only are left out. */
export function flippable(workflow: Workflow, fleet: Fleet): ReadonlyMap<string, readonly Tier[]> {
  return new Map(Object.entries(tiersOf(workflow, fleet)).filter(([, tiers]) => tiers.length > 1))
}

/** The placement with a task on its next tier. A task without another tier stays. */
export function flipped(
  placement: Placement,
  task: string,
  tiers: ReadonlyMap<string, readonly Tier[]>,
): Placement {
  const allowed = tiers.get(task) ?? []
  const next = allowed[(allowed.indexOf(placement[task] as Tier) + 1) % allowed.length]
  return next === undefined ? placement : { ...placement, [task]: next }
}

/** Whether two placements put every task at the same place. */
export const samePlacement = (a: Placement, b: Placement): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([task, tier]) => b[task] === tier)
