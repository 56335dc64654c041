/**
 * A chain of warm functions on Knative: past the ingress to ready containers (Speedo 3), against Knative's own routes, in
 * turns over the same functions. The cluster is the one of infra/dev-cluster.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { anyDevices, type Deployment, FunctionClient, knativeTarget, readProject } from '@hivemind/deploy'
import { print } from '@hivemind/dsl'
import { synthesise } from '@hivemind/synthesis'
import { decodeValue, type EncodedValue, encodeValue } from '@hivemind/values'
import type { Workflow } from '@hivemind/workflow'
import type { Bench, Row } from './table.ts'

const STEPS = 5
const CHAINS = 500
const WARM_UP_CHAINS = 300
/** Without a call for longer than the cluster lets a function stay. */
const COLD_LIMIT_MS = 180_000
const NAMESPACE = 'default'

const { withCluster } = (await import(
  fileURLToPath(new URL('../../scripts/lib/cluster.mjs', import.meta.url))
)) as { withCluster: <T>(use: (env: NodeJS.ProcessEnv) => Promise<T>) => Promise<T> }

const names = Array.from({ length: STEPS }, (_, index) => `step${index + 1}`)

const chain: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: names.map((name, index) => ({
    name,
    dataIn: [`x${index}`],
    dataOut: `x${index + 1}`,
    code: 'step.mjs',
    args: { reads: `x${index}` },
    parents: names.slice(Math.max(0, index - 1), index),
    children: names.slice(index + 1, index + 2),
    directives: {},
  })),
  data: [
    { name: 'x0', kind: 'object', declared: true },
    ...names.map((_, index) => ({ name: `x${index + 1}`, declared: false })),
  ],
  relations: [],
  constraints: [],
}

const quantile = (values: readonly number[], q: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(q * values.length))] ?? Number.NaN

let calls = 0

/** One value through the chain, in ms; past the ingress where there is a way. */
async function oneChain(client: FunctionClient, on: Deployment, direct: boolean): Promise<number> {
  const from = performance.now()
  let value: EncodedValue = encodeValue({ n: 0 })
  for (const [index, task] of names.entries()) {
    calls += 1
    const endpointOf = async () => {
      const { direct: way, ...endpoint } = await on.endpoint(task)
      return direct && way ? { ...endpoint, direct: way } : endpoint
    }
    const place = { workflow: 'chain', run: 'bench', lane: '*', index: -1, devices: [], seq: calls }
    const inputs = { [`x${index}`]: { kind: 'one' as const, value } }
    const onItem = (item: { value: EncodedValue }): void => {
      value = item.value
    }
    await client.invoke(endpointOf, { id: `c${calls}`, task, ...place, inputs }, { onItem })
  }
  const took = performance.now() - from
  if ((decodeValue(value) as { n: number }).n !== STEPS) throw new Error('The chain lost a step.')
  return took
}

/** A run of the chain, in ms. */
async function oneRun(on: Deployment): Promise<number> {
  const from = performance.now()
  const { state, message } = await on.run({ inputs: { x0: { n: 0 } } })
  if (state !== 'succeeded') throw new Error(`The run ended as ${state}: ${message}`)
  return performance.now() - from
}

const readyOf = (on: Deployment): number =>
  on.status().resources.reduce((sum, { containers }) => sum + (containers?.ready ?? 0), 0)

async function until(holds: () => boolean, what: string): Promise<void> {
  for (const limit = Date.now() + COLD_LIMIT_MS; !holds(); await pause(200))
    if (Date.now() > limit) throw new Error(`${what} within ${COLD_LIMIT_MS / 1000} s.`)
}

async function measure(on: Deployment, client: FunctionClient): Promise<Row[]> {
  const direct = () => on.status().resources.every(({ containers }) => (containers?.direct ?? 0) > 0)
  await until(direct, 'Not every function had a container that is reached directly')
  const ways = { direct: [] as number[], route: [] as number[] }
  for (let n = -WARM_UP_CHAINS; n < CHAINS; n++)
    for (const way of n % 2 === 0 ? (['direct', 'route'] as const) : (['route', 'direct'] as const)) {
      const took = await oneChain(client, on, way === 'direct')
      if (n >= 0) ways[way].push(took)
    }
  const cold: number[] = []
  for (const chain of [() => oneChain(client, on, true), () => oneRun(on)]) {
    await until(() => readyOf(on) === 0, 'The functions did not go to zero')
    cold.push(await chain())
  }
  const row = (name: string, took: number[]): Row => ({
    name,
    cpuS: Number.NaN,
    figures: {
      'p50, ms': quantile(took, 0.5).toFixed(1),
      'p99, ms': quantile(took, 0.99).toFixed(1),
      'p50, times the first': (quantile(took, 0.5) / quantile(ways.direct, 0.5)).toFixed(2),
    },
  })
  return [
    row('past the ingress', ways.direct),
    row("Knative's routes (Kourier 1.15)", ways.route),
    row('from zero, one called after the other', cold.slice(0, 1)),
    row('from zero, a run, which starts them beside each other', cold.slice(1)),
  ]
}

/** The ways of warm calls, and a cold one. */
export const clusterCalls: Bench = {
  name: 'cluster-calls',
  title: `${CHAINS} times a chain of ${STEPS} functions that add one, on Knative`,
  run: () =>
    withCluster(async (env) => {
      const dir = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-cluster-'))
      writeFileSync(path.join(dir, 'chain.hive.py'), print(chain))
      writeFileSync(
        path.join(dir, 'step.mjs'),
        'export const run = (x, args) => ({ n: x[args.reads].n + 1 })\n',
      )
      process.env.KUBECONFIG = env.KUBECONFIG
      const target = await knativeTarget({
        cluster: { namespace: NAMESPACE },
        knative: {
          images: { node: env.HIVEMIND_IMAGE_NODE ?? '', python: env.HIVEMIND_IMAGE_PYTHON ?? '' },
          ...(env.HIVEMIND_INGRESS && { ingress: env.HIVEMIND_INGRESS }),
          keepAliveS: 5,
        },
      })
      const client = new FunctionClient()
      try {
        const { files } = await readProject(dir)
        const placement = Object.fromEntries(names.map((name) => [name, 'cloud' as const]))
        const synthesis = synthesise({ name: 'chain', workflow: chain, placement, files })
        const on = await target.apply({ name: 'chain', synthesis, projectDir: dir, devices: anyDevices(1) })
        const rows = await measure(on, client)
        await on.undeploy()
        return rows
      } finally {
        await client.close()
        await target.close()
        rmSync(dir, { recursive: true, force: true })
      }
    }),
}
