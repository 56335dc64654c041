/** The data folder of the service, as the commands that keep it find it. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { DataFolderError } from '@hivemind/data-folder'
import type { Command } from 'commander'
import { otherFault } from './failure.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

/** Adds `--data-dir`, with the service's own default. */
export function withDataDir(command: Command): Command {
  return command.option(
    '--data-dir <folder>',
    'the data folder of the service (HIVEMIND_DATA_DIR; .data)',
    process.env.HIVEMIND_DATA_DIR || path.join(root, '.data'),
  )
}

/** Where the service keeps the backups of a data folder. */
export const backupDirOf = (dataDir: string): string =>
  path.resolve(process.env.HIVEMIND_BACKUP_DIR || path.join(dataDir, 'backups'))

/** Runs `act`; what is wrong with a data folder becomes a failure of the command. */
export async function withDataFolder<T>(act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    throw error instanceof DataFolderError ? otherFault(error.message) : error
  }
}
