/** How functions scale on a real cluster: `npm run test:cluster`. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FunctionClient } from '../src/index.ts'
import { countedIngress } from './counted-ingress.ts'
import { freshCluster, kubectl } from './fresh-cluster.ts'
import { callOnce } from './probe.ts'
import { until } from './processes.ts'
import { containersOf, specOf } from './walk-on-cluster.ts'

const cluster = freshCluster()
let client: FunctionClient
beforeEach(() => {
  client = new FunctionClient()
})
afterEach(() => client.close())

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

test('calls go past the ingress to ready containers, and the autoscaler sees them: two minutes keep a function up, many at once scale it out, none let it go to zero', {
  timeout: 500_000,
}, async () => {
  const ingress = await countedIngress()
  const deployment = await (await cluster.target({}, { ingress: ingress.url })).apply(await specOf())
  const call = (id: number) => callOnce(client, deployment, 'loud', 'found', { sum: 60 }, 'walk', id)
  await until(() => containersOf(deployment, 'loud')?.direct === 1, 'no container takes calls directly')
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
