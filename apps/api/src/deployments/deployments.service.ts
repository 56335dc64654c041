import {
  type Deployment,
  type DeploymentStatus,
  machineFleet,
  onThisMachine,
  type Target,
  withCalls,
} from '@hivemind/deploy'
import type { Span } from '@hivemind/orchestrator'
import { checkPlacement, evaluateModel } from '@hivemind/placement'
import { type Estimate, localFleet } from '@hivemind/swarm'
import { type Synthesis, SynthesisError, synthesise } from '@hivemind/synthesis'
import type { Workflow } from '@hivemind/workflow'
import { Inject, Injectable } from '@nestjs/common'
import type { BodyOf } from '../common/contract.ts'
import { log } from '../common/log.ts'
import { conflict, impossible, notFound, Problem } from '../common/problem.ts'
import { newId, sentenceOf, storable } from '../common/text.ts'
import type { Noun } from '../database/tables.ts'
import { EventsService } from '../events/events.service.ts'
import { ExamplesService } from '../examples/examples.service.ts'
import { ProjectReader, type ReadyVersion } from '../projects/project-reader.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { type DeploymentRow, DeploymentsRepository } from './deployments.repository.ts'
import { TARGET } from './target.ts'

const INTERRUPTED = 'The service stopped, and its processes with it; deploy again.'
/** Seed of the simulation behind a deployment's estimate. */
export const ESTIMATE_SEED = 1

/** A deployment that has not ended. */
interface Active {
  row: DeploymentRow
  workflow: Workflow
  controller: AbortController
  deployment?: Deployment
  /** Settles when it is ready or has failed. */
  started: Promise<void>
  /** Why it is being stopped, once it is. */
  stopping?: Promise<void>
}

function toRecord(row: DeploymentRow): Noun<'DeploymentRecord'> {
  return {
    id: row.id,
    project: row.project_id,
    request: row.request,
    state: row.state,
    message: row.message,
    resources: row.resources,
    ...(row.estimate ? { estimate: row.estimate } : {}),
    createdAt: row.created_at.toISOString(),
  }
}

@Injectable()
export class DeploymentsService {
  private readonly target: Target
  private readonly repository: DeploymentsRepository
  private readonly projects: ProjectsService
  private readonly reader: ProjectReader
  private readonly examples: ExamplesService
  private readonly events: EventsService
  /** The newest of each project. */
  private readonly active = new Map<string, Active>()

  constructor(
    @Inject(TARGET) target: Target,
    repository: DeploymentsRepository,
    projects: ProjectsService,
    reader: ProjectReader,
    examples: ExamplesService,
    events: EventsService,
  ) {
    this.target = target
    this.repository = repository
    this.projects = projects
    this.reader = reader
    this.examples = examples
    this.events = events
  }

  /** Deployments that an earlier service left are stopped; whoever listens again is told. */
  async stopInterrupted(): Promise<void> {
    for (const row of await this.repository.stopInterrupted(INTERRUPTED)) this.publish({ row })
  }

  async create(project: string, request: BodyOf<'createDeployment'>): Promise<Noun<'DeploymentRecord'>> {
    const ready = await this.reader.ready(project, request.version)
    const problems = checkPlacement(ready.workflow, request.placement, localFleet(request.agents))
    if (problems.length > 0)
      throw new Problem(
        422,
        `The placement is not possible: ${problems[0]}`,
        problems.slice(0, 20).map((message) => ({ field: 'placement', message })),
      )
    const synthesis = this.synthesise(ready, request)
    const row: DeploymentRow = {
      id: newId(),
      project_id: project,
      request,
      state: 'starting',
      message: 'Starting the function processes and edge agents.',
      resources: [],
      estimate: await this.estimate(project, ready.workflow, request),
      created_at: new Date(),
    }
    await this.repository.add(row)
    const before = this.active.get(project)
    const active: Active = {
      row,
      workflow: ready.workflow,
      controller: new AbortController(),
      started: Promise.resolve(),
    }
    this.active.set(project, active)
    active.started = this.bringUp(active, before, synthesis, ready.project.dir)
    return toRecord(row)
  }

  private synthesise({ name, workflow, project }: ReadyVersion, { placement }: BodyOf<'createDeployment'>) {
    try {
      return synthesise({ name, workflow, placement, files: project.files })
    } catch (error) {
      if (error instanceof SynthesisError) throw impossible('version', error.message)
      throw error
    }
  }

  /**
   * What the model expects of this placement on the local target, with the project's profile of now: warm functions, the
   * pace of sensors, cores that all share, and what calls take, by default or as in the runs of `shown`.
   */
  async estimate(
    project: string,
    workflow: Workflow,
    { placement, agents }: BodyOf<'createDeployment'>,
    /** `itemsPerDevice`: as the example says, or else the profile, when absent. */
    {
      itemsPerDevice,
      shown = [],
    }: { itemsPerDevice?: number | undefined; shown?: readonly (readonly Span[])[] } = {},
  ): Promise<Estimate> {
    const row = await this.projects.row(project)
    const items = itemsPerDevice ?? (await this.examples.itemsPerDevice(row.example ?? undefined))
    const own = row.profile ?? undefined
    const { profile, calls } =
      shown.length > 0
        ? withCalls(workflow, own, shown, machineFleet(agents))
        : { profile: own, calls: undefined }
    const given = {
      workflow,
      placement,
      ...(profile ? { profile } : {}),
      ...(items === undefined ? {} : { itemsPerDevice: items }),
    }
    return evaluateModel(onThisMachine(given, agents, undefined, calls).model, ESTIMATE_SEED)
  }

