import path from 'node:path'
import type { Command } from 'commander'
import { backupDirOf, withDataDir } from '../data-folder.ts'
import { examine, type Finding } from '../doctor.ts'
import { exitCodes } from '../failure.ts'
import { answer, answerJson, table } from '../output.ts'

const SHOWN: Record<Finding['state'], string> = { ok: 'ok', missing: 'MISSING', optional: 'not here' }

export function doctorCommand(program: Command): void {
  withDataDir(program.command('doctor'))
    .description(
      'say what this machine has and lacks for HiveMind, and how to mend it (exit code 3 when something needed is missing)',
    )
    .option('--json', 'print a list of {name, state, detail, fix} as JSON')
    .addHelpText('after', '\nExample:\n  hivemind doctor --json')
    .action(async (options: { dataDir: string; json?: boolean }) => {
      const dataDir = path.resolve(options.dataDir)
      const findings = await examine(dataDir, backupDirOf(dataDir))
      if (options.json) answerJson(findings)
      else
        answer(
          table([
            ['what', 'state', 'detail', 'how to mend it'],
            ...findings.map(({ name, state, detail, fix = '' }) => [name, SHOWN[state], detail, fix]),
          ]),
        )
      if (findings.some(({ state }) => state === 'missing')) process.exitCode = exitCodes.other
    })
}
