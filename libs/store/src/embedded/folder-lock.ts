/** One store at a time opens a folder. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../errors.ts'

const SQLITE_BUSY = 5

/**
 * Makes a folder when it is not there and takes it. Returns the release. Throws `StoreError` when the folder is taken.
 *
 * The lock is that of an empty SQLite database in an exclusive transaction: on the file itself (fcntl), so it holds among
 * containers too, and the kernel frees it when the process ends, however it ends.
 */
export function lockFolder(folder: string): () => void {
  let database: DatabaseSync | undefined
  try {
    mkdirSync(folder, { recursive: true })
    database = new DatabaseSync(path.join(folder, 'store.lock'), { timeout: 0 })
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new StoreError(
        `The folder ${folder} is in use by another store: close it, or name another folder.`,
      )
    throw new StoreError(`The folder ${folder} cannot be used: ${(error as Error).message}. Name another.`)
  }
  const held = database
  return () => held.close()
}
