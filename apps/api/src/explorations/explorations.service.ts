import {
  deviceCount,
  type Exploration,
  type Fleet,
  handOversOf,
  withDevices,
  withHandOver,
} from '@hivemind/swarm'
import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { BodyOf, QueryOf } from '../common/contract.ts'
import { impossible } from '../common/problem.ts'
import type { Noun } from '../database/tables.ts'
import { EventsService } from '../events/events.service.ts'
import { ExamplesService } from '../examples/examples.service.ts'
import { FleetsService } from '../fleets/fleets.service.ts'
import type { JobContext, JobKind } from '../jobs/job-kind.ts'
import type { JobRow, JobSummaryRow } from '../jobs/jobs.repository.ts'
import { JobsService, toJob } from '../jobs/jobs.service.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { VersionsService } from '../versions/versions.service.ts'
import { type ExplorationTask, exploreInWorker } from './explore-in-worker.ts'

type ExplorationJob = Noun<'ExplorationJob'>
type NewExploration = BodyOf<'startExploration'>
/** With the fleet as it is when the exploration is asked for: it may be edited while the job waits. */
type Started = NewExploration & { asked: Fleet }

const requestOf = ({ asked, ...request }: Started): NewExploration => request
const toSummary = (row: JobSummaryRow): ExplorationJob => ({
  id: row.id,
  // An exploration always has a project.
  project: row.project_id ?? '',
  request: requestOf(row.request as Started),
  job: toJob(row),
})
const toExploration = (row: JobRow): ExplorationJob => ({
  ...toSummary(row),
  ...(row.result ? { result: row.result as Exploration } : {}),
})

const countOf = ({ done, of }: { done: number; of: number }) => `${done} of ${of} candidates simulated.`

@Injectable()
export class ExplorationsService {
  private readonly jobs: JobsService
  private readonly projects: ProjectsService
  private readonly versions: VersionsService
  private readonly checks: ChecksService
  private readonly examples: ExamplesService
  private readonly events: EventsService
  private readonly fleets: FleetsService
  /** The front so far of explorations under way. */
  private readonly soFar = new Map<string, NonNullable<ExplorationJob['soFar']>>()
  private readonly kind: JobKind<Started, Exploration> = {
    name: 'exploration',
    noun: 'exploration',
    run: (request, job) => this.explore(request, job),
    partial: ({ cancelled, candidates }) =>
      cancelled
        ? {
            message:
              candidates.length > 0
                ? `Cancelled after ${cancelled.done} of ${cancelled.of} candidates.`
                : 'Cancelled.',
            keep: candidates.length > 0,
          }
        : null,
    publish: (row) => this.publish(row),
  }

  constructor(
    jobs: JobsService,
    projects: ProjectsService,
    versions: VersionsService,
    checks: ChecksService,
    examples: ExamplesService,
    events: EventsService,
    fleets: FleetsService,
  ) {
    this.jobs = jobs
    this.projects = projects
    this.versions = versions
    this.checks = checks
    this.examples = examples
    this.events = events
    this.fleets = fleets
    jobs.register(this.kind)
  }

  /** What to explore. Throws 404 and 422. */
  private async taskOf(project: string, { asked: known, ...request }: Started): Promise<ExplorationTask> {
    const version = await this.versions.named(project, request.version)
    const workflow = await this.checks.soundWorkflow(project, version)
    const devices = request.devices ?? deviceCount(known)
    const sized = devices === deviceCount(known) ? known : withDevices(known, devices)
    const { handOver } = request
    if (handOver !== undefined && !handOversOf(sized).includes(handOver))
      throw impossible(
        'handOver',
        `Fleet '${known.name}' knows no hand-over '${handOver}'; it knows ${handOversOf(sized).join(', ')}.`,
      )
    const fleet = handOver === undefined ? sized : withHandOver(sized, handOver)
    const { profile, example } = await this.projects.row(project)
    const itemsPerDevice =
      request.itemsPerDevice ?? (await this.examples.itemsPerDevice(example ?? undefined))
    return {
      workflow,
      fleet,
      seed: request.seed,
      ...(profile ? { profile } : {}),
      ...(itemsPerDevice === undefined ? {} : { itemsPerDevice }),
    }
  }

  async start(project: string, request: NewExploration): Promise<ExplorationJob> {
    // Refused at once, not by a job that fails.
    const started = { ...request, asked: await this.fleets.named(project, request.fleet) }
    await this.taskOf(project, started)
    return toSummary(await this.jobs.start(this.kind, started, project))
  }

  private async explore(request: Started, job: JobContext): Promise<Exploration> {
    const task = await this.taskOf(job.project ?? '', request)
    job.stage('Simulating candidates')
    try {
      return await exploreInWorker(task, {
        signal: job.expired,
        finish: job.signal,
        onProgress: (fraction) => {
          const soFar = this.soFar.get(job.id)
          job.progress(fraction, soFar ? countOf(soFar) : 'Looking for the placements worth simulating.')
        },
        onFront: (front) => this.soFar.set(job.id, front),
      })
    } finally {
      this.soFar.delete(job.id)
    }
  }

  private publish(row: JobSummaryRow): void {
    const soFar = row.state === 'running' ? this.soFar.get(row.id) : undefined
    const exploration = toSummary(row)
    this.events.publishNoun(
      [`project:${row.project_id}`],
      { type: 'exploration', exploration: { ...exploration, ...(soFar ? { soFar } : {}) } },
      { id: row.id, project: row.project_id, kept: { type: 'exploration', exploration } },
    )
  }

  async list(project: string, page: QueryOf<'listExplorations'>): Promise<ExplorationJob[]> {
    await this.projects.row(project)
    return (await this.jobs.list(this.kind, project, page)).map(toSummary)
  }

  async get(id: string): Promise<ExplorationJob> {
    return toExploration(await this.jobs.get(this.kind, id))
  }

  async cancel(id: string): Promise<ExplorationJob> {
    await this.jobs.get(this.kind, id)
    await this.jobs.cancel(id)
    return this.get(id)
  }
}
