/** A service whose functions run on a real cluster: `npm run test:cluster`. */
import { execFileSync } from 'node:child_process'
import { openTarget, type Target } from '@hivemind/deploy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const images = JSON.parse(process.env.HIVEMIND_CLUSTER_IMAGES ?? '{}') as { node: string; python: string }
const kubectl = (...args: string[]): string => execFileSync('kubectl', args, { encoding: 'utf8' })

const dataDir = newFolder()
const namespace = `service-${Math.random().toString(36).slice(2, 8)}`
let started: Started | undefined

const target = (kind: 'knative' | 'local'): Promise<Target> =>
  openTarget(
    kind,
    { dir: `${dataDir}/${kind}`, leaseSeconds: 60 },
    {
      HIVEMIND_IMAGE_NODE: images.node,
      HIVEMIND_IMAGE_PYTHON: images.python,
      HIVEMIND_INGRESS: 'http://172.31.255.1:31080',
      HIVEMIND_NAMESPACE: namespace,
    },
  )
const open = async (kind: 'knative' | 'local' = 'knative'): Promise<Started> => {
  const config = configFor(`${dataDir}/service-${kind}`, {
    target: kind,
    keepDeployments: kind === 'knative',
  })
  started = await start(config, await target(kind))
  return started
}

beforeEach(() => void kubectl('create', 'namespace', namespace))
afterEach(async () => {
  await started?.service.close()
  removeFolder(dataDir)
  kubectl('delete', 'namespace', namespace, '--wait=false')
})

/** Deploys people-recognition with its detection in the cloud; resolves with the deployment, which is ready. */
async function deployed(on: Started): Promise<string> {
  const { client } = on
  const body = { name: 'People', example: 'people-recognition' }
  const { id: project } = await client.ok('createProject', { body })
  const placement = {
    createRoute: 'cloud',
    collectImage: 'edge',
    obstacleAvoidance: 'edge',
    faceRecognition: 'cloud',
    deduplication: 'cloud',
  }
  const { id: deployment } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 1, placement },
  })
  await ready(on, deployment)
  return deployment
}

async function ready({ client }: Started, deployment: string): Promise<void> {
  const standing = async () => {
    const now = await client.ok('getDeployment', { path: { deployment } })
    return now.state !== 'starting' && now
  }
  expect(await until(standing)).toMatchObject({ state: 'ready' })
}

/** The values that a run gives, by task, device and item. */
async function outputsOf({ client }: Started, deployment: string): Promise<Map<string, unknown>> {
  const run = await client.ok('startRun', { path: { deployment }, body: {} })
  const { state, result } = await until(async () => {
    const now = await client.ok('getRun', { path: { run: run.id } })
    return now.endedAt !== undefined && now
  })
  expect(state).toBe('succeeded')
  const outputs = result.outputs as { task: string; device: string; seq: number; value: unknown }[]
  return new Map(outputs.map(({ task, device, seq, value }) => [`${task} ${device} ${seq}`, value]))
}

test('people-recognition runs on the cluster as on this machine, also after the service was restarted, and leaves nothing', {
  timeout: 300_000,
}, async () => {
  const local = await open('local')
  const onThisMachine = await outputsOf(local, await deployed(local))
  await local.service.close()
  expect([...onThisMachine.values()]).toContainEqual(expect.objectContaining({ uniquePeople: 24 }))

  let there = await open()
  expect(await there.client.ok('health')).toMatchObject({ target: 'knative' })
  const deployment = await deployed(there)
  expect(await outputsOf(there, deployment)).toEqual(onThisMachine)
  await there.service.close()
  there = await open()
  await ready(there, deployment)
  expect(await outputsOf(there, deployment)).toEqual(onThisMachine)
  const { client } = there
  await client.ok('undeploy', { path: { deployment } })
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'stopped')
  const left = ['ksvc,configmaps,secrets', '-n', namespace, '-l', 'app.kubernetes.io/managed-by=hivemind']
  expect(kubectl('get', ...left, '-o', 'name')).toBe('')
})
