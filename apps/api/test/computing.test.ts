/** What users write may take long to check and to estimate; others are answered meanwhile, and there is an end to it. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Config } from '../src/config/config.ts'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const dataDir = newFolder()
const config: Config = configFor(dataDir)
let started: Started

beforeAll(async () => {
  started = await start(config)
})
afterAll(async () => {
  await started?.service.close()
  removeFolder(dataDir)
})

/** It takes the check seconds. */
const SLOW = '('.repeat(1_000_000)

/** A sensor and so many tasks one after the other. */
function chain(count: number): string {
  const names = ['sense', ...Array.from({ length: count }, (_, n) => `t${n}`)]
  return [
    `TaskGraph(list=[${names.map((name) => `'${name}'`)}])`,
    ...names.map((name, at) => {
      const [parent, child] = [names[at - 1], names[at + 1]]
      const links = `parentTask=${parent ? `['${parent}']` : 'None'}, childTask=[${child ? `'${child}'` : ''}]`
      return `Task(${name}, ${parent ? `${parent}Out` : 'None'}, ${name}Out, 'step.mjs', ${links})`
    }),
    '',
  ].join('\n')
}

async function projectOf(count: number): Promise<{ project: string; placement: Record<string, string> }> {
  const { client } = started
  const { id: project } = await client.ok('createProject', { body: { name: 'Chain', text: chain(count) } })
  await client.ok('putFile', {
    path: { project },
    query: { path: 'step.mjs' },
    body: { text: 'export const run = (inputs) => inputs\n' },
  })
  await client.ok('saveVersion', {
    path: { project },
    body: { base: 1, text: chain(count), layout: { nodes: {} }, message: '' },
  })
  const tasks = Array.from({ length: count }, (_, n) => [`t${n}`, 'cloud'])
  return { project, placement: { sense: 'edge', ...Object.fromEntries(tasks) } }
}

async function deployed(count: number) {
  const { project, placement } = await projectOf(count)
  const { client } = started
  const { id } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 2, placement, beside: true },
  })
  return until(async () => {
    const now = await client.ok('getDeployment', { path: { deployment: id } })
    return now.state !== 'starting' && now
  })
}

test('others are answered while a text is checked', async () => {
  let checked = false
  const checking = started.client.call('check', { body: { text: SLOW } }).finally(() => {
    checked = true
  })
  for (let n = 0; n < 5; n++) expect((await started.client.call('health')).status).toBe(200)
  expect(checked).toBe(false)
  const { status, body } = await checking
  expect(status).toBe(200)
  expect(body.diagnostics.length).toBeGreaterThan(0)
})

test('a large text has the diagnostics of a small one, and knows the files of its project', async () => {
  const { project } = await projectOf(400)
  const check = async (text: string) =>
    (await started.client.ok('check', { body: { text, project } })).diagnostics.map(
      ({ code, line }: { code: string; line: number }) => ({ code, line }),
    )
  const large = chain(400)
  expect(large.length).toBeGreaterThan(20_000)
  expect(await check(large)).toEqual(await check(chain(3)))
  const missing = await check(large.replace("'step.mjs'", "'nowhere.mjs'"))
  expect(missing).toHaveLength((await check(large)).length + 1)
})

test('the estimate of a large placement is made apart, and is that of the model', async () => {
  const { state, estimate } = await deployed(80)
  expect(state).toBe('ready')
  expect(Object.keys(estimate.perTask)).toHaveLength(81)
})

test('a check that takes too long is ended with a sentence, a deployment has no estimate then', async () => {
  const before = { ...config.computingLimitsMs }
  Object.assign(config.computingLimitsMs, { check: 150, estimate: 1 })
  try {
    const { status, body } = await started.client.call('check', { body: { text: SLOW } })
    expect(status).toBe(422)
    expect(body.detail).toMatch(/^The check of this text takes too long: split the workflow/)
    Object.assign(config.computingLimitsMs, { check: before.check })
    const { state, estimate } = await deployed(80)
    expect(state).toBe('ready')
    expect(estimate).toBeUndefined()
  } finally {
    Object.assign(config.computingLimitsMs, before)
  }
})
