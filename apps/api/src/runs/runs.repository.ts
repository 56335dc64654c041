import type { RunEvent, RunResult } from '@hivemind/orchestrator'
import { Injectable } from '@nestjs/common'
import type { Insertable, Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import type { RunEventsTable, RunsTable } from '../database/tables.ts'

export type RunRow = Selectable<RunsTable>
export type RunSummaryRow = Omit<RunRow, 'result'>

const summary = [
  'id',
  'project_id',
  'deployment_id',
  'request',
  'state',
  'message',
  'created_at',
  'ended_at',
] as const
/** Rows of one insert; PostgreSQL takes at most 65,535 parameters. */
const MOST_ROWS = 2_000

@Injectable()
export class RunsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  async add(row: RunSummaryRow): Promise<void> {
    await this.database.db
      .insertInto('runs')
      .values({ ...row, request: JSON.stringify(row.request), result: null })
      .execute()
  }

  find(id: string): Promise<RunRow | undefined> {
    return this.database.db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
  }

  list(project: string): Promise<RunSummaryRow[]> {
    return this.database.db
      .selectFrom('runs')
      .select(summary)
      .where('project_id', '=', project)
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()
  }

  /** Keeps a state on the way; one that has ended stays as it is. */
  async setState(row: RunSummaryRow): Promise<void> {
    await this.database.db
      .updateTable('runs')
      .set({ state: row.state, message: row.message })
      .where('id', '=', row.id)
      .where('ended_at', 'is', null)
      .execute()
  }

  /** Writes the whole result; of the events only the log is still needed then. */
  async finish(row: RunSummaryRow, result: RunResult): Promise<void> {
    await this.database.db.transaction().execute(async (db) => {
      await db
        .updateTable('runs')
        .set({
          state: row.state,
          message: row.message,
          ended_at: row.ended_at,
          result: JSON.stringify(result),
        })
        .where('id', '=', row.id)
        .execute()
      await db.deleteFrom('run_events').where('run_id', '=', row.id).where('kind', '!=', 'log').execute()
    })
  }

  async addEvents(rows: Insertable<RunEventsTable>[]): Promise<void> {
    await this.database.db.transaction().execute(async (db) => {
      for (let from = 0; from < rows.length; from += MOST_ROWS)
        await db
          .insertInto('run_events')
          .values(rows.slice(from, from + MOST_ROWS))
          .execute()
    })
  }

  async events(run: string): Promise<RunEvent[]> {
    const rows = await this.database.db
      .selectFrom('run_events')
      .select('event')
      .where('run_id', '=', run)
      .orderBy('seq')
      .execute()
    return rows.map((row) => row.event)
  }

  async failInterrupted(message: string, at: Date): Promise<void> {
    await this.database.db
      .updateTable('runs')
      .set({ state: 'failed', message, ended_at: at })
      .where('state', 'in', ['queued', 'starting', 'running'])
      .execute()
  }
}
