import { BlobError, BlobStore } from '@hivemind/values/node'
import { Injectable } from '@nestjs/common'
import { ChecksService } from '../checks/checks.service.ts'
import type { BodyOf, QueryOf } from '../common/contract.ts'
import { log } from '../common/log.ts'
import { conflict, impossible, notFound } from '../common/problem.ts'
import { keepTrying } from '../common/storage-errors.ts'
import { Turns } from '../common/turns.ts'
import type { Noun, VersionFile } from '../database/tables.ts'
import { ProjectsService } from '../projects/projects.service.ts'
import { Housekeeping } from '../storage/housekeeping.ts'
import { ProjectFolders } from '../storage/project-folders.ts'
import { Snapshots } from '../storage/snapshots.ts'
import { changesOf } from './changes.ts'
import { type VersionRow, VersionsRepository } from './versions.repository.ts'

function toSummary(row: Omit<VersionRow, 'text' | 'layout'>): Noun<'VersionSummary'> {
  return {
    number: row.number,
    message: row.message,
    author: row.author,
    createdAt: row.created_at.toISOString(),
    tasks: row.tasks,
    errors: row.errors,
    filesFrom: row.files_from ?? 'adopted',
  }
}

const toVersion = (row: VersionRow, files: VersionFile[]): Noun<'Version'> => ({
  ...toSummary(row),
  text: row.text,
  layout: row.layout,
  files,
})

@Injectable()
export class VersionsService {
  private readonly repository: VersionsRepository
  private readonly projects: ProjectsService
  private readonly folders: ProjectFolders
  private readonly snapshots: Snapshots
  private readonly blobs: BlobStore
  private readonly checks: ChecksService
  /** The last change of each project's folder: one at a time, so that the newest stays. */
  private readonly turns = new Turns()
  private readonly stopping = new AbortController()

  constructor(
    repository: VersionsRepository,
    projects: ProjectsService,
    folders: ProjectFolders,
    snapshots: Snapshots,
    blobs: BlobStore,
    checks: ChecksService,
    housekeeping: Housekeeping,
  ) {
    this.repository = repository
    this.projects = projects
    this.folders = folders
    this.snapshots = snapshots
    this.blobs = blobs
    this.checks = checks
    housekeeping.addUse(() => repository.hashes())
  }

  /** Versions of before they had files of their own get those that their project has now, and say so (`filesFrom`). */
  async adoptFiles(): Promise<void> {
    for (const project of await this.repository.projectsWithoutFiles()) {
      await this.repository.adopt(project, await this.snapshots.take(project))
      log.info({ project }, 'Versions saved before files were kept have the files of today.')
    }
  }

  async list(project: string, page: QueryOf<'listVersions'>): Promise<Noun<'VersionSummary'>[]> {
    await this.projects.row(project)
    return (await this.repository.list(project, page)).map(toSummary)
  }

  /** Throws 404. */
  async get(project: string, number: number): Promise<Noun<'Version'>> {
    const row = await this.repository.find(project, number)
    if (row) return toVersion(row, await this.repository.files(project, number))
    await this.projects.row(project)
    throw notFound('version', number)
  }

  /** The version that a request's body names; a 422 over `version` when there is none. */
  async named(project: string, number: number): Promise<Noun<'Version'>> {
    const row = await this.repository.find(project, number)
    if (row) return toVersion(row, await this.repository.files(project, number))
    await this.projects.row(project)
    throw impossible('version', `The project has no version ${number}.`)
  }

  /** Saves the text, and the files as they are in the project's folder. Throws 409 when `base` is not the newest. */
  async save(project: string, body: BodyOf<'saveVersion'>, author: string): Promise<Noun<'Version'>> {
    await this.projects.row(project)
    return this.turns.run(project, async () => {
      const files = await this.snapshots.take(project)
      const version = await this.add(project, { ...body, author, files })
      await this.writeText(project)
      return version
    })
  }

