/** Versions over the API: what is deployed runs the code of its version, also after the project has moved on. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../src/service.ts'
import { Client, until } from './support/client.ts'
import { configFor, newFolder, removeFolder } from './support/service.ts'

const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }
const SECOND = `export const run = () => ({ readings: 4711 })\n`

let folder: string
let service: Service
let client: Client

beforeAll(async () => {
  folder = newFolder()
  service = await startService(configFor(folder))
  client = new Client(service.url)
}, 120_000)
afterAll(async () => {
  await service.close()
  removeFolder(folder)
}, 60_000)

async function deploy(project: string, version: number) {
  const { id } = await client.ok('createDeployment', {
    path: { project },
    body: { version, placement, agents: 1 },
  })
  const record = await until(async () => {
    const now = await client.ok('getDeployment', { path: { deployment: id } })
    return now.state !== 'starting' && now
  })
  expect(record).toMatchObject({ state: 'ready' })
  const pids: Record<string, number> = {}
  for (const { name, pid } of record.resources) pids[name] = pid
  return { id, pids }
}

async function readingsOf(deployment: string): Promise<unknown> {
  const { id } = await client.ok('startRun', { path: { deployment }, body: { itemsPerDevice: 5 } })
  const run = await until(async () => {
    const now = await client.ok('getRun', { path: { run: id } })
    return now.endedAt !== undefined && now
  })
  expect(run).toMatchObject({ state: 'succeeded' })
  return run.result.outputs[0].value.readings
}

test('version 2 is deployed, and version 1 again: the code of the version answers', {
  timeout: 300_000,
}, async () => {
  const { id: project } = await client.ok('createProject', {
    body: { name: 'Hello', example: 'hello-swarm' },
  })
  const first = await deploy(project, 1)
  expect(await readingsOf(first.id)).toBe(5)

  await client.ok('putFile', {
    path: { project },
    query: { path: 'tasks/summary.mjs' },
    body: { text: SECOND },
  })
  // The file is newer than what is deployed, which does not know it.
  expect(await readingsOf(first.id)).toBe(5)
  const { text, layout } = await client.ok('getVersion', { path: { project, version: 1 } })
  await client.ok('saveVersion', {
    path: { project },
    body: { base: 1, text, layout, message: 'other summary' },
  })

  const second = await deploy(project, 2)
  expect(await readingsOf(second.id)).toBe(4711)
  const changed = (before: Record<string, number>, after: Record<string, number>): string[] =>
    Object.keys(after).filter((name) => after[name] !== before[name])
  // One task was changed: one function is replaced, though the code of both lies in one folder.
  expect(changed(first.pids, second.pids)).toEqual(['summary'])

  const back = await deploy(project, 1)
  expect(await readingsOf(back.id)).toBe(5)
  expect(changed(second.pids, back.pids)).toEqual(['summary'])

  // Rolling the project back makes version 3 of version 1.
  await client.ok('rollBack', { path: { project, version: 1 }, body: { base: 2 } })
  const third = await deploy(project, 3)
  expect(await readingsOf(third.id)).toBe(5)
  expect(changed(back.pids, third.pids)).toEqual([])
})
