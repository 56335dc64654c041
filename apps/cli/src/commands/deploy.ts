import { anyDevices, type DeploymentSpec, type TargetKind } from '@hivemind/deploy'
import type { DeployableHandOver } from '@hivemind/swarm'
import type { Command } from 'commander'
import { boardOption, boardsOf } from '../boards.ts'
import { choosePlacement, placementHelp } from '../choice.ts'
import { deploymentFault, requireRuntimes } from '../deployment.ts'
import { interrupted } from '../interrupt.ts'
import { deployedHandOver, whole } from '../options.ts'
import { answer, answerJson, say } from '../output.ts'
import { planText } from '../planned.ts'
import { readReadyProject } from '../project.ts'
import { addTargetOption, commandTarget } from '../target.ts'
import { synthesiseProject } from './synth.ts'

/** Resolves when `signal` aborts, or after `seconds`. */
function untilTold(signal: AbortSignal, seconds: number | undefined): Promise<void> {
  return new Promise((resolve) => {
    const timer = seconds === undefined ? setInterval(() => {}, 2 ** 30) : setTimeout(resolve, seconds * 1000)
    const stop = (): void => {
      clearTimeout(timer)
      resolve()
    }
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true })
  })
}

export function deployCommand(program: Command): void {
  addTargetOption(program.command('deploy'))
    .description('start the functions and edge agents of a placement, until Ctrl-C')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--placement <which>', placementHelp, 'best')
    .option('--agents <n>', 'number of edge devices to start', whole(1, 64), 2)
    .option(
      '--edge-nodes <n>',
      'number of edge nodes, for tasks on them: this machine plays them, a cluster has nodes for them',
      whole(1, 16),
      1,
    )
    .addOption(deployedHandOver())
    .addOption(boardOption())
    .option('--plan', 'only say what would be started and what it needs; on a cluster, with the YAML')
    .option('--for <seconds>', 'stop by itself when it has stood for so many seconds', whole(0, 86_400))
    .option('--json', 'print the plan or the status as JSON')
    .addHelpText('after', '\nExample:\n  hivemind deploy examples/hello-swarm --placement all-edge --plan')
    .action(
      async (
        target: string,
        options: {
          placement: string
          agents: number
          edgeNodes: number
          target: TargetKind
          handOver?: DeployableHandOver
          board?: string[]
          plan?: boolean
          for?: number
          json?: boolean
        },
      ) => {
        const ready = await readReadyProject(target)
        const placement = await choosePlacement(ready, options.placement, options.agents, options.board)
        const synthesis = synthesiseProject(ready, placement, options.handOver)
        const spec: DeploymentSpec = {
          name: ready.source.name,
          synthesis,
          projectDir: ready.source.dir,
          devices: anyDevices(options.agents),
          edgeNodes: { name: ready.edgeNodes, count: options.edgeNodes },
          boards: boardsOf(synthesis.plan, options.board),
          constraints: ready.workflow.constraints,
        }
        const target_ = await commandTarget(options.target)
        if (options.plan) {
          const plan = await target_.plan(null, spec)
          if (options.json) answerJson({ placement, ...plan })
          else answer(planText(plan))
          return await target_.close()
        }
        const stop = new AbortController()
        for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stop.abort())
        await requireRuntimes(synthesis.plan, options.target)
        const deployment = await target_
          .apply(spec, { signal: stop.signal })
          .catch(async (error: unknown) => {
            await target_.close()
            throw stop.signal.aborted ? interrupted() : deploymentFault(error)
          })
        const status = deployment.status()
        if (options.json) answerJson({ placement, ...status })
        else
          for (const { kind, name, state, pid } of status.resources)
            answer(`${kind} ${name}: ${state}${pid === undefined ? '' : ` (process ${pid})`}`)
        say(`Deployed on ${target_.place}. Press Ctrl-C to undeploy.`)
        await untilTold(stop.signal, options.for)
        await target_.close()
        say('Undeployed.')
      },
    )
}
