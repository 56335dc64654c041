import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { BodyOf, QueryOf } from '../common/contract.ts'
import { invalid, notFound } from '../common/problem.ts'
import { newId, slug } from '../common/text.ts'
import type { Noun } from '../database/tables.ts'
import { ExamplesService } from '../examples/examples.service.ts'
import { ProjectFolders } from '../storage/project-folders.ts'
import { Snapshots } from '../storage/snapshots.ts'
import { type ProjectRow, ProjectsRepository } from './projects.repository.ts'

const EMPTY_WORKFLOW = 'TaskGraph(list=[])\n'

function toProject(row: ProjectRow): Noun<'Project'> {
  return {
    id: row.id,
    name: row.name,
    workflowFile: row.workflow_file,
    ...(row.example === null ? {} : { example: row.example }),
    headVersion: row.head_version,
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
  }
}

@Injectable()
export class ProjectsService {
  private readonly repository: ProjectsRepository
  private readonly folders: ProjectFolders
  private readonly examples: ExamplesService
  private readonly checks: ChecksService
  private readonly snapshots: Snapshots
  private readonly cleanups: ((project: string) => Promise<void>)[] = []

  constructor(
    repository: ProjectsRepository,
    folders: ProjectFolders,
    examples: ExamplesService,
    checks: ChecksService,
    snapshots: Snapshots,
  ) {
    this.snapshots = snapshots
    this.repository = repository
    this.folders = folders
    this.examples = examples
    this.checks = checks
  }

  /** Registers what must stop before a project goes: its jobs and deployments. */
  beforeDelete(cleanup: (project: string) => Promise<void>): void {
    this.cleanups.push(cleanup)
  }

  /** Finishes or undoes creations and deletions that a crash interrupted. */
  async repairFolders(): Promise<void> {
    await this.folders.repair(async (id) => (await this.repository.find(id)) !== undefined)
  }

  async list(page: QueryOf<'listProjects'>): Promise<Noun<'Project'>[]> {
    return (await this.repository.list(page)).map(toProject)
  }

  /** Of all projects. */
  ids(): Promise<string[]> {
    return this.repository.ids()
  }

  /** Throws 404. */
  async get(id: string): Promise<Noun<'Project'>> {
    return toProject(await this.row(id))
  }

  async row(id: string): Promise<ProjectRow> {
    const row = await this.repository.find(id)
    if (!row) throw notFound('project', id)
    return row
  }

  async create({ name, example, text }: BodyOf<'createProject'>, author: string): Promise<Noun<'Project'>> {
    if (example !== undefined && text !== undefined)
      throw invalid('text', 'give either an example or a text, not both')
    const source = example === undefined ? undefined : await this.examples.source(example)
    const id = `${slug(name, 'project')}-${newId().slice(0, 6)}`
    const first = source?.text ?? text ?? EMPTY_WORKFLOW
    const workflowFile = source?.workflowFile ?? `${slug(name, 'workflow')}.hive.py`
    const now = new Date()
    await this.folders.create(id, workflowFile, first, source?.dir)
    const draft = this.folders.draftOf(id)
    try {
      if (source?.profile)
        await this.folders.writeReserved(draft, 'profile.json', JSON.stringify(source.profile, null, 2))
      const profile = source?.profile ?? null
      const files = await this.snapshots.take(draft)
      await this.repository.create(
        {
          id,
          name,
          workflow_file: workflowFile,
          example: example ?? null,
          profile,
          profile_origin: profile ? 'example' : null,
          profile_updated_at: profile ? now : null,
          created_at: now,
        },
        {
          text: first,
          layout: source?.layout ?? { nodes: {} },
          author,
          files,
          ...(await this.checks.summary(first, { project: id, files })),
        },
      )
      // Until the folder has its name, a crash is made good at the next start.
      await this.folders.publish(id)
    } catch (error) {
      await this.repository.delete(id).catch(() => {})
      await this.folders.discard(id)
      throw error
    }
    return this.get(id)
  }

  async rename(id: string, name: string): Promise<Noun<'Project'>> {
    const row = await this.repository.rename(id, name, new Date())
    if (!row) throw notFound('project', id)
    return toProject(row)
  }

  async delete(id: string): Promise<void> {
    await this.row(id)
    for (const cleanup of this.cleanups) await cleanup(id)
    await this.folders.remove(id, () => this.repository.delete(id))
  }
}
