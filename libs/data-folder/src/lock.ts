/** One process at a time uses a data folder: a lock of the kernel, held for life. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { DataFolderError } from './error.ts'

const SQLITE_BUSY = 5

/** Who holds the lock, in words for the one it keeps out. Only the lock decides; this may be out of date. */
function ownerOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return 'process unknown'
  }
}

/**
 * Takes the folder for this process and returns the release. Throws `DataFolderError` while another process holds it.
 *
 * The lock is that of an empty SQLite database in an exclusive transaction, which Node.js brings along: on the file itself
 * (fcntl), so the kernel keeps every other process out, also of another container, and frees it when this one ends, however
 * it ends.
 */
export function lockDataFolder(dataDir: string): () => void {
  const ownerFile = path.join(dataDir, 'service.owner')
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path.join(dataDir, 'service.lock'), { timeout: 0 })
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    writeFileSync(ownerFile, `process ${process.pid} on ${hostname()}\n`)
  } catch (error) {
    database?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new DataFolderError(
        `Another HiveMind (${ownerOf(ownerFile)}) uses the data folder ${dataDir}: stop it, or name another with --data-dir.`,
      )
    throw new DataFolderError(
      `The data folder ${dataDir} cannot be locked: ${(error as Error).message}. Name one on a file system that has locks with --data-dir.`,
    )
  }
  const held = database
  return () => {
    if (!held.isOpen) return
    rmSync(ownerFile, { force: true })
    held.close()
  }
}
