import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { storable } from '../../common/text.ts'

/** What the data migration reads and writes, as it was and is at this migration. */
interface Then {
  runs: { id: string; result: unknown; span_count: number; output_count: number }
  run_events: { run_id: string; seq: number; id: number | null; kind: string; event: unknown }
}

interface OldSpan {
  breakdown: Record<string, number>
  [field: string]: unknown
}

const ROWS = 1_000

/** Spans have a table of their own; events have ids over all runs, by which the stream of events is resumed. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('run_spans')
    .addColumn('run_id', 'text', (c) => c.notNull().references('runs.id').onDelete('cascade'))
    .addColumn('id', 'bigint', (c) => c.notNull())
    .addColumn('task', 'text', (c) => c.notNull())
    .addColumn('device', 'text', (c) => c.notNull())
    .addColumn('seq', 'integer', (c) => c.notNull())
    .addColumn('tier', 'text', (c) => c.notNull())
    .addColumn('worker', 'text', (c) => c.notNull())
    .addColumn('queued_at', 'double precision', (c) => c.notNull())
    .addColumn('started_at', 'double precision', (c) => c.notNull())
    .addColumn('ended_at', 'double precision', (c) => c.notNull())
    .addColumn('network', 'double precision', (c) => c.notNull())
    .addColumn('management', 'double precision', (c) => c.notNull())
    .addColumn('data_exchange', 'double precision', (c) => c.notNull())
    .addColumn('execution', 'double precision', (c) => c.notNull())
    .addColumn('bytes_in', 'double precision', (c) => c.notNull())
    .addColumn('bytes_out', 'double precision', (c) => c.notNull())
    .addColumn('items', 'integer', (c) => c.notNull())
    .addColumn('status', 'text', (c) => c.notNull())
    .addColumn('error', 'text')
    .addColumn('attempt', 'integer', (c) => c.notNull())
    .addColumn('missed_deadline', 'boolean')
    .addPrimaryKeyConstraint('run_spans_pkey', ['run_id', 'id'])
    .execute()
  await db.schema.createIndex('run_spans_by_task').on('run_spans').columns(['run_id', 'task', 'id']).execute()
  await db.schema.alterTable('run_events').addColumn('id', 'bigint').execute()
  await db.schema
    .alterTable('runs')
    .addColumn('statistics', 'json')
    .addColumn('span_count', 'integer', (c) => c.notNull().defaultTo(0))
    .addColumn('output_count', 'integer', (c) => c.notNull().defaultTo(0))
    .execute()
  await db.schema
    .createTable('events')
    .addColumn('noun', 'text', (c) => c.primaryKey())
    .addColumn('id', 'bigint', (c) => c.notNull())
    .addColumn('project_id', 'text', (c) => c.references('projects.id').onDelete('cascade'))
    .addColumn('topics', 'text', (c) => c.notNull())
    .addColumn('event', 'json', (c) => c.notNull())
    .execute()
  await db.schema.createIndex('events_by_id').on('events').columns(['id']).execute()
  await moveSpansAndOutputs(db as Kysely<Then>)
}

/** Spans and outputs were part of a run's result, or events of a run that was cut short. */
async function moveSpansAndOutputs(db: Kysely<Then>): Promise<void> {
  for (const { id } of await db.selectFrom('runs').select('id').execute()) {
    const { result } = await db
      .selectFrom('runs')
      .select('result')
      .where('id', '=', id)
      .executeTakeFirstOrThrow()
    const kept = await db
      .selectFrom('run_events')
      .selectAll()
      .where('run_id', '=', id)
      .orderBy('seq')
      .execute()
    const { spans, outputs, ...rest } = (result ?? {}) as { spans?: OldSpan[]; outputs?: unknown[] }
    const events = kept.map(({ event }) => event as { type: string; at: number; span?: OldSpan })
    const allSpans = spans ?? events.flatMap((event) => (event.span ? [event.span] : []))
    await addSpans(db, id, allSpans)
    await db.deleteFrom('run_events').where('run_id', '=', id).where('kind', '=', 'span').execute()
    const known = events.filter(({ type }) => type === 'output').length
    const added = known > 0 ? [] : (outputs ?? [])
    const last = kept.at(-1)?.seq ?? -1
    for (let from = 0; from < added.length; from += ROWS)
      await db
        .insertInto('run_events')
        .values(
          added.slice(from, from + ROWS).map((output, index) => ({
            run_id: id,
            seq: last + 1 + from + index,
            id: null,
            kind: 'output',
            event: JSON.stringify({ type: 'output', at: events.at(-1)?.at ?? 0, output }),
          })),
        )
        .execute()
    await db
      .updateTable('runs')
      .set({
        ...(result ? { result: JSON.stringify({ ...rest, outputs: [] }) } : {}),
        span_count: allSpans.length,
        output_count: known + added.length,
      })
      .where('id', '=', id)
      .execute()
  }
}

async function addSpans(db: Kysely<Then>, run: string, spans: readonly OldSpan[]): Promise<void> {
  const clean = (_key: string, value: unknown) => (typeof value === 'string' ? storable(value) : value)
  for (let from = 0; from < spans.length; from += ROWS) {
    const rows = spans
      .slice(from, from + ROWS)
      .map(({ breakdown, ...span }, index) => ({ ...span, ...breakdown, id: from + index + 1 }))
    await sql`
      insert into run_spans select ${run}, id, task, device, seq, tier, worker, "queuedAt", "startedAt", "endedAt", network,
        management, "dataExchange", execution, "bytesIn", "bytesOut", items, status, error, attempt, null
      from json_to_recordset(${JSON.stringify(rows, clean)}::json) as span(id bigint, task text, device text, seq integer,
        tier text, worker text, "queuedAt" double precision, "startedAt" double precision, "endedAt" double precision,
        network double precision, management double precision, "dataExchange" double precision, execution double precision,
        "bytesIn" double precision, "bytesOut" double precision, items integer, status text, error text, attempt integer)
    `.execute(db)
  }
}

export const runRecords: Migration = { up }
