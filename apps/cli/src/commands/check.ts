import { existsSync } from 'node:fs'
import { check, fixAll } from '@hivemind/dsl'
import type { Command } from 'commander'
import { exitCodes } from '../failure.ts'
import { answer, answerJson, say } from '../output.ts'
import { contextOf, formatDiagnostic, readSource, writeWhole } from '../project.ts'

export function checkCommand(program: Command): void {
  program
    .command('check')
    .description('report what is wrong with a workflow, and fix it with --fix')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--fix', 'take every fix that is certain, and write the file')
    .option('--json', 'print the diagnostics as JSON')
    .addHelpText('after', '\nExample:\n  hivemind check examples/hello-swarm --json')
    .action(async (target: string, options: { fix?: boolean; json?: boolean }) => {
      const source = await readSource(target)
      const context = await contextOf(source.dir, existsSync)
      let text = source.text
      if (options.fix) {
        const fixed = fixAll(text, context)
        if (fixed.text !== text) await writeWhole(source.file, fixed.text)
        for (const fix of fixed.applied) say(`fixed: ${fix.title}`)
        text = fixed.text
      }
      const { diagnostics } = check(text, context)
      const errors = diagnostics.filter((diagnostic) => diagnostic.severity === 'error').length
      if (options.json) answerJson({ diagnostics })
      else {
        for (const diagnostic of diagnostics) answer(formatDiagnostic(source.file, diagnostic))
        const others = diagnostics.length - errors
        say(`${errors} ${errors === 1 ? 'error' : 'errors'}, ${others} ${others === 1 ? 'other' : 'others'}`)
      }
      process.exitCode = errors > 0 ? exitCodes.workflow : exitCodes.fine
    })
}
