/** Runs whose values go through the store: of the data folder, and of a Redis cluster that loses a primary meanwhile. */
import { afterAll, expect, test } from 'vitest'
import { type RedisServers, startCluster } from '../../../libs/store/test/redis-servers.ts'
import type { Config } from '../src/config/config.ts'
import { type Service, startService } from '../src/service.ts'
import { Client, until } from './support/client.ts'
import { configFor, newFolder, removeFolder } from './support/service.ts'

/** Bytes of an item but the first: more than travels in a message. */
const PADDING = 400_000
const ITEMS = 30
const SENSOR = `import { setTimeout as pause } from 'node:timers/promises'
export async function* run(_inputs, _args, context) {
  for (let n = 0; n < ${ITEMS}; n++) {
    await pause(100)
    yield { n, padding: n === 0 ? '' : 'x'.repeat(${PADDING}) }
  }
}`
const JUDGE = `def run(inputs, args, context):
    return inputs['reading']
`
const SUMMARY = `export const run = ({ verdict }) => verdict.map(({ value }) => value.n + value.padding.length)`

const folders: string[] = []
afterAll(() => folders.forEach(removeFolder))

interface Opened {
  service: Service
  client: Client
}

async function open(more: Partial<Config>): Promise<Opened> {
  const folder = newFolder()
  folders.push(folder)
  const service = await startService(configFor(folder, more))
  return { service, client: new Client(service.url) }
}

/** Runs the workflow on two devices. `during` is called when some of the values are in the store. */
async function runThrough({ service, client }: Opened, during: () => unknown) {
  const { id: project } = await client.ok('createProject', {
    body: { name: 'Large', example: 'hello-swarm' },
  })
  const files = { 'read-sensor.mjs': SENSOR, 'judge.py': JUDGE, 'summary.mjs': SUMMARY }
  for (const [name, text] of Object.entries(files))
    await client.ok('putFile', { path: { project }, query: { path: `tasks/${name}` }, body: { text } })
  const { text, layout } = await client.ok('getVersion', { path: { project, version: 1 } })
  const body = {
    base: 1,
    text: `${text}\nPersist(judge)\nPersist(summary)\n`,
    layout,
    message: 'large items',
  }
  await client.ok('saveVersion', { path: { project }, body })
  const { id: deployment } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 2, placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }, agents: 2 },
  })
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'ready')
  const { id } = await client.ok('startRun', { path: { deployment }, body: {} })
  await until(async () => (await service.store.listPools(`/runs/${id}.passing`)).length > 0)
  expect(await service.store.getPool(`/runs/${id}.passing`)).toMatchObject({ persistence: 'buffered' })
  await during()
  const run = await until(async () => {
    const now = await client.ok('getRun', { path: { run: id } })
    return now.endedAt !== undefined && now
  })
  expect(run).toMatchObject({ state: 'succeeded' })
  const outputs: { task: string; value: unknown; bytes?: number }[] = run.result.outputs
  const [report] = outputs.filter(({ task }) => task === 'summary')
  const expected = Array.from({ length: ITEMS }, (_, n) => (n === 0 ? 0 : n + PADDING))
  const both = expected.flatMap((each) => [each, each])
  expect(((report?.value ?? []) as number[]).toSorted((a, b) => a - b)).toEqual(both)
  // What passed between tasks is gone; what Persist keeps is there, small or large, and can be downloaded.
  expect((await service.store.listPools('/runs')).map(({ path }) => path)).toEqual([`/runs/${id}`])
  expect(await service.store.getPool(`/runs/${id}`)).toMatchObject({ persistence: 'persistent' })
  expect(await service.store.listKeys(`/runs/${id}/judge`)).toHaveLength(2 * ITEMS)
  expect(await service.store.listKeys(`/runs/${id}/summary`)).toEqual([`/runs/${id}/summary/*/0`])
  const index = outputs.findIndex(({ task, bytes = 0 }) => task === 'judge' && bytes > PADDING)
  const response = await fetch(`${client.url}api/runs/${id}/outputs/${index}`)
  expect((await response.arrayBuffer()).byteLength).toBeGreaterThan(PADDING)
}

/** Those of the four feeds of people-recognition. */
const FRAMES = 64

/** Runs people-recognition on two devices. `during` is called when some of what it finds is kept. */
async function recognisePeople({ service, client }: Opened, during: (run: string) => unknown) {
  const { id: project } = await client.ok('createProject', {
    body: { name: 'People', example: 'people-recognition' },
  })
  const placement = {
    createRoute: 'cloud',
    collectImage: 'edge',
    obstacleAvoidance: 'edge',
    faceRecognition: 'cloud',
    deduplication: 'cloud',
  }
  const { id: deployment } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 1, placement, agents: 2 },
  })
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'ready')
  const { id } = await client.ok('startRun', { path: { deployment }, body: {} })
  const found = `/runs/${id}/faceRecognition`
  const kept = async () => (await service.store.getPool(`/runs/${id}`)) && service.store.listKeys(found)
  const before = await until(async () => {
    const keys = (await kept()) || []
    return keys.length > 2 && keys.length
  })
  expect(before).toBeLessThan(FRAMES)
  await during(id)
  const run = await until(async () => {
    const now = await client.ok('getRun', { path: { run: id } })
    return now.endedAt !== undefined && now
  })
  expect(run).toMatchObject({ state: 'succeeded' })
  expect(await service.store.listKeys(found)).toHaveLength(FRAMES)
  const outputs: { task: string; value: unknown }[] = run.result.outputs
  const people = outputs.find(({ task }) => task === 'deduplication')?.value
  const { uniquePeople } = people as { uniquePeople: number }
  expect(Math.abs(uniquePeople - 25)).toBeLessThanOrEqual(1)
}

/** Kills the server of the cluster that has the values of a run. It comes back as a replica of its successor. */
async function killPrimary(servers: RedisServers, pool: string): Promise<void> {
  const primary = await servers.primaryOf(`hivemind:2:{${encodeURIComponent(`hivemind:${pool}`)}}:pool`)
  servers.kill(primary)
  // Its successor needs a replica for its writes to be acknowledged.
  await servers.rejoin(primary)
}

test('values of a run go through the store in the data folder', { timeout: 240_000 }, async () => {
  const opened = await open({})
  try {
    await runThrough(opened, () => {})
  } finally {
    await opened.service.close()
  }
})

test('a run goes on while a primary of the Redis cluster that keeps its values is killed', {
  timeout: 300_000,
}, async () => {
  const servers = await startCluster()
  const opened = await open({ redis: { url: servers.url, replicas: 1 } })
  try {
    await runThrough(opened, async () => {
      const [pool] = await opened.service.store.listPools('/runs')
      await killPrimary(servers, pool?.path ?? '')
    })
  } finally {
    await opened.service.close()
    await servers.stop()
  }
})

test('people-recognition runs on the store in the data folder', { timeout: 240_000 }, async () => {
  const opened = await open({})
  try {
    await recognisePeople(opened, () => {})
  } finally {
    await opened.service.close()
  }
})

test('people-recognition runs on a Redis cluster, a primary of which is killed meanwhile', {
  timeout: 300_000,
}, async () => {
  const servers = await startCluster()
  const opened = await open({ redis: { url: servers.url, replicas: 1 } })
  try {
    await recognisePeople(opened, (run) => killPrimary(servers, `/runs/${run}`))
  } finally {
    await opened.service.close()
    await servers.stop()
  }
})
