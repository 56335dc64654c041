import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Devices of other machines that were enrolled. Of their tokens only hashes are kept. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('devices')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('class', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'text', (column) => column.notNull())
    .addColumn('enrolled_at', 'timestamptz', (column) => column.notNull())
    .execute()
}

export const devices: Migration = { up }
