/** Backups of the data folder: every hour in which something was written, and before an upgrade of the database. */
import path from 'node:path'
import { type BackupReason, backUp, listBackups, pruneBackups } from '@hivemind/data-folder'
import { Inject, Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { CONFIG, type Config } from '../config/config.ts'
import { Database } from '../database/database.ts'
import { OpenedStore } from './opened-store.ts'

const EVERY_MS = 3_600_000
/** Backups of each reason that are kept, the newest ones. */
const KEPT: Partial<Record<BackupReason, number>> = { hourly: 6, upgrade: 2 }

type BackupConfig = Pick<Config, 'dataDir' | 'backupDir' | 'version'>

/** Backs the data folder up; `null` when nothing was written since the last backup. */
export async function backUpDataFolder(
  { dataDir, backupDir, version }: BackupConfig,
  { snapshot }: Pick<Database, 'snapshot'>,
  { embedded }: Pick<OpenedStore, 'embedded'>,
  reason: 'hourly' | 'upgrade',
): Promise<string | null> {
  if (!snapshot) return null
  const position = async () => [await snapshot.position(), embedded?.position ?? []].flat().join(' ')
  const [newest] = await listBackups(backupDir)
  if (reason === 'hourly' && newest?.position === (await position())) return null
  await snapshot.checkpoint()
  const { dir } = await backUp({
    dataDir,
    to: backupDir,
    reason,
    version,
    position: await position(),
    // On a disk of its own a backup must not share bytes with what it protects.
    share: backupDir === path.join(dataDir, 'backups'),
    freeze: (copy) => snapshot.freeze(copy),
    ...(embedded && { write: { store: (folder) => embedded.copyTo(folder) } }),
  })
  await pruneBackups(backupDir, reason, KEPT[reason] ?? 1)
  return dir
}

@Injectable()
export class Backups {
  private readonly config: Config
  private readonly database: Database
  private readonly store: OpenedStore
  private timer: NodeJS.Timeout | undefined
  private making: Promise<void> = Promise.resolve()

  constructor(@Inject(CONFIG) config: Config, database: Database, store: OpenedStore) {
    this.config = config
    this.database = database
    this.store = store
  }

  start(): void {
    this.timer = setInterval(() => void this.make(), EVERY_MS).unref()
  }

  /** Makes an hourly backup now. Never rejects: a failure is logged, and the next hour tries again. */
  make(): Promise<void> {
    this.making = this.making.then(async () => {
      try {
        const dir = await backUpDataFolder(this.config, this.database, this.store, 'hourly')
        if (dir) log.info({ dir }, 'The data folder was backed up.')
      } catch (error) {
        log.error({ err: error }, `The data folder could not be backed up to ${this.config.backupDir}.`)
      }
    })
    return this.making
  }

  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.making
  }
}
