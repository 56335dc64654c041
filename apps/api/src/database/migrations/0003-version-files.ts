import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

/** A version is its text and its files. Versions of before get theirs when the service starts (`VersionsService`). */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('versions')
    .addColumn('author', 'text', (c) => c.notNull().defaultTo(''))
    .addColumn('files_from', 'text')
    .execute()
  await db.schema
    .createTable('version_files')
    .addColumn('project_id', 'text', (c) => c.notNull())
    .addColumn('number', 'integer', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('hash', 'text', (c) => c.notNull())
    .addColumn('bytes', 'double precision', (c) => c.notNull())
    .addPrimaryKeyConstraint('version_files_pkey', ['project_id', 'number', 'path'])
    .addForeignKeyConstraint(
      'version_files_of_version',
      ['project_id', 'number'],
      'versions',
      ['project_id', 'number'],
      (c) => c.onDelete('cascade'),
    )
    .execute()
}

export const versionFiles: Migration = { up }
