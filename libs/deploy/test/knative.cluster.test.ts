/** The Knative target against a real cluster: `npm run test:cluster`. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, request, type Server } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { synthesise } from '@hivemind/synthesis'
import type { Task } from '@hivemind/workflow'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { anyDevices, type Deployment, FunctionClient, readProject } from '../src/index.ts'
import { freshCluster, INGRESS, kubectl } from './fresh-cluster.ts'
import { callOnce, probing } from './probe.ts'
import { until } from './processes.ts'
import { CODE, expected as expectedTogether, givenBy, TOGETHER, togetherSpec } from './together.ts'
import { expected, placements, projectDir, synthesised, walk } from './walk.ts'

const DEVICES = 2

const cluster = freshCluster()
let client: FunctionClient
const proxies: Server[] = []

beforeEach(() => {
  client = new FunctionClient()
})
afterEach(async () => {
  await client.close()
  for (const proxy of proxies.splice(0)) proxy.close().closeAllConnections()
})

type Change = Record<string, Partial<Task>>
const louder: Change = { loud: { args: { atLeast: 0 } } }

async function specOf(change: Change = {}, dir = projectDir) {
  const synthesis = await synthesised(placements.hybrid, walk(change))
  return { name: 'walk', synthesis, projectDir: dir, devices: anyDevices(DEVICES) }
}

async function valuesOf(on: Deployment): Promise<unknown[]> {
  const { state, message, outputs } = await on.run()
  expect(state, message).toBe('succeeded')
  return outputs.map(({ value }) => value)
}

interface KnativeService {
  metadata: { uid: string; generation: number; labels: Record<string, string> }
}

/** Identity and generation of each service, by its task. */
function services(): Record<string, string> {
  const { items } = JSON.parse(kubectl('get', 'ksvc', '-n', cluster.namespace, '-o', 'json')) as {
    items: KnativeService[]
  }
  return Object.fromEntries(
    items.map(({ metadata }) => [
      metadata.labels['hivemind.dev/task'],
      `${metadata.uid}/${metadata.generation}`,
    ]),
  )
}

/** A way to the ingress that counts the calls that take it. */
async function countedIngress(): Promise<{ url: string; calls: () => number }> {
  let calls = 0
  const server = createServer((incoming, answer) => {
    calls += 1
    const { method, headers } = incoming
    const onward = request(INGRESS, { method: method ?? 'GET', headers }, (back) => {
      answer.writeHead(back.statusCode ?? 502, back.headers)
      back.pipe(answer)
    })
    onward.on('error', () => answer.destroy())
    incoming.pipe(onward)
  })
  proxies.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, calls: () => calls }
}

const containersOf = (on: Deployment, task: string) =>
  on.status().resources.find(({ name }) => name === task)?.containers

const pods = (): string[] =>
  kubectl('get', 'pods', '-n', cluster.namespace, '--field-selector=status.phase=Running', '-o', 'name')
    .split('\n')
    .filter((name) => name.includes('-loud-'))

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

