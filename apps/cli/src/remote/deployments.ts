/** Deployments of a running service, for the commands about them. */
import type { resources } from '@hivemind/contracts'
import {
  type DeployableHandOver,
  type HandOverKind,
  isDeployable,
  isTier,
  type Placement,
  tierIds,
} from '@hivemind/swarm'
import type { z } from 'zod'
import { otherFault, usageFault } from '../failure.ts'
import type { ServiceClient } from '../service.ts'

export type Deployment = z.output<typeof resources.DeploymentRecord>
export type NewDeployment = z.output<typeof resources.NewDeployment>
export type Candidate = { id: string; placement: Placement }

/** What of a deployment is chosen on the command line. */
export interface DeploymentChoice {
  target?: string
  version?: number
  candidate?: string
  placement?: string
  agents?: number
  edgeNodes?: number
  edgeMachines?: string[]
  devices?: string[]
  handOver?: DeployableHandOver
}

/** Goals by which a candidate may be chosen, with the figure that is to be small. */
export const GOALS = ['latency', 'energy', 'cost'] as const
type Goal = (typeof GOALS)[number]

const PAGE = '100'

/** The deployments of a project, newest first; of one target when it is given. */
export async function deploymentsOf(
  client: ServiceClient,
  project: string,
  target: string | undefined,
): Promise<Deployment[]> {
  const all = await client.call('listDeployments', { path: { project }, query: { limit: PAGE } })
  return target === undefined ? all : all.filter(({ request }) => request.target === target)
}

const isUp = ({ state }: Deployment): boolean => state === 'ready' || state === 'starting'

/**
 * The deployment that runs, of a target when it is given.
 * @throws Failure when none does, or when several targets have one and none was named
 */
export async function runningOf(
  client: ServiceClient,
  project: string,
  target: string | undefined,
): Promise<Deployment> {
  const up = (await deploymentsOf(client, project, target)).filter(isUp)
  const targets = [...new Set(up.map(({ request }) => request.target ?? 'the usual one'))]
  if (targets.length > 1)
    throw usageFault(
      `Deployments run on ${targets.length} targets (${targets.join(', ')}): name one with --target.`,
    )
  const [newest] = up
  if (!newest)
    throw otherFault(
      `Nothing of project '${project}' is deployed${target === undefined ? '' : ` on '${target}'`}; deploy it first.`,
    )
  return newest
}

/** What was deployed on the target before what runs there: another version, placement or hand-over. Throws `Failure` when there is none. */
export async function beforeRunning(
  client: ServiceClient,
  project: string,
  target: string | undefined,
): Promise<{ running: Deployment; before: Deployment }> {
  const running = await runningOf(client, project, target)
  const same = ({ request: { version, placement, handOver = 'store' } }: Deployment): string =>
    JSON.stringify([version, Object.entries(placement).sort(), handOver])
  const all = (await deploymentsOf(client, project, undefined)).filter(
    ({ request }) => request.target === running.request.target,
  )
  const before = all
    .slice(all.findIndex(({ id }) => id === running.id) + 1)
    .find((one) => one.state !== 'failed' && same(one) !== same(running))
  if (!before)
    throw otherFault(
      'There is nothing to go back to: no other version, placement or hand-over was deployed there before.',
    )
  return { running, before }
}

/** The least of a figure first; equal ones by id. */
const figureOf: Record<Goal, (candidate: { estimate: Estimate }) => number> = {
  latency: ({ estimate }) => estimate.latencyMs.p99,
  energy: ({ estimate }) => estimate.energyJ,
  cost: ({ estimate }) => estimate.costPerHour,
}
interface Estimate {
  latencyMs: { p99: number }
  energyJ: number
  costPerHour: number
}

