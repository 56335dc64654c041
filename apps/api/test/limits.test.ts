/** What all deployments and runs share is bounded: what comes on top waits, and says for what. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const dataDir = newFolder()
let started: Started
let project = ''
/** Lets what waits at the target go on, by the order in which it came there. */
let gates: (() => void)[] = []

beforeAll(async () => {
  started = await start(configFor(dataDir, { maxRuns: 2 }))
  project = (await started.client.ok('createProject', { body: { name: 'Hello', example: 'hello-swarm' } })).id
})
afterEach(() => {
  started.target.script = {}
  for (const open of gates) open()
  gates = []
})
afterAll(async () => {
  await started?.service.close()
  removeFolder(dataDir)
})

const gate = (signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    gates.push(resolve)
    signal?.addEventListener('abort', () => resolve(), { once: true })
  })

const deploy = async (): Promise<string> =>
  (
    await started.client.ok('createDeployment', {
      path: { project },
      body: {
        version: 1,
        placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' },
        beside: true,
      },
    })
  ).id
const deploymentOf = (deployment: string) => started.client.ok('getDeployment', { path: { deployment } })
const runOf = (run: string) => started.client.ok('getRun', { path: { run } })

test('deployments start two at a time; the others say that they wait', async () => {
  started.target.script.start = () => gate()
  const ids = [await deploy(), await deploy(), await deploy()]
  await until(() => gates.length === 2)
  expect(await deploymentOf(ids[2] as string)).toMatchObject({
    state: 'starting',
    message: 'Waiting: other deployments are starting.',
  })
  gates[0]?.()
  await until(() => gates.length === 3)
  expect((await deploymentOf(ids[2] as string)).message).toMatch(/^Starting/)
  for (const open of gates) open()
  for (const id of ids) await until(async () => (await deploymentOf(id)).state === 'ready')
})

test('a deployment that waits can be undeployed, and those behind it start', async () => {
  started.target.script.start = () => gate()
  const ids = [await deploy(), await deploy(), await deploy(), await deploy()]
  await until(() => gates.length === 2)
  const ended = started.client.ok('undeploy', { path: { deployment: ids[2] as string } })
  expect((await ended).state).toBe('stopped')
  gates[0]?.()
  await until(() => gates.length === 3)
  for (const open of gates) open()
  await until(async () => (await deploymentOf(ids[3] as string)).state === 'ready')
})

test('as many runs as the service has at once; another waits, or is cancelled while it does', async () => {
  started.target.script.run = async ({ signal }) => {
    await gate(signal)
    return {}
  }
  const deployment = await deploy()
  await until(async () => (await deploymentOf(deployment)).state === 'ready')
  const run = async (): Promise<string> =>
    (await started.client.ok('startRun', { path: { deployment }, body: {} })).id
  const ids = [await run(), await run(), await run(), await run()]
  await until(() => gates.length === 2)
  expect(await runOf(ids[3] as string)).toMatchObject({
    state: 'queued',
    message: 'Waiting: 2 runs are under way, as many as this service has at once (HIVEMIND_MAX_RUNS).',
  })
  await started.client.ok('cancelRun', { path: { run: ids[2] as string } })
  await until(async () => (await runOf(ids[2] as string)).state === 'cancelled')
  expect(gates).toHaveLength(2)
  gates[0]?.()
  await until(() => gates.length === 3)
  for (const open of gates) open()
  for (const id of [ids[0], ids[1], ids[3]])
    await until(async () => (await runOf(id as string)).state === 'succeeded')
})

test('a version that is tried holds up no other start, says how far it is, and is not overtaken', async () => {
  const deployWith = (more: object) =>
    started.client.call('createDeployment', {
      path: { project },
      body: { version: 1, placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }, ...more },
    })
  await until(async () => (await deploymentOf((await deployWith({})).body.id)).state === 'ready')
  let canary: unknown
  started.target.script.start = async (_, signal, options) => {
    if (!options.canary) return
    canary = options.canary
    options.onTrial?.()
    options.onStatus?.({ state: 'starting', message: 'Trying it.', resources: [] })
    await gate(signal)
  }
  const { id } = (await deployWith({ canary: { share: 0.2 } })).body
  await until(async () => (await deploymentOf(id)).message === 'Trying it.')
  expect(canary).toEqual({ share: 0.2, calls: 30, limitMs: 600_000 })
  expect(await deployWith({})).toMatchObject({
    status: 409,
    body: { detail: expect.stringMatching(/^Version 1 is being tried/) },
  })
  for (let count = 0; count < 3; count += 1) {
    const beside = await deploy()
    await until(async () => (await deploymentOf(beside)).state === 'ready')
  }
  expect(await deployWith({ canary: {}, beside: true })).toMatchObject({
    status: 422,
    body: { errors: [{ field: 'canary' }] },
  })
  for (const open of gates) open()
  await until(async () => (await deploymentOf(id)).state === 'ready')
})
