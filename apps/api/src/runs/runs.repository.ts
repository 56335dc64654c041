import type { RunEvent, RunOutput, RunSummary, Span, TaskStatistics } from '@hivemind/orchestrator'
import { Injectable } from '@nestjs/common'
import { type Selectable, type SqlBool, sql } from 'kysely'
import { Database } from '../database/database.ts'
import { behind, type Listed, type Page } from '../database/pages.ts'
import type { RunsTable } from '../database/tables.ts'
import type { Numbered } from '../events/merge.ts'
import type { Batch } from './run-journal.ts'
import { insertSpans, type NumberedSpan, spanOf } from './span-rows.ts'

export type RunRow = Selectable<RunsTable>
export type RunSummaryRow = Omit<RunRow, 'result' | 'statistics' | 'span_count' | 'output_count'>

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
const MAX_ROWS = 2_000
/** Rows read at a time where all are wanted. */
const PAGE = 5_000

/** Which spans of a run to read. */
export interface SpanQuery {
  /** Only those of later events. */
  after?: number
  limit?: number
  task?: string | undefined
  status?: Span['status'] | undefined
  /** Of the items of each device only every so many-th; spans of the whole swarm are always read. */
  everyItem?: number
}

/** What is kept of a run that has ended. */
export interface RunEnd {
  /** Without outputs. */
  result: RunSummary
  statistics: TaskStatistics[]
  spanCount: number
  outputCount: number
}

/** Which runs of a project are listed: a page of those that match. */
export interface RunQuery extends Page {
  state?: RunSummary['state'] | undefined
  version?: number | undefined
  /** Looked for in message, target and id, in either case. */
  text?: string | undefined
}

/** A run in a list. Figures are `null` until they are written; the times are ms since 1970, 0 where it never got there. */
export type ListedRunRow = RunSummaryRow & {
  version: number
  target: string | null
  started_ms: number | null
  ended_ms: number | null
  invocations: number | null
  failed: number | null
}

/** A field of what the deployment of a run was asked for. */
const deployed = (field: string) =>
  sql<string | null>`(select request ->> ${sql.lit(field)} from deployments where id = runs.deployment_id)`
const VERSION = sql<number>`(${deployed('version')})::int`
const TARGET = deployed('target')
const FAILED = sql<number | null>`(
  select sum((each ->> 'failed')::int)::int from json_array_elements(statistics) as each
)`

const RUNS: Listed = { table: 'runs', time: 'created_at', noun: 'run' }

@Injectable()
export class RunsRepository {
  private readonly database: Database

  constructor(database: Database) {
    this.database = database
  }

  async add(row: RunSummaryRow): Promise<void> {
    await this.database.db
      .insertInto('runs')
      .values({
        ...row,
        request: JSON.stringify(row.request),
        result: null,
        statistics: null,
        span_count: 0,
        output_count: 0,
      })
      .execute()
  }

  find(id: string): Promise<RunRow | undefined> {
    return this.database.db.selectFrom('runs').selectAll().where('id', '=', id).executeTakeFirst()
  }

  async list(project: string, { limit, after, state, version, text }: RunQuery): Promise<ListedRunRow[]> {
    let query = this.database.db
      .selectFrom('runs')
      .select(summary)
      .select([
        VERSION.as('version'),
        TARGET.as('target'),
        sql<number | null>`(result ->> 'startedAt')::float8`.as('started_ms'),
        sql<number | null>`(result ->> 'endedAt')::float8`.as('ended_ms'),
        sql<number | null>`case when statistics is not null then span_count end`.as('invocations'),
        FAILED.as('failed'),
      ])
      .where('project_id', '=', project)
      .where(await behind(this.database.db, RUNS, after))
    if (state !== undefined) query = query.where('state', '=', state)
    if (version !== undefined) query = query.where(VERSION, '=', version)
    if (text !== undefined)
      query = query.where(
        sql<SqlBool>`strpos(lower(concat_ws(chr(10), message, ${TARGET}, id)), lower(${text})) > 0`,
      )
    return query.orderBy('created_at', 'desc').orderBy('id').limit(limit).execute()
  }

  /** The runs of a deployment that succeeded, newest first. */
  succeeded(deployment: string): Promise<RunSummaryRow[]> {
    return this.database.db
      .selectFrom('runs')
      .select(summary)
      .where('deployment_id', '=', deployment)
      .where('state', '=', 'succeeded')
      .orderBy('created_at', 'desc')
      .orderBy('id')
      .execute()
  }

