import { Injectable } from '@nestjs/common'
import type { Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import type { JobKind, JobsTable } from '../database/tables.ts'

export type JobRow = Selectable<JobsTable>
export type JobSummaryRow = Omit<JobRow, 'result'>

const summary = [
  'id',
  'kind',
  'project_id',
  'request',
  'state',
  'progress',
  'message',
  'created_at',
  'ended_at',
] as const

@Injectable()
export class JobsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  async add(row: JobSummaryRow): Promise<void> {
    await this.database.db
      .insertInto('jobs')
      .values({ ...row, request: JSON.stringify(row.request), result: null })
      .execute()
  }

  find(kind: JobKind, id: string): Promise<JobRow | undefined> {
    return this.database.db
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', id)
      .where('kind', '=', kind)
      .executeTakeFirst()
  }

  list(kind: JobKind, project: string): Promise<JobSummaryRow[]> {
    return this.database.db
      .selectFrom('jobs')
      .select(summary)
      .where('project_id', '=', project)
      .where('kind', '=', kind)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()
  }

  async update(row: JobSummaryRow, result?: JobRow['result']): Promise<void> {
    await this.database.db
      .updateTable('jobs')
      .set({
        state: row.state,
        progress: row.progress,
        message: row.message,
        ended_at: row.ended_at,
        ...(result ? { result: JSON.stringify(result) } : {}),
      })
      .where('id', '=', row.id)
      .execute()
  }

  /** What was under way when an earlier service ended has failed. */
  async failInterrupted(message: string, at: Date): Promise<void> {
    await this.database.db
      .updateTable('jobs')
      .set({ state: 'failed', message, ended_at: at })
      .where('state', 'in', ['queued', 'running'])
      .execute()
  }
}
