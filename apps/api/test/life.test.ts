/** Explorations, deployments, runs, live events and reports, on both databases. The target is scripted. */
import { MAX_LOG_LINES, type RunEvent, type Span } from '@hivemind/orchestrator'
import { StoreDataPort } from '@hivemind/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../src/config/config.ts'
import { type Client, type Heard, until } from './support/client.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const log = (text: string): RunEvent => ({
  type: 'log',
  at: Date.now(),
  line: { at: Date.now(), level: 'info', source: 'run', text },
})
const span = (task: string, seq: number): Span => ({
  task,
  device: 'device-1',
  seq,
  tier: 'edge',
  worker: 'agent-1',
  queuedAt: 1_000 + seq,
  startedAt: 1_001 + seq,
  endedAt: 1_011 + seq,
  breakdown: { network: 1, management: 1, dataExchange: 0, execution: 9 },
  bytesIn: 1,
  bytesOut: 1,
  items: 1,
  status: 'ok',
  attempt: 1,
})

/** A legal placement of hello-swarm. */
const HELLO_PLACEMENT = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

describe.each(['embedded', 'postgresql'] as const)('on the %s database', (kind) => {
  const dataDir = newFolder()
  let postgres: TestPostgres | undefined
  let config: Config
  let started: Started
  let client: Client
  let project = ''
  let placement: Record<string, string> = {}

  beforeAll(async () => {
    if (kind === 'postgresql') postgres = await startPostgres()
    config = configFor(dataDir, postgres ? { databaseUrl: postgres.url } : {})
    started = await start(config)
    client = started.client
    project = (await client.ok('createProject', { body: { name: 'Hello', example: 'hello-swarm' } })).id
  })
  afterAll(async () => {
    await started?.service.close()
    await postgres?.stop()
    removeFolder(dataDir)
  })

  const restart = async () => {
    await started.service.close()
    started = await start(config)
    client = started.client
  }
  const deploy = async (more: object = {}) => {
    const { id } = await client.ok('createDeployment', {
      path: { project },
      body: { version: 1, placement, ...more },
    })
    return until(async () => {
      const record = await client.ok('getDeployment', { path: { deployment: id } })
      return record.state !== 'starting' && record
    })
  }
  const ended = (run: string) =>
    until(async () => {
      const detail = await client.ok('getRun', { path: { run } })
      return detail.endedAt !== undefined && detail
    })

  test('an exploration goes on in the background and tells how far it is', async () => {
    const heard = await client.events(`project:${project}`)
    const { id, job } = await client.ok('startExploration', {
      path: { project },
      body: { version: 1, seed: 7 },
    })
    expect(job.state).toBe('queued')
    const done = await until(async () => {
      const now = await client.ok('getExploration', { path: { exploration: id } })
      return now.job.state !== 'queued' && now.job.state !== 'running' && now
    })
    expect(done.job).toMatchObject({ state: 'done', progress: 1 })
    expect(done.result.inputs).toMatchObject({ seed: 7, fleet: 'paper-drones', devices: 16 })
    expect(done.result.candidates.length).toBeGreaterThan(0)
    const states = await until(() => {
      const seen = heard.all.flatMap((event) =>
        event.type === 'exploration' ? [event.exploration.job.state] : [],
      )
      return seen.includes('done') && seen
    })
    expect(states).toEqual(expect.arrayContaining(['queued', 'running', 'done']))
    heard.stop()
    const job_ = { path: { job: id } }
    expect(await client.ok('getJob', job_)).toMatchObject({
      kind: 'exploration',
      project,
      job: { state: 'done', stage: 'Simulating candidates' },
      result: { schema: 'hivemind.exploration/1' },
    })
    expect((await client.ok('listJobs', { query: { project, kind: 'exploration' } }))[0]).toMatchObject({
      id,
    })
    expect(await client.ok('getJobLog', job_)).toEqual({ lines: [] })
    expect((await client.ok('cancelJob', job_)).job.state).toBe('done')
    expect((await client.call('getArtefact', { ...job_, query: { name: 'x' } })).status).toBe(404)
    const [listed] = await client.ok('listExplorations', { path: { project } })
    expect(listed).toMatchObject({ id })
    expect(listed.result).toBeUndefined()
    placement = done.result.candidates[0].placement
  })

  test('an exploration is cancelled, waiting or under way', async () => {
    const begin = () =>
      client.ok('startExploration', { path: { project }, body: { version: 1, devices: 2_000 } })
    const jobs = [await begin(), await begin()]
    for (const { id } of jobs.reverse()) {
      const { job } = await client.ok('cancelExploration', { path: { exploration: id } })
      expect(['cancelled', 'done']).toContain(job.state)
    }
    expect((await client.ok('getExploration', { path: { exploration: jobs[0].id } })).job.state).toBe(
      'cancelled',
    )
  })

  test('an exploration tells the front so far, and cancelling keeps it', async () => {
    const heard = await client.events(`project:${project}`)
    const { id } = await client.ok('startExploration', {
      path: { project },
      body: { version: 1, devices: 500, itemsPerDevice: 2_000 },
    })
    const told = await until(() =>
      heard.all
        .flatMap((event) =>
          event.type === 'exploration' && event.exploration.id === id ? [event.exploration] : [],
        )
        .find(({ soFar, job }) => (soFar && soFar.done > 0) || job.state === 'done'),
    )
    // unless it was faster than we are
    if (told.job.state === 'done') return
    const { done, front } = told.soFar ?? { done: 0, front: [] }
    expect(front.length).toBeGreaterThan(0)
    expect(front.length).toBeLessThanOrEqual(done)
    const { job, result } = await client.ok('cancelExploration', { path: { exploration: id } })
    heard.stop()
    if (job.state === 'done') return
    expect(job).toMatchObject({
      state: 'cancelled',
      message: expect.stringMatching(/^Cancelled after \d+ of \d+ candidates\.$/),
    })
    expect(result.candidates.length).toBe(result.cancelled.done)
    expect(result.front.length).toBeGreaterThan(0)
  })

  test('jobs, deployments and runs under way when the service stops have ended when it starts', async () => {
    started.target.script = {
      run: ({ signal }) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve({}))),
    }
    const record = await deploy()
    const run = await client.ok('startRun', { path: { deployment: record.id }, body: {} })
    const jobs = [1, 2, 3].map(() =>
      client.ok('startExploration', { path: { project }, body: { version: 1, devices: 9_000 } }),
    )
    const last = (await Promise.all(jobs)).at(-1)
    const before = started.target
    // As a service leaves them that is killed; the last is that of a run that this service does not know.
    const pools = [`/runs/${run.id}`, `/runs/${run.id}.passing`, '/runs/other.passing']
    for (const pool of pools) await started.service.store.createPool(pool, { persistence: 'buffered' })
    await restart()
    expect((await started.service.store.listPools('/runs')).map((pool) => pool.path)).toEqual(
      [`/runs/${run.id}`, '/runs/other.passing'].sort(),
    )
    expect(before.alive.size).toBe(0)
    expect((await client.ok('getExploration', { path: { exploration: last.id } })).job).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('service stopped'),
    })
    expect(await client.ok('getDeployment', { path: { deployment: record.id } })).toMatchObject({
      state: 'stopped',
    })
    expect(await client.ok('getRun', { path: { run: run.id } })).toMatchObject({
      state: 'cancelled',
      message: expect.stringContaining('service stopped'),
    })
    expect((await client.call('startRun', { path: { deployment: record.id }, body: {} })).status).toBe(409)
  })

  test('an impossible placement is refused', async () => {
    const body = { version: 1, placement: { ...placement, nobody: 'cloud' } }
    const { status, body: told } = await client.call('createDeployment', { path: { project }, body })
    expect(status).toBe(422)
    expect(told.errors[0].field).toBe('placement')
  })

  test('an estimate says which tasks nobody has measured', async () => {
    expect((await deploy()).estimate.assumed).toBeUndefined()
    const { profile } = await client.ok('getProfile', { path: { project } })
    const { judge, ...others } = profile.tasks
    await client.ok('importProfile', { path: { project }, body: { ...profile, tasks: others } })
    const partly = await deploy()
    expect(partly.estimate.assumed).toEqual(['judge'])
    await client.ok('importProfile', { path: { project }, body: { ...profile, tasks: { ...others, judge } } })
    await client.ok('undeploy', { path: { deployment: partly.id } })
  })

  test('a newer deployment replaces the running one', async () => {
    const first = await deploy()
    expect(first).toMatchObject({ state: 'ready', resources: [{ name: 'device-1' }, { name: 'device-2' }] })
    expect(first.estimate.execTimeMs).toBeGreaterThan(0)
    const second = await deploy({ agents: 1 })
    expect(second.resources).toHaveLength(1)
    expect((await client.ok('getDeployment', { path: { deployment: first.id } })).state).toBe('stopped')
    expect(started.target.most).toBe(1)
    expect(await client.ok('undeploy', { path: { deployment: second.id } })).toMatchObject({
      state: 'stopped',
    })
    expect(started.target.alive.size).toBe(0)
    expect(await client.ok('undeploy', { path: { deployment: second.id } })).toMatchObject({
      state: 'stopped',
    })
  })

  test('a deployment that cannot start has failed with the reason; one that is starting can be stopped', async () => {
    started.target.script = { start: () => Promise.reject(new Error('No port is free.\0')) }
    expect(await deploy()).toMatchObject({ state: 'failed', message: 'No port is free.\uFFFD' })
    started.target.script = {
      start: (_, signal) =>
        new Promise((_, reject) => signal?.addEventListener('abort', () => reject(new Error('aborted')))),
    }
    const { id } = await client.ok('createDeployment', { path: { project }, body: { version: 1, placement } })
    expect((await client.call('startRun', { path: { deployment: id }, body: {} })).status).toBe(409)
    expect((await client.ok('undeploy', { path: { deployment: id } })).state).toBe('stopped')
    started.target.script = {}
  })

  test('the logs of a start can be read while it is under way, and after it has failed', async () => {
    let fail = (_: Error): void => {}
    started.target.script = {
      start: () =>
        new Promise((_, reject) => {
          fail = reject
        }),
      logs: (name) => [`${name} reads its model`],
    }
    const { id } = await client.ok('createDeployment', { path: { project }, body: { version: 1, placement } })
    const logs = () =>
      client.ok('deploymentLogs', { path: { deployment: id }, query: { kind: 'agent', name: 'device-1' } })
    await expect.poll(logs, { timeout: 10_000 }).toEqual(['device-1 reads its model'])
    fail(new Error('No model.'))
    const state = async () => (await client.ok('getDeployment', { path: { deployment: id } })).state
    await expect.poll(state, { timeout: 10_000 }).toBe('failed')
    expect(await logs()).toEqual(['device-1 reads its model'])
    started.target.script = {}
  })

  test('a run tells what happens as it happens, and keeps it', async () => {
    const { id: deployment } = await deploy()
    let finish = () => {}
    const wait = new Promise<void>((resolve) => {
      finish = resolve
    })
    const evil = '<script>alert("1")</script>\0'
    started.target.script = {
      run: async ({ inputs }, tell) => {
        tell({ type: 'state', at: 1_000, state: 'running' })
        tell(log(`inputs ${JSON.stringify(inputs)}`))
        for (let seq = 0; seq < 20; seq++) {
          tell({ type: 'span', at: 1_000 + seq, span: span('one', seq) })
          tell({
            type: 'task',
            at: 1_000 + seq,
            task: { task: 'one', tier: 'edge', state: 'running', started: seq + 1, done: seq, failed: 0 },
          })
        }
        await wait
        const outputs = [{ task: 'one', data: 'total', device: '*', seq: 0, value: { people: 25, evil } }]
        tell({ type: 'device', at: 1_050, device: 'device-1', state: 'lost', message: 'device-1 was lost.' })
        tell({ type: 'state', at: 1_060, state: 'succeeded' })
        return {
          outputs,
          spans: Array.from({ length: 20 }, (_, seq) => span('one', seq)),
          losses: ['device-1 was lost.'],
          startedAt: 1_000,
          endedAt: 1_060,
        }
      },
    }
    const unknown = await client.call('startRun', { path: { deployment }, body: { inputs: { nope: 1 } } })
    expect(unknown.status).toBe(400)
    expect(unknown.body.errors[0].field).toBe('inputs.nope')
    const project_ = await client.events(`project:${project}`)
    const run = await client.ok('startRun', { path: { deployment }, body: {} })
    const late = await client.events(`run:${run.id},project:${project}`)
    const now = await until(async () => {
      const detail = await client.ok('getRun', { path: { run: run.id } })
      return detail.spanCount === 20 && detail
    })
    expect(now).toMatchObject({ state: 'running', result: { tasks: [{ started: 20 }] } })
    finish()
    const detail = await ended(run.id)
    expect(detail).toMatchObject({ state: 'succeeded', result: { losses: ['device-1 was lost.'] } })
    expect(detail.result.outputs[0].value).toEqual({ people: 25, evil })
    expect(detail.logs).toHaveLength(1)
    const heard = await until(
      () => late.all.some((event) => event.type === 'run' && event.run.state === 'succeeded') && late.all,
    )
    expect(heard.some((event) => event.type === 'run-event' && event.event.type === 'device')).toBe(true)
    expect(project_.all.some((event) => event.type === 'run-event')).toBe(false)
    expect(project_.all.some((event) => event.type === 'run')).toBe(true)
    project_.stop()
    late.stop()

    const json = await client.call('runReport', { path: { run: run.id }, query: { format: 'json' } })
    expect(json.headers.get('content-disposition')).toMatch(
      /^attachment; filename="hello-swarm-run-[\d-]+-[0-9a-f]{8}\.json"$/,
    )
    expect(json.body.outputs[0].value.people).toBe(25)
    const html = await client.call('runReport', { path: { run: run.id } })
    expect(html.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(html.body).not.toContain('<script')
    expect(html.body).toContain('&lt;script&gt;')
    expect(html.body).toContain('<strong>total.people</strong>: 25')
    expect(html.body).not.toMatch(/(src|href)=/)

    await restart()
    const kept = await client.ok('getRun', { path: { run: run.id } })
    expect(kept).toEqual({ ...detail, lastEvent: expect.any(Number) })
    expect(kept.lastEvent).toBeGreaterThan(detail.lastEvent)
  })

  test('spans are read by page, of one task or all, and their figures come with the run', async () => {
    const { id: deployment } = await deploy()
    started.target.script = {
      run: async (_, tell) => {
        for (let seq = 0; seq < 250; seq++) {
          const failed = { status: 'failed' as const, error: 'Broken.\0' }
          const one = { ...span('judge', seq), ...(seq % 10 === 0 ? failed : {}), missedDeadline: seq === 7 }
          tell({ type: 'span', at: 2_000 + seq, span: one })
        }
        tell({ type: 'span', at: 3_000, span: span('summary', 0) })
        return {}
      },
    }
    const run = await client.ok('startRun', { path: { deployment }, body: {} })
    const detail = await ended(run.id)
    expect(detail.spanCount).toBe(251)
    expect(detail.statistics).toMatchObject([
      { task: 'judge', invocations: 250, failed: 25, missed: 1, p50Ms: 11, p99Ms: 11, bytesOut: 250 },
      { task: 'summary', invocations: 1, failed: 0 },
    ])
    const at = { path: { run: run.id } }
    const seqs: number[] = []
    let pages = 0
    for (let after: number | undefined = -1; after !== undefined; pages++) {
      const query: Record<string, string> = { after: String(after), limit: '100', task: 'judge' }
      const page = await client.ok('listSpans', { ...at, query })
      seqs.push(...page.spans.map((each: Span) => each.seq))
      after = page.next
    }
    expect(pages).toBe(3)
    expect(seqs).toEqual(Array.from({ length: 250 }, (_, seq) => seq))
    const { spans } = await client.ok('listSpans', { ...at, query: { status: 'failed' } })
    expect(spans).toHaveLength(25)
    expect(spans[0]).toEqual({
      ...span('judge', 0),
      status: 'failed',
      error: 'Broken.\uFFFD',
      missedDeadline: false,
    })
    expect((await client.call('listSpans', { ...at, query: { limit: '0' } })).status).toBe(400)
    expect((await client.call('listSpans', { path: { run: 'none' } })).status).toBe(404)
  })

  test('outputs are answered whole, in their own media type', async () => {
    const { id: deployment } = await deploy()
    const jpeg = Buffer.from([0xff, 0xd8, 1, 2, 3])
    const output = (seq: number, value: unknown, more: object = {}): RunEvent => ({
      type: 'output',
      at: 1,
      output: { task: 'one', data: 'total', device: '*', seq, value, ...more },
    })
    started.target.script = {
      run: async (_, tell) => {
        tell(output(0, { people: 25 }))
        tell(output(1, { $bytes: jpeg.toString('base64') }, { type: 'image/jpeg', bytes: 5 }))
        tell(output(2, { $bytes: 'AAAA', $truncated: true }))
        return {}
      },
    }
    const run = await client.ok('startRun', { path: { deployment }, body: {} })
    const detail = await ended(run.id)
    expect(detail.outputCount).toBe(3)
    const at = (index: number | string) => ({ path: { run: run.id, index } })
    expect(await client.ok('getOutput', at(0))).toEqual({ people: 25 })
    const image = await fetch(`${client.url}api/runs/${run.id}/outputs/1`)
    expect(image.headers.get('content-type')).toBe('image/jpeg')
    expect(image.headers.get('content-disposition')).toContain('.jpg"')
    expect(Buffer.from(await image.arrayBuffer())).toEqual(jpeg)
    const cut = await client.call('getOutput', at(2))
    expect(cut.status).toBe(404)
    expect(cut.body.detail).toContain('Persist')
    expect((await client.call('getOutput', at(3))).status).toBe(404)
    expect((await client.call('getOutput', at('-1'))).status).toBe(404)
  })

  test('values that were kept go with their project, and those of others stay', async () => {
    const { store } = started.service
    const port = new StoreDataPort(store)
    started.target.script = {
      run: async ({ run = '' }, tell) => {
        const { pool, key, version } = await port.put(run, 'one/0', {
          type: 'text/plain',
          bytes: Buffer.from(`whole of ${run}`),
        })
        const output = {
          task: 'one',
          data: 'total',
          device: '*',
          seq: 0,
          type: 'text/plain',
          persisted: true,
        }
        const value = { $bytes: 'AAAA', $truncated: true }
        tell({ type: 'output', at: 1, output: { ...output, value, ref: { pool, key, version } } })
        return {}
      },
    }
    const runIn = async (name: string) => {
      const { id: own } = await client.ok('createProject', { body: { name, example: 'hello-swarm' } })
      const { id } = await client.ok('createDeployment', {
        path: { project: own },
        body: { version: 1, placement: HELLO_PLACEMENT, agents: 1 },
      })
      await until(
        async () => (await client.ok('getDeployment', { path: { deployment: id } })).state === 'ready',
      )
      const run = await client.ok('startRun', { path: { deployment: id }, body: {} })
      await ended(run.id)
      return { project: own, run: run.id }
    }
    const textOf = async (run: string) => (await fetch(`${client.url}api/runs/${run}/outputs/0`)).text()
    const gone = await runIn('Gone')
    const kept = await runIn('Kept')
    expect(await textOf(gone.run)).toBe(`whole of ${gone.run}`)
    const has = async (run: string) => (await store.getPool(`/runs/${run}`)) !== null
    expect([await has(gone.run), await has(kept.run)]).toEqual([true, true])
    await client.ok('deleteProject', { path: { project: gone.project } })
    expect([await has(gone.run), await has(kept.run)]).toEqual([false, true])
    expect(await textOf(kept.run)).toBe(`whole of ${kept.run}`)
  })

  test('a client whose connection was cut hears what it missed, in order and once, also after a restart', async () => {
    const { id: deployment } = await deploy()
    const gate = Promise.withResolvers<void>()
    started.target.script = {
      run: async (_, tell) => {
        tell({ type: 'state', at: 1, state: 'running' })
        for (let seq = 0; seq < 30; seq++) tell({ type: 'span', at: seq, span: span('judge', seq) })
        await gate.promise
        for (let seq = 30; seq < 60; seq++) {
          tell({ type: 'span', at: seq, span: span('judge', seq) })
          tell(log(`line ${seq}`))
        }
        return {}
      },
    }
    const run = await client.ok('startRun', { path: { deployment }, body: {} })
    const topics = `run:${run.id},project:${project}`
    const first = await client.events(topics)
    const whole = await client.events(topics, 1)
    const spansIn = (heard: Heard) =>
      heard.all.flatMap((event) =>
        event.type === 'run-event' && event.event.type === 'span' ? [event.event.span.seq] : [],
      )
    const seqs = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index)
    await until(() => spansIn(whole).length === 30)
    expect(spansIn(whole)).toEqual(seqs(0, 30))
    // Cut in the middle of what was repeated, as a browser would see it.
    const cut =
      whole.ids[whole.all.findIndex((event) => event.type === 'run-event' && event.event.type === 'span') + 9]
    whole.stop()
    first.stop()
    gate.resolve()
    await ended(run.id)
    const missed = await client.events(topics, cut)
    await until(() => missed.all.some((event) => event.type === 'run' && event.run.state === 'succeeded'))
    expect(spansIn(missed)).toEqual(seqs(10, 60))
    const logs = missed.all.filter((event) => event.type === 'run-event' && event.event.type === 'log')
    expect(logs).toHaveLength(30)
    expect(missed.ids).toEqual([...new Set(missed.ids)].sort((a, b) => a - b))
    missed.stop()
    await restart()
    const later = await client.events(topics, cut)
    await until(() => later.all.some((event) => event.type === 'run' && event.run.state === 'succeeded'))
    expect(spansIn(later)).toEqual(seqs(10, 60))
    later.stop()
    // An id that no event can have: the client must ask for the state.
    const lost = await client.events(topics, 9e15)
    await until(() => lost.all.length > 0)
    expect(lost.all).toEqual([{ type: 'reset' }])
    lost.stop()
  })

  test('a flood of log lines is cut, and says so', async () => {
    const { id: deployment } = await deploy()
    started.target.script = {
      run: async (_, tell) => {
        for (let line = 0; line < MAX_LOG_LINES + 500; line++) tell(log(`line ${line}`))
        return {}
      },
    }
    const run = await client.ok('startRun', { path: { deployment }, body: {} })
    const { logs } = await ended(run.id)
    expect(logs).toHaveLength(MAX_LOG_LINES + 1)
    expect(logs.at(-1).text).toContain('left out')
    expect(logs[MAX_LOG_LINES - 1].text).toBe(`line ${MAX_LOG_LINES - 1}`)
  })

  test('of two runs one shows the estimate what calls take, and the other is measured', async () => {
    const { id: deployment } = await deploy({
      agents: 1,
      placement: { readSensor: 'edge', judge: 'edge', summary: 'cloud' },
    })
    const run = async (execution: number, dataExchange: number) => {
      const judge = span('judge', 0)
      const breakdown = { ...judge.breakdown, execution, dataExchange }
      const endedAt = judge.startedAt + breakdown.network + execution
      const spans = [{ ...judge, breakdown, endedAt }]
      started.target.script = { run: async () => ({ spans, startedAt: 1_000, endedAt: 3_000 }) }
      const { id } = await client.ok('startRun', { path: { deployment }, body: {} })
      await ended(id)
      return id
    }
    const compared = (profile: string) =>
      client.ok('compareDeployment', { path: { deployment }, query: { profile } })
    const first = await run(5_000, 20)
    const alone = await compared('now')
    expect(alone).toMatchObject({ runs: [first], callsFrom: [] })
    expect(alone.rows[0]).toMatchObject({ task: 'judge', p50: { measuredMs: 5_021 } })
    expect(alone.rows[0].p50.simulatedMs).toBeLessThan(5)
    const second = await run(9, 0)
    const both = await compared('now')
    expect(both).toMatchObject({ runs: [second], callsFrom: [first] })
    // its calls of 20 ms, not its code
    expect(both.rows[0].p50.simulatedMs).toBeGreaterThan(20)
    expect(both.rows[0].p50.simulatedMs).toBeLessThan(60)
    expect(both.rows[0].p50.measuredMs).toBeLessThan(20)
    expect(await compared('deployed')).toMatchObject({ runs: [second, first], callsFrom: [] })
    started.target.script = {}
  })

  test('a run is cancelled; one that throws has failed', async () => {
    const { id: deployment } = await deploy()
    started.target.script = {
      run: ({ signal }) =>
        new Promise((resolve) => signal?.addEventListener('abort', () => resolve({ message: 'Cancelled.' }))),
    }
    const run = await client.ok('startRun', { path: { deployment }, body: {} })
    expect(await client.ok('cancelRun', { path: { run: run.id } })).toMatchObject({ state: 'cancelled' })
    expect(await client.ok('cancelRun', { path: { run: run.id } })).toMatchObject({ state: 'cancelled' })
    started.target.script = { run: () => Promise.reject(new Error('The broker is gone.')) }
    const broken = await client.ok('startRun', { path: { deployment }, body: {} })
    expect(await ended(broken.id)).toMatchObject({ state: 'failed', message: 'The broker is gone.' })
    expect((await client.ok('listRuns', { path: { project } }))[0].id).toBe(broken.id)
  })

  test('runs are listed with version and figures, and filtered by state, version and text', async () => {
    const { id: deployment } = await deploy()
    const spans = [span('judge', 0), { ...span('judge', 1), status: 'failed' as const }]
    started.target.script = { run: async () => ({ spans, startedAt: 1_000, endedAt: 3_000 }) }
    const good = await client.ok('startRun', { path: { deployment }, body: {} })
    await ended(good.id)
    started.target.script = { run: () => Promise.reject(new Error('100 % of the Brokers are gone.')) }
    const bad = await client.ok('startRun', { path: { deployment }, body: {} })
    await ended(bad.id)
    const list = async (query: Record<string, string>) =>
      (await client.ok('listRuns', { path: { project }, query })) as { id: string }[]
    const ids = async (query: Record<string, string>) => (await list(query)).map(({ id }) => id)
    const [newest, before] = await list({ limit: '2' })
    expect(newest).toMatchObject({ id: bad.id, state: 'failed', version: 1, failed: 0 })
    expect(before).toMatchObject({ id: good.id, version: 1, tookMs: 2_000, invocations: 2, failed: 1 })
    expect(before).not.toHaveProperty('target')
    expect((await ids({ state: 'failed' }))[0]).toBe(bad.id)
    expect(await ids({ state: 'failed' })).not.toContain(good.id)
    expect((await ids({ state: 'succeeded' }))[0]).toBe(good.id)
    expect(await ids({ version: '2' })).toEqual([])
    expect(await ids({ version: '1', limit: '2' })).toEqual([bad.id, good.id])
    expect(await ids({ version: '1', limit: '1', after: bad.id })).toEqual([good.id])
    expect(await ids({ text: '% of the brokers' })).toEqual([bad.id])
    expect(await ids({ text: good.id.toUpperCase() })).toEqual([good.id])
    expect(await ids({ text: 'no such text' })).toEqual([])
    started.target.script = {
      run: ({ signal }) => new Promise((resolve) => signal?.addEventListener('abort', () => resolve({}))),
    }
    const now = await client.ok('startRun', { path: { deployment }, body: {} })
    expect((await list({ text: now.id }))[0]).toMatchObject({ invocations: 0, failed: 0 })
    expect((await list({ text: now.id }))[0]).not.toHaveProperty('tookMs')
    await client.ok('cancelRun', { path: { run: now.id } })
    started.target.script = {}
  })

  test('deleting a project stops what runs of it', async () => {
    await deploy()
    expect(started.target.alive.size).toBe(1)
    await client.ok('deleteProject', { path: { project } })
    expect(started.target.alive.size).toBe(0)
    const left: { id: string }[] = await client.ok('listProjects')
    expect(left.map(({ id }) => id)).not.toContain(project)
  })
})
