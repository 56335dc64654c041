import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Clusters that have a name. Their kubeconfigs are sealed with a key that is not in the database. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('targets')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('settings', 'json', (column) => column.notNull())
    .addColumn('sealed', 'text', (column) => column.notNull())
    .addColumn('created_at', 'timestamptz', (column) => column.notNull())
    .addColumn('updated_at', 'timestamptz', (column) => column.notNull())
    .execute()
}

export const targets: Migration = { up }
