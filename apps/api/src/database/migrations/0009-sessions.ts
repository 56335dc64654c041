import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Who is signed in stays so over a restart. Of the tokens of sessions only hashes are kept. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('sessions')
    .addColumn('token_hash', 'text', (column) => column.primaryKey())
    .addColumn('expires_at', 'timestamptz', (column) => column.notNull())
    .execute()
}

export const sessions: Migration = { up }
