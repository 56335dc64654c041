import { machineFleet, withCalls } from '@hivemind/deploy'
import type { Span } from '@hivemind/orchestrator'
import { completeProfile, type Estimate, withBoards } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { Injectable } from '@nestjs/common'
import type { BodyOf } from '../common/contract.ts'
import { ComputingService } from '../computing/computing.service.ts'
import { ExamplesService } from '../examples/examples.service.ts'
import { BoardsService } from '../fabric/boards.service.ts'
import { ProjectsService } from '../projects/projects.service.ts'

/** Seed of the simulation behind a deployment's estimate. */
export const ESTIMATE_SEED = 1

/** What the model expects of placements on the local target. */
@Injectable()
export class EstimatesService {
  private readonly projects: ProjectsService
  private readonly examples: ExamplesService
  private readonly computing: ComputingService
  private readonly boards: BoardsService

  constructor(
    projects: ProjectsService,
    examples: ExamplesService,
    computing: ComputingService,
    boards: BoardsService,
  ) {
    this.projects = projects
    this.examples = examples
    this.computing = computing
    this.boards = boards
  }

  /**
   * The estimate of a placement with the project's profile of now: warm functions, the pace of sensors, cores that all
   * share, and what calls take, by default or as in the runs of `shown`.
   */
  async estimate(
    project: string,
    workflow: Workflow,
    request: Pick<BodyOf<'createDeployment'>, 'placement' | 'agents' | 'classes' | 'devices' | 'handOver'>,
    /** `itemsPerDevice`: as the example says, or else the profile, when absent. */
    {
      itemsPerDevice,
      shown = [],
    }: { itemsPerDevice?: number | undefined; shown?: readonly (readonly Span[])[] } = {},
  ): Promise<Estimate> {
    const row = await this.projects.row(project)
    const items = itemsPerDevice ?? (await this.examples.itemsPerDevice(row.example ?? undefined))
    const own = row.profile ?? undefined
    const { placement, handOver } = request
    const devices = deviceCountOf(request)
    const { profile, calls } =
      shown.length > 0
        ? withCalls(workflow, own, shown, machineFleet(devices))
        : { profile: own, calls: undefined }
    const boards = this.boards.withDistil().map(({ figures }) => figures)
    const { fabric } = withBoards(machineFleet(devices), boards)
    const given = {
      workflow,
      placement,
      ...(handOver && { handOver }),
      ...(fabric && { fabric }),
      ...(profile ? { profile } : {}),
      ...(items === undefined ? {} : { itemsPerDevice: items }),
    }
    const estimate = await this.computing.estimate({
      given,
      devices,
      seed: ESTIMATE_SEED,
      ...(calls && { calls }),
    })
    const assumed = Object.entries(completeProfile(workflow, profile).tasks).flatMap(([task, { origin }]) =>
      origin === 'assumed' ? [task] : [],
    )
    return assumed.length === 0 ? estimate : { ...estimate, assumed }
  }
}

/** How many devices a deployment has. */
export function deviceCountOf({
  agents,
  classes,
  devices,
}: Pick<BodyOf<'createDeployment'>, 'agents' | 'classes' | 'devices'>): number {
  const ofClasses = Object.values(classes ?? {}).reduce((sum, count) => sum + count, 0)
  return (devices?.length ?? 0) + (classes ? ofClasses : devices ? 0 : agents)
}
