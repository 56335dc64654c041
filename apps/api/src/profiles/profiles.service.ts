import os from 'node:os'
import { profileWorkflow, type Target } from '@hivemind/deploy'
import { tiersOf } from '@hivemind/placement'
import { assumedProfile, completeProfile, estimatedTiers, localFleet, type Placement } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import { Inject, Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { BodyOf } from '../common/contract.ts'
import { impossible } from '../common/problem.ts'
import type { Noun, ProjectsTable } from '../database/tables.ts'
import { TARGET } from '../deployments/target.ts'
import { EventsService } from '../events/events.service.ts'
import type { JobSummaryRow } from '../jobs/jobs.repository.ts'
import { JobsService, toJob } from '../jobs/jobs.service.ts'
import { ProjectReader } from '../projects/project-reader.ts'
import { ProjectsRepository } from '../projects/projects.repository.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { ProjectFolders } from '../storage/project-folders.ts'
import { VersionsService } from '../versions/versions.service.ts'

type ProfileJob = Noun<'ProfileJob'>
type Profile = Noun<'ProjectProfile'>['profile']

const toProfileJob = (row: JobSummaryRow): ProfileJob => ({
  id: row.id,
  project: row.project_id,
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
  private readonly jobs: JobsService
  private readonly events: EventsService

  constructor(
    @Inject(TARGET) target: Target,
    projects: ProjectsService,
    repository: ProjectsRepository,
    versions: VersionsService,
    checks: ChecksService,
    reader: ProjectReader,
    folders: ProjectFolders,
    jobs: JobsService,
    events: EventsService,
  ) {
    this.target = target
    this.projects = projects
    this.repository = repository
    this.versions = versions
    this.checks = checks
    this.reader = reader
    this.folders = folders
    this.jobs = jobs
    this.events = events
  }

  /** The stored profile completed with assumptions for the newest version's tasks, or assumptions alone. */
  async get(project: string): Promise<Noun<'ProjectProfile'>> {
    const row = await this.projects.row(project)
    const { text } = await this.versions.get(project, row.head_version)
    const { workflow } = this.checks.check(text, project)
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

  private async keep(
    project: string,
    profile: Profile,
    origin: NonNullable<ProjectsTable['profile_origin']>,
  ) {
    await this.folders.writeReserved(project, 'profile.json', `${JSON.stringify(profile, null, 2)}\n`)
    await this.repository.setProfile(project, profile, origin, new Date())
  }

  async start(project: string, request: BodyOf<'startProfile'>): Promise<ProfileJob> {
    const { name, workflow, project: files } = await this.reader.ready(project, request.version)
    const placements = measuredPlacements(workflow, request.agents)
    const cpus = os.cpus()
    const note = `Measured on ${cpus[0]?.model.trim() ?? 'an unknown processor'}, ${cpus.length} cores, Node.js ${process.versions.node}, ${request.agents} agents, ${new Date().toISOString().slice(0, 10)}`
    const row = await this.jobs.start({
      kind: 'profile',
      project,
      request,
      work: async (signal, progress) => {
        const profile = await profileWorkflow({
          target: this.target,
          name,
          project: files,
          workflow,
          placements,
          agents: request.agents,
          itemsPerDevice: request.itemsPerDevice,
          note,
          signal,
          onProgress: progress,
        })
        if (!signal.aborted) await this.keep(project, profile, 'measured')
        return null
      },
      publish: (changed) =>
        this.events.publish([`project:${project}`], { type: 'profile', profile: toProfileJob(changed) }),
    })
    return toProfileJob(row)
  }

  async getJob(id: string): Promise<ProfileJob> {
    return toProfileJob(await this.jobs.get('profile', 'profile job', id))
  }

  async cancel(id: string): Promise<ProfileJob> {
    return toProfileJob(await this.jobs.cancel('profile', 'profile job', id))
  }
}
