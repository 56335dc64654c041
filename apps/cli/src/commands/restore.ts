import path from 'node:path'
import { restore } from '@hivemind/data-folder'
import type { Command } from 'commander'
import { withDataDir, withDataFolder } from '../data-folder.ts'
import { answer, answerJson } from '../output.ts'

export function restoreCommand(program: Command): void {
  withDataDir(program.command('restore'))
    .description('put a backup in the place of the data folder; the service must not run')
    .argument('<backup>', 'folder of the backup')
    .option('--json', 'print {createdAt, files, replaced} as JSON')
    .addHelpText('after', '\nExample:\n  hivemind restore .data/backups/2026-05-01T10-00-00.000Z-3f9a1c')
    .action(async (dir: string, options: { dataDir: string; json?: boolean }) => {
      const dataDir = path.resolve(options.dataDir)
      const { backup, replaced } = await withDataFolder(() => restore(path.resolve(dir), dataDir))
      const { createdAt, files } = backup
      if (options.json) answerJson({ createdAt, files: files.length, replaced })
      else
        answer(
          `${dataDir} is as it was on ${createdAt} (${files.length} files). What it held before is in ${replaced}.`,
        )
    })
}
