/**
 * A chain of warm functions on Knative: past the ingress to ready containers (Speedo 3), against Knative's own routes, in
 * turns over the same functions. The cluster is the one of infra/dev-cluster.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Deployment, FunctionClient, knativeTarget, type Rest } from '@hivemind/deploy'
import { decodeValue, type EncodedValue, encodeValue } from '@hivemind/values'
import { chainProject, chainsInTurn, stepNames, timesRow } from './function-chain.ts'
import type { Bench, Row } from './table.ts'

const STEPS = stepNames.length
const CHAINS = 500
const WARM_UP_CHAINS = 300
const RUNS = 200
const WARM_UP_RUNS = 100
const COLD_ROUNDS = 3
/** Without a call for longer than the cluster lets a function stay. */
const COLD_LIMIT_MS = 180_000
const NAMESPACE = 'default'

const { withCluster } = (await import(
  fileURLToPath(new URL('../../scripts/lib/cluster.mjs', import.meta.url))
)) as { withCluster: <T>(use: (env: NodeJS.ProcessEnv) => Promise<T>) => Promise<T> }

let calls = 0

/** What calls of the chain have in common. */
const place = { workflow: 'chain', run: 'bench', lane: '*', index: -1, devices: [] }

/** One value through the chain, in ms; past the ingress where there is a way. */
async function oneChain(client: FunctionClient, on: Deployment, direct: boolean): Promise<number> {
  const from = performance.now()
  let value: EncodedValue = encodeValue({ n: 0 })
  for (const [index, task] of stepNames.entries()) {
    calls += 1
    const endpointOf = async () => {
      const { direct: way, ...endpoint } = await on.endpoint(task)
      return direct && way ? { ...endpoint, direct: way } : endpoint
    }
    const inputs = { [`x${index}`]: { kind: 'one' as const, value } }
    const onItem = (item: { value: EncodedValue }): void => {
      value = item.value
    }
    await client.invoke(endpointOf, { id: `c${calls}`, task, ...place, seq: calls, inputs }, { onItem })
  }
  const took = performance.now() - from
  if ((decodeValue(value) as { n: number }).n !== STEPS) throw new Error('The chain lost a step.')
  return took
}

/** The same in one container, which goes on from each function to the next; past the ingress. */
async function oneContainer(client: FunctionClient, on: Deployment): Promise<number> {
  calls += 1
  const from = performance.now()
  const [first = '', ...others] = stepNames
  const given = Promise.withResolvers<EncodedValue>()
  given.promise.catch(() => {})
  const rest: Rest = {
    signal: new AbortController().signal,
    arrived: () => {},
    answered: () => {},
    step: (frame) => {
      if (frame.t === 'item' && frame.task === others.at(-1)) given.resolve(frame.item.value)
    },
    ended: (error) => given.reject(error ?? new Error('The chain lost a step.')),
  }
  await client.invoke(
    () => on.endpoint(stepNames.join('+')),
    {
      ...{ id: `c${calls}`, task: first, ...place, seq: calls, next: others.map((task) => ({ task })) },
      inputs: { x0: { kind: 'one', value: encodeValue({ n: 0 }) } },
    },
    { onItem: () => {}, rest },
  )
  const value = await given.promise
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

async function measure(on: Deployment, together: Deployment, client: FunctionClient): Promise<Row[]> {
  const direct = () =>
    [on, together].every((each) =>
      each.status().resources.every(({ containers }) => (containers?.direct ?? 0) > 0),
    )
  await until(direct, 'Not every function had a container that is reached directly')
  const ways = {
    direct: () => oneChain(client, on, true),
    route: () => oneChain(client, on, false),
    together: () => oneContainer(client, together),
  }
  const names = ['direct', 'route', 'together'] as const
  const took = { direct: [] as number[], route: [] as number[], together: [] as number[] }
  for (let n = -WARM_UP_CHAINS; n < CHAINS; n++)
    for (const way of n % 2 === 0 ? names : names.toReversed()) {
      const ms = await ways[way]()
      if (n >= 0) took[way].push(ms)
    }
  const runs = await chainsInTurn({ apart: on, together }, RUNS, WARM_UP_RUNS)
  await together.undeploy()
  const cold = { oneByOne: [] as number[], run: [] as number[] }
  for (let round = 0; round < COLD_ROUNDS; round++) {
    await until(() => readyOf(on) === 0, 'The functions did not go to zero')
    cold.oneByOne.push(await ways.direct())
    await until(() => readyOf(on) === 0, 'The functions did not go to zero')
    cold.run.push(await oneRun(on))
  }
  const row = (name: string, ms: number[]): Row => timesRow(name, ms, took.direct)
  return [
    row('past the ingress', took.direct),
    row("Knative's routes (Kourier 1.15)", took.route),
    row('past the ingress, in one container', took.together),
    row('a run', runs.apart),
    row('a run, in one container', runs.together),
    row('from zero, one called after the other', cold.oneByOne),
    row('from zero, a run, which starts them beside each other', cold.run),
  ]
}

/** The ways of warm calls, and a cold one. */
export const clusterCalls: Bench = {
  name: 'cluster-calls',
  title: `${CHAINS} times a chain of ${STEPS} functions that add one, on Knative`,
  run: () =>
    withCluster(async (env) => {
      const project = await chainProject()
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
        const on = await target.apply(project.spec('chain', 'store'))
        const together = await target.apply(project.spec('together', 'co-placed'))
        const rows = await measure(on, together, client)
        await on.undeploy()
        return rows
      } finally {
        await client.close()
        await target.close()
        project.remove()
      }
    }),
}
