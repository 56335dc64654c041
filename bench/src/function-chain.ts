/** A chain of functions that each add one, and how it is measured in runs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { anyDevices, type Deployment, type DeploymentSpec, readProject } from '@hivemind/deploy'
import { print } from '@hivemind/dsl'
import type { HandOverKind } from '@hivemind/swarm'
import { synthesise } from '@hivemind/synthesis'
import type { Workflow } from '@hivemind/workflow'
import type { Row } from './table.ts'

const STEPS = 5

/** The functions of the chain, the first first. */
export const stepNames: readonly string[] = Array.from({ length: STEPS }, (_, index) => `step${index + 1}`)

/** Emits the sum and so many bytes. */
const CODE =
  'export const run = (x, { reads, fill }) => ({ n: x[reads].n + 1, ...(fill && { fill: new Uint8Array(fill) }) })\n'

/** The chain; `fill` is how many bytes each function but the last adds to what it emits. */
const chainOf = (fill: number): Workflow => ({
  schema: 'hivemind.workflow/1',
  tasks: stepNames.map((name, index) => ({
    name,
    dataIn: [`x${index}`],
    dataOut: `x${index + 1}`,
    code: 'step.mjs',
    args: { reads: `x${index}`, fill: index < STEPS - 1 ? fill : 0 },
    parents: stepNames.slice(Math.max(0, index - 1), index),
    children: stepNames.slice(index + 1, index + 2),
    directives: {},
  })),
  data: [
    { name: 'x0', kind: 'object', declared: true },
    ...stepNames.map((_, index) => ({ name: `x${index + 1}`, declared: false })),
  ],
  relations: [],
  constraints: [],
})

/** A project of the chain, in a folder of its own until `remove` is called. */
export async function chainProject(fill = 0): Promise<{
  spec: (name: string, handOver: HandOverKind) => DeploymentSpec
  remove: () => void
}> {
  const workflow = chainOf(fill)
  const dir = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-chain-'))
  writeFileSync(path.join(dir, 'chain.hive.py'), print(workflow))
  writeFileSync(path.join(dir, 'step.mjs'), CODE)
  const { files } = await readProject(dir)
  const placement = Object.fromEntries(stepNames.map((name) => [name, 'cloud' as const]))
  return {
    spec: (name, handOver) => ({
      name,
      synthesis: synthesise({ name: 'chain', workflow, placement, files, handOver }),
      projectDir: dir,
      devices: anyDevices(1),
    }),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  }
}

/** From the first function being ready to run to the end of the last, in ms, in one run. */
async function chainMs(on: Deployment): Promise<number> {
  const { state, message, outputs, spans } = await on.run({ inputs: { x0: { n: 0 } }, keepSpans: true })
  if (state !== 'succeeded') throw new Error(`The run ended as ${state}: ${message}`)
  if ((outputs[0]?.value as { n: number } | undefined)?.n !== STEPS) throw new Error('The chain lost a step.')
  return Math.max(...spans.map(({ endedAt }) => endedAt)) - Math.min(...spans.map(({ queuedAt }) => queuedAt))
}

/** What the chain takes on each of these deployments, in ms: run in turns, after some runs that do not count. */
export async function chainsInTurn<K extends string>(
  deployments: Record<K, Deployment>,
  runs: number,
  warmUp: number,
): Promise<Record<K, number[]>> {
  const each = Object.entries(deployments) as [K, Deployment][]
  const took = Object.fromEntries(each.map(([name]) => [name, [] as number[]])) as Record<K, number[]>
  for (let run = -warmUp; run < runs; run++)
    for (const [name, on] of run % 2 === 0 ? each : each.toReversed()) {
      const ms = await chainMs(on)
      if (run >= 0) took[name].push(ms)
    }
  return took
}

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN

/** A row of times in ms, against those of the first row. */
export const timesRow = (name: string, took: readonly number[], first: readonly number[]): Row => ({
  name,
  cpuS: Number.NaN,
  figures: {
    'p50, ms': quantile(took, 0.5).toFixed(1),
    'p99, ms': quantile(took, 0.99).toFixed(1),
    'p50, times the first': (quantile(took, 0.5) / quantile(first, 0.5)).toFixed(2),
  },
})
