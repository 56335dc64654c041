/** A run from a task on, with what an earlier run has kept: the code is mended, and what came before is not done again. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Service, startService } from '../src/service.ts'
import { Client, until } from './support/client.ts'
import { configFor, newFolder, removeFolder } from './support/service.ts'

const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

let folder: string
let service: Service
let client: Client
let project: string

beforeAll(async () => {
  folder = newFolder()
  service = await startService(configFor(folder))
  client = new Client(service.url)
  const made = await client.ok('createProject', { body: { name: 'Hello', example: 'hello-swarm' } })
  project = made.id
}, 120_000)
afterAll(async () => {
  await service.close()
  removeFolder(folder)
}, 60_000)

/** Saves a version with that code of `summary` and these further statements, and deploys it. */
async function deploy(summary: string, statements = ''): Promise<string> {
  const { headVersion: base } = await client.ok('getProject', { path: { project } })
  const { text, layout } = await client.ok('getVersion', { path: { project, version: base } })
  await client.ok('putFile', {
    path: { project },
    query: { path: 'tasks/summary.mjs' },
    body: { text: `export const run = ${summary}\n` },
  })
  const saved = await client.ok('saveVersion', {
    path: { project },
    body: { base, text: text + statements, layout, message: '' },
  })
  const { id } = await client.ok('createDeployment', {
    path: { project },
    body: { version: saved.number, placement, agents: 2 },
  })
  const record = await until(async () => {
    const now = await client.ok('getDeployment', { path: { deployment: id } })
    return now.state !== 'starting' && now
  })
  expect(record).toMatchObject({ state: 'ready' })
  return id
}

async function run(deployment: string, body: object) {
  const { id } = await client.ok('startRun', { path: { deployment }, body })
  return until(async () => {
    const now = await client.ok('getRun', { path: { run: id } })
    return now.endedAt !== undefined && now
  })
}

const count = '({ verdict }) => ({ verdicts: verdict.length })'

test('a failed run goes on from the task that failed, once it is mended', { timeout: 300_000 }, async () => {
  const broken = await deploy(
    '() => { throw new Error("no sum today") }',
    '\nPersist(readSensor)\nPersist(judge)\n',
  )
  const failed = await run(broken, { itemsPerDevice: 3 })
  expect(failed).toMatchObject({ state: 'failed' })

  const mended = await deploy(count)
  const whole = await run(mended, { itemsPerDevice: 3 })
  expect(whole.result.outputs.at(-1)).toMatchObject({ task: 'summary', value: { verdicts: 6 } })

  const again = await run(mended, { from: { run: failed.id, task: 'summary' } })
  expect(again).toMatchObject({ state: 'succeeded', request: { from: { run: failed.id, task: 'summary' } } })
  expect(again.result.outputs).toMatchObject([{ task: 'summary', value: { verdicts: 6 } }])
  expect(
    again.statistics.map(({ task, invocations }: { task: string; invocations: number }) => [
      task,
      invocations,
    ]),
  ).toEqual([['summary', 1]])
  expect(again.result.constraints).toBeUndefined()

  const one = await run(mended, {
    from: { run: failed.id, task: 'judge', item: { device: 'device-2', seq: 1 } },
  })
  expect(one.state, one.message).toBe('succeeded')
  expect(one.result.outputs.filter(({ task }: { task: string }) => task === 'summary')).toMatchObject([
    { value: { verdicts: 1 } },
  ])
  // What a run from a task on has kept can be run from, too.
  const next = await run(mended, { from: { run: one.id, task: 'summary' } })
  expect(next.result.outputs).toMatchObject([{ value: { verdicts: 1 } }])
  // It is not what the deployment is judged by.
  const comparison = await client.ok('compareDeployment', { path: { deployment: mended } })
  expect(comparison.runs).toEqual([whole.id])

  const refusal = async (from: object) => {
    const { status, body } = await client.call('startRun', { path: { deployment: mended }, body: { from } })
    return [status, body.detail]
  }
  expect(await refusal({ run: failed.id, task: 'nothing' })).toEqual([
    400,
    expect.stringContaining("no task 'nothing'"),
  ])
  expect(await refusal({ run: failed.id, task: 'readSensor' })).toEqual([
    400,
    expect.stringContaining('devices'),
  ])
  expect(await refusal({ run: 'unknown', task: 'judge' })).toEqual([404, expect.stringContaining('unknown')])
  expect(await refusal({ run: failed.id, task: 'judge', item: { device: 'device-2', seq: 9 } })).toEqual([
    400,
    'Item 9 of device-2 is not among what the run has kept.',
  ])
})

test('pictures of devices, which come with messages, are kept whole', { timeout: 120_000 }, async () => {
  const put = (path: string, text: string) =>
    client.ok('putFile', { path: { project }, query: { path }, body: { text } })
  await put(
    'tasks/read-sensor.mjs',
    'export async function* run() { for (let n = 0; n < 2; n++) yield { image: new Uint8Array(100_000).fill(n + 1) } }\n',
  )
  await put(
    'tasks/judge.py',
    "def run(inputs, args, context):\n    image = inputs['reading']['image']\n    return {'size': len(image), 'first': image[0]}\n",
  )
  const deployment = await deploy(
    '({ verdict }) => ({ sizes: verdict.map(({ value }) => value.size + value.first).sort() })',
  )
  const whole = await run(deployment, {})
  expect(whole.state, whole.message).toBe('succeeded')
  const sizes = [100_001, 100_001, 100_002, 100_002]
  expect(whole.result.outputs.at(-1)).toMatchObject({ value: { sizes } })
  const again = await run(deployment, { from: { run: whole.id, task: 'judge' } })
  expect(again.result.outputs.at(-1)).toMatchObject({ task: 'summary', value: { sizes } })
})
