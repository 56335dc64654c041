/** What goes wrong with functions on a real cluster, and what is said of it: `npm run test:cluster`. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { FunctionClient } from '../src/index.ts'
import { freshCluster, kubectl } from './fresh-cluster.ts'
import { callOnce } from './probe.ts'
import { until } from './processes.ts'
import { severableWay } from './severable-way.ts'
import { expected } from './walk.ts'
import {
  containersOf,
  DEVICES,
  louder,
  otherLoud,
  podsOf,
  servicesIn,
  specOf,
  valuesOf,
} from './walk-on-cluster.ts'

const cluster = freshCluster()
const services = () => servicesIn(cluster)

/** For so long the API server is away, in ms. */
const AWAY_MS = 30_000

describe('what does not start is told in a sentence, and leaves what was', () => {
  /** A copy of the project whose `loud` cannot be loaded. */
  function broken() {
    return specOf(
      {},
      otherLoud(cluster, 'walk', (code) => `throw new Error('no such model')\n${code}`),
    )
  }

  test('code that cannot be loaded', { timeout: 240_000 }, async () => {
    const target = await cluster.target()
    await expect(target.apply(await broken())).rejects.toThrow(/'loud' does not get ready.*no such model/s)
    expect(services()).toEqual({})
    const first = await target.apply(await specOf())
    await expect(target.apply(await broken(), { current: first })).rejects.toThrow(/no such model/)
    expect(first.status().state).toBe('ready')
    expect(await valuesOf(first)).toEqual([expected(DEVICES)])
  })

  test('an image that is not there', { timeout: 240_000 }, async () => {
    const none = 'dev.local/none:1'
    const target = await cluster.target({}, { images: { node: none, python: none } })
    await expect(target.apply(await specOf())).rejects.toThrow(/does not get ready: .*dev\.local\/none:1/s)
  })

  test('more than the quota of the namespace', { timeout: 240_000 }, async () => {
    kubectl(
      'create',
      'quota',
      'small',
      '-n',
      cluster.namespace,
      '--hard=limits.memory=200Mi,requests.memory=100Mi',
    )
    await expect((await cluster.target()).apply(await specOf())).rejects.toThrow(
      /exceeded quota|must specify/,
    )
  })

  test('more services than the namespace may have, which a plan says', { timeout: 60_000 }, async () => {
    const hard = '--hard=count/services.serving.knative.dev=0'
    kubectl('create', 'quota', 'none', '-n', cluster.namespace, hard)
    const target = await cluster.target()
    const refusals = async (): Promise<string[]> =>
      (await target.plan(null, await specOf())).needs.flatMap(({ level, message }) =>
        level === 'error' ? [message] : [],
      )
    const refused = expect.stringMatching(/apply Service .*exceeded quota: none/)
    // the cluster counts first
    await expect.poll(refusals, { timeout: 30_000, interval: 1_000 }).toEqual([refused, refused, refused])
    expect(cluster.own()).toBe('')
  })

  test('an account that may not', { timeout: 240_000 }, async () => {
    kubectl('create', 'serviceaccount', 'nobody', '-n', cluster.namespace)
    const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }
    writeFileSync(path.join(cluster.scratchDir, 'request.json'), JSON.stringify(request))
    const url = `/api/v1/namespaces/${cluster.namespace}/serviceaccounts/nobody/token`
    const answer = kubectl('create', '--raw', url, '-f', path.join(cluster.scratchDir, 'request.json'))
    const { token } = (JSON.parse(answer) as { status: { token: string } }).status
    const config = kubectl('config', 'view', '--raw', '--minify', '--flatten', '-o', 'json')
    const parsed = JSON.parse(config) as { users: { user: object }[] }
    for (const user of parsed.users) user.user = { token }
    await expect(
      (await cluster.target({ kubeconfig: JSON.stringify(parsed) })).apply(await specOf()),
    ).rejects.toThrow(/does not let this account apply Secret .* in namespace 'test-/)
  })

  test('a cluster that does not answer', { timeout: 60_000 }, async () => {
    const config = kubectl('config', 'view', '--raw', '--minify', '--flatten', '-o', 'json')
    const away = config.replace(/:6443/, ':6444')
    await expect((await cluster.target({ kubeconfig: away })).apply(await specOf())).rejects.toThrow(
      /The cluster at https:\/\/172\.31\.255\.1:6444 did not answer: .*ECONNREFUSED/,
    )
  })

  test('a start that is cancelled', { timeout: 120_000 }, async () => {
    const stop = new AbortController()
    const applying = (await cluster.target()).apply(await specOf(), { signal: stop.signal })
    applying.catch(() => {})
    await pause(1_500)
    stop.abort()
    await expect(applying).rejects.toThrow()
    expect(services()).toEqual({})
  })
})

test('undeployed while the cluster is away, everything is removed once it is back', {
  timeout: 240_000,
}, async () => {
  const way = await severableWay()
  const deployment = await (await cluster.target({ kubeconfig: way.kubeconfig })).apply(await specOf())
  way.cut()
  const undeployed = deployment.undeploy()
  await pause(8_000)
  await way.mend()
  await undeployed
  expect(cluster.own()).toBe('')
})

