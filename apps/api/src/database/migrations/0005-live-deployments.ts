import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A deployment keeps what is needed to attach to it again after a restart of the service. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('deployments').addColumn('live', 'json').execute()
}

export const liveDeployments: Migration = { up }
