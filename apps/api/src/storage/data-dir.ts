/** The data folder: made and found writable. */
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { DataFolderError, DataFolderInUseError, lockDataFolder } from '@hivemind/data-folder'
import { StartError } from '../common/start-error.ts'
import { sentenceOf } from '../common/text.ts'

/** Step by step: Node's own `recursive` never returns where a parent exists but refuses with ENOENT, as /proc does. */
function makeFolder(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory()) return
  if (folder !== path.dirname(folder)) makeFolder(path.dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) throw error
  }
}

/** Makes the folder and sees that it can be written. Throws `StartError`. */
export function prepareDataDir(dataDir: string): void {
  try {
    makeFolder(path.join(dataDir, 'projects'))
    const probe = path.join(dataDir, `.probe-${process.pid}`)
    try {
      writeFileSync(probe, Buffer.alloc(1_000_000), { flush: true })
    } finally {
      rmSync(probe, { force: true })
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC' || code === 'EDQUOT')
      throw new StartError(
        `The disk of the data folder ${dataDir} is full: make room or name another with --data-dir.`,
      )
    if (code === 'EEXIST' || code === 'ENOTDIR')
      throw new StartError(
        `The data folder ${dataDir} cannot be made, for a part of its path is a file: name another with --data-dir.`,
      )
    throw new StartError(
      `The data folder ${dataDir} cannot be written (${code ?? sentenceOf(error)}): name another with --data-dir.`,
    )
  }
}

/** Takes the folder for this process; returns the release. Throws `DataFolderInUseError` while another has it, else `StartError`. */
export function lockFolder(dataDir: string): () => void {
  try {
    return lockDataFolder(dataDir)
  } catch (error) {
    if (error instanceof DataFolderError && !(error instanceof DataFolderInUseError))
      throw new StartError(error.message)
    throw error
  }
}