test('while the API server is away calls and runs go on and a change says why it is none; afterwards it is made', {
  timeout: 240_000,
}, async () => {
  const client = new FunctionClient()
  onTestFinished(() => client.close())
  const way = await severableWay()
  const target = await cluster.target({ kubeconfig: way.kubeconfig })
  const first = await target.apply(await specOf())
  await until(() => (containersOf(first, 'loud')?.direct ?? 0) > 0, 'no container takes calls directly')
  const standing = services()
  way.cut()
  const from = Date.now()
  await expect(target.apply(await specOf(louder), { current: first })).rejects.toThrow(/did not answer/)
  for (let id = 0; Date.now() - from < AWAY_MS; id++) {
    expect(await callOnce(client, first, 'loud', 'found', { sum: 60 }, 'walk', id)).toHaveLength(1)
    await pause(200)
  }
  expect(await valuesOf(first)).toEqual([expected(DEVICES)])
  expect(services()).toEqual(standing)
  await way.mend()
  const second = await target.apply(await specOf(louder), { current: first })
  expect(second.status().state).toBe('ready')
  expect(await valuesOf(second)).toMatchObject([{ count: 12 }])
})

test('a service that others change or delete is said to be', { timeout: 240_000 }, async () => {
  const target = await cluster.target()
  const deployment = await target.apply(await specOf())
  const messages = () =>
    Object.fromEntries(deployment.status().resources.map(({ name, message }) => [name, message]))
  const nameOf = (task: string) =>
    kubectl('get', 'ksvc', '-n', cluster.namespace, '-l', `hivemind.dev/task=${task}`, '-o', 'name').trim()
  kubectl('delete', '-n', cluster.namespace, nameOf('loud'))
  kubectl(
    'patch',
    '-n',
    cluster.namespace,
    nameOf('total'),
    '--type=merge',
    '-p',
    '{"spec":{"traffic":null}}',
  )
  await until(() => /deleted/.test(messages().loud ?? ''), 'the deletion is not told', 30_000)
  await until(() => /changed/.test(messages().total ?? ''), 'the change is not told', 30_000)
  expect(messages().measure).toBeUndefined()

  // Deployed again, everything is as it was, and what nobody touched stays.
  const standing = services()
  const plan = await target.plan(deployment, await specOf())
  const changes = plan.changes.flatMap(({ kind, name, action }) =>
    kind === 'function' ? [`${name} ${action}`] : [],
  )
  expect(changes.toSorted()).toEqual(['loud change', 'measure keep', 'total change'])
  const objects = Object.fromEntries(plan.changes.map(({ name, objects: own = [] }) => [name, own]))
  const becomes = (task: string) => objects[task]?.map(({ kind, action }) => `${action} ${kind}`)
  expect(becomes('measure')).toEqual(['keep Service', 'keep Secret', 'keep ConfigMap'])
  expect(becomes('loud')).toEqual(['create Service', 'keep Secret', 'keep ConfigMap'])
  expect(becomes('total')).toEqual(['change Service', 'keep Secret', 'keep ConfigMap'])
  expect(objects.total?.[0]?.diff).toContain('\n+    - revisionName: ')
  expect(plan.needs.filter(({ level }) => level !== 'ok')).toEqual([])
  const again = await target.apply(await specOf(), { current: deployment })
  expect(again.status().resources.every(({ state }) => state === 'ready')).toBe(true)
  expect(services().measure).toBe(standing.measure)
  expect(Object.keys(services())).toContain('loud')
  const traffic = [
    'get',
    '-n',
    cluster.namespace,
    nameOf('total'),
    '-o',
    'jsonpath={.spec.traffic[*].percent}',
  ]
  expect(kubectl(...traffic)).toBe('100')
  expect(await valuesOf(again)).toEqual([expected(DEVICES)])
})

/** Puts other content under the names of the code of a function, as an intruder or a broken tool would. */
function exchangeCode(task: string): void {
  const label = `hivemind.dev/task=${task}`
  const of = ['-n', cluster.namespace, '-l', label]
  const { items } = JSON.parse(kubectl('get', 'configmaps', ...of, '-o', 'json')) as {
    items: { metadata: object; binaryData: Record<string, string> }[]
  }
  const other = Buffer.from('export function* run() { yield { sum: 666 } }').toString('base64')
  for (const item of items) {
    item.metadata = { ...item.metadata, uid: undefined, resourceVersion: undefined }
    for (const name of Object.keys(item.binaryData)) item.binaryData[name] = other
  }
  const file = path.join(cluster.scratchDir, 'code.json')
  writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items }))
  kubectl('delete', 'configmaps', ...of)
  kubectl('create', '-f', file)
}

test('code that somebody has exchanged is not run; deployed again, the function is as it was', {
  timeout: 240_000,
}, async () => {
  const target = await cluster.target()
  const first = await target.apply(await specOf())
  // as long as a container is there, its node keeps what it has read of it
  await until(() => podsOf(cluster, 'loud') === '', 'the function does not go to zero', 120_000)
  exchangeCode('loud')
  const message = () => first.status().resources.find(({ name }) => name === 'loud')?.message ?? ''
  const why = /The code of task 'loud' is not what was deployed: '.+' has the hash/
  const running = first.run()
  await until(() => why.test(message()), 'the exchanged code is not told', 60_000)
  expect(await running).toMatchObject({ state: 'failed', message: expect.stringMatching(why) })
  const plan = await target.plan(first, await specOf())
  expect(
    plan.changes.flatMap(({ kind, name, action }) => (kind === 'function' ? [`${name} ${action}`] : [])),
  ).toEqual(['measure keep', 'loud change', 'total keep'])
  const again = await target.apply(await specOf(), { current: first })
  expect(again.status().resources.every(({ state }) => state === 'ready')).toBe(true)
  expect(await valuesOf(again)).toEqual([expected(DEVICES)])
})
