/** What tasks have of a real cluster: what happens when memory runs out, of a task and of a node; and a CPU to itself. `npm run test:cluster`. */
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type Deployment, FunctionClient } from '../src/index.ts'
import { freshCluster, kubectl } from './fresh-cluster.ts'
import { callOnce } from './probe.ts'
import { until } from './processes.ts'
import { expected } from './walk.ts'
import { DEVICES, louder, otherLoud, podsOf, specOf, valuesOf } from './walk-on-cluster.ts'

const cluster = freshCluster()
let client: FunctionClient
beforeEach(() => {
  client = new FunctionClient()
})
afterEach(() => client.close())

const MB = 1e6
/** What a task takes that it may not, or that its node has not, in MB. */
const GREED = 2_500
/** What its node has left beside that, in MB: others on this machine may take some. */
const SPARE = 1_200

/** The project with a `loud` that takes much memory when it finds 1, and keeps it for a while. */
const greedy = () =>
  otherLoud(cluster, 'greedy', (code) =>
    code.replace(
      'function* run({ found }, args) {',
      `async $&
  if (found.sum === 1) {
    globalThis.taken = Buffer.alloc(${GREED * MB}, 1)
    await new Promise((go) => setTimeout(go, 60_000))
  }`,
    ),
  )
const withMemory = (memory: string) => specOf({ loud: { args: { memory } } }, greedy())
const call = (on: Deployment, id: number, sum: number) =>
  callOnce(client, on, 'loud', 'found', { sum }, 'walk', id)

/** Says from when on the node is short of memory. */
function shortBelow(quantity: string): void {
  const script = fileURLToPath(new URL('../../../infra/dev-cluster/cluster.sh', import.meta.url))
  execFileSync('bash', [script, 'memory', quantity])
}

const nodeHas = (type: string): string =>
  kubectl('get', 'node', 'node', '-o', `jsonpath={.status.conditions[?(@.type=="${type}")].status}`)

/** A pod that has all memory of the node reserved, and uses none; it goes with its namespace at the latest. */
function reserveAll(): () => void {
  interface PodSpec {
    spec: { containers: { image: string; resources: { requests?: { memory?: string } } }[] }
    status: { phase: string }
  }
  const { items } = JSON.parse(kubectl('get', 'pods', '-A', '-o', 'json')) as { items: PodSpec[] }
  const containers = items
    .filter(({ status }) => !/Succeeded|Failed/.test(status.phase))
    .flatMap(({ spec }) => spec.containers)
  const reserved = containers.map(({ resources }) => bytesOf(resources.requests?.memory ?? '0'))
  const allocatable = bytesOf(kubectl('get', 'node', 'node', '-o', 'jsonpath={.status.allocatable.memory}'))
  const free = allocatable - reserved.reduce((sum, each) => sum + each, 0)
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'hoard', namespace: cluster.namespace },
    spec: {
      terminationGracePeriodSeconds: 0,
      containers: [
        {
          name: 'hoard',
          image: 'dev.local/pause:1',
          resources: { requests: { memory: String(free - 60 * MB) } },
        },
      ],
    },
  }
  const file = path.join(cluster.scratchDir, 'hoard.json')
  writeFileSync(file, JSON.stringify(pod))
  kubectl('create', '-f', file)
  return () => void kubectl('delete', '-f', file)
}

const UNITS: Record<string, number> = { '': 1, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, k: 1e3, M: 1e6, G: 1e9 }
function bytesOf(quantity: string): number {
  const [, number = '', unit = ''] = /^(\d+)(\w*)$/.exec(quantity) ?? []
  return Number(number) * (UNITS[unit] ?? Number.NaN)
}

test('a task that takes more memory than it may is ended, and its function goes on', {
  timeout: 240_000,
}, async () => {
  const deployment = await (await cluster.target()).apply(await withMemory('100MB'))
  expect(await call(deployment, 0, 60)).toHaveLength(1)
  await expect(call(deployment, 1, 1)).rejects.toMatchObject({
    kind: 'memory',
    message: "Task 'loud' used more than its 100 MB of memory; fix the code or give the task memory='1GB'.",
  })
  expect(await call(deployment, 2, 60)).toHaveLength(1)
})

test('a node that is short of memory puts the container out that takes most: its call says so, and others go on', {
  timeout: 240_000,
}, async () => {
  const deployment = await (await cluster.target()).apply(await withMemory('4GB'))
  expect(await call(deployment, 0, 60)).toHaveLength(1)
  const { node } = JSON.parse(kubectl('get', '--raw', '/api/v1/nodes/node/proxy/stats/summary')) as {
    node: { memory: { availableBytes: number } }
  }
  onTestFinished(() => shortBelow('100Mi'))
  shortBelow(String(node.memory.availableBytes - SPARE * MB))
  await expect(call(deployment, 1, 1)).rejects.toThrow(
    /^The function 'loud' failed: its node has put its container out: .*low on resource: memory/,
  )
  expect(await call(deployment, 2, 60)).toHaveLength(1)
  await until(() => nodeHas('MemoryPressure') === 'False', 'the node stays short of memory', 60_000)
  expect(await valuesOf(deployment)).toEqual([expected(DEVICES)])
})

test('where no node has memory for a container a deployment says so, and a run waits until one has', {
  timeout: 360_000,
}, async () => {
  const target = await cluster.target()
  const first = await target.apply(await specOf())
  const gone = () => ['measure', 'loud', 'total'].every((task) => podsOf(cluster, task) === '')
  await until(gone, 'the functions do not go to zero', 120_000)
  const free = reserveAll()
  await expect(target.apply(await specOf(louder), { current: first })).rejects.toThrow(
    /'loud' does not get ready: .*Insufficient memory/,
  )
  const running = first.run()
  const message = () => first.status().resources.find(({ name }) => name === 'loud')?.message
  const why = /^The function 'loud' does not start: no node .* has room .*Insufficient memory/
  await until(() => why.test(message() ?? ''), 'that there is no room is not told', 60_000)
  free()
  expect(await running).toMatchObject({ state: 'succeeded', outputs: [{ value: expected(DEVICES) }] })
  await until(() => message() === undefined, 'that there is room is not told', 30_000)
})

test('an isolated task has one call at a time in a container, and a CPU to itself', {
  timeout: 240_000,
}, async () => {
  const target = await cluster.target()
  const deployment = await target.apply(await specOf({ loud: { directives: { isolate: true } } }))
  expect(await valuesOf(deployment)).toEqual([expected(DEVICES)])
  const services = JSON.parse(kubectl('get', 'ksvc', '-n', cluster.namespace, '-o', 'json')) as {
    items: {
      metadata: { labels: Record<string, string> }
      spec: {
        template: {
          spec: { containerConcurrency: number; containers: [{ resources: Record<string, object> }] }
        }
      }
    }[]
  }
  const specs = services.items.map(({ metadata, spec }) => {
    const { containerConcurrency, containers } = spec.template.spec
    const { requests, limits } = containers[0].resources as Record<string, { cpu?: string }>
    return [metadata.labels['hivemind.dev/task'], containerConcurrency, requests?.cpu, limits?.cpu]
  })
  expect(specs.find(([task]) => task === 'loud')).toEqual(['loud', 1, '1', '1'])
  for (const [, ...others] of specs.filter(([task]) => task !== 'loud'))
    expect(others).toEqual([2, '50m', undefined])
  await deployment.undeploy()
  // The CPU is taken until the container has ended.
  await until(() => podsOf(cluster, 'loud') === '', 'the container is still there', 120_000)
})
