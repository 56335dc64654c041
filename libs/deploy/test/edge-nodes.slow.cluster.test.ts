/** Edge nodes as nodes of a real cluster: `npm run test:cluster`. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { anyDevices, type DeploymentSpec } from '../src/index.ts'
import { freshCluster, kubectl } from './fresh-cluster.ts'
import { MachineAgents } from './machine-agents.ts'
import { expected, placed, projectDir, synthesised } from './walk.ts'

const DEVICES = 3
const onNodes = placed('edge-node', { frames: 'edge', position: 'edge' })
const cluster = freshCluster()
const agents = new MachineAgents(['gate-a', 'gate-b'], () => cluster.scratchDir)

const label = (node: number): string => `edge-node.hivemind.dev/gateway-${node}`
/** Makes a node of the cluster an edge node, or no longer one. */
const setLabel = (node: number, isSet: boolean): void => {
  const [machine = ''] = kubectl('get', 'nodes', '-o', 'name').split('\n')
  kubectl('label', machine, isSet ? `${label(node)}=true` : `${label(node)}-`, '--overwrite')
}
const unlabelled = (): void => {
  for (const node of [1, 2]) setLabel(node, false)
}
beforeEach(unlabelled)
afterEach(unlabelled)

async function specOf(count: number): Promise<DeploymentSpec> {
  const synthesis = await synthesised(onNodes)
  const edgeNodes = { name: 'gateway', count }
  return { name: 'walk', synthesis, projectDir, devices: anyDevices(DEVICES), edgeNodes }
}

interface Pod {
  metadata: { labels: Record<string, string> }
  spec: { nodeSelector?: Record<string, string> }
}

/** The label of edge nodes that the pods of each service ask for. */
function selectors(): Record<string, string> {
  const { items } = JSON.parse(kubectl('get', 'pods', '-n', cluster.namespace, '-o', 'json')) as {
    items: Pod[]
  }
  return Object.fromEntries(
    items.map(({ metadata, spec }) => [
      metadata.labels['hivemind.dev/task'],
      Object.keys(spec.nodeSelector ?? {}).join(),
    ]),
  )
}

test('functions of an edge node run on the node with its label; without one it is said, and nothing stays', {
  timeout: 400_000,
}, async () => {
  const target = await cluster.target()
  await expect(target.apply(await specOf(1))).rejects.toThrow(
    /'\w+@gateway-1' does not get ready: .*\n.*It runs only on nodes that are edge node 'gateway-1'/s,
  )
  expect(cluster.own()).toBe('')

  for (const node of [1, 2]) setLabel(node, true)
  const one = await target.apply(await specOf(1))
  expect(selectors()).toMatchObject({
    total: '',
    'measure-gateway-1': label(1),
    'locate-gateway-1': label(1),
    'loud-gateway-1': label(1),
  })
  const two = await specOf(2)
  const { changes } = await target.plan(one, two)
  expect(changes.filter(({ action }) => action !== 'keep').map(({ name, action }) => [action, name])).toEqual(
    ['measure', 'locate', 'loud'].map((task) => ['create', `${task}@gateway-2`]),
  )
  const deployment = await target.apply(two, { current: one })
  const { state, message, outputs, spans } = await deployment.run({ keepSpans: true })
  expect(state, message).toBe('succeeded')
  expect(outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
  const nodes = new Map<string, Set<string>>()
  for (const { tier, device, worker } of spans) {
    if (tier !== 'edge-node') continue
    nodes.set(device, (nodes.get(device) ?? new Set()).add(/gateway-\d/.exec(worker)?.[0] ?? worker))
  }
  expect(nodes).toEqual(
    new Map([
      ['device-1', new Set(['gateway-1'])],
      ['device-2', new Set(['gateway-2'])],
      ['device-3', new Set(['gateway-1'])],
    ]),
  )
  await deployment.undeploy()
  expect(cluster.own()).toBe('')
})

test('where Knative lets no function choose its nodes, it is said how to allow that', {
  timeout: 240_000,
}, async () => {
  const allow = (state: string) =>
    kubectl(
      ...['patch', 'configmap', 'config-features', '-n', 'knative-serving', '--type=merge'],
      ...['-p', JSON.stringify({ data: { 'kubernetes.podspec-nodeselector': state } })],
    )
  setLabel(1, true)
  const target = await cluster.target()
  allow('disabled')
  try {
    // until the webhook has heard of it
    await pause(10_000)
    const { needs } = await target.plan(null, await specOf(1))
    expect(needs.filter(({ level }) => level === 'error')).toContainEqual({
      level: 'error',
      message: expect.stringMatching(
        /nodeSelector.*set kubernetes\.podspec-nodeselector to 'enabled' in ConfigMap config-features/s,
      ),
    })
    await expect(target.apply(await specOf(1))).rejects.toThrow(
      /nodeSelector.*set kubernetes\.podspec-nodeselector to 'enabled' in ConfigMap config-features/s,
    )
    expect(cluster.own()).toBe('')
  } finally {
    allow('enabled')
  }
})

test('machines outside of the cluster that dial in are the edge nodes of a deployment whose cloud is on it', {
  timeout: 240_000,
}, async () => {
  const target = await cluster.target()
  await agents.start(target)
  const spec = await specOf(2)
  const next = { ...spec, edgeNodes: { name: 'gateway', count: 2, machines: agents.machines } }
  const { changes, needs } = await target.plan(null, next)
  const withObjects = changes.filter(({ objects = [] }) => objects.length > 0).map(({ name }) => name)
  expect(withObjects).toEqual(['total'])
  expect(needs.every(({ level }) => level === 'ok')).toBe(true)

  const deployment = await target.apply(next)
  expect(Object.keys(selectors())).toEqual(['total'])
  const { state, message, outputs, spans } = await deployment.run({ keepSpans: true })
  expect(state, message).toBe('succeeded')
  expect(outputs.map(({ value }) => value)).toEqual([expected(DEVICES)])
  const workers = spans.filter(({ tier }) => tier === 'edge-node').map(({ worker }) => worker)
  expect(new Set(workers.map((worker) => /@(gate-.)/.exec(worker)?.[1]))).toEqual(
    new Set(['gate-a', 'gate-b']),
  )
  await deployment.undeploy()
  expect(cluster.own()).toBe('')
})
