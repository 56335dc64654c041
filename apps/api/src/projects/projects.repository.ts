import { Injectable } from '@nestjs/common'
import type { Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import { behind, type Listed, type Page } from '../database/pages.ts'
import type { Noun, ProjectsTable, VersionFile } from '../database/tables.ts'
import { insertFiles } from '../versions/versions.repository.ts'

export type ProjectRow = Selectable<ProjectsTable>
type ProfileOrigin = NonNullable<ProjectsTable['profile_origin']>

export interface FirstVersion {
  text: string
  layout: Noun<'Layout'>
  tasks: number
  errors: number
  author: string
  files: readonly VersionFile[]
}

const PROJECTS: Listed = { table: 'projects', time: 'updated_at', noun: 'project' }

@Injectable()
export class ProjectsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  async list({ limit, after }: Page): Promise<ProjectRow[]> {
    return this.database.db
      .selectFrom('projects')
      .selectAll()
      .where(await behind(this.database.db, PROJECTS, after))
      .orderBy('updated_at', 'desc')
      .orderBy('id')
      .limit(limit)
      .execute()
  }

  async ids(): Promise<string[]> {
    return (await this.database.db.selectFrom('projects').select('id').execute()).map(({ id }) => id)
  }

  find(id: string): Promise<ProjectRow | undefined> {
    return this.database.db.selectFrom('projects').selectAll().where('id', '=', id).executeTakeFirst()
  }

  async create(row: Omit<ProjectRow, 'head_version' | 'updated_at'>, first: FirstVersion): Promise<void> {
    await this.database.db.transaction().execute(async (db) => {
      await db
        .insertInto('projects')
        .values({
          ...row,
          profile: row.profile === null ? null : JSON.stringify(row.profile),
          head_version: 1,
          updated_at: row.created_at,
        })
        .execute()
      await db
        .insertInto('versions')
        .values({
          project_id: row.id,
          number: 1,
          message: '',
          text: first.text,
          layout: JSON.stringify(first.layout),
          tasks: first.tasks,
          errors: first.errors,
          created_at: row.created_at,
          author: first.author,
          files_from: 'saved',
        })
        .execute()
      await insertFiles(db, row.id, 1, first.files)
    })
  }

  rename(id: string, name: string, at: Date): Promise<ProjectRow | undefined> {
    return this.database.db
      .updateTable('projects')
      .set({ name, updated_at: at })
      .where('id', '=', id)
      .returningAll()
      .executeTakeFirst()
  }

  async setProfile(id: string, profile: Noun<'ProjectProfile'>['profile'], origin: ProfileOrigin, at: Date) {
    await this.database.db
      .updateTable('projects')
      .set({
        profile: JSON.stringify(profile),
        profile_origin: origin,
        profile_updated_at: at,
        updated_at: at,
      })
      .where('id', '=', id)
      .execute()
  }

  async delete(id: string): Promise<void> {
    await this.database.db.deleteFrom('projects').where('id', '=', id).execute()
  }
}
