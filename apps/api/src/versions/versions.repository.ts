import { Injectable } from '@nestjs/common'
import type { Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import type { VersionsTable } from '../database/tables.ts'

export type VersionRow = Selectable<VersionsTable>
const summary = ['project_id', 'number', 'message', 'created_at', 'tasks', 'errors'] as const

@Injectable()
export class VersionsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  list(project: string): Promise<Pick<VersionRow, (typeof summary)[number]>[]> {
    return this.database.db
      .selectFrom('versions')
      .select(summary)
      .where('project_id', '=', project)
      .orderBy('number', 'desc')
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

  /**
   * Adds version `base + 1`, when `base` still is the newest; `null` when it is not. The project's row decides: of two
   * that save at the same time, the update of one finds the number changed.
   */
  save(row: Omit<VersionRow, 'number'>, base: number): Promise<VersionRow | null> {
    return this.database.db.transaction().execute(async (db) => {
      const head = await db
        .updateTable('projects')
        .set({ head_version: base + 1, updated_at: row.created_at })
        .where('id', '=', row.project_id)
        .where('head_version', '=', base)
        .returning('head_version')
        .executeTakeFirst()
      if (!head) return null
      return db
        .insertInto('versions')
        .values({ ...row, layout: JSON.stringify(row.layout), number: head.head_version })
        .returningAll()
        .executeTakeFirstOrThrow()
    })
  }
}
