import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** How long an invocation waited for its function to start; of runs before, nobody knows. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('run_spans').addColumn('cold_start_ms', 'double precision').execute()
}

export const coldStarts: Migration = { up }
