import os from 'node:os'
import path from 'node:path'
import { localTarget, profileWorkflow } from '@hivemind/deploy'
import { localFleet } from '@hivemind/swarm'
import type { Command } from 'commander'
import { baseline, SOFTWARE_BASELINES } from '../choice.ts'
import { deploymentFault, requireRuntimes } from '../deployment.ts'
import { workflowFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { whole } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { readMeasuredProject, writeWhole } from '../project.ts'
import { synthesiseProject } from './synth.ts'

export function profileCommand(program: Command): void {
  program
    .command('profile')
    .description('measure each task on each tier of this machine and keep it as the project’s profile.json')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--agents <n>', 'number of edge devices to start', whole(1, 64), 2)
    .option('--items <n>', 'most items a sensor emits on a device', whole(1, 100_000))
    .option('--out <file>', 'where to keep it, instead of the project’s profile.json')
    .option('--json', 'print the profile as JSON')
    .addHelpText('after', '\nExample:\n  hivemind profile examples/hello-swarm')
    .action(
      async (
        workflowPath: string,
        options: { agents: number; items?: number; out?: string; json?: boolean },
      ) => {
        const ready = await readMeasuredProject(workflowPath)
        const fleet = localFleet(options.agents)
        const placements = SOFTWARE_BASELINES.map((which) => baseline(ready, fleet, which))
        const note = `Measured on ${os.cpus()[0]?.model.trim() ?? 'an unknown processor'}, ${os.cpus().length} cores, Node.js ${process.versions.node}, ${options.agents} agents, ${new Date().toISOString().slice(0, 10)}`
        for (const placement of placements) await requireRuntimes(synthesiseProject(ready, placement).plan)
        const target = localTarget()
        const profile = await untilInterrupted((signal) =>
          profileWorkflow({
            target,
            name: ready.source.name,
            project: ready.project,
            workflow: ready.workflow,
            placements,
            agents: options.agents,
            itemsPerDevice: options.items,
            note,
            signal,
            onProgress: (_, message) => say(message),
          }).catch((error: unknown) => {
            throw deploymentFault(error, (message) => workflowFault(`The measurement failed: ${message}`))
          }),
        ).finally(() => target.close())
        const file = options.out ?? path.join(ready.source.dir, 'profile.json')
        await writeWhole(file, `${JSON.stringify(profile, null, 2)}\n`)
        say(`Kept in ${file}.`)
        if (options.json) return answerJson(profile)
        const rows = Object.entries(profile.tasks).flatMap(([task, tiers]) =>
          (['cloud', 'edge'] as const).flatMap((tier) => {
            const measured = tiers[tier]
            if (!measured) return []
            const { serviceMs, outputBytes, outputsPerInvocation } = measured
            return [
              [
                task,
                tier,
                figure(serviceMs.mean),
                figure(serviceMs.quantiles.at(-1) ?? 0),
                figure(outputBytes.mean),
                figure(outputsPerInvocation),
                String(serviceMs.samples),
              ],
            ]
          }),
        )
        answer(table([['TASK', 'TIER', 'MEAN ms', 'MAX ms', 'BYTES', 'ITEMS', 'SAMPLES'], ...rows]))
      },
    )
}
