/** One process at a time uses a data folder. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { DataFolderError, DataFolderInUseError } from './error.ts'
import { FileLockedError, lockFile } from './lock-file.ts'

/** Who holds the lock, in words for the one it keeps out. Only the lock decides; this may be out of date. */
function ownerOf(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch {
    return 'process unknown'
  }
}

/** Takes the folder for this process and returns the release. Throws `DataFolderInUseError` while another process holds it. */
export function lockDataFolder(dataDir: string): () => void {
  const ownerFile = path.join(dataDir, 'service.owner')
  let unlock: (() => void) | undefined
  try {
    unlock = lockFile(path.join(dataDir, 'service.lock'))
    writeFileSync(ownerFile, `process ${process.pid} on ${hostname()}\n`)
  } catch (error) {
    unlock?.()
    if (error instanceof FileLockedError) {
      const owner = ownerOf(ownerFile)
      throw new DataFolderInUseError(
        `Another HiveMind (${owner}) uses the data folder ${dataDir}: stop it, or name another with --data-dir.`,
        owner,
      )
    }
    throw new DataFolderError(
      `The data folder ${dataDir} cannot be locked: ${(error as Error).message}. Name one on a file system that has locks with --data-dir.`,
    )
  }
  const release = unlock
  let held = true
  return () => {
    if (!held) return
    held = false
    rmSync(ownerFile, { force: true })
    release()
  }
}
