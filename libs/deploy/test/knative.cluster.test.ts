/** The Knative target against a real cluster: what is deployed there, runs and changes. `npm run test:cluster`; also part of `npm test`. */
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Deployment, FunctionClient } from '../src/index.ts'
import { countedIngress } from './counted-ingress.ts'
import { freshCluster, kubectl } from './fresh-cluster.ts'
import { callOnce, probing } from './probe.ts'
import { until } from './processes.ts'
import { CODE, expected as expectedTogether, givenBy, TOGETHER, togetherSpec } from './together.ts'
import { expected } from './walk.ts'
import { containersOf, DEVICES, louder, servicesIn, specOf, valuesOf } from './walk-on-cluster.ts'

const cluster = freshCluster()
const services = () => servicesIn(cluster)
let client: FunctionClient
beforeEach(() => {
  client = new FunctionClient()
})
afterEach(() => client.close())

/** So long a call is held that waits for containers to end, in ms. */
const HELD_MS = 30_000

interface PodTimes {
  task: string
  /** In ms since 1970, to the second. */
  created: number
  ready: number | undefined
}

/** When the containers of each function were made, and were ready. */
function podTimes(): PodTimes[] {
  const { items } = JSON.parse(kubectl('get', 'pods', '-n', cluster.namespace, '-o', 'json')) as {
    items: {
      metadata: { labels: Record<string, string>; creationTimestamp: string; deletionTimestamp?: string }
      status: { conditions?: { type: string; status: string; lastTransitionTime: string }[] }
    }[]
  }
  return items
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata, status }) => {
      const ready = status.conditions?.find((each) => each.type === 'Ready' && each.status === 'True')
      return {
        task: metadata.labels['hivemind.dev/task'] ?? '',
        created: Date.parse(metadata.creationTimestamp),
        ready: ready && Date.parse(ready.lastTransitionTime),
      }
    })
}

test('tasks that share a container are one service, and give what they give through the store', {
  timeout: 300_000,
}, async () => {
  const target = await cluster.target()
  const deploy = async (change = {}, current?: Deployment) => {
    const spec = {
      ...(await togetherSpec(path.join(cluster.scratchDir, 'together'), 'co-placed', change)),
      name: 'together',
    }
    return target.apply(spec, current && { current })
  }
  const on = await deploy()
  const before = services()
  // Kubernetes takes no plus sign in a label
  expect(Object.keys(before).toSorted()).toEqual([TOGETHER.replaceAll('+', '-'), 'total'])
  await until(() => (containersOf(on, TOGETHER)?.direct ?? 0) > 0, 'no container is reached directly', 60_000)
  const result = await on.run({ keepSpans: true })
  expect(givenBy(result)).toEqual(expectedTogether)
  expect(result.spans.filter(({ status }) => status === 'failed')).toEqual([])
  // each by the process of its own task
  for (const { tier, task, worker } of result.spans)
    if (tier === 'cloud') expect(worker).toBe(`${task}-${worker.split('-').at(-1)}`)
  const changed = await deploy({ code: { 'name.mjs': CODE['name.mjs'].replace("': '", "'='") } }, on)
  const after = services()
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual([
    TOGETHER.replaceAll('+', '-'),
  ])
  expect(givenBy(await changed.run()).outputs.at(-1)).toContain('device-1/0=0')
  await changed.undeploy()
  expect(services()).toEqual({})
})

test('a run over functions on the cluster gives what one on this machine gives; undeployed, nothing is left', {
  timeout: 240_000,
}, async () => {
  const target = await cluster.target()
  const deployment = await target.apply(await specOf())
  expect(deployment.record().target).toBe('knative')
  expect(await valuesOf(deployment)).toEqual([expected(DEVICES)])
  await deployment.undeploy()
  expect(cluster.own()).toBe('')
})

test('one changed task changes one service, and calls at 50 a second see no error; and back', {
  timeout: 240_000,
}, async () => {
  const target = await cluster.target()
  const first = await target.apply(await specOf())
  const before = services()
  const changed = probing(client, 20, first, 'loud', 'found', { sum: 6 })
  const second = await target.apply(await specOf(louder), { current: first })
  const after = services()
  expect(Object.keys(after).filter((name) => after[name] !== before[name])).toEqual(['loud'])
  expect(await valuesOf(second)).toMatchObject([{ count: 12 }])
  const third = await target.apply(await specOf(), { current: second })
  expect(await valuesOf(third)).toEqual([expected(DEVICES)])
  // what it says of itself is of the deployment that stands
  const versions = (await changed()).map((items) => items.length)
  expect(versions.length).toBeGreaterThan(100)
  // Calls that are under way at a change may be answered by either version.
  const inOrder = [versions[0], versions.find((count) => count === 1), versions.at(-1)]
  expect(inOrder).toEqual([0, 1, 0])
})

test('a call of a function that has gone to zero does not wait for what the activator holds, as it does while containers end', {
  timeout: 240_000,
}, async () => {
  const ingress = await countedIngress(HELD_MS)
  const deployment = await (await cluster.target({}, { ingress: ingress.url })).apply(await specOf())
  await until(
    () => containersOf(deployment, 'loud')?.ready === 0,
    'the function does not go to zero',
    120_000,
  )
  const from = Date.now()
  const call = callOnce(client, deployment, 'loud', 'found', { sum: 60 }, 'walk', 0)
  expect(await call).toHaveLength(1)
  expect(ingress.calls()).toBe(1)
  expect(Date.now() - from).toBeLessThan(HELD_MS)
})

test('the functions of a run that have gone to zero start beside each other, before those that are called first have answered', {
  timeout: 300_000,
}, async () => {
  const deployment = await (await cluster.target()).apply(await specOf())
  const ready = (task: string) => containersOf(deployment, task)?.ready
  const tasks = ['measure', 'loud', 'total']
  await until(() => tasks.every((task) => ready(task) === 0), 'the functions do not go to zero', 120_000)
  const running = valuesOf(deployment)
  const started = new Map<string, PodTimes>()
  await until(() => {
    for (const times of podTimes()) if (times.ready) started.set(times.task, times)
    return started.size === tasks.length
  }, 'not every function has started')
  expect(await running).toEqual([expected(DEVICES)])
  // total waits for all of the others, and is called last: when both have answered. Knative looks every two seconds which containers are
  // wanted, at each function by itself.
  const others = ['measure', 'loud'].map((task) => started.get(task)?.ready as number)
  expect(started.get('total')?.created).toBeLessThan(Math.max(...others))
})

test('after a restart of the service the functions are there as they were', {
  timeout: 240_000,
}, async () => {
  const dir = path.join(cluster.scratchDir, 'kept')
  const before = await cluster.target({}, { dir })
  const spec = await specOf()
  const first = await before.apply(spec)
  const record = JSON.parse(JSON.stringify(first.record()))
  const standing = services()
  await before.close()
  cluster.targets.splice(0)
  const second = await (await cluster.target({}, { dir })).attach(record, spec)
  expect(second?.status().state).toBe('ready')
  expect(services()).toEqual(standing)
  expect(await valuesOf(second as Deployment)).toEqual([expected(DEVICES)])
  await second?.undeploy()
})
