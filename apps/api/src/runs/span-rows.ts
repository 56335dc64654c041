/** Spans as rows of `run_spans`: the columns follow from the schema of a span. */
import type { Span } from '@hivemind/orchestrator'
import { flatFieldsOf, spanSchema } from '@hivemind/swarm'
import { type Kysely, sql } from 'kysely'
import { storable } from '../common/text.ts'
import type { Tables } from '../database/tables.ts'

const snake = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
const columns = flatFieldsOf(spanSchema).map((field) => ({ ...field, column: snake(field.name) }))
const SQL_TYPES = {
  string: 'text',
  number: 'double precision',
  integer: 'integer',
  boolean: 'boolean',
} as const

/** Rows of one insert. */
const MAX_ROWS = 4_000

const names = sql.join(columns.map(({ column }) => sql.ref(column)))
const typed = sql.join(columns.map(({ column, type }) => sql`${sql.ref(column)} ${sql.raw(SQL_TYPES[type])}`))

/** A span with the id of the event that brought it. */
export interface NumberedSpan {
  id: number
  span: Span
}

/** Text columns hold no NUL and no half of a surrogate pair. */
const clean = (_key: string, value: unknown) => (typeof value === 'string' ? storable(value) : value)

function rowOf({ id, span }: NumberedSpan): Record<string, unknown> {
  const row: Record<string, unknown> = { id }
  for (const { column, path } of columns) {
    let value: unknown = span
    for (const name of path) value = (value as Record<string, unknown>)[name]
    row[column] = value
  }
  return row
}

/** The span of a row of `run_spans`. */
export function spanOf(row: Record<string, unknown>): Span {
  const span: Record<string, unknown> = {}
  for (const { column, path, optional } of columns) {
    const value = row[column]
    if (optional && value === null) continue
    let into = span
    for (const name of path.slice(0, -1)) {
      into[name] ??= {}
      into = into[name] as Record<string, unknown>
    }
    into[path.at(-1) ?? ''] = value
  }
  return span as Span
}

/** Adds spans to a run; one statement for each few thousand. */
export async function insertSpans(
  db: Kysely<Tables>,
  run: string,
  spans: readonly NumberedSpan[],
): Promise<void> {
  for (let from = 0; from < spans.length; from += MAX_ROWS) {
    const rows = JSON.stringify(spans.slice(from, from + MAX_ROWS).map(rowOf), clean)
    await sql`
      insert into run_spans (run_id, id, ${names})
      select ${run}, id, ${names} from json_to_recordset(${rows}::json) as span(id bigint, ${typed})
    `.execute(db)
  }
}
