import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** Jobs of any kind, with or without a project: stages, log lines with ids of events, and artefacts. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('jobs')
    .alterColumn('project_id', (c) => c.dropNotNull())
    .execute()
  await db.schema
    .alterTable('jobs')
    .addColumn('stage', 'text', (c) => c.notNull().defaultTo(''))
    .execute()
  await db.schema
    .createTable('job_log')
    .addColumn('job_id', 'text', (c) => c.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('id', 'bigint', (c) => c.notNull())
    .addColumn('at', 'double precision', (c) => c.notNull())
    .addColumn('level', 'text', (c) => c.notNull())
    .addColumn('text', 'text', (c) => c.notNull())
    .addPrimaryKeyConstraint('job_log_pkey', ['job_id', 'id'])
    .execute()
  await db.schema
    .createTable('job_artefacts')
    .addColumn('job_id', 'text', (c) => c.notNull().references('jobs.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('bytes', 'double precision', (c) => c.notNull())
    .addPrimaryKeyConstraint('job_artefacts_pkey', ['job_id', 'name'])
    .execute()
}

export const jobs: Migration = { up }
