import { checkPlacement, tiersOf } from '@hivemind/placement'
import {
  estimatedTiers,
  type Fleet,
  isPinnedToNodes,
  isTier,
  localFleet,
  type Placement,
  type Tier,
  tierIds,
  withEdgeNodes,
  withNodesInCloud,
} from '@hivemind/swarm'
import { fleetWithBoards } from './boards.ts'
import { exploreProject } from './commands/explore.ts'
import { usageFault, workflowFault } from './failure.ts'
import { say } from './output.ts'
import { type ReadyProject, readJsonObject } from './project.ts'

/** A placement in which every task that may run on a tier does. */
export type Baseline = `all-${Tier}`
/** The baselines of the tiers that can be estimated. */
export const BASELINES: readonly Baseline[] = estimatedTiers().map(({ id }) => `all-${id}` as const)

/** Those that this machine can run as it is, without boards, and that differ there: its edge nodes are functions as in the cloud. */
export const SOFTWARE_BASELINES: readonly Baseline[] = estimatedTiers()
  .filter(({ hardware }) => hardware === 'devices' || hardware === 'cloud')
  .map(({ id }) => `all-${id}` as const)

const isBaseline = (text: string): text is Baseline => BASELINES.some((each) => each === text)

/** What `--placement` may say, for help texts. */
export const placementHelp = `'best' (least energy that meets the constraints, else least p99 latency), ${BASELINES.map((each) => `'${each}'`).join(', ')}, TASK=TIER,..., or a .json file {TASK: TIER}; tasks left out go to the cloud where they may`

/**
 * Turns `--placement` into a placement that is legal on the local target, with the boards in some folders as its fabric. The best one has
 * tasks on edge nodes only where they are pinned there: those of this machine are no faster than its cloud.
 */
export async function choosePlacement(
  ready: ReadyProject,
  choice: string,
  agents: number,
  boards?: readonly string[],
): Promise<Placement> {
  const fleet = await fleetWithBoards(localFleet(agents), boards)
  const withNodes = withEdgeNodes(fleet, ready.edgeNodes, 1)
  if (choice !== 'best') return placementOn(ready, choice, withNodes)
  const nodes = [ready.edgeNodes]
  const best = await placementOn(
    { ...ready, workflow: withNodesInCloud(ready.workflow, nodes) },
    choice,
    fleet,
  )
  const pinned = ready.workflow.tasks.filter((task) => isPinnedToNodes(task, nodes))
  return { ...best, ...Object.fromEntries(pinned.map(({ name }) => [name, 'edge-node' as const])) }
}

/** Turns `--placement` into a placement that is legal on `fleet`. */
export async function placementOn(ready: ReadyProject, choice: string, fleet: Fleet): Promise<Placement> {
  const placement =
    choice === 'best'
      ? await bestPlacement(ready, fleet)
      : isBaseline(choice)
        ? asked(baseline(ready, fleet, choice), choice, fleet)
        : explicit(ready, fleet, choice.endsWith('.json') ? await fromFile(choice) : fromText(choice))
  const problems = checkPlacement(ready.workflow, placement, fleet)
  if (problems.length > 0) {
    const wanted = !fleet.fabric && Object.values(placement).includes('fabric')
    const hint = wanted ? '\nGive the fleet boards with --board FOLDER; hivemind fabric sim runs one.' : ''
    throw workflowFault(`This placement is not possible:\n${problems.join('\n')}${hint}`)
  }
  return placement
}

/** Refuses `all-fabric` and `all-edge-node` where nothing can run there: it would be another placement than the one that was asked for. */
function asked(placement: Placement, choice: Baseline, fleet: Fleet): Placement {
  if (choice === 'all-edge-node' && !Object.values(placement).includes('edge-node'))
    throw workflowFault(
      fleet.edgeNodes
        ? 'No task of the workflow can run on an edge node of this fleet.'
        : `Fleet '${fleet.name}' has no edge nodes. Place tasks on the devices or in the cloud, or choose a fleet that has some (--fleet sensor-gateways).`,
    )
  if (choice !== 'all-fabric' || Object.values(placement).includes('fabric')) return placement
  throw workflowFault(
    fleet.fabric
      ? 'No task of the workflow can run on the fabric: only network functions with a window can.'
      : `Fleet '${fleet.name}' has no fabric. Give it boards with --board FOLDER; hivemind fabric sim runs one.`,
  )
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

/**
 * The placement in which every task that may run on a tier does, and every other on the first tier it may run on.
 * @throws CliError when a task can run nowhere
 */
export function baseline(ready: ReadyProject, fleet: Fleet, which: Baseline): Placement {
  const wanted = which.slice('all-'.length) as Tier
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
        `'${part}' in --placement must be TASK=TIER with one of the tiers ${tierIds().join(', ')}; or give best, ${BASELINES.join(', ')} or a .json file.`,
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
    if (!isTier(tier))
      throw usageFault(
        `${source} gives '${task}' the tier '${tier}', which must be one of ${tierIds().join(', ')}.`,
      )
    placement[task] = tier
  }
  return placement
}
