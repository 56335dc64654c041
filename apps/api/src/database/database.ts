/** Opens the database: embedded in the data folder, or a PostgreSQL server; the same SQL and migrations on both. */
import { createHash } from 'node:crypto'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { PGlite } from '@electric-sql/pglite'
import { Kysely, PGliteDialect, PostgresDialect } from 'kysely'
import { Migrator } from 'kysely/migration'
import pg from 'pg'
import { log } from '../common/log.ts'
import { StartError } from '../common/start-error.ts'
import { sentenceOf } from '../common/text.ts'
import { main } from './migrations/0001-main.ts'
import { runRecords } from './migrations/0002-run-records.ts'
import { versionFiles } from './migrations/0003-version-files.ts'
import { jobs } from './migrations/0004-jobs.ts'
import { liveDeployments } from './migrations/0005-live-deployments.ts'
import { devices } from './migrations/0006-devices.ts'
import { targets } from './migrations/0007-targets.ts'
import { accessKeys } from './migrations/0008-access-keys.ts'
import { sessions } from './migrations/0009-sessions.ts'
import { coldStarts } from './migrations/0010-cold-starts.ts'
import type { Tables } from './tables.ts'
import { openPGlite, type Preparation } from './template.ts'

/** How the files of the embedded database are copied while it runs. */
export interface Snapshot {
  /** Where its log stands: unchanged when nothing was written. */
  position(): Promise<string>
  /** Writes what is only in memory and the log to the tables' files. */
  checkpoint(): Promise<void>
  /** Runs `copy` while no query does. */
  freeze(copy: () => Promise<void>): Promise<void>
}

export class Database {
  readonly kind: 'embedded' | 'postgresql'
  readonly db: Kysely<Tables>
  /** Absent of a server, which has backups of its own. */
  readonly snapshot: Snapshot | undefined
  private readonly release: () => void

  constructor(
    kind: 'embedded' | 'postgresql',
    db: Kysely<Tables>,
    { release = () => {}, snapshot }: { release?: () => void; snapshot?: Snapshot } = {},
  ) {
    this.kind = kind
    this.db = db
    this.snapshot = snapshot
    this.release = release
  }

  async close(): Promise<void> {
    this.release()
    await this.db.destroy()
  }
}

/** Any number will do as long as it is always this one. */
const ADVISORY_LOCK = 7_310_431_043
const LOCK_WAIT_MS = 5_000

/** All changes of the tables, in order of their names. */
export const migrations = async () => ({
  '0001-main': main,
  '0002-run-records': runRecords,
  '0003-version-files': versionFiles,
  '0004-jobs': jobs,
  '0005-live-deployments': liveDeployments,
  '0006-devices': devices,
  '0007-targets': targets,
  '0008-access-keys': accessKeys,
  '0009-sessions': sessions,
  '0010-cold-starts': coldStarts,
})

const migratorOf = (db: Kysely<Tables>): Migrator =>
  new Migrator({ db, provider: { getMigrations: migrations } })

/** What a new embedded database is made with: all of its tables. */
async function tables(): Promise<Preparation> {
  const made = Object.entries(await migrations()).map(([name, { up }]) => [name, String(up)])
  const hash = createHash('sha256').update(JSON.stringify(made)).digest('hex')
  return {
    key: hash.slice(0, 16),
    prepare: async (pglite) => {
      const { error } = await migratorOf(kyselyOf(pglite)).migrateToLatest()
      if (error) throw error
    },
  }
}

/**
 * Opens without bringing the tables up to date. Throws `StartError`.
 * @param ofNew what a new embedded database is made with; nothing when absent
 */
export const openUnmigrated = (
  dataDir: string,
  databaseUrl: string | undefined,
  ofNew?: Preparation,
): Promise<Database> =>
  databaseUrl ? openServer(databaseUrl) : openEmbedded(path.join(dataDir, 'db'), ofNew)

/** Opens and migrates. `beforeUpgrade` is run when tables that are in use are about to change. Throws `StartError`. */
export async function openDatabase(
  dataDir: string,
  databaseUrl: string | undefined,
  beforeUpgrade: (database: Database) => Promise<void> = async () => {},
): Promise<Database> {
  const database = await openUnmigrated(dataDir, databaseUrl, await tables())
  const migrator = migratorOf(database.db)
  const known = await migrator.getMigrations()
  const executed = known.filter(({ executedAt }) => executedAt !== undefined)
  if (executed.length > 0 && executed.length < known.length)
    try {
      await beforeUpgrade(database)
    } catch (error) {
      await database.close().catch(() => {})
      throw new StartError(
        `The data folder could not be backed up before its database is upgraded: ${sentenceOf(error)}`,
      )
    }
  const { error } = await migrator.migrateToLatest()
  if (!error) return database
  await database.close().catch(() => {})
  throw new StartError(`The database could not be brought up to date: ${sentenceOf(error)}`)
}

const kyselyOf = (pglite: PGlite): Kysely<Tables> => new Kysely({ dialect: new PGliteDialect({ pglite }) })

async function openEmbedded(folder: string, ofNew: Preparation | undefined): Promise<Database> {
  try {
    const pglite = await (ofNew ? openPGlite(folder, ofNew) : PGlite.create(folder))
    const snapshot: Snapshot = {
      position: async () => {
        const { rows } = await pglite.query<{ at: string }>('select pg_current_wal_insert_lsn() as at')
        return rows[0]?.at ?? ''
      },
      checkpoint: async () => void (await pglite.exec('CHECKPOINT')),
      freeze: (copy) => pglite.runExclusive(copy),
    }
    return new Database('embedded', kyselyOf(pglite), { snapshot })
  } catch (error) {
    throw new StartError(
      `The database in ${folder} could not be opened: ${sentenceOf(error)}. If it is damaged, 'hivemind restore' puts a backup in its place.`,
    )
  }
}

function serverName(databaseUrl: string): string {
  try {
    const url = new URL(databaseUrl)
    return `${url.hostname}${url.port ? `:${url.port}` : ''}${url.pathname}`
  } catch {
    throw new StartError(
      "DATABASE_URL is no address of a PostgreSQL server, such as 'postgres://user:password@host/database'.",
    )
  }
}

/** Takes the database for this process. A server may hold the lock of one that has just ended for a moment longer. */
async function lock(client: pg.PoolClient): Promise<boolean> {
  for (const deadline = performance.now() + LOCK_WAIT_MS; ; await setTimeout(100)) {
    const { rows } = await client.query('select pg_try_advisory_lock($1) as mine', [ADVISORY_LOCK])
    if (rows[0]?.mine === true) return true
    if (performance.now() > deadline) return false
  }
}

async function openServer(databaseUrl: string): Promise<Database> {
  const name = serverName(databaseUrl)
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 10, connectionTimeoutMillis: 5_000 })
  let closing = false
  pool.on('error', (error) => {
    if (!closing) log.error({ err: error }, 'The connection to the database was lost.')
  })
  let client: pg.PoolClient
  try {
    client = await pool.connect()
  } catch (error) {
    await pool.end()
    const why = error instanceof AggregateError ? sentenceOf(error.errors[0]) : sentenceOf(error)
    throw new StartError(`The database at ${name} cannot be reached: ${why}. Check DATABASE_URL.`)
  }
  if (!(await lock(client))) {
    client.release()
    await pool.end()
    throw new StartError(`Another HiveMind uses the database at ${name}; stop it first.`)
  }
  client.on('error', () => {})
  return new Database('postgresql', new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) }), {
    release: () => {
      closing = true
      client.release(true)
    },
  })
}
