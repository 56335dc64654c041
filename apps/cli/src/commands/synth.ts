import path from 'node:path'
import { writeStubs } from '@hivemind/rpc'
import type { DeployableHandOver, Placement } from '@hivemind/swarm'
import { type Synthesis, SynthesisError, synthesise } from '@hivemind/synthesis'
import type { Command } from 'commander'
import { choosePlacement, placementHelp } from '../choice.ts'
import { otherFault, usageFault, workflowFault } from '../failure.ts'
import { deployedHandOver, whole } from '../options.ts'
import { answer, answerJson, say } from '../output.ts'
import { makeFolder, type ReadyProject, readReadyProject, writeWhole } from '../project.ts'

const stubLanguages = ['cpp', 'py', 'js'] as const
type StubLanguage = (typeof stubLanguages)[number]

/** From a placement to everything a target deploys; what the workflow lacks for it is its fault. */
export function synthesiseProject(
  ready: ReadyProject,
  placement: Placement,
  handOver?: DeployableHandOver,
): Synthesis {
  try {
    return synthesise({
      name: ready.source.name,
      workflow: ready.workflow,
      placement,
      files: ready.project.files,
      ...(handOver && { handOver }),
    })
  } catch (error) {
    if (error instanceof SynthesisError) throw workflowFault(error.message)
    throw error
  }
}

function stubsOf(text: string): StubLanguage[] {
  return text.split(',').map((word) => {
    const language = stubLanguages.find((known) => known === word.trim())
    if (!language) throw usageFault(`'${word}' in --stubs is unknown. Known: ${stubLanguages.join(', ')}.`)
    return language
  })
}

export function synthCommand(program: Command): void {
  program
    .command('synth')
    .description('write the plan, Thrift IDL, Node-RED flow and function manifests of a placement')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--placement <which>', placementHelp, 'best')
    .option('--agents <n>', 'number of edge devices', whole(1, 64), 2)
    .addOption(deployedHandOver())
    .option('--out <folder>', 'where to write', 'synthesis')
    .option('--stubs <languages>', 'also write Thrift stubs: cpp, py, js, separated by commas')
    .option('--json', 'print plan, bundles and artefact paths as JSON')
    .addHelpText('after', '\nExample:\n  hivemind synth examples/hello-swarm --out out --stubs cpp,py')
    .action(
      async (
        target: string,
        options: {
          placement: string
          agents: number
          handOver?: DeployableHandOver
          out: string
          stubs?: string
          json?: boolean
        },
      ) => {
        const languages = options.stubs === undefined ? [] : stubsOf(options.stubs)
        const ready = await readReadyProject(target)
        const placement = await choosePlacement(ready, options.placement, options.agents)
        const { plan, bundles, artefacts, thrift } = synthesiseProject(ready, placement, options.handOver)
        const written: string[] = []
        await makeFolder(options.out)
        for (const artefact of artefacts) {
          const file = path.join(options.out, artefact.path)
          await makeFolder(path.dirname(file))
          await writeWhole(file, artefact.text)
          written.push(file)
        }
        if (languages.length > 0) {
          const stubs = path.join(options.out, 'stubs')
          await writeStubs(thrift, languages, stubs, ready.source.name).catch((error: Error) => {
            throw otherFault(error.message)
          })
          written.push(...languages.map((language) => path.join(stubs, language)))
        }
        if (options.json) answerJson({ plan, bundles, written })
        else {
          answer(written.join('\n'))
          say(`${plan.tasks.length} tasks, ${bundles.length} bundles`)
        }
      },
    )
}
