/** Puts a backup in the place of what a data folder holds. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { type Backup, PARTS, readBackup } from './backup.ts'
import { DataFolderError } from './error.ts'
import { copyHashed, hashOf, sync, syncTree } from './files.ts'
import { lockDataFolder } from './lock.ts'

/** Compares a backup with its manifest. Throws `DataFolderError` that names the first file at fault. */
async function verify({ dir, files }: Backup): Promise<void> {
  const faults: string[] = []
  for (const { path: name, bytes, sha256 } of files) {
    const file = path.join(dir, name)
    const found = await stat(file).catch(() => null)
    if (!found) faults.push(`${name} is missing`)
    else if (found.size !== bytes) faults.push(`${name} has ${found.size} bytes instead of ${bytes}`)
    else if (sha256 !== undefined && (await hashOf(file)) !== sha256) faults.push(`${name} was changed`)
  }
  if (faults.length === 0) return
  const more = faults.length > 1 ? `, and ${faults.length - 1} more files are at fault` : ''
  throw new DataFolderError(
    `The backup ${dir} is damaged: ${faults[0]}${more}. Nothing was restored; name an older backup.`,
  )
}

/**
 * Restores a backup into a data folder that no service uses. What the folder held before is put aside, into
 * `replaced-<time>` in it. Returns that folder and the backup. Throws `DataFolderError` while a service runs, or when the
 * backup is damaged; nothing is changed then.
 */
export async function restore(
  backupDir: string,
  dataDir: string,
): Promise<{ backup: Backup; replaced: string }> {
  const backup = await readBackup(backupDir)
  await mkdir(dataDir, { recursive: true })
  const release = lockDataFolder(dataDir)
  const draft = path.join(dataDir, `.restore-${randomBytes(4).toString('hex')}`)
  try {
    await verify(backup)
    await mkdir(draft)
    for (const folder of backup.folders) await mkdir(path.join(draft, folder), { recursive: true })
    for (const { path: name } of backup.files)
      await copyHashed(path.join(backup.dir, name), path.join(draft, name))
    await syncTree(draft)
    const replaced = path.join(dataDir, `replaced-${new Date().toISOString().replaceAll(':', '-')}`)
    for (const part of PARTS) {
      await move(path.join(dataDir, part), path.join(replaced, part))
      await move(path.join(draft, part), path.join(dataDir, part))
    }
    await sync(dataDir)
    return { backup, replaced }
  } finally {
    await rm(draft, { recursive: true, force: true })
    release()
  }
}

async function move(from: string, to: string): Promise<void> {
  if (!existsSync(from)) return
  await mkdir(path.dirname(to), { recursive: true })
  await rename(from, to)
}
