import { Injectable } from '@nestjs/common'
import type { Selectable } from 'kysely'
import { Database } from '../database/database.ts'
import { behind, type Listed, type Page } from '../database/pages.ts'
import type { JobArtefactsTable, JobsTable, Noun } from '../database/tables.ts'
import type { Numbered } from '../events/merge.ts'

export type JobRow = Selectable<JobsTable>
export type JobSummaryRow = Omit<JobRow, 'result'>
type JobLogLine = Noun<'JobLogLine'>
type Artefact = Omit<Selectable<JobArtefactsTable>, 'job_id'>

const summary = [
  'id',
  'kind',
  'project_id',
  'request',
  'state',
  'stage',
  'progress',
  'message',
  'created_at',
  'ended_at',
] as const

/** Which jobs to list, newest first. */
export interface JobQuery extends Page {
  kind?: string | undefined
  project?: string | undefined
}

const JOBS: Listed = { table: 'jobs', time: 'created_at', noun: 'job' }

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

  find(id: string): Promise<JobRow | undefined> {
    return this.database.db.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst()
  }

  async list({ kind, project, limit, after }: JobQuery): Promise<JobSummaryRow[]> {
    const { db } = this.database
    let query = db
      .selectFrom('jobs')
      .select(summary)
      .where(await behind(db, JOBS, after))
    if (kind !== undefined) query = query.where('kind', '=', kind)
    if (project !== undefined) query = query.where('project_id', '=', project)
    return query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
  }

  async update(row: JobSummaryRow, result?: unknown): Promise<void> {
    await this.database.db
      .updateTable('jobs')
      .set({
        state: row.state,
        stage: row.stage,
        progress: row.progress,
        message: row.message,
        ended_at: row.ended_at,
        ...(result === undefined || result === null ? {} : { result: JSON.stringify(result) }),
      })
      .where('id', '=', row.id)
      .execute()
  }

  async addLog(job: string, lines: readonly Numbered<JobLogLine>[]): Promise<void> {
    if (lines.length === 0) return
    await this.database.db
      .insertInto('job_log')
      .values(lines.map(({ id, event: { at, level, text } }) => ({ job_id: job, id, at, level, text })))
      .execute()
  }

  async log(job: string, after: number, limit: number): Promise<Numbered<JobLogLine>[]> {
    const rows = await this.database.db
      .selectFrom('job_log')
      .selectAll()
      .where('job_id', '=', job)
      .where('id', '>', after)
      .orderBy('id')
      .limit(limit)
      .execute()
    return rows.map(({ id, at, level, text }) => ({ id: Number(id), event: { at, level, text } }))
  }

  async addArtefact(job: string, artefact: Artefact): Promise<void> {
    const { type, hash, bytes } = artefact
    await this.database.db
      .insertInto('job_artefacts')
      .values({ job_id: job, ...artefact })
      .onConflict((conflict) => conflict.columns(['job_id', 'name']).doUpdateSet({ type, hash, bytes }))
      .execute()
  }

  artefacts(job: string): Promise<Artefact[]> {
    return this.database.db
      .selectFrom('job_artefacts')
      .select(['name', 'type', 'hash', 'bytes'])
      .where('job_id', '=', job)
      .orderBy('name')
      .execute()
  }

  /** Every hash that an artefact refers to. */
  async hashes(): Promise<string[]> {
    const rows = await this.database.db.selectFrom('job_artefacts').select('hash').distinct().execute()
    return rows.map(({ hash }) => hash)
  }

  /** What was under way when an earlier service ended has failed; returns those jobs. */
  failInterrupted(message: string, at: Date): Promise<JobSummaryRow[]> {
    return this.database.db
      .updateTable('jobs')
      .set({ state: 'failed', message, ended_at: at })
      .where('state', 'in', ['queued', 'running'])
      .returning(summary)
      .execute()
  }
}
