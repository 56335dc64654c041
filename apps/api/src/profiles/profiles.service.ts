import os from 'node:os'
import { profileOf, profileWorkflow, type Target } from '@hivemind/deploy'
import { tiersOf } from '@hivemind/placement'
import {
  assumedProfile,
  completeProfile,
  estimatedTiers,
  localFleet,
  type Placement,
  withNodesInCloud,
} from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { Inject, Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { BodyOf } from '../common/contract.ts'
import { impossible, notFound } from '../common/problem.ts'
import type { Noun, ProjectsTable } from '../database/tables.ts'
import { DeploymentsService } from '../deployments/deployments.service.ts'
import { TARGET } from '../deployments/target.ts'
import { EventsService } from '../events/events.service.ts'
import type { JobContext, JobKind } from '../jobs/job-kind.ts'
import type { JobSummaryRow } from '../jobs/jobs.repository.ts'
import { JobsService, toJob } from '../jobs/jobs.service.ts'
import { ProjectReader, type ReadyVersion } from '../projects/project-reader.ts'
import { ProjectsRepository } from '../projects/projects.repository.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { RunReader } from '../runs/run-reader.service.ts'
import { OwnFleets } from '../storage/own-fleets.ts'
import { ProjectFolders } from '../storage/project-folders.ts'
import { VersionsService } from '../versions/versions.service.ts'

type ProfileJob = Noun<'ProfileJob'>
type NewProfileJob = BodyOf<'startProfile'>
type Profile = Noun<'ProjectProfile'>['profile']

/** In the note of a profile: what follows names the tasks that were taken from a run last. */
const TAKEN = 'Newest measurements from a run: '

const toProfileJob = (row: JobSummaryRow): ProfileJob => ({
  id: row.id,
  // A measurement always has a project.
  project: row.project_id ?? '',
  request: row.request as ProfileJob['request'],
  job: toJob(row),
})

/** The placements a measurement runs: for each tier with a profile column, one in which every task that may run on it does. */
function measuredPlacements(workflow: Workflow, agents: number): Placement[] {
  const tiers = Object.entries(tiersOf(workflow, localFleet(agents)))
  return estimatedTiers().map(({ id: wanted }) =>
    Object.fromEntries(
      tiers.map(([task, possible]) => {
        const tier = possible.includes(wanted) ? wanted : possible[0]
        if (!tier)
          throw impossible(
            'version',
            `Task '${task}' can run nowhere: its pin and its role exclude each other.`,
          )
        return [task, tier]
      }),
    ),
  )
}

@Injectable()
export class ProfilesService {
  private readonly target: Target
  private readonly projects: ProjectsService
  private readonly repository: ProjectsRepository
  private readonly versions: VersionsService
  private readonly checks: ChecksService
  private readonly reader: ProjectReader
  private readonly folders: ProjectFolders
  private readonly deployments: DeploymentsService
  private readonly runs: RunReader
  private readonly jobs: JobsService
  private readonly fleets: OwnFleets
  private readonly kind: JobKind<NewProfileJob, null>

  constructor(
    @Inject(TARGET) target: Target,
    projects: ProjectsService,
    repository: ProjectsRepository,
    versions: VersionsService,
    checks: ChecksService,
    reader: ProjectReader,
    folders: ProjectFolders,
    deployments: DeploymentsService,
    runs: RunReader,
    jobs: JobsService,
    events: EventsService,
    fleets: OwnFleets,
  ) {
    this.target = target
    this.projects = projects
    this.repository = repository
    this.versions = versions
    this.checks = checks
    this.reader = reader
    this.folders = folders
    this.deployments = deployments
    this.runs = runs
    this.jobs = jobs
    this.fleets = fleets
    this.kind = {
      name: 'profile',
      noun: 'profile job',
      run: (request, job) => this.measure(request, job),
      publish: (row) =>
        events.publishNoun(
          [`project:${row.project_id}`],
          { type: 'profile', profile: toProfileJob(row) },
          { id: row.id, project: row.project_id },
        ),
    }
    jobs.register(this.kind)
  }

  /** The stored profile completed with assumptions for the newest version's tasks, or assumptions alone. */
  async get(project: string): Promise<Noun<'ProjectProfile'>> {
    const row = await this.projects.row(project)
    const { text } = await this.versions.get(project, row.head_version)
    const { workflow } = await this.checks.check(text, project)
    if (!row.profile || !row.profile_origin)
      return {
        profile: workflow
          ? assumedProfile(workflow)
          : { schema: 'hivemind.profile/1', note: 'The workflow has no tasks yet.', tasks: {} },
        origin: 'assumed',
      }
    return {
      profile: workflow ? completeProfile(workflow, row.profile) : row.profile,
      origin: row.profile_origin,
      ...(row.profile_updated_at ? { updatedAt: row.profile_updated_at.toISOString() } : {}),
    }
  }

  async import(project: string, profile: BodyOf<'importProfile'>): Promise<Noun<'ProjectProfile'>> {
    await this.projects.row(project)
    await this.keep(project, profile, 'imported')
    return this.get(project)
  }

  /**
   * Replaces the times and sizes of tasks by those that a run of the project measured, on the tier where they ran; what is known
   * of other tasks and tiers stays. Throws 404 without such a run, and 422 for a task that it did not run.
   */
  async take(project: string, { run: id, tasks }: BodyOf<'measureProfile'>): Promise<Noun<'ProjectProfile'>> {
    const row = await this.projects.row(project)
    const run = await this.runs.get(id)
    if (run.project !== project) throw notFound('run', id)
    const { request } = await this.deployments.row(run.deployment)
    const workflow = await this.checks.soundWorkflow(
      project,
      await this.versions.get(project, request.version),
    )
    const measured = profileOf(workflow, await this.runs.measuredSpans(id), '').tasks
    const wanted = tasks ?? Object.keys(measured)
    const known = row.profile?.tasks ?? {}
    const taken = wanted.map((task): [string, Profile['tasks'][string]] => {
      const own = measured[task]
      if (!own)
        throw impossible(
          'tasks',
          `Run ${id} has no invocation of '${task}' that succeeded. Choose a task that it ran.`,
        )
      const old = known[task]
      return [task, { ...(old?.origin === 'measured' ? old : {}), ...own }]
    })
    if (taken.length === 0) throw impossible('run', `Run ${id} has no invocation that succeeded.`)
    const [first = ''] = (row.profile?.note ?? '').split(TAKEN)
    const note = `${first && `${first.trim()} `}${TAKEN}${wanted.join(', ')} (run ${id}, ${new Date().toISOString().slice(0, 10)})`
    const profile = {
      schema: 'hivemind.profile/1' as const,
      note,
      tasks: { ...known, ...Object.fromEntries(taken) },
    }
    await this.keep(project, profile, 'measured')
    return this.get(project)
  }

  private async keep(
    project: string,
    profile: Profile,
    origin: NonNullable<ProjectsTable['profile_origin']>,
  ) {
    await this.folders.writeReserved(project, 'profile.json', `${JSON.stringify(profile, null, 2)}\n`)
    await this.repository.setProfile(project, profile, origin, new Date())
  }

  async start(project: string, request: NewProfileJob): Promise<ProfileJob> {
    // Told at once, not by a job that fails.
    const ready = await this.reader.ready(project, request.version)
    measuredPlacements(await this.measured(project, ready), request.agents)
    return toProfileJob(await this.jobs.start(this.kind, request, project))
  }

  private async measure(request: NewProfileJob, job: JobContext): Promise<null> {
    const id = job.project ?? ''
    job.stage('Reading the version')
    const ready = await this.reader.ready(id, request.version)
    const { name, project } = ready
    const workflow = await this.measured(id, ready)
    const cpus = os.cpus()
    const note = `Measured on ${cpus[0]?.model.trim() ?? 'an unknown processor'}, ${cpus.length} cores, Node.js ${process.versions.node}, ${request.agents} agents, ${new Date().toISOString().slice(0, 10)}`
    job.stage('Measuring')
    const profile = await profileWorkflow({
      target: this.target,
      name,
      project,
      workflow,
      placements: measuredPlacements(workflow, request.agents),
      agents: request.agents,
      itemsPerDevice: request.itemsPerDevice,
      note,
      signal: job.signal,
      onProgress: (fraction, message) => {
        job.progress(fraction, message)
        job.log(message)
      },
    })
    job.signal.throwIfAborted()
    await job.artefact('profile.json', Buffer.from(JSON.stringify(profile, null, 2)), 'application/json')
    await this.keep(id, profile, 'measured')
    return null
  }

  /** The workflow as this machine measures it: what runs on edge nodes takes there as long as in the cloud. */
  private async measured(project: string, { workflow }: ReadyVersion): Promise<Workflow> {
    return withNodesInCloud(workflow, (await this.fleets.placeNames(project)).edgeNodes)
  }

  async getJob(id: string): Promise<ProfileJob> {
    return toProfileJob(await this.jobs.get(this.kind, id))
  }

  async cancel(id: string): Promise<ProfileJob> {
    await this.jobs.get(this.kind, id)
    await this.jobs.cancel(id)
    return this.getJob(id)
  }
}
