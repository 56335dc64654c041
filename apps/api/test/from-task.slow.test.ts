/** A run from a task on, with what an earlier run has kept: the code is mended, and what came before is not done again. */
import { expect, test } from 'vitest'
import { until } from './support/client.ts'
import { helloSwarm } from './support/hello.ts'

const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

const hello = helloSwarm()

/** Deploys a version with that code of `summary`, these files, and these further statements. */
async function deploy(
  summary: string,
  {
    statements = '',
    files = {},
    agents = 2,
  }: { statements?: string; files?: Record<string, string>; agents?: number } = {},
): Promise<string> {
  const { client, project, save } = hello
  const version = await save({ ...files, 'tasks/summary.mjs': `export const run = ${summary}\n` }, statements)
  const { id } = await client.ok('createDeployment', {
    path: { project },
    body: { version, placement, agents },
  })
  const record = await until(async () => {
    const now = await client.ok('getDeployment', { path: { deployment: id } })
    return now.state !== 'starting' && now
  })
  expect(record).toMatchObject({ state: 'ready' })
  return id
}

async function run(deployment: string, body: object) {
  const { id } = await hello.client.ok('startRun', { path: { deployment }, body })
  return until(async () => {
    const now = await hello.client.ok('getRun', { path: { run: id } })
    return now.endedAt !== undefined && now
  })
}

const count = '({ verdict }) => ({ verdicts: verdict.length })'

test('a failed run goes on from the task that failed, once it is mended', { timeout: 300_000 }, async () => {
  const broken = await deploy('() => { throw new Error("no sum today") }', {
    statements: '\nPersist(readSensor)\nPersist(judge)\n',
  })
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
  const comparison = await hello.client.ok('compareDeployment', { path: { deployment: mended } })
  expect(comparison.runs).toEqual([whole.id])

  const refusal = async (from: object) => {
    const { status, body } = await hello.client.call('startRun', {
      path: { deployment: mended },
      body: { from },
    })
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
  const smaller = await deploy(count, { agents: 1 })
  expect(
    await hello.client.call('startRun', {
      path: { deployment: smaller },
      body: { from: { run: failed.id, task: 'judge' } },
    }),
  ).toMatchObject({
    status: 400,
    body: { detail: 'The run had a device device-2, which the deployment has not: it has device-1.' },
  })
})

test('pictures of devices, which come with messages, are kept whole', { timeout: 120_000 }, async () => {
  const files = {
    'tasks/read-sensor.mjs':
      'export async function* run() { for (let n = 0; n < 2; n++) yield { image: new Uint8Array(100_000).fill(n + 1) } }\n',
    'tasks/judge.py':
      "def run(inputs, args, context):\n    image = inputs['reading']['image']\n    return {'size': len(image), 'first': image[0]}\n",
  }
  const deployment = await deploy(
    '({ verdict }) => ({ sizes: verdict.map(({ value }) => value.size + value.first).sort() })',
    { files },
  )
  const whole = await run(deployment, {})
  expect(whole.state, whole.message).toBe('succeeded')
  const sizes = [100_001, 100_001, 100_002, 100_002]
  expect(whole.result.outputs.at(-1)).toMatchObject({ value: { sizes } })
  const again = await run(deployment, { from: { run: whole.id, task: 'judge' } })
  expect(again.result.outputs.at(-1)).toMatchObject({ task: 'summary', value: { sizes } })
})