  private async add(
    project: string,
    {
      base,
      text,
      layout,
      message,
      author,
      files,
    }: BodyOf<'saveVersion'> & { author: string; files: VersionFile[] },
  ): Promise<Noun<'Version'>> {
    const row = await this.repository.save(
      {
        project_id: project,
        message,
        text,
        layout,
        ...(await this.checks.summary(text, { project, files })),
        author,
        created_at: new Date(),
      },
      base,
      files,
    )
    if (row) return toVersion(row, files)
    throw await this.stale(project, base)
  }

  private async stale(project: string, base: number) {
    const { headVersion } = await this.projects.get(project)
    return conflict(
      `Version ${base} no longer is the newest: version ${headVersion} has been saved since. Nothing was overwritten.`,
      [{ field: 'base', message: `the newest version is ${headVersion}` }],
    )
  }

  /**
   * Adds a version with the text and files of an old one, and restores those files in the project's folder. File changes
   * that no version has are saved as a version of their own first. Throws 404 and, when `base` is not the newest, 409.
   */
  async rollBack(
    project: string,
    number: number,
    { base }: BodyOf<'rollBack'>,
    author: string,
  ): Promise<Noun<'Version'>> {
    const wanted = await this.get(project, number)
    return this.turns.run(project, async () => {
      const head = await this.get(project, (await this.projects.row(project)).head_version)
      if (head.number !== base) throw await this.stale(project, base)
      const now = await this.snapshots.take(project)
      const unsaved = changesOf(head.files, now).length > 0
      if (unsaved)
        await this.add(project, {
          base,
          text: head.text,
          layout: head.layout,
          message: `File changes before rolling back to version ${number}`,
          author,
          files: now,
        })
      await this.snapshots.restore(project, wanted.files)
      const version = await this.add(project, {
        base: unsaved ? base + 1 : base,
        text: wanted.text,
        layout: wanted.layout,
        message: `Roll back to version ${number}`,
        author,
        files: wanted.files,
      })
      await this.writeText(project)
      return version
    })
  }

  /** What a version changed against another, by default the one before it. Throws 404. */
  async changes(project: string, number: number, from = number - 1): Promise<Noun<'VersionChanges'>> {
    const after = await this.get(project, number)
    const before = from > 0 ? await this.get(project, from) : { text: '', files: [] }
    return {
      from,
      version: number,
      text: before.text !== after.text,
      files: changesOf(before.files, after.files),
    }
  }

  /** Changes of the project's files that no version has yet. Throws 404. */
  async unsaved(project: string): Promise<Noun<'UnsavedFiles'>> {
    const { head_version: version } = await this.projects.row(project)
    const files = changesOf(await this.repository.files(project, version), await this.snapshots.look(project))
    return { version, files }
  }

  /** The content of a file as a version has it. Throws 404. */
  async file(project: string, number: number, path: string): Promise<Buffer> {
    const { files } = await this.get(project, number)
    const file = files.find((each) => each.path === path)
    if (!file) throw notFound('file', path)
    return this.blobs.bytes(file.hash).catch((error: unknown) => {
      throw error instanceof BlobError ? conflict(`'${path}' of version ${number}: ${error.message}`) : error
    })
  }

  /**
   * Makes the project's `.hive.py` file the text of the newest version. The file follows the database: a version is saved
   * also when the file cannot be written now. Resolves when it has been tried; goes on trying while the disk is full.
   */
  private async writeText(project: string): Promise<void> {
    let tried = () => {}
    const firstAttempt = new Promise<void>((resolve) => {
      tried = resolve
    })
    const write = async () => {
      try {
        for (;;) {
          const head = await this.repository.head(project)
          if (!head || (await this.folders.holds(project, head.workflow_file, head.text))) return
          await this.folders.writeReserved(project, head.workflow_file, head.text)
        }
      } finally {
        tried()
      }
    }
    keepTrying(write, {
      what: `The workflow file of project ${project}`,
      signal: this.stopping.signal,
    }).catch((error: unknown) =>
      log.error({ project, err: error }, 'The workflow file is behind the newest version.'),
    )
    await firstAttempt
  }

  /** Brings workflow files up to date that a crash left behind the newest version. */
  async repairTexts(): Promise<void> {
    for (const id of await this.projects.ids()) await this.writeText(id)
  }

  /** Ends what is still to be written later. */
  stop(): void {
    this.stopping.abort()
  }
}
