/** What a change of the workflow does to its figures, by the estimator, with both versions placed by one rule. */
import { tiersOf } from '@hivemind/placement'
import {
  completeProfile,
  type Estimate,
  type Fleet,
  type Placement,
  type Profile,
  type Tier,
} from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { askOnce } from '../../explore/whatif/work.ts'

/** Places the tasks of any version: what was deployed last, or everything that may on one tier. */
export type PlacementRule = 'deployed' | 'cloud' | 'edge'

export const ruleLabels: Record<PlacementRule, string> = {
  deployed: 'as deployed last, new tasks in the cloud',
  cloud: 'in the cloud where they may',
  edge: 'on the devices where they may',
}

/** The placement of a workflow by a rule. `undefined` when a task can run nowhere. */
export function placementBy(
  rule: PlacementRule,
  workflow: Workflow,
  fleet: Fleet,
  deployed: Placement | undefined,
): Placement | undefined {
  const placement: Placement = {}
  for (const [task, tiers] of Object.entries(tiersOf(workflow, fleet))) {
    const wanted: (Tier | undefined)[] = rule === 'deployed' ? [deployed?.[task], 'cloud'] : [rule]
    const tier = wanted.find((each) => each !== undefined && tiers.includes(each)) ?? tiers[0]
    if (tier === undefined) return undefined
    placement[task] = tier
  }
  return placement
}

/** What both versions are estimated with. */
export interface Conditions {
  fleet: Fleet
  profile: Profile
  rule: PlacementRule
  deployed: Placement | undefined
  itemsPerDevice?: number
  seed: number
}

/** The closed-form estimate of a version. Throws an `Error` that says why there is none. */
export async function estimateOf(
  workflow: Workflow,
  { fleet, profile, rule, deployed, ...scenario }: Conditions,
): Promise<Estimate> {
  const placement = placementBy(rule, workflow, fleet, deployed)
  if (!placement)
    throw new Error('A task of this version can run nowhere: its pin and its role exclude each other.')
  const [candidate] = await askOnce({
    kind: 'screen',
    scenario: { workflow, fleet, profile: completeProfile(workflow, profile), ...scenario },
    placements: [{ id: rule, placement }],
  })
  if (!candidate) throw new Error('The estimator gave no answer.')
  return candidate.estimate
}
