import { type DeploymentSpec, localTarget } from '@hivemind/deploy'
import type { Command } from 'commander'
import { choosePlacement, placementHelp } from '../choice.ts'
import { exitCodes } from '../failure.ts'
import { whole } from '../options.ts'
import { answer, answerJson, say } from '../output.ts'
import { readReadyProject } from '../project.ts'
import { synthesiseProject } from './synth.ts'

/** Resolves on Ctrl-C, a termination request, or after `seconds`. */
function untilTold(seconds: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve())
    if (seconds !== undefined) setTimeout(resolve, seconds * 1000)
    else setInterval(() => {}, 2 ** 30)
  })
}

export function deployCommand(program: Command): void {
  program
    .command('deploy')
    .description('start the functions and edge agents of a placement on this machine, until Ctrl-C')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--placement <which>', placementHelp, 'best')
    .option('--agents <n>', 'number of edge devices to start', whole(1, 64), 2)
    .option('--dry-run', 'only tell what would be started')
    .option('--for <seconds>', 'stop by itself after so many seconds', whole(0, 86_400))
    .option('--json', 'print the plan or the status as JSON')
    .addHelpText('after', '\nExample:\n  hivemind deploy examples/hello-swarm --placement all-edge --dry-run')
    .action(
      async (
        target: string,
        options: { placement: string; agents: number; dryRun?: boolean; for?: number; json?: boolean },
      ) => {
        const ready = await readReadyProject(target)
        const placement = await choosePlacement(ready, options.placement, options.agents)
        const synthesis = synthesiseProject(ready, placement)
        const spec: DeploymentSpec = {
          name: ready.source.name,
          synthesis,
          projectDir: ready.source.dir,
          agents: options.agents,
        }
        const target_ = localTarget()
        if (options.dryRun) {
          const diff = target_.plan(null, spec)
          if (options.json) answerJson({ placement, ...diff })
          else answer(diff.create.map((name) => `create ${name}`).join('\n'))
          return
        }
        const told = untilTold(options.for)
        const interrupted = new AbortController()
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
          process.once(signal, () => interrupted.abort())
        const deployment = await target_.apply(spec, { signal: interrupted.signal })
        const status = deployment.status()
        if (options.json) answerJson({ placement, ...status })
        else
          for (const { kind, name, state, pid } of status.resources)
            answer(`${kind} ${name}: ${state}${pid === undefined ? '' : ` (process ${pid})`}`)
        say('Deployed. Press Ctrl-C to undeploy.')
        await told
        await deployment.undeploy()
        say('Undeployed.')
        process.exit(exitCodes.fine)
      },
    )
}
