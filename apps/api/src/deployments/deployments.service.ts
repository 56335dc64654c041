import {
  anyDevices,
  type Deployment,
  type DeploymentSpec,
  type DeviceSpec,
  type Target,
} from '@hivemind/deploy'
import { checkPlacement } from '@hivemind/placement'
import { edgeNodesNamed, type Fleet, localFleet, withBoards, withEdgeNodes } from '@hivemind/swarm'
import { fabricTasks, SynthesisError, synthesise } from '@hivemind/synthesis'
import type { Workflow } from '@hivemind/workflow'
import { Inject, Injectable } from '@nestjs/common'
import type { BodyOf, QueryOf } from '../common/contract.ts'
import { log } from '../common/log.ts'
import { conflict, impossible, notFound, Problem } from '../common/problem.ts'
import { newId } from '../common/text.ts'
import type { Noun } from '../database/tables.ts'
import { DevicesService } from '../devices/devices.service.ts'
import { BoardsService } from '../fabric/boards.service.ts'
import { ProjectReader, type ReadyVersion } from '../projects/project-reader.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { OwnFleets } from '../storage/own-fleets.ts'
import { TargetsService } from '../targets/targets.service.ts'
import { type DeploymentRow, DeploymentsRepository } from './deployments.repository.ts'
import { deviceCountOf, EstimatesService } from './estimates.service.ts'
import { LiveDeployments, STARTS, toRecord } from './live-deployments.ts'
import { TARGET } from './target.ts'

type Request = BodyOf<'createDeployment'>
type Board = ReturnType<BoardsService['withDistil']>[number]

@Injectable()
export class DeploymentsService {
  private readonly target: Target
  private readonly repository: DeploymentsRepository
  private readonly projects: ProjectsService
  private readonly reader: ProjectReader
  private readonly estimates: EstimatesService
  private readonly devices: DevicesService
  private readonly live: LiveDeployments
  private readonly targets: TargetsService
  private readonly boards: BoardsService
  private readonly fleets: OwnFleets
  /** The boards of deployments with tasks on the fabric: by deployment, of each task. */
  private readonly taken = new Map<string, Record<string, string>>()
  /** Deployments that are about to be started. */
  private readonly pending = new Set<string>()

  constructor(
    @Inject(TARGET) target: Target,
    repository: DeploymentsRepository,
    projects: ProjectsService,
    reader: ProjectReader,
    estimates: EstimatesService,
    devices: DevicesService,
    live: LiveDeployments,
    targets: TargetsService,
    boards: BoardsService,
    fleets: OwnFleets,
  ) {
    this.target = target
    this.repository = repository
    this.projects = projects
    this.reader = reader
    this.estimates = estimates
    this.devices = devices
    this.live = live
    this.targets = targets
    this.boards = boards
    this.fleets = fleets
    boards.watchUse((board) => this.userOf(board))
  }

  /**
   * Takes up the deployments that an earlier service left running. `interruptedRuns` were under way on them and are not
   * gone on with.
   */
  attachAll(interruptedRuns: (deployment: string) => readonly string[]): Promise<void> {
    return this.live.attachAll(async (row) => {
      const ready = await this.reader.ready(row.project_id, row.request.version)
      if (Object.values(row.request.placement).includes('fabric'))
        throw new Error(
          'The boards of its tasks on the fabric ended with the service; start them, and deploy again.',
        )
      return { workflow: ready.workflow, spec: await this.specOf(row.id, row.project_id, ready, row.request) }
    }, interruptedRuns)
  }

  async create(project: string, request: Request): Promise<Noun<'DeploymentRecord'>> {
    if (request.canary && request.beside)
      throw impossible(
        'canary',
        'A deployment beside another takes none of its calls: leave out canary or beside.',
      )
    const before = this.before(project, request)
    if (before?.row.state === 'starting' && before.row.request.canary)
      throw conflict(
        `Version ${before.row.request.version} is being tried: wait until it has taken over or is reverted, or undeploy it.`,
      )
    const ready = await this.readyFor(project, request)
    const id = newId()
    const planned = await this.specOf(id, project, ready, request)
    this.pending.add(id)
    try {
      const spec = { ...planned, boards: this.take(id, planned, before?.row.id) }
      const row: DeploymentRow = {
        id,
        project_id: project,
        request,
        state: 'starting',
        message: STARTS,
        resources: [],
        estimate: await this.estimateOf(project, ready, request),
        live: null,
        created_at: new Date(),
      }
      await this.repository.add(row)
      this.live.start(row, ready.workflow, spec, before)
      return toRecord(row)
    } finally {
      this.pending.delete(id)
    }
  }

