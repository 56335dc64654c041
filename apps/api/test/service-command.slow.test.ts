/** `hivemind service` as a script uses it, against a service with real functions and agents. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { until } from './support/client.ts'
import { helloSwarm } from './support/hello.ts'

const BIN = path.join(import.meta.dirname, '../../cli/bin/hivemind.mjs')
const PLACEMENT = 'readSensor=edge,judge=cloud,summary=cloud'

const hello = helloSwarm()

async function hivemind(...args: string[]) {
  const child = spawn(process.execPath, [BIN, 'service', ...args, '--service', hello.service.url])
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  return { code: code as number, stdout, stderr }
}

/** Saves a version with other code of the last task. */
const saveSummary = (run: string) => hello.save({ 'tasks/summary.mjs': `export const run = ${run}\n` })

/** What it prints with `--json`. */
async function json(...args: string[]) {
  const { code, stdout, stderr } = await hivemind(...args, '--json')
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

test('a project is planned, deployed, run, changed, rolled back and undeployed', {
  timeout: 300_000,
}, async () => {
  const { project } = hello
  expect((await json('projects'))[0]).toMatchObject({ id: project, headVersion: 1 })
  expect(await json('targets')).toEqual([])
  expect((await hivemind('projects')).stdout).toMatch(new RegExp(`^${project} +1 +Hello$`, 'm'))
  expect(await hivemind('status', project)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('Nothing'),
  })
  expect(await hivemind('plan', project, '--candidate', 'latency')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('was not explored yet'),
  })
  expect(await hivemind('deploy', project)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('give --candidate'),
  })

  const { changes } = await json('plan', project, '--placement', PLACEMENT, '--agents', '1')
  expect(changes).toContainEqual(
    expect.objectContaining({ action: 'create', kind: 'function', name: 'summary' }),
  )
  expect(await json('status', project)).toEqual([])

  const first = await hivemind('deploy', project, '--placement', PLACEMENT, '--agents', '1')
  expect(first, first.stderr).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('function summary: ready'),
  })
  expect((await hivemind('status', project)).stdout).toContain('Version 1 on the usual target')
  const run = await json('run', project, '--items', '3')
  expect(run).toMatchObject({ state: 'succeeded', result: { outputs: [{ value: { readings: 3 } }] } })

  await saveSummary(`() => { throw new Error('no sum today') }`)
  const second = await json('deploy', project)
  expect(second.request).toMatchObject({
    version: 2,
    agents: 1,
    placement: { readSensor: 'edge', judge: 'cloud' },
  })
  const failed = await hivemind('run', project, '--items', '3')
  expect(failed).toMatchObject({ code: 3, stderr: expect.stringContaining('no sum today') })
  const logs = await hivemind('logs', project, 'nothing')
  expect(logs).toMatchObject({ code: 2, stderr: expect.stringContaining('summary') })
  expect((await hivemind('logs', project, 'summary')).code).toBe(0)

  const back = await hivemind('rollback', project)
  expect(back, back.stderr).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('from version 2 to version 1'),
  })
  expect((await json('status', project))[0].request.version).toBe(1)
  expect((await hivemind('run', project, '--items', '3')).stdout).toContain('"readings":3')

  expect((await json('runs', project)).map((one: { state: string }) => one.state)).toEqual([
    'succeeded',
    'failed',
    'succeeded',
  ])
  expect((await hivemind('runs', project, '--state', 'failed')).stdout).toContain('no sum today')

  const [newest] = await json('runs', project)
  expect(await hivemind('run', project, '--from', 'summary', '--of', newest.id)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('put it under Persist'),
  })
  expect((await hivemind('run', project, '--from', 'summary')).stderr).toContain('--of RUN')
  expect((await hivemind('undeploy', project)).code).toBe(0)
  expect(await json('status', project)).toEqual([])
  expect(await hivemind('undeploy', project)).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('deploy it first'),
  })
})

/** Starts the command, and presses Ctrl-C once it has said something. */
async function interrupted(when: string, ...args: string[]) {
  const child = spawn(process.execPath, [BIN, 'service', ...args, '--service', hello.service.url])
  let said = ''
  child.stderr.setEncoding('utf8').on('data', (more: string) => {
    const isNew = !said.includes(when)
    said += more
    if (isNew && said.includes(when)) child.kill('SIGINT')
  })
  child.stdout.resume()
  const [code] = await once(child, 'close')
  return { code, said }
}

test('Ctrl-C withdraws a deployment under way and cancels a run', { timeout: 120_000 }, async () => {
  const { project } = hello
  const withdrawn = await interrupted('starting', 'deploy', project, '--placement', PLACEMENT)
  expect(withdrawn).toMatchObject({ code: 3, said: expect.stringContaining('was withdrawn') })
  expect(await json('status', project)).toEqual([])
  await saveSummary('() => new Promise((resolve) => setTimeout(resolve, 5_000))')
  expect((await hivemind('deploy', project, '--placement', PLACEMENT)).code).toBe(0)
  const cancelled = await interrupted('has started', 'run', project, '--items', '1')
  expect(cancelled).toMatchObject({ code: 3, said: expect.stringContaining('is cancelled') })
  await expect.poll(async () => (await json('runs', project))[0].state, { timeout: 30_000 }).toBe('cancelled')
  expect((await hivemind('undeploy', project)).code).toBe(0)
})

