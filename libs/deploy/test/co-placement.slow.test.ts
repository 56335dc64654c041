/** Tasks that share a container, in real runs: what one emits is handed to the next there, and nothing else is different. */
import path from 'node:path'
import type { RunEvent } from '@hivemind/orchestrator'
import type { HandOverKind } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import type { Deployment } from '../src/index.ts'
import { freshTarget } from './fresh-target.ts'
import { until } from './processes.ts'
import { CODE, DEVICES, expected, givenBy, ITEMS, TEXT, TOGETHER, togetherSpec } from './together.ts'

const fresh = freshTarget()

async function deploy(
  handOver: HandOverKind,
  { current, ...change }: { text?: string; code?: Record<string, string>; current?: Deployment } = {},
) {
  const dir = path.join(fresh.scratchDir, 'together')
  const spec = { ...(await togetherSpec(dir, handOver, change)), name: `together-${++deployed}` }
  const plan = await fresh.target.plan(current ?? null, spec)
  return { plan, on: await fresh.target.apply(spec, current && { current }) }
}
let deployed = 0

const functionsOf = (on: Deployment) =>
  on.status().resources.flatMap(({ kind, name }) => (kind === 'function' ? [name] : []))

/** Calls that a function has had since it was started. */
async function callsOf(on: Deployment, name: string): Promise<number> {
  const { url } = await on.endpoint(name)
  return ((await (await fetch(`${url}healthz`)).json()) as { calls: number }).calls
}

test('a run gives what it gives through the store, with one call for each item instead of one for each task', {
  timeout: 120_000,
}, async () => {
  const { on, plan } = await deploy('co-placed')
  expect(functionsOf(on)).toEqual([TOGETHER, 'total'])
  expect(plan.changes.find(({ name }) => name === TOGETHER)?.why).toBe(
    'It did not run before as one: its tasks share a container.',
  )
  const logged: string[] = []
  const onEvent = (event: RunEvent) => void (event.type === 'log' && logged.push(event.line.text))
  const result = await on.run({ keepSpans: true, onEvent })
  expect(givenBy(result)).toEqual(expected)
  expect(await callsOf(on, TOGETHER)).toBe(DEVICES * ITEMS)
  expect(logged.toSorted()).toEqual(
    Array.from(
      { length: DEVICES * ITEMS },
      (_, at) => `double ${Math.floor(at / ITEMS) * 100 + (at % ITEMS)}`,
    ).toSorted(),
  )
  // each has a span, of which no part is missing and none is counted twice
  const calls = (task: string) => result.spans.filter((span) => span.task === task)
  expect(['double', 'even', 'name', 'size', 'both'].map((task) => calls(task).length)).toEqual([
    24, 24, 12, 24, 24,
  ])
  for (const { task, tier, attempt, queuedAt, endedAt, breakdown, worker } of result.spans.filter(
    (span) => span.tier === 'cloud',
  )) {
    expect([tier, attempt, worker.split('-')[0]]).toEqual(['cloud', 1, task])
    const { network, management, dataExchange, execution } = breakdown
    if (task !== 'double' && task !== 'total')
      expect(network + management + dataExchange + execution).toBeCloseTo(endedAt - queuedAt, 1)
    expect(dataExchange).toBeGreaterThanOrEqual(0)
  }

  // the same project with data through the store takes its place, and the other way round
  const apart = await deploy('store', { current: on })
  expect(apart.plan.changes.find(({ name }) => name === TOGETHER)).toMatchObject({
    action: 'remove',
    why: "What it did is part of 'double' now.",
  })
  expect(functionsOf(apart.on)).toEqual(['double', 'even', 'size', 'name', 'both', 'total'])
  expect(givenBy(await apart.on.run())).toEqual(expected)
  expect(await callsOf(apart.on, 'even')).toBe(DEVICES * ITEMS)
  const again = await deploy('co-placed', {
    current: apart.on,
    code: { 'name.mjs': CODE['name.mjs'].replace("': '", "'='") },
  })
  expect(givenBy(await again.on.run()).state).toBe('succeeded')
  // a changed task of several replaces the container of all, and says which it was
  const back = await deploy('co-placed', { current: again.on })
  expect(
    back.plan.changes.filter(({ kind, action }) => kind === 'function' && action !== 'keep'),
  ).toMatchObject([{ name: TOGETHER, action: 'change', why: 'Changed: of name: name.mjs.' }])
  expect(givenBy(await back.on.run())).toEqual(expected)
})

test('values too large to travel with a message are handed over all the same', {
  timeout: 120_000,
}, async () => {
  const { on } = await deploy('co-placed', {
    text: TEXT.replace(
      "childTask=['even', 'size', 'both'])",
      "childTask=['even', 'size', 'both'], bytes=3000000)",
    ),
  })
  const { state, message, outputs } = await on.run()
  expect(state, message).toBe('succeeded')
  expect(outputs.filter(({ task }) => task === 'both').map(({ value }) => (value as number[])[1])).toEqual(
    Array.from({ length: DEVICES * ITEMS }, () => 3_000_000),
  )
  expect(await callsOf(on, TOGETHER)).toBe(DEVICES * ITEMS)
})

test('a container that is killed: what it had not told is done again, and nothing is given twice', {
  timeout: 120_000,
}, async () => {
  const slow =
    "export const run = async ({ kept }, _, { device, seq }) => { await new Promise((done) => setTimeout(done, 100)); return device + '/' + seq + ': ' + kept.n }"
  const { on } = await deploy('co-placed', { code: { 'name.mjs': slow } })
  let named = 0
  const running = on.run({
    keepSpans: true,
    onEvent: (event) => {
      if (event.type === 'span' && event.span.task === 'name') named += 1
    },
  })
  await until(() => named >= 3, 'no item went through', 30_000)
  const { pid = Number.NaN } = on.status().resources.find(({ name }) => name === TOGETHER) ?? {}
  process.kill(pid, 'SIGKILL')
  const result = await running
  expect(givenBy(result)).toEqual(expected)
  expect(result.spans.some(({ status }) => status === 'failed')).toBe(true)
})

test('a task that fails in the container of another fails the run with its own name', {
  timeout: 120_000,
}, async () => {
  const { on } = await deploy('co-placed', {
    code: { 'name.mjs': "export const run = () => { throw new Error('no name for it') }" },
  })
  const { state, message } = await on.run()
  expect(state).toBe('failed')
  expect(message).toMatch(/'name'.*no name for it/s)
})

test('a run that is cancelled leaves nothing running in the container', { timeout: 120_000 }, async () => {
  const { on } = await deploy('co-placed', {
    code: { 'name.mjs': 'export const run = () => new Promise((done) => setTimeout(done, 60_000))' },
  })
  const controller = new AbortController()
  let ended = 0
  const running = on.run({
    signal: controller.signal,
    onEvent: (event) => {
      if (event.type === 'span' && event.span.task === 'even') ended += 1
    },
  })
  await until(() => ended > 3, 'nothing came to the task that hangs', 30_000)
  controller.abort()
  expect((await running).state).toBe('cancelled')
  const { url } = await on.endpoint(TOGETHER)
  const idle = async () =>
    ((await (await fetch(`${url}healthz`)).json()) as { running: number }).running === 0
  await expect.poll(idle, { timeout: 10_000 }).toBe(true)
})
