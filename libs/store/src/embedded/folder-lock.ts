/** One store at a time opens a folder. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { FileLockedError, lockFile } from '@hivemind/data-folder'
import { StoreError } from '../errors.ts'

/** Makes a folder when it is not there and takes it. Returns the release. Throws `StoreError` when the folder is taken. */
export function lockFolder(folder: string): () => void {
  try {
    mkdirSync(folder, { recursive: true })
    return lockFile(path.join(folder, 'store.lock'))
  } catch (error) {
    if (error instanceof FileLockedError)
      throw new StoreError(
        `The folder ${folder} is in use by another store: close it, or name another folder.`,
      )
    throw new StoreError(`The folder ${folder} cannot be used: ${(error as Error).message}. Name another.`)
  }
}