test('a placement is chosen from the newest exploration; lines of a log are followed', {
  timeout: 180_000,
}, async () => {
  const { client, project } = hello
  await saveSummary('(_, __, context) => { context.log("sum " + Date.now()); return {} }')
  const { headVersion: version } = await client.ok('getProject', { path: { project } })
  const { id } = await client.ok('startExploration', { path: { project }, body: { version, fleet: 'local' } })
  const { result } = await until(async () => {
    const now = await client.ok('getExploration', { path: { exploration: id } })
    return now.job.state === 'done' && now
  })
  const placements = new Map<string, object>()
  for (const goal of ['latency', 'energy', 'cost']) {
    const { request } = await json('plan', project, '--candidate', goal)
    expect(request).toMatchObject({ version, exploration: id })
    placements.set(goal, request.placement)
  }
  type Candidate = { id: string; meets: boolean; placement: object; estimate: { latencyMs: { p99: number } } }
  const fastest = (result.candidates as Candidate[])
    .filter(({ meets }) => meets)
    .sort((a, b) => a.estimate.latencyMs.p99 - b.estimate.latencyMs.p99)[0]
  expect(placements.get('latency')).toEqual(fastest?.placement)
  const byId = await json('plan', project, '--candidate', fastest?.id ?? '')
  expect(byId.request.candidate).toBe(fastest?.id)

  expect((await hivemind('deploy', project, '--placement', PLACEMENT)).code).toBe(0)
  const child = spawn(process.execPath, [
    ...[BIN, 'service', 'logs', project, 'summary', '--follow'],
    ...['--service', hello.service.url],
  ])
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (more: string) => {
    printed += more
  })
  const ended = once(child, 'close')
  expect((await hivemind('run', project, '--items', '1')).code).toBe(0)
  await expect.poll(() => printed.match(/sum \d+/g)?.length, { timeout: 20_000 }).toBe(1)
  expect((await hivemind('run', project, '--items', '1')).code).toBe(0)
  await expect.poll(() => printed.match(/sum \d+/g)?.length, { timeout: 20_000 }).toBe(2)
  child.kill('SIGINT')
  expect((await ended)[0]).toBe(3)
  expect((await hivemind('undeploy', project)).code).toBe(0)
})

test('what cannot be is refused with a sentence', { timeout: 60_000 }, async () => {
  const { project } = hello
  expect(await hivemind('status', 'no-such-project')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('no-such-project'),
  })
  expect(await hivemind('plan', project, '--placement', 'judge=moon')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("'judge=moon'"),
  })
  expect(await hivemind('deploy', project, '--placement', PLACEMENT, '--target', 'nowhere')).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('nowhere'),
  })
})

test('data between functions is handed over as was asked, explored or deployed before, and rolled back', {
  timeout: 180_000,
}, async () => {
  const { project } = hello
  await hello.save(
    { 'tasks/warn.mjs': 'export const run = ({ verdict }) => Object.keys(verdict).length\n' },
    "\nTask(warn, verdict, warning, 'tasks/warn.mjs', parentTask=['judge'], childTask=[])\n",
    (text) =>
      text
        .replace("'judge', 'summary']", "'judge', 'warn', 'summary']")
        .replace("childTask=['summary']", "childTask=['summary', 'warn']"),
  )
  const placement = `${PLACEMENT},warn=cloud`
  const together = await json('plan', project, '--placement', placement, '--hand-over', 'co-placed')
  expect(together.request.handOver).toBe('co-placed')
  expect(together.needs).toEqual([
    {
      level: 'ok',
      message: 'judge, warn share a container: what one emits is handed to the next in memory.',
    },
  ])
  expect(await hivemind('plan', project, '--placement', placement, '--hand-over', 'direct')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('store, co-placed'),
  })
  expect((await hivemind('deploy', project, '--placement', placement)).code).toBe(0)
  const deployed = await hivemind('deploy', project, '--hand-over', 'co-placed')
  expect(deployed, deployed.stderr).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('function judge+warn: ready'),
  })
  const run = await json('run', project, '--items', '3')
  expect(run.state).toBe('succeeded')
  expect(run.result.outputs.filter(({ task }: { task: string }) => task === 'warn')).toHaveLength(
    run.result.outputs.length - 1,
  )
  // what is not said stays as it was deployed
  expect((await json('plan', project)).request.handOver).toBe('co-placed')
  expect((await json('status', project))[0].resources.map(({ name }: { name: string }) => name)).toContain(
    'judge+warn',
  )
  expect((await hivemind('rollback', project)).code).toBe(0)
  expect((await json('status', project))[0].request.handOver).toBeUndefined()
  // where no functions can share one, that is said
  const alone = await json(
    'plan',
    project,
    '--placement',
    `${placement},judge=edge`,
    '--hand-over',
    'co-placed',
  )
  expect(alone.needs).toMatchObject([
    { level: 'warning', message: expect.stringContaining('No function can share') },
  ])
  expect((await hivemind('undeploy', project)).code).toBe(0)
})
