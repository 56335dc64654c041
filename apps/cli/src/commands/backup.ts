import { existsSync } from 'node:fs'
import { cp, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { type Backup, backUp, DataFolderError, listBackups, lockDataFolder } from '@hivemind/data-folder'
import type { Command } from 'commander'
import { backupDirOf, withDataDir, withDataFolder } from '../data-folder.ts'
import { otherFault, usageFault } from '../failure.ts'
import { answer, answerJson, say } from '../output.ts'

interface Options {
  dataDir: string
  to?: string
  json?: boolean
}

export function backupCommand(program: Command): void {
  withDataDir(program.command('backup'))
    .description(
      'back up the data folder of the service: projects, versions, runs. While the service runs, its newest backup is given',
    )
    .option('--to <folder>', 'folder that the backup is put into (backups, in the data folder)')
    .option('--json', 'print {dir, createdAt, files, bytes} as JSON')
    .addHelpText('after', '\nExample:\n  hivemind backup --to /mnt/backups')
    .action(async (options: Options) => {
      const dataDir = path.resolve(options.dataDir)
      if (!existsSync(path.join(dataDir, 'projects')))
        throw usageFault(`'${dataDir}' is no data folder of HiveMind: name one with --data-dir.`)
      const backup = await withDataFolder(() => make(dataDir, options.to))
      const bytes = backup.files.reduce((sum, file) => sum + file.bytes, 0)
      if (process.env.DATABASE_URL)
        say('The database is on a PostgreSQL server: back that up with pg_dump. This backup holds the files.')
      if (options.json)
        answerJson({ dir: backup.dir, createdAt: backup.createdAt, files: backup.files.length, bytes })
      else answer(`${backup.dir}: ${backup.files.length} files, ${(bytes / 1e6).toFixed(1)} MB`)
    })
}

async function make(dataDir: string, to: string | undefined): Promise<Backup> {
  const own = backupDirOf(dataDir)
  let release: () => void
  try {
    release = lockDataFolder(dataDir)
  } catch (error) {
    if (!(error instanceof DataFolderError)) throw error
    return newestOfService(error.message, own, to)
  }
  try {
    const folder = path.resolve(to ?? own)
    return await backUp({ dataDir, to: folder, reason: 'asked', version: '0.1.0', share: to === undefined })
  } finally {
    release()
  }
}

/** The service holds the folder, and its database in memory: what it has backed up itself is what can be had. */
async function newestOfService(why: string, own: string, to: string | undefined): Promise<Backup> {
  const [newest] = await listBackups(own)
  if (!newest) throw otherFault(`${why} It has made no backup yet; it makes one each hour.`)
  say(`The service is running: this is its backup of ${newest.createdAt}.`)
  if (to === undefined) return newest
  const dir = path.join(path.resolve(to), path.basename(newest.dir))
  await mkdir(path.dirname(dir), { recursive: true })
  await cp(newest.dir, dir, { recursive: true, errorOnExist: true, force: false })
  return { ...newest, dir }
}
