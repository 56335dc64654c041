/** The examples and small workflows as deployments: the text checked, synthesised and ready for a target. */
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { check } from '@hivemind/dsl'
import type { HandOverKind, Placement } from '@hivemind/swarm'
import { synthesise } from '@hivemind/synthesis'
import { type DeploymentSpec, readProject } from '../src/index.ts'

type Spec = Omit<DeploymentSpec, 'devices'>

/** An example with its tasks placed. */
export function exampleSpec(example: string, placement: Placement): Promise<Spec> {
  return projectSpec(fileURLToPath(new URL(`../../../examples/${example}`, import.meta.url)), placement)
}

/** A project folder with its tasks placed; throws when the language finds any error in its workflow. */
export async function projectSpec(dir: string, placement: Placement, handOver?: HandOverKind): Promise<Spec> {
  const { text, files } = await readProject(dir)
  const known = new Set(files.map((file) => file.path))
  const { workflow, diagnostics } = check(text, { fileExists: (file) => known.has(file) })
  const errors = diagnostics.filter(({ severity }) => severity === 'error')
  if (!workflow || errors.length > 0)
    throw new Error(errors.map(({ line, message }) => `line ${line}: ${message}`).join('\n'))
  const name = path.basename(dir)
  return {
    name,
    synthesis: synthesise({ name, workflow, placement, files, ...(handOver && { handOver }) }),
    projectDir: dir,
    constraints: workflow.constraints,
  }
}
