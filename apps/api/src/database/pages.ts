/** Pages of lists whose rows come newest first, and by id among those of one time. */
import { type Kysely, type RawBuilder, type SqlBool, sql } from 'kysely'
import { impossible } from '../common/problem.ts'
import type { Tables } from './tables.ts'

/** Which part of a list is wanted. */
export interface Page {
  /** Most rows. */
  limit: number
  /** Id of the row that it goes on behind; the first page when absent. */
  after?: string | undefined
}

/** What is listed: its table, the time by which it is ordered, and its name in sentences. */
export interface Listed {
  table: keyof Tables
  time: 'created_at' | 'updated_at'
  noun: string
}

/** Whether a row comes behind the one with that id. Throws a 422 when there is none: the rest of the list is not known then. */
export async function behind(
  db: Kysely<Tables>,
  { table, time, noun }: Listed,
  after: string | undefined,
): Promise<RawBuilder<SqlBool>> {
  if (after === undefined) return sql<SqlBool>`true`
  const [from, column] = [sql.table(table), sql.ref(time)]
  const { rows } = await sql`select 1 from ${from} where id = ${after}`.execute(db)
  if (rows.length === 0)
    throw impossible('after', `There is no ${noun} '${after}' to go on behind: begin with the first page.`)
  const at = sql`(select ${column} from ${from} where id = ${after})`
  return sql<SqlBool>`(${column} < ${at} or (${column} = ${at} and id > ${after}))`
}
