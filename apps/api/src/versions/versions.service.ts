import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { BodyOf } from '../common/contract.ts'
import { conflict, impossible, notFound } from '../common/problem.ts'
import type { Noun } from '../database/tables.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { ProjectFolders } from '../storage/project-folders.ts'
import { type VersionRow, VersionsRepository } from './versions.repository.ts'

function toSummary(row: Omit<VersionRow, 'text' | 'layout'>): Noun<'VersionSummary'> {
  return {
    number: row.number,
    message: row.message,
    createdAt: row.created_at.toISOString(),
    tasks: row.tasks,
    errors: row.errors,
  }
}

const toVersion = (row: VersionRow): Noun<'Version'> => ({
  ...toSummary(row),
  text: row.text,
  layout: row.layout,
})

@Injectable()
export class VersionsService {
  private readonly repository: VersionsRepository
  private readonly projects: ProjectsService
  private readonly folders: ProjectFolders
  private readonly checks: ChecksService
  /** The last writing of each project's text file: one at a time, so that the newest stays. */
  private readonly writing = new Map<string, Promise<void>>()

  constructor(
    repository: VersionsRepository,
    projects: ProjectsService,
    folders: ProjectFolders,
    checks: ChecksService,
  ) {
    this.repository = repository
    this.projects = projects
    this.folders = folders
    this.checks = checks
  }

  async list(project: string): Promise<Noun<'VersionSummary'>[]> {
    await this.projects.row(project)
    return (await this.repository.list(project)).map(toSummary)
  }

  /** Throws 404. */
  async get(project: string, number: number): Promise<Noun<'Version'>> {
    const row = await this.repository.find(project, number)
    if (row) return toVersion(row)
    await this.projects.row(project)
    throw notFound('version', number)
  }

  /** The version that a request's body names; a 422 over `version` when there is none. */
  async named(project: string, number: number): Promise<Noun<'Version'>> {
    const row = await this.repository.find(project, number)
    if (row) return toVersion(row)
    await this.projects.row(project)
    throw impossible('version', `The project has no version ${number}.`)
  }

  async save(project: string, body: BodyOf<'saveVersion'>): Promise<Noun<'Version'>> {
    await this.projects.row(project)
    const row = await this.repository.save(
      {
        project_id: project,
        message: body.message,
        text: body.text,
        layout: body.layout,
        ...this.checks.summary(body.text, project),
        created_at: new Date(),
      },
      body.base,
    )
    if (!row) {
      const { headVersion } = await this.projects.get(project)
      throw conflict(
        `Version ${body.base} no longer is the newest: version ${headVersion} has been saved since. Nothing was overwritten.`,
        [{ field: 'base', message: `the newest version is ${headVersion}` }],
      )
    }
    await this.writeHead(project)
    return toVersion(row)
  }

  /** Writes the newest version's text to the project's `.hive.py` file. */
  async writeHead(project: string): Promise<void> {
    const before = this.writing.get(project) ?? Promise.resolve()
    const now = before
      .catch(() => {})
      .then(async () => {
        const { workflowFile, headVersion } = await this.projects.get(project)
        const { text } = await this.get(project, headVersion)
        await this.folders.writeReserved(project, workflowFile, text)
      })
    this.writing.set(project, now)
    try {
      await now
    } finally {
      if (this.writing.get(project) === now) this.writing.delete(project)
    }
  }
}
