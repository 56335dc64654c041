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

const target = (): Promise<Target> =>
  openTarget(
    'knative',
    { dir: `${dataDir}/local`, leaseSeconds: 60 },
    {
      HIVEMIND_IMAGE_NODE: images.node,
      HIVEMIND_IMAGE_PYTHON: images.python,
      HIVEMIND_INGRESS: 'http://172.31.255.1:31080',
      HIVEMIND_NAMESPACE: namespace,
    },
  )
const open = async (): Promise<Started> => {
  started = await start(configFor(dataDir, { target: 'knative', keepDeployments: true }), await target())
  return started
}

beforeEach(() => void kubectl('create', 'namespace', namespace))
afterEach(async () => {
  await started?.service.close()
  removeFolder(dataDir)
  kubectl('delete', 'namespace', namespace, '--wait=false')
})

test('people-recognition runs on the cluster, also after the service was restarted, and leaves nothing', {
  timeout: 300_000,
}, async () => {
  let { client } = await open()
  expect(await client.ok('health')).toMatchObject({ target: 'knative' })
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
  const standing = async () => {
    const now = await client.ok('getDeployment', { path: { deployment } })
    return now.state !== 'starting' && now
  }
  expect(await until(standing)).toMatchObject({ state: 'ready' })
  const people = async () => {
    const run = await client.ok('startRun', { path: { deployment }, body: {} })
    const { state, result } = await until(async () => {
      const now = await client.ok('getRun', { path: { run: run.id } })
      return now.endedAt !== undefined && now
    })
    expect(state).toBe('succeeded')
    const { value } = result.outputs.find(({ task }: { task: string }) => task === 'deduplication')
    return value.uniquePeople
  }
  expect(await people()).toBe(24)
  await started?.service.close()
  ;({ client } = await open())
  expect(await standing()).toMatchObject({ state: 'ready' })
  expect(await people()).toBe(24)
  await client.ok('undeploy', { path: { deployment } })
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'stopped')
  const left = ['ksvc,configmaps,secrets', '-n', namespace, '-l', 'app.kubernetes.io/managed-by=hivemind']
  expect(kubectl('get', ...left, '-o', 'name')).toBe('')
})
