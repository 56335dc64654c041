/** How functions scale on a real cluster: `npm run test:cluster`. */
import { setTimeout as pause } from 'node:timers/promises'
import { SpanStatistics } from '@hivemind/orchestrator'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Deployment, FunctionClient } from '../src/index.ts'
import { countedIngress } from './counted-ingress.ts'
import { freshCluster, kubectl } from './fresh-cluster.ts'
import { callOnce } from './probe.ts'
import { until } from './processes.ts'
import { containersOf, otherLoud, specOf } from './walk-on-cluster.ts'

const cluster = freshCluster()
let client: FunctionClient
beforeEach(() => {
  client = new FunctionClient()
})
afterEach(() => client.close())

/** Where the function host listens in its container. */
const CONTAINER_PORT = '8080'

/** The port to which a call goes now. */
async function portOf(deployment: Deployment): Promise<string | undefined> {
  const way = await (await deployment.endpoint('loud')).direct?.()
  way?.done(true)
  return way && new URL(way.url).port
}

/** The project with a task that takes so long. */
const slowFor = (ms: number) =>
  otherLoud(cluster, `slow-${ms}`, (code) =>
    code.replace(
      'function* run({ found }, args) {',
      `async $&\n  await new Promise((go) => setTimeout(go, ${ms}))`,
    ),
  )

const pods = (): string[] =>
  kubectl('get', 'pods', '-n', cluster.namespace, '--field-selector=status.phase=Running', '-o', 'name')
    .split('\n')
    .filter((name) => name.includes('-loud-'))

test('idle, a function goes to zero; a call starts it from cold; many at once scale it out', {
  timeout: 300_000,
}, async () => {
  const target = await cluster.target()
  const deployment = await target.apply(await specOf())
  const call = (id: number) => callOnce(client, deployment, 'loud', 'found', { sum: 60 }, 'walk', id)
  expect(await call(0)).toHaveLength(1)
  await until(() => pods().length === 0, 'the function does not go to zero', 120_000)
  expect(await call(1)).toHaveLength(1)
  let peak = 0
  const from = Date.now()
  for (let id = 2; peak < 2 && Date.now() - from < 60_000; id += 50) {
    const calls = await Promise.all(Array.from({ length: 50 }, (_, index) => call(id + index)))
    expect(calls.map((items) => items.length)).toEqual(calls.map(() => 1))
    peak = Math.max(peak, pods().length)
  }
  expect(peak).toBeGreaterThan(1)
})

test('the figures of a run from zero tell cold calls from warm ones', { timeout: 300_000 }, async () => {
  const deployment = await (await cluster.target()).apply(await specOf())
  await until(() => pods().length === 0, 'the function does not go to zero', 120_000)
  const figures = async () => {
    const statistics = new SpanStatistics()
    const { state } = await deployment.run({
      onEvent: (event) => void (event.type === 'span' && statistics.add(event.span)),
    })
    expect(state).toBe('succeeded')
    return Object.fromEntries(statistics.tasks().map(({ task, starts }) => [task, starts]))
  }
  const cold = await figures()
  // a container does not start sooner
  expect(cold.measure?.coldP50Ms).toBeGreaterThan(200)
  expect(cold.measure?.cold).toBeGreaterThan(0)
  const warm = await figures()
  expect(warm.total).toBeUndefined()
})

test('calls go past the ingress to ready containers, and the autoscaler sees them: two minutes keep a function up, many at once scale it out, none let it go to zero', {
  timeout: 500_000,
}, async () => {
  const ingress = await countedIngress()
  const deployment = await (await cluster.target({}, { ingress: ingress.url })).apply(await specOf())
  const call = (id: number) => callOnce(client, deployment, 'loud', 'found', { sum: 60 }, 'walk', id)
  await until(() => containersOf(deployment, 'loud')?.direct === 1, 'no container takes calls directly')
  await expect.poll(() => portOf(deployment), { timeout: 20_000 }).toBe(CONTAINER_PORT)
  const before = ingress.calls()
  const [first] = pods()
  let id = 0
  for (const from = Date.now(); Date.now() - from < 120_000; await pause(100))
    expect(await call(id++)).toHaveLength(1)
  expect(id).toBeGreaterThan(500)
  expect(ingress.calls()).toBe(before)
  expect(pods()).toContain(first)
  // more at once than its container takes: the ingress has the rest, until there are more containers
  for (const from = Date.now(); (containersOf(deployment, 'loud')?.direct ?? 0) < 2; ) {
    expect(Date.now() - from).toBeLessThan(60_000)
    await Promise.all(Array.from({ length: 50 }, () => call(id++)))
  }
  expect(ingress.calls()).toBeGreaterThan(before)
  await until(() => containersOf(deployment, 'loud')?.ready === 0, 'it does not go to zero', 120_000)
  expect(await call(id)).toHaveLength(1)
})

test('a call that takes longer than an idle function stays keeps its container, and ends though the function is replaced', {
  timeout: 300_000,
}, async () => {
  const target = await cluster.target()
  const first = await target.apply(await specOf({}, slowFor(45_000)))
  const call = (on: Deployment, id: number) => callOnce(client, on, 'loud', 'found', { sum: 60 }, 'walk', id)
  await expect.poll(() => portOf(first), { timeout: 20_000 }).toBe(CONTAINER_PORT)
  const [container] = pods()
  expect(await call(first, 0)).toHaveLength(1)
  expect(pods()).toContain(container)
  const last = call(first, 1)
  const second = await target.apply(await specOf({}, slowFor(0)), { current: first })
  expect(await call(second, 2)).toHaveLength(1)
  expect(await last).toHaveLength(1)
})
