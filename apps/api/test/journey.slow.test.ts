/** The whole journey on the real local target: explore, deploy, run, report, measure. */

import { localTarget } from '@hivemind/deploy'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

describe('hello-swarm on the local target', { timeout: 240_000 }, () => {
  const dataDir = newFolder()
  let started: Started
  let project = ''

  beforeAll(async () => {
    started = await start(configFor(dataDir), localTarget())
    project = (await started.client.ok('createProject', { body: { name: 'Hello', example: 'hello-swarm' } }))
      .id
  })
  afterAll(async () => {
    await started?.service.close()
    removeFolder(dataDir)
  })

  const ended = (name: 'getExploration' | 'getProfileJob', path: Record<string, string>) =>
    until(async () => {
      const found = await started.client.ok(name, { path })
      return found.job.endedAt !== undefined && found
    })

  test('from the exploration to the report', async () => {
    const { client } = started
    const { id } = await client.ok('startExploration', { path: { project }, body: { version: 1 } })
    const { result, job } = await ended('getExploration', { exploration: id })
    expect(job.state).toBe('done')
    const candidate = result.candidates.find((each: { placement: object }) =>
      ['cloud', 'edge'].every((tier) => Object.values(each.placement).includes(tier)),
    )
    const { id: deployment } = await client.ok('createDeployment', {
      path: { project },
      body: { version: 1, placement: candidate.placement, exploration: id, candidate: candidate.id },
    })
    const record = await until(async () => {
      const now = await client.ok('getDeployment', { path: { deployment } })
      return now.state !== 'starting' && now
    })
    expect(record).toMatchObject({ state: 'ready', message: 'Ready to run.' })
    expect(record.estimate.execTimeMs).toBeGreaterThan(0)
    const heard = await client.events(`project:${project}`)
    const run = await client.ok('startRun', { path: { deployment }, body: { itemsPerDevice: 10 } })
    const live = await client.events(`run:${run.id}`)
    const detail = await until(async () => {
      const now = await client.ok('getRun', { path: { run: run.id } })
      return now.endedAt !== undefined && now
    })
    expect(detail).toMatchObject({ state: 'succeeded', result: { state: 'succeeded', losses: [] } })
    const { spans } = await client.ok('listSpans', { path: { run: run.id } })
    expect(spans).toHaveLength(detail.spanCount)
    const seen = new Set(spans.map((span: { task: string }) => span.task))
    expect(seen).toEqual(new Set(Object.keys(candidate.placement)))
    expect(detail.result.outputs).toHaveLength(1)
    expect(live.all.length + heard.all.length).toBeGreaterThan(0)
    heard.stop()
    live.stop()
    const { body: report } = await client.call('runReport', {
      path: { run: run.id },
      query: { format: 'json' },
    })
    expect(report.tasks.map((task: { task: string }) => task.task).sort()).toEqual([...seen].sort())
    for (const task of report.tasks) {
      expect(task.measured.p50Ms).toBeGreaterThan(0)
      expect(task.estimated.p50Ms).toBeGreaterThanOrEqual(0)
    }
    const html = await client.call('runReport', { path: { run: run.id } })
    expect(html.body).toContain('hello-swarm, version 1')
    for (const profile of ['deployed', 'now']) {
      const comparison = await client.ok('compareDeployment', { path: { deployment }, query: { profile } })
      expect(comparison).toMatchObject({ profile, runs: [run.id], itemsPerDevice: 10 })
      expect(comparison.rows.map((row: { task: string | null }) => row.task).sort()).toEqual(
        [null, ...seen].sort(),
      )
      for (const { p50 } of comparison.rows)
        expect(p50.deviation).toBeCloseTo(p50.simulatedMs / p50.measuredMs - 1, 9)
      expect(comparison.run.measuredMs).toBeCloseTo(detail.result.endedAt - detail.result.startedAt, 6)
    }

    const earlier = await client.ok('getProfile', { path: { project } })
    const taken = await client.ok('measureProfile', {
      path: { project },
      body: { run: run.id, tasks: ['judge'] },
    })
    expect(taken).toMatchObject({ origin: 'measured', profile: { tasks: { judge: { origin: 'measured' } } } })
    expect(taken.profile.note).toContain(`judge (run ${run.id}`)
    expect(taken.profile.tasks.summary).toEqual(earlier.profile.tasks.summary)
    expect(taken.profile.tasks.judge).not.toEqual(earlier.profile.tasks.judge)
    const judged = spans.filter((span: { task: string }) => span.task === 'judge')
    const { edge, cloud } = taken.profile.tasks.judge
    expect((edge ?? cloud).serviceMs.samples).toBe(judged.length)
    const unknown = await client.call('measureProfile', {
      path: { project },
      body: { run: run.id, tasks: ['nobody'] },
    })
    expect(unknown).toMatchObject({ status: 422, body: { errors: [{ field: 'tasks' }] } })
    const foreign = await client.call('measureProfile', { path: { project }, body: { run: 'f'.repeat(16) } })
    expect(foreign.status).toBe(404)

    const pids = record.resources.flatMap(({ pid }: { pid?: number }) => (pid === undefined ? [] : [pid]))
    expect(pids.length).toBeGreaterThan(0)
    expect(pids.every(isAlive)).toBe(true)
    await client.ok('undeploy', { path: { deployment } })
    await until(() => !pids.some(isAlive))
  })

  test('a measurement becomes the profile', async () => {
    const { client } = started
    const { id } = await client.ok('startProfile', {
      path: { project },
      body: { version: 1, itemsPerDevice: 5 },
    })
    const { job } = await ended('getProfileJob', { job: id })
    expect(job).toMatchObject({ state: 'done', progress: 1 })
    const profile = await client.ok('getProfile', { path: { project } })
    expect(profile.origin).toBe('measured')
    for (const task of Object.values(profile.profile.tasks))
      expect(task).toMatchObject({ origin: 'measured' })
  })
})