/** A candidate of the newest exploration that has ended: by its id, or the best one for a goal that meets the constraints. */
async function candidateOf(
  client: ServiceClient,
  project: string,
  wanted: string,
): Promise<{
  exploration: string
  candidate: Candidate
  version: number
  handOver: HandOverKind | undefined
}> {
  const jobs = await client.call('listExplorations', { path: { project }, query: { limit: PAGE } })
  const newest = jobs.find(({ job }) => job.state === 'done')
  if (!newest)
    throw otherFault(
      `Project '${project}' was not explored yet: explore it in the browser, or give --placement.`,
    )
  const { result, request } = await client.call('getExploration', { path: { exploration: newest.id } })
  const all = result?.candidates ?? []
  const goal = GOALS.find((one) => one === wanted)
  const chosen = goal
    ? all
        .filter(({ meets }) => meets)
        .sort((a, b) => figureOf[goal](a) - figureOf[goal](b) || (a.id < b.id ? -1 : 1))[0]
    : all.find(({ id }) => id.startsWith(wanted))
  if (!chosen)
    throw otherFault(
      goal
        ? 'No candidate of the newest exploration meets the constraints.'
        : `The newest exploration has no candidate '${wanted}': give ${GOALS.join(', ')} or one of its ids.`,
    )
  return {
    exploration: newest.id,
    candidate: chosen,
    version: request.version,
    handOver: result?.inputs.handOver,
  }
}

/** The tiers that `TASK=TIER,...` names. Throws `Failure` when it names none. */
function parsePlacement(text: string): Placement {
  return Object.fromEntries(
    text.split(',').map((part) => {
      const [task, tier, ...rest] = part.split('=').map((word) => word.trim())
      if (!task || !tier || rest.length > 0 || !isTier(tier))
        throw usageFault(
          `'${part}' in --placement must be TASK=TIER with one of the tiers ${tierIds().join(', ')}.`,
        )
      return [task, tier]
    }),
  )
}

/**
 * What is to be deployed: what was chosen and, for the rest, as the newest deployment of the target (or of any) has it. The version is
 * the project's newest, or that of the exploration the candidate is from.
 */
export async function requestFor(
  client: ServiceClient,
  project: string,
  {
    target,
    version,
    candidate,
    placement,
    agents,
    edgeNodes,
    edgeMachines,
    devices,
    handOver,
  }: DeploymentChoice,
): Promise<NewDeployment> {
  const { headVersion } = await client.call('getProject', { path: { project } })
  const all = await deploymentsOf(client, project, undefined)
  const before = (all.find(({ request }) => request.target === target) ?? all[0])?.request
  const chosen = candidate === undefined ? undefined : await candidateOf(client, project, candidate)
  const base = chosen?.candidate.placement ?? before?.placement
  if (!base && placement === undefined)
    throw usageFault(
      `Nothing of project '${project}' was deployed before: give --candidate (${GOALS.join(', ')} or an id) or --placement TASK=TIER,...`,
    )
  const places = { ...base, ...(placement === undefined ? {} : parsePlacement(placement)) }
  const machines =
    edgeMachines ??
    (edgeNodes === undefined && Object.values(places).includes('edge-node')
      ? before?.edgeMachines
      : undefined)
  // as it was explored, and otherwise as it was deployed
  const explored =
    chosen?.handOver !== undefined && isDeployable(chosen.handOver) ? chosen.handOver : undefined
  const between = handOver ?? (chosen ? explored : before?.handOver)
  return {
    version: version ?? chosen?.version ?? headVersion,
    placement: places,
    agents: agents ?? before?.agents ?? 2,
    edgeNodes: edgeNodes ?? before?.edgeNodes ?? 1,
    ...(machines && { edgeMachines: machines }),
    beside: false,
    ...(between && { handOver: between }),
    ...(chosen &&
      placement === undefined && { exploration: chosen.exploration, candidate: chosen.candidate.id }),
    ...(target !== undefined && { target }),
    ...(devices
      ? { devices }
      : agents === undefined && {
          ...(before?.classes && { classes: before.classes }),
          ...(before?.devices && { devices: before.devices }),
        }),
  }
}