  /** Of a placement whose estimate takes too long there is none; it can be deployed all the same. */
  private estimateOf(project: string, { workflow }: ReadyVersion, request: Request) {
    return this.estimates.estimate(project, workflow, request).catch((error: unknown) => {
      if (!(error instanceof Problem)) throw error
      log.warn({ project }, error.message)
      return null
    })
  }

  /** What `create` would change of the deployment that the new one follows, and what it needs. */
  async plan(project: string, request: Request): Promise<Noun<'DeploymentPlan'>> {
    const ready = await this.readyFor(project, request)
    const before = this.before(project, request)
    const spec = await this.specOf('planned', project, ready, request)
    return this.target.plan(before?.deployment ?? null, {
      ...spec,
      boards: foldersOf(this.boardsFor(spec, before?.row.id)),
    })
  }

  /** The deployment that has a board, if any. */
  private userOf(board: string): string | undefined {
    for (const [deployment, boards] of this.taken) {
      if (!this.live.find(deployment) && !this.pending.has(deployment)) this.taken.delete(deployment)
      else if (Object.values(boards).includes(board)) return deployment
    }
    return undefined
  }

  /** A board for each task on the fabric: the one it has in the deployment before, else one that nobody has. Throws 409. */
  private boardsFor({ synthesis }: DeploymentSpec, before: string | undefined): Map<string, Board> {
    const all = this.boards.withDistil()
    const chosen = new Map<string, Board>()
    for (const { name } of fabricTasks(synthesis.plan)) {
      const had = before === undefined ? undefined : this.taken.get(before)?.[name]
      const free = all.filter(
        (board) =>
          ![...chosen.values()].includes(board) && [undefined, before].includes(this.userOf(board.id)),
      )
      const board = free.find(({ id }) => id === had) ?? free[0]
      if (!board)
        throw conflict(
          `There is no free board for '${name}': start one with the engine distil on the Fabric screen, or place the task elsewhere.`,
        )
      chosen.set(name, board)
    }
    return chosen
  }

  private take(id: string, spec: DeploymentSpec, before: string | undefined): Record<string, string> {
    const boards = this.boardsFor(spec, before)
    if (boards.size > 0)
      this.taken.set(id, Object.fromEntries([...boards].map(([task, board]) => [task, board.id])))
    return foldersOf(boards)
  }

  /** The deployment that a new one takes the place of, if any. */
  private before(project: string, { beside, target }: Request) {
    return beside ? undefined : this.live.newest(project, target)
  }

  private async readyFor(project: string, request: Request): Promise<ReadyVersion> {
    const ready = await this.reader.ready(project, request.version)
    const nodes = await this.edgeNodesFor(project, ready, request)
    const problems = checkPlacement(ready.workflow, request.placement, this.fleetOf(request, nodes))
    if (problems.length > 0)
      throw new Problem(
        422,
        `The placement is not possible: ${problems[0]}`,
        problems.slice(0, 20).map((message) => ({ field: 'placement', message })),
      )
    return ready
  }

  /** The edge nodes of a request; `undefined` when no task is on one. */
  private async edgeNodesFor(
    project: string,
    { workflow }: ReadyVersion,
    { placement, edgeNodes: count, edgeMachines }: Request,
  ): Promise<DeploymentSpec['edgeNodes']> {
    if (!Object.values(placement).includes('edge-node')) {
      if (edgeMachines)
        throw impossible('edgeMachines', 'No task is placed on an edge node: leave the machines out.')
      return undefined
    }
    const { edgeNodes: known } = await this.fleets.placeNames(project)
    const name = edgeNodesNamed(workflow, known)
    if (!edgeMachines) return { name, count }
    const machines = (await this.devices.specs(edgeMachines, 'edgeMachines')).map(({ name: id }) => id)
    return { name, count: machines.length, machines }
  }

