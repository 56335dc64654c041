import { Injectable } from '@nestjs/common'
import type { Kysely, Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import type { Tables, VersionFile, VersionsTable } from '../database/tables.ts'

export type VersionRow = Selectable<VersionsTable>
const summary = [
  'project_id',
  'number',
  'message',
  'created_at',
  'tasks',
  'errors',
  'author',
  'files_from',
] as const

/** Rows of one insert; PostgreSQL takes at most 65,535 parameters. */
const MAX_ROWS = 2_000

/** Adds the files of a version. */
export async function insertFiles(
  db: Kysely<Tables>,
  project: string,
  number: number,
  files: readonly VersionFile[],
): Promise<void> {
  for (let from = 0; from < files.length; from += MAX_ROWS)
    await db
      .insertInto('version_files')
      .values(
        files.slice(from, from + MAX_ROWS).map(({ path, hash, bytes }) => ({
          project_id: project,
          number,
          path,
          hash,
          bytes,
        })),
      )
      .execute()
}

@Injectable()
export class VersionsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  /** By page, newest first; behind the version `after`. */
  list(
    project: string,
    { limit, after }: { limit: number; after?: number | undefined },
  ): Promise<Pick<VersionRow, (typeof summary)[number]>[]> {
    return this.database.db
      .selectFrom('versions')
      .select(summary)
      .where('project_id', '=', project)
      .$if(after !== undefined, (query) => query.where('number', '<', after as number))
      .orderBy('number', 'desc')
      .limit(limit)
      .execute()
  }

  find(project: string, number: number): Promise<VersionRow | undefined> {
    return this.database.db
      .selectFrom('versions')
      .selectAll()
      .where('project_id', '=', project)
      .where('number', '=', number)
      .executeTakeFirst()
  }

  /** The workflow file of a project and the text of its newest version. */
  head(project: string): Promise<{ workflow_file: string; text: string } | undefined> {
    return this.database.db
      .selectFrom('projects')
      .innerJoin('versions', (join) =>
        join
          .onRef('versions.project_id', '=', 'projects.id')
          .onRef('versions.number', '=', 'projects.head_version'),
      )
      .select(['projects.workflow_file', 'versions.text'])
      .where('projects.id', '=', project)
      .executeTakeFirst()
  }

  files(project: string, number: number): Promise<VersionFile[]> {
    return this.database.db
      .selectFrom('version_files')
      .select(['path', 'hash', 'bytes'])
      .where('project_id', '=', project)
      .where('number', '=', number)
      .orderBy('path')
      .execute()
  }

  /** Every hash that a version of any project refers to. */
  async hashes(): Promise<string[]> {
    const rows = await this.database.db.selectFrom('version_files').select('hash').distinct().execute()
    return rows.map(({ hash }) => hash)
  }

  /** Projects with versions whose files were never kept. */
  async projectsWithoutFiles(): Promise<string[]> {
    const rows = await this.database.db
      .selectFrom('versions')
      .select('project_id')
      .distinct()
      .where('files_from', 'is', null)
      .execute()
    return rows.map((row) => row.project_id)
  }

  /** Gives these files to every version of a project that has none of its own. */
  async adopt(project: string, files: readonly VersionFile[]): Promise<void> {
    await this.database.db.transaction().execute(async (db) => {
      const rows = await db
        .updateTable('versions')
        .set({ files_from: 'adopted' })
        .where('project_id', '=', project)
        .where('files_from', 'is', null)
        .returning('number')
        .execute()
      for (const { number } of rows) await insertFiles(db, project, number, files)
    })
  }

  /**
   * Adds version `base + 1`, when `base` still is the newest; `null` when it is not. The project's row decides: of two
   * that save at the same time, the update of one finds the number changed.
   */
  save(
    row: Omit<VersionRow, 'number' | 'files_from'>,
    base: number,
    files: readonly VersionFile[],
  ): Promise<VersionRow | null> {
    return this.database.db.transaction().execute(async (db) => {
      const head = await db
        .updateTable('projects')
        .set({ head_version: base + 1, updated_at: row.created_at })
        .where('id', '=', row.project_id)
        .where('head_version', '=', base)
        .returning('head_version')
        .executeTakeFirst()
      if (!head) return null
      const saved = await db
        .insertInto('versions')
        .values({
          ...row,
          layout: JSON.stringify(row.layout),
          number: head.head_version,
          files_from: 'saved',
        })
        .returningAll()
        .executeTakeFirstOrThrow()
      await insertFiles(db, row.project_id, head.head_version, files)
      return saved
    })
  }
}