  async ids(project: string): Promise<string[]> {
    const rows = await this.database.db
      .selectFrom('runs')
      .select('id')
      .where('project_id', '=', project)
      .execute()
    return rows.map(({ id }) => id)
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

  /** Writes how a run ended. Its outputs, logs and spans are kept already. */
  async finish(row: RunSummaryRow, { result, statistics, spanCount, outputCount }: RunEnd): Promise<void> {
    await this.database.db
      .updateTable('runs')
      .set({
        state: row.state,
        message: row.message,
        ended_at: row.ended_at,
        result: JSON.stringify(result),
        statistics: JSON.stringify(statistics),
        span_count: spanCount,
        output_count: outputCount,
      })
      .where('id', '=', row.id)
      .execute()
  }

  /** Keeps the figures of a run that did not live to write them. */
  async setFigures(id: string, statistics: TaskStatistics[], spanCount: number): Promise<void> {
    await this.database.db
      .updateTable('runs')
      .set({ statistics: JSON.stringify(statistics), span_count: spanCount })
      .where('id', '=', id)
      .execute()
  }

  async addEvents(run: string, { spans, events }: Batch): Promise<void> {
    await this.database.db.transaction().execute(async (db) => {
      await insertSpans(db, run, spans)
      const { last } = await db
        .selectFrom('run_events')
        .select((eb) => eb.fn.max('seq').as('last'))
        .where('run_id', '=', run)
        .executeTakeFirstOrThrow()
      // `max` of no rows is null.
      const first = (last ?? -1) + 1
      for (let from = 0; from < events.length; from += MAX_ROWS)
        await db
          .insertInto('run_events')
          .values(
            events.slice(from, from + MAX_ROWS).map(({ id, event }, index) => ({
              run_id: run,
              seq: first + from + index,
              id,
              kind: event.type,
              event: JSON.stringify(event),
            })),
          )
          .execute()
    })
  }

  /** All events but spans and outputs, in order. */
  async events(run: string): Promise<RunEvent[]> {
    const rows = await this.database.db
      .selectFrom('run_events')
      .select('event')
      .where('run_id', '=', run)
      .where('kind', '!=', 'output')
      .orderBy('seq')
      .execute()
    return rows.map((row) => row.event)
  }

  /** Events but spans after an id, in order of ids. */
  async *eventsAfter(run: string, id: number): AsyncGenerator<Numbered<RunEvent>> {
    for (let last = id; ; ) {
      const rows = await this.database.db
        .selectFrom('run_events')
        .select(['id', 'event'])
        .where('run_id', '=', run)
        .where('id', '>', last)
        .orderBy('id')
        .limit(PAGE)
        .execute()
      for (const { id: own, event } of rows) {
        last = Number(own)
        yield { id: last, event }
      }
      if (rows.length < PAGE) return
    }
  }

  /** The newest outputs, oldest first, and how many there are. */
  async outputs(run: string, limit: number): Promise<{ outputs: RunOutput[]; count: number }> {
    const own = this.database.db
      .selectFrom('run_events')
      .where('run_id', '=', run)
      .where('kind', '=', 'output')
    const rows = await own.select('event').orderBy('seq', 'desc').limit(limit).execute()
    const { count } = await own
      .select((eb) => eb.fn.countAll<number | string>().as('count'))
      .executeTakeFirstOrThrow()
    return { outputs: rows.reverse().flatMap(({ event }) => outputOf(event)), count: Number(count) }
  }

  /** Every output, in order of arrival, a page at a time. */
  async *allOutputs(run: string): AsyncGenerator<RunOutput> {
    for (let last = -1; ; ) {
      const rows = await this.database.db
        .selectFrom('run_events')
        .select(['seq', 'event'])
        .where('run_id', '=', run)
        .where('kind', '=', 'output')
        .where('seq', '>', last)
        .orderBy('seq')
        .limit(PAGE)
        .execute()
      for (const { seq, event } of rows) {
        last = seq
        yield* outputOf(event)
      }
      if (rows.length < PAGE) return
    }
  }

  /** The output of that number, from 0 in order of arrival. */
  async output(run: string, index: number): Promise<RunOutput | undefined> {
    const row = await this.database.db
      .selectFrom('run_events')
      .select('event')
      .where('run_id', '=', run)
      .where('kind', '=', 'output')
      .orderBy('seq')
      .offset(index)
      .limit(1)
      .executeTakeFirst()
    return row && outputOf(row.event)[0]
  }

  /** A page of spans in the order of their events. */
  async spans(
    run: string,
    { after = -1, limit = PAGE, task, status, everyItem = 1 }: SpanQuery = {},
  ): Promise<NumberedSpan[]> {
    let query = this.database.db
      .selectFrom('run_spans')
      .selectAll()
      .where('run_id', '=', run)
      .where('id', '>', after)
    if (task !== undefined) query = query.where('task', '=', task)
    if (status !== undefined) query = query.where('status', '=', status)
    if (everyItem > 1) query = query.where(sql<boolean>`(seq % ${everyItem}::integer = 0 or device = '*')`)
    const rows = await query.orderBy('id').limit(limit).execute()
    return rows.map((row) => ({
      id: Number(row.id),
      span: spanOf(row as unknown as Record<string, unknown>),
    }))
  }

  /** Every span, a page at a time. */
  async *allSpans(run: string, query: SpanQuery = {}): AsyncGenerator<NumberedSpan> {
    for (let after = query.after ?? -1; ; ) {
      const page = await this.spans(run, { ...query, after, limit: PAGE })
      yield* page
      if (page.length < PAGE) return
      after = page.at(-1)?.id ?? after
    }
  }

  /** Those of these runs that are known, and have ended. */
  async over(ids: readonly string[]): Promise<string[]> {
    if (ids.length === 0) return []
    const rows = await this.database.db
      .selectFrom('runs')
      .select('id')
      .where('id', 'in', ids)
      .where('ended_at', 'is not', null)
      .execute()
    return rows.map(({ id }) => id)
  }

  /** What was under way when an earlier service ended, the oldest first. */
  unfinished(): Promise<RunSummaryRow[]> {
    return this.database.db
      .selectFrom('runs')
      .select(summary)
      .where('state', 'in', ['queued', 'starting', 'running'])
      .orderBy('created_at')
      .orderBy('id')
      .execute()
  }

  /** Keeps that a run failed without a result. */
  async fail(id: string, message: string, at: Date): Promise<void> {
    await this.database.db
      .updateTable('runs')
      .set({ state: 'failed', message, ended_at: at })
      .where('id', '=', id)
      .execute()
  }

  /** Forgets the outputs of a run that tells them anew. */
  async forgetOutputs(run: string): Promise<void> {
    await this.database.db
      .deleteFrom('run_events')
      .where('run_id', '=', run)
      .where('kind', '=', 'output')
      .execute()
  }
}

const outputOf = (event: RunEvent): RunOutput[] => (event.type === 'output' ? [event.output] : [])
