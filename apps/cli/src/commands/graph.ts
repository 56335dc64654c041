import { edgesOf } from '@hivemind/workflow'
import type { Command } from 'commander'
import { answer, answerJson, table } from '../output.ts'
import { readReadyProject } from '../project.ts'

export function graphCommand(program: Command): void {
  program
    .command('graph')
    .description('print the tasks and edges of a workflow')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--json', 'print the workflow as JSON')
    .addHelpText('after', '\nExample:\n  hivemind graph examples/people-recognition')
    .action(async (target: string, options: { json?: boolean }) => {
      const { workflow } = await readReadyProject(target)
      if (options.json) return answerJson(workflow)
      const tasks = workflow.tasks.map((task) => [
        task.name,
        task.dataIn.join(', ') || '-',
        task.dataOut ?? '-',
        task.code,
      ])
      answer(table([['TASK', 'READS', 'WRITES', 'CODE'], ...tasks]))
      const edges = edgesOf(workflow).map((edge) => [edge.from, '->', edge.to, edge.data.join(', ')])
      if (edges.length > 0) answer(`\n${table(edges)}`)
    })
}