  private async bringUp(
    active: Active,
    before: Active | undefined,
    synthesis: Synthesis,
    projectDir: string,
  ): Promise<void> {
    this.publish(active)
    try {
      if (before) await this.end(before, 'Replaced by a newer deployment.')
      active.deployment = await this.target.apply(
        {
          name: active.row.id,
          synthesis,
          projectDir,
          agents: active.row.request.agents,
        },
        {
          signal: active.controller.signal,
          onStatus: (status) => {
            if (active.row.state !== 'starting') return
            active.row.resources = resourcesOf(status)
            this.publish(active)
          },
        },
      )
      if (active.stopping) return
      await this.change(active, 'ready', 'Ready to run.', resourcesOf(active.deployment.status()))
    } catch (error) {
      if (!active.stopping) await this.change(active, 'failed', sentenceOf(error), active.row.resources)
    }
  }

  private async change(
    active: Active,
    state: DeploymentRow['state'],
    message: string,
    resources: DeploymentRow['resources'],
  ): Promise<void> {
    Object.assign(active.row, { state, message: storable(message), resources })
    if (state === 'failed' || state === 'stopped') this.forget(active)
    log.info({ deployment: active.row.id, project: active.row.project_id }, `Deployment ${state}: ${message}`)
    this.publish(active)
    await this.repository
      .update(active.row)
      .catch((error: unknown) =>
        log.error({ deployment: active.row.id, err: error }, 'The state of a deployment could not be kept.'),
      )
  }

  private forget(active: Active): void {
    if (this.active.get(active.row.project_id) === active) this.active.delete(active.row.project_id)
  }

  private publish({ row }: Pick<Active, 'row'>): void {
    this.events.publishNoun(
      [`project:${row.project_id}`],
      { type: 'deployment', deployment: toRecord(row) },
      { id: row.id, project: row.project_id },
    )
  }

  /** Stops one, whatever it is at; resolves when its processes are gone. */
  private end(active: Active, message: string): Promise<void> {
    active.stopping ??= (async () => {
      active.controller.abort()
      await active.started
      await active.deployment?.undeploy().catch((error: unknown) => {
        log.error({ deployment: active.row.id, err: error }, 'A deployment could not be undeployed.')
      })
      if (active.row.state === 'starting' || active.row.state === 'ready')
        await this.change(active, 'stopped', message, [])
      this.forget(active)
    })()
    return active.stopping
  }

  /** Throws 404. */
  async get(id: string): Promise<Noun<'DeploymentRecord'>> {
    return toRecord(await this.row(id))
  }

  async row(id: string): Promise<DeploymentRow> {
    const row = await this.repository.find(id)
    if (!row) throw notFound('deployment', id)
    return this.current(row)
  }

  async list(project: string): Promise<Noun<'DeploymentRecord'>[]> {
    await this.projects.row(project)
    return (await this.repository.list(project)).map((row) => toRecord(this.current(row)))
  }

  private current(row: DeploymentRow): DeploymentRow {
    const active = this.active.get(row.project_id)
    if (active?.row.id !== row.id) return row
    this.refresh(active)
    return active.row
  }

  private refresh(active: Active): void {
    if (active.row.state === 'ready' && active.deployment)
      active.row.resources = resourcesOf(active.deployment.status())
  }

  /** Looks at the processes anew and tells the clients: an agent was lost or came back. */
  refreshStatus(id: string): void {
    const active = [...this.active.values()].find(({ row }) => row.id === id)
    if (!active) return
    this.refresh(active)
    this.publish(active)
  }

  /** The deployment to run on. Throws 404, and 409 unless it is ready. */
  async running(id: string): Promise<{ row: DeploymentRow; deployment: Deployment; workflow: Workflow }> {
    const row = await this.row(id)
    const active = this.active.get(row.project_id)
    if (active?.row.id === id && active.deployment && active.row.state === 'ready' && !active.stopping)
      return { row: active.row, deployment: active.deployment, workflow: active.workflow }
    throw conflict(
      row.state === 'starting'
        ? 'The deployment is still starting; wait until it is ready.'
        : 'The deployment is not running any more; deploy again.',
    )
  }

  async undeploy(id: string): Promise<Noun<'DeploymentRecord'>> {
    const row = await this.row(id)
    const active = this.active.get(row.project_id)
    if (active?.row.id === id) await this.end(active, 'Undeployed.')
    return this.get(id)
  }

  async stopProject(project: string): Promise<void> {
    const active = this.active.get(project)
    if (active) await this.end(active, 'The project was deleted.')
  }

  async stop(): Promise<void> {
    await Promise.all([...this.active.values()].map((active) => this.end(active, INTERRUPTED)))
  }
}

const resourcesOf = (status: DeploymentStatus): DeploymentRow['resources'] =>
  status.resources.map(({ kind, name, state, pid, message }) => ({
    kind,
    name,
    state,
    ...(pid === undefined ? {} : { pid }),
    ...(message === undefined ? {} : { message: storable(message) }),
  }))
