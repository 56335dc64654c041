/** Exclusive locks of files, held by the kernel for the life of a process. */
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/** Another holder has the lock of a file, in this process or another. */
export class FileLockedError extends Error {
  override readonly name = 'FileLockedError'
}

/**
 * Takes the lock of a file, which is made when it is not there. Returns the release. Throws `FileLockedError` while another
 * holder has it, or the error of the file system.
 *
 * The lock is that of an empty SQLite database in an exclusive transaction, which Node.js brings along: on the file itself
 * (fcntl), so it holds among containers too, and the kernel frees it when the process ends, however it ends.
 */
export function lockFile(file: string): () => void {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(file, { timeout: 0 })
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
  } catch (error) {
    database?.close()
    if ((error as { errcode?: number }).errcode === SQLITE_BUSY)
      throw new FileLockedError(`The file ${file} is locked by another.`)
    throw error
  }
  const held = database
  return () => {
    if (held.isOpen) held.close()
  }
}