  /** This machine as the fleet of a request, with the boards of the service. */
  private fleetOf(request: Request, nodes: DeploymentSpec['edgeNodes']): Fleet {
    const fleet = localFleet(deviceCountOf(request))
    return withBoards(
      nodes ? withEdgeNodes(fleet, nodes.name, nodes.count) : fleet,
      this.boards.withDistil().map(({ figures }) => figures),
    )
  }

  private async specOf(
    id: string,
    projectId: string,
    ready: ReadyVersion,
    request: Request,
  ): Promise<DeploymentSpec> {
    const { name, workflow, project } = ready
    const devices = [...(await this.devices.specs(request.devices ?? [])), ...ofThisMachine(request)]
    const twice = devices.find(({ name }, index) => devices.findIndex((each) => each.name === name) < index)
    if (twice)
      throw impossible('devices', `Two devices would be called '${twice.name}': leave out one of them.`)
    const on = await this.targets.place(request.target)
    const edgeNodes = await this.edgeNodesFor(projectId, ready, request)
    try {
      return {
        name: id,
        synthesis: synthesise({
          ...{ name, workflow, placement: request.placement, files: project.files },
          ...(request.handOver && { handOver: request.handOver }),
        }),
        projectDir: project.dir,
        devices,
        constraints: workflow.constraints,
        ...(edgeNodes && { edgeNodes }),
        ...(on && { on }),
      }
    } catch (error) {
      if (error instanceof SynthesisError) throw impossible('version', error.message)
      throw error
    }
  }

  /** Throws 404. */
  async get(id: string): Promise<Noun<'DeploymentRecord'>> {
    return toRecord(await this.row(id))
  }

  async row(id: string): Promise<DeploymentRow> {
    const row = await this.repository.find(id)
    if (!row) throw notFound('deployment', id)
    return this.live.current(row)
  }

  async list(project: string, page: QueryOf<'listDeployments'>): Promise<Noun<'DeploymentRecord'>[]> {
    await this.projects.row(project)
    return (await this.repository.list(project, page)).map((row) => toRecord(this.live.current(row)))
  }

  /** The newest log lines of a resource. Throws 404; empty for a deployment that was stopped, or failed long ago. */
  async logs(id: string, resource: QueryOf<'deploymentLogs'>): Promise<string[]> {
    await this.row(id)
    return this.live.withLogs(id)?.logs(resource) ?? []
  }

  /** The deployment to run on. Throws 404, and 409 unless it is ready. */
  async running(id: string): Promise<{ row: DeploymentRow; deployment: Deployment; workflow: Workflow }> {
    const row = await this.row(id)
    const live = this.live.find(id)
    if (live?.deployment && live.row.state === 'ready' && !live.stopping)
      return { row: live.row, deployment: live.deployment, workflow: live.workflow }
    throw conflict(
      row.state === 'starting'
        ? 'The deployment is still starting; wait until it is ready.'
        : 'The deployment is not running any more; deploy again.',
    )
  }

  async undeploy(id: string): Promise<Noun<'DeploymentRecord'>> {
    await this.row(id)
    const live = this.live.find(id)
    if (live) await this.live.end(live, 'Undeployed.')
    return this.get(id)
  }
}

const foldersOf = (boards: ReadonlyMap<string, Board>): Record<string, string> =>
  Object.fromEntries([...boards].map(([task, { folder }]) => [task, folder]))

/** The devices of this machine that a request asks for: so many of any class, or of each class, named after it. */
function ofThisMachine({ agents, classes, devices }: Request): DeviceSpec[] {
  if (!classes) return devices ? [] : anyDevices(agents)
  return Object.entries(classes).flatMap(([name, count]) =>
    Array.from({ length: count }, (_, index) => ({ name: `${name}-${index + 1}`, class: name })),
  )
}
