import { format } from '@hivemind/dsl'
import type { Command } from 'commander'
import { exitCodes, workflowFault } from '../failure.ts'
import { answer, answerJson, say } from '../output.ts'
import { readSource, writeWhole } from '../project.ts'

export function fmtCommand(program: Command): void {
  program
    .command('fmt')
    .description('lay out a workflow in the house style; the meaning and every comment stay')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--write', 'write the file instead of printing it')
    .option('--check', 'only tell whether it already is in the house style (exit code 1 when not)')
    .option('--json', 'print {changed, text} as JSON')
    .addHelpText('after', '\nExample:\n  hivemind fmt --write examples/hello-swarm')
    .action(async (target: string, options: { write?: boolean; check?: boolean; json?: boolean }) => {
      const source = await readSource(target)
      const text = format(source.text)
      if (text === null)
        throw workflowFault(
          `'${source.file}' has errors of syntax: run 'hivemind check' on it, mend them and try again.`,
        )
      const changed = text !== source.text
      if (options.write && changed) await writeWhole(source.file, text)
      if (options.json) answerJson({ changed, text })
      else if (options.check || options.write)
        say(changed ? `${source.file}: changed` : `${source.file}: unchanged`)
      else answer(text)
      if (options.check && changed) process.exitCode = exitCodes.workflow
    })
}