test('the functions of a run that have gone to zero start beside each other, before the first of them answers', {
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
  // total waits for all of the others, and is called last
  expect(started.get('total')?.created).toBeLessThan(started.get('measure')?.ready as number)
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

/** A copy of the project with other code in `loud`. */
function otherLoud(name: string, change: (code: string) => string): string {
  const dir = path.join(cluster.scratchDir, name)
  cpSync(projectDir, dir, { recursive: true })
  const file = path.join(dir, 'tasks/loud.mjs')
  writeFileSync(file, change(readFileSync(file, 'utf8')))
  return dir
}

describe('what does not start is told in a sentence, and leaves what was', () => {
  /** A copy of the project whose `loud` cannot be loaded. */
  async function broken() {
    const dir = otherLoud('walk', (code) => `throw new Error('no such model')\n${code}`)
    const { files } = await readProject(dir)
    const synthesis = synthesise({ name: 'walk', workflow: walk(), placement: placements.hybrid, files })
    return { name: 'walk', synthesis, projectDir: dir, devices: anyDevices(DEVICES) }
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
  const config = kubectl('config', 'view', '--raw', '--minify', '--flatten', '-o', 'json')
  const parsed = JSON.parse(config) as { clusters: { cluster: Record<string, unknown> }[] }
  const { hostname, port } = new URL(String(parsed.clusters[0]?.cluster.server))
  const sockets = new Set<Socket>()
  const way = createTcpServer((near) => {
    const far = connect(Number(port), hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    }
    near.pipe(far).pipe(near)
  })
  const open = (at: number) =>
    new Promise<number>((resolve) => {
      way.listen(at, '127.0.0.1', () => resolve((way.address() as AddressInfo).port))
    })
  const at = await open(0)
  for (const { cluster } of parsed.clusters)
    Object.assign(cluster, { server: `https://127.0.0.1:${at}`, 'tls-server-name': hostname })
  try {
    const deployment = await (await cluster.target({ kubeconfig: JSON.stringify(parsed) })).apply(
      await specOf(),
    )
    way.close()
    for (const socket of sockets) socket.destroy()
    const undeployed = deployment.undeploy()
    await pause(8_000)
    await open(at)
    await undeployed
    expect(cluster.own()).toBe('')
  } finally {
    way.close()
    for (const socket of sockets) socket.destroy()
  }
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

test('new revisions are tried on a share of the calls: one that fails is reverted, one that does as well takes over', {
  timeout: 400_000,
}, async () => {
  const target = await cluster.target()
  const first = await target.apply(await specOf())
  const standing = services()
  const onTrial = async (dir: string) => {
    const trial = Promise.withResolvers<void>()
    const { files } = await readProject(dir)
    const synthesis = synthesise({ name: 'walk', workflow: walk(), placement: placements.hybrid, files })
    const spec = { name: path.basename(dir), synthesis, projectDir: dir, devices: anyDevices(DEVICES) }
    const canary = { share: 0.5, calls: 6, limitMs: 120_000 }
    const applied = target.apply(spec, { current: first, canary, onTrial: () => trial.resolve() })
    applied.catch(trial.reject)
    await trial.promise
    return applied.catch((error: unknown) => error)
  }
  const failing = otherLoud('failing', (code) =>
    code.replace(/^(export .*\{)$/m, "$1\n  throw new Error('no model')"),
  )
  const reverting = onTrial(failing)
  await until(
    () => Object.values(services()).length === 3 && services().loud !== standing.loud,
    'nothing is tried',
    120_000,
  )
  const reverted = await Promise.race([reverting, runsUntil(first, reverting)])
  expect(reverted).toMatchObject({ message: expect.stringMatching(/^Reverted: .*no model/) })
  // Neither the trial nor its end is taken for somebody else's change.
  await pause(6_000)
  expect(first.status().resources.map(({ state, message }) => message ?? state)).not.toContainEqual(
    expect.stringMatching(/Somebody/),
  )
  expect(await valuesOf(first)).toEqual([expected(DEVICES)])

  const good = onTrial(otherLoud('good', (code) => `${code}\n// the same\n`))
  const second = (await Promise.race([good, runsUntil(first, good)])) as Deployment
  expect(second).not.toBeInstanceOf(Error)
  expect(second.status().state).toBe('ready')
  expect(first.status().state).toBe('stopped')
  expect(await valuesOf(second)).toEqual([expected(DEVICES)])
})

/** Starts runs one after the other until something else has happened, and gives that. Each must succeed. */
async function runsUntil(on: Deployment, other: Promise<unknown>): Promise<unknown> {
  let done = false
  void other.then(() => {
    done = true
  })
  while (!done && on.status().state === 'ready') {
    const { state, message } = await on.run()
    if (!done && on.status().state === 'ready') expect(state, message).toBe('succeeded')
    await pause(200)
  }
  return other
}
