import { deviceCount, fleetByName, fleets, handOversOf, withDevices, withHandOver } from '@hivemind/swarm'
import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { BodyOf } from '../common/contract.ts'
import { impossible } from '../common/problem.ts'
import type { Noun } from '../database/tables.ts'
import { EventsService } from '../events/events.service.ts'
import { ExamplesService } from '../examples/examples.service.ts'
import type { JobRow, JobSummaryRow } from '../jobs/jobs.repository.ts'
import { JobsService, toJob } from '../jobs/jobs.service.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { VersionsService } from '../versions/versions.service.ts'
import { exploreInWorker } from './explore-in-worker.ts'

type ExplorationJob = Noun<'ExplorationJob'>

const toSummary = (row: JobSummaryRow): ExplorationJob => ({
  id: row.id,
  project: row.project_id,
  request: row.request as ExplorationJob['request'],
  job: toJob(row),
})
const toExploration = (row: JobRow): ExplorationJob => ({
  ...toSummary(row),
  ...(row.result ? { result: row.result } : {}),
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

  constructor(
    jobs: JobsService,
    projects: ProjectsService,
    versions: VersionsService,
    checks: ChecksService,
    examples: ExamplesService,
    events: EventsService,
  ) {
    this.jobs = jobs
    this.projects = projects
    this.versions = versions
    this.checks = checks
    this.examples = examples
    this.events = events
  }

  async start(project: string, request: BodyOf<'startExploration'>): Promise<ExplorationJob> {
    const workflow = this.checks.soundWorkflow(await this.versions.named(project, request.version))
    const known = fleetByName(request.fleet)
    if (!known)
      throw impossible(
        'fleet',
        `There is no fleet '${request.fleet}'; there are ${fleets()
          .map((fleet) => fleet.name)
          .join(', ')}.`,
      )
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
    const task = {
      workflow,
      fleet,
      seed: request.seed,
      ...(profile ? { profile } : {}),
      ...(itemsPerDevice === undefined ? {} : { itemsPerDevice }),
    }
    const finish = new AbortController()
    let soFar: ExplorationJob['soFar']
    const row = await this.jobs.start({
      kind: 'exploration',
      project,
      request,
      work: (signal, progress) =>
        exploreInWorker(task, {
          signal,
          finish: finish.signal,
          onProgress: (fraction) =>
            progress(fraction, soFar ? countOf(soFar) : 'Looking for the placements worth simulating.'),
          onFront: (front) => {
            soFar = front
          },
        }),
      finish: () => finish.abort(),
      publish: (changed) =>
        this.events.publish([`project:${project}`], {
          type: 'exploration',
          exploration: {
            ...toSummary(changed),
            ...(soFar && changed.state === 'running' ? { soFar } : {}),
          },
        }),
    })
    return toSummary(row)
  }

  async list(project: string): Promise<ExplorationJob[]> {
    await this.projects.row(project)
    return (await this.jobs.list('exploration', project)).map(toSummary)
  }

  async get(id: string): Promise<ExplorationJob> {
    return toExploration(await this.jobs.get('exploration', 'exploration', id))
  }

  async cancel(id: string): Promise<ExplorationJob> {
    return toExploration(await this.jobs.cancel('exploration', 'exploration', id))
  }
}
