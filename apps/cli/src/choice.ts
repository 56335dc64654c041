import { checkPlacement, tiersOf } from '@hivemind/placement'
import { type Fleet, localFleet, type Placement, type Tier } from '@hivemind/swarm'
import { exploreProject } from './commands/explore.ts'
import { usageFault, workflowFault } from './failure.ts'
import { say } from './output.ts'
import { type ReadyProject, readJsonObject } from './project.ts'

/** What `--placement` may say, for help texts. */
export const placementHelp =
  "'best' (least energy that meets the constraints, else least p99 latency), 'all-cloud', 'all-edge', TASK=TIER,..., or a .json file {TASK: TIER}; tasks left out go to the cloud where they may"

/** Turns `--placement` into a placement that is legal on the local target. */
export function choosePlacement(ready: ReadyProject, choice: string, agents: number): Promise<Placement> {
  return placementOn(ready, choice, localFleet(agents))
}

/** Turns `--placement` into a placement that is legal on `fleet`. */
export async function placementOn(ready: ReadyProject, choice: string, fleet: Fleet): Promise<Placement> {
  const placement =
    choice === 'best'
      ? await bestPlacement(ready, fleet)
      : choice === 'all-cloud' || choice === 'all-edge'
        ? baseline(ready, fleet, choice)
        : explicit(ready, fleet, choice.endsWith('.json') ? await fromFile(choice) : fromText(choice))
  const problems = checkPlacement(ready.workflow, placement, fleet)
  if (problems.length > 0) throw workflowFault(`This placement is not possible:\n${problems.join('\n')}`)
  return placement
}

async function bestPlacement(ready: ReadyProject, fleet: Fleet): Promise<Placement> {
  const { candidates } = await exploreProject(ready, { fleet, seed: 1 })
  const meeting = candidates.filter((candidate) => candidate.meets)
  const ranked =
    meeting.length > 0
      ? meeting.sort((a, b) => a.estimate.energyJ - b.estimate.energyJ)
      : [...candidates].sort((a, b) => a.estimate.latencyMs.p99 - b.estimate.latencyMs.p99)
  const best = ranked[0]
  if (!best) throw workflowFault('No placement is possible: the pins and rules exclude each other.')
  if (meeting.length === 0)
    say('No candidate meets the constraints; taking the one with the least p99 latency.')
  return best.placement
}

/** `all-cloud`: whatever may leave the device does; `all-edge`: whatever may stay on it does. */
export function baseline(ready: ReadyProject, fleet: Fleet, which: 'all-cloud' | 'all-edge'): Placement {
  const wanted: Tier = which === 'all-cloud' ? 'cloud' : 'edge'
  const placement: Placement = {}
  for (const [task, tiers] of Object.entries(tiersOf(ready.workflow, fleet))) {
    const tier = tiers.includes(wanted) ? wanted : tiers[0]
    if (!tier) throw workflowFault(`Task '${task}' can run nowhere: its pin and its role exclude each other.`)
    placement[task] = tier
  }
  return placement
}

/** One `task=tier` of a choice; `source` says where it stands. */
interface Wish {
  source: string
  task: string
  tier: string
}

function fromText(choice: string): Wish[] {
  return choice.split(',').map((part) => {
    const [task, tier, ...rest] = part.split('=').map((word) => word.trim())
    if (!task || !tier || rest.length > 0)
      throw usageFault(
        `'${part}' in --placement must be TASK=cloud, TASK=edge or TASK=fabric; or give best, all-cloud, all-edge or a .json file.`,
      )
    return { source: '--placement', task, tier }
  })
}

async function fromFile(file: string): Promise<Wish[]> {
  const table = await readJsonObject('placement', file)
  return Object.entries(table).map(([task, tier]) => ({
    source: `The placement '${file}'`,
    task,
    tier: typeof tier === 'string' ? tier : JSON.stringify(tier),
  }))
}

/** The wishes on top of `all-cloud` for the tasks they do not name. */
function explicit(ready: ReadyProject, fleet: Fleet, wishes: Wish[]): Placement {
  const placement = baseline(ready, fleet, 'all-cloud')
  for (const { source, task, tier } of wishes) {
    if (!Object.hasOwn(placement, task))
      throw usageFault(
        `${source} names '${task}', which is no task. Tasks: ${Object.keys(placement).join(', ')}.`,
      )
    if (tier !== 'cloud' && tier !== 'edge' && tier !== 'fabric')
      throw usageFault(`${source} gives '${task}' the tier '${tier}', which must be cloud, edge or fabric.`)
    placement[task] = tier
  }
  return placement
}
