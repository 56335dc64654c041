import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Access keys of the store. Of their secrets only hashes are kept. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('access_keys')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('grants', 'json', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'timestamptz')
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .execute()
}

export const accessKeys: Migration = { up }
