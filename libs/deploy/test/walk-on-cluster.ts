/** The example `walk` on the development cluster, and what is seen of it there. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { synthesise } from '@hivemind/synthesis'
import type { Task } from '@hivemind/workflow'
import { expect } from 'vitest'
import { anyDevices, type Deployment, type DeploymentSpec, readProject } from '../src/index.ts'
import { type FreshCluster, kubectl } from './fresh-cluster.ts'
import { placements, projectDir, walk } from './walk.ts'

export const DEVICES = 2

type Change = Record<string, Partial<Task>>
export const louder: Change = { loud: { args: { atLeast: 0 } } }

export async function specOf(change: Change = {}, dir = projectDir): Promise<DeploymentSpec> {
  const { files } = await readProject(dir)
  const synthesis = synthesise({ name: 'walk', workflow: walk(change), placement: placements.hybrid, files })
  return { name: 'walk', synthesis, projectDir: dir, devices: anyDevices(DEVICES) }
}

/** The outputs of a run, which must succeed. */
export async function valuesOf(on: Deployment): Promise<unknown[]> {
  const { state, message, outputs } = await on.run()
  expect(state, message).toBe('succeeded')
  return outputs.map(({ value }) => value)
}

interface KnativeService {
  metadata: { uid: string; generation: number; labels: Record<string, string> }
}

/** Identity and generation of each Knative Service, by its task. */
export function servicesIn({ namespace }: FreshCluster): Record<string, string> {
  const { items } = JSON.parse(kubectl('get', 'ksvc', '-n', namespace, '-o', 'json')) as {
    items: KnativeService[]
  }
  return Object.fromEntries(
    items.map(({ metadata }) => [
      metadata.labels['hivemind.dev/task'],
      `${metadata.uid}/${metadata.generation}`,
    ]),
  )
}

export const containersOf = (on: Deployment, task: string) =>
  on.status().resources.find(({ name }) => name === task)?.containers

/** A copy of the project with other code in `loud`. */
export function otherLoud(
  { scratchDir }: FreshCluster,
  name: string,
  change: (code: string) => string,
): string {
  const dir = path.join(scratchDir, name)
  cpSync(projectDir, dir, { recursive: true })
  const file = path.join(dir, 'tasks/loud.mjs')
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  return dir
}

/** Names of the pods of a task, also of those that end. */
export const podsOf = ({ namespace }: FreshCluster, task: string): string =>
  kubectl('get', 'pods', '-n', namespace, '-l', `hivemind.dev/task=${task}`, '-o', 'name').trim()
