/** Exclusive locks of files, held by the kernel for the life of a process. */
import { DatabaseSync } from 'node:sqlite'

const SQLITE_BUSY = 5

/** The databases whose locks are held. Kept here, as a database that nobody refers to is closed by the garbage collector. */
const held = new Set<DatabaseSync>()

/** Another holder has the lock of a file, in this process or another. */
export class FileLockedError extends Error {
  override readonly name = 'FileLockedError'
}

/**
 * Takes the lock of a file, which is made when it is not there. Returns the release; until that is called the lock is held,
 * whether or not the caller keeps it. Throws `FileLockedError` while another holder has it, or the error of the file system.
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
  const locked = database
  held.add(locked)
  return () => {
    if (held.delete(locked)) locked.close()
  }
}
