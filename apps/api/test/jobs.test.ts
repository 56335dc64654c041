/** Jobs of any kind, with and without a project, over the life of two services, on both databases. */
import path from 'node:path'
import { BlobStore } from '@hivemind/values/node'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../src/database/database.ts'
import { EventsRepository } from '../src/events/events.repository.ts'
import { EventsService } from '../src/events/events.service.ts'
import type { JobKind } from '../src/jobs/job-kind.ts'
import { JobsRepository } from '../src/jobs/jobs.repository.ts'
import { JobsService } from '../src/jobs/jobs.service.ts'
import { Checkouts } from '../src/storage/checkouts.ts'
import { Housekeeping } from '../src/storage/housekeeping.ts'
import { ProjectFolders } from '../src/storage/project-folders.ts'
import { Snapshots } from '../src/storage/snapshots.ts'
import { until } from './support/client.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { configFor, newFolder, removeFolder } from './support/service.ts'

interface Count {
  to: number
  /** Stops there until it is cancelled. */
  wait?: boolean
}
type Counted = { reached: number; whole: boolean }

/** Counts; a cancelled one keeps how far it came. */
const counting: JobKind<Count, Counted> = {
  name: 'count',
  noun: 'count',
  async run({ to, wait }, job) {
    job.stage('Counting')
    for (let n = 1; n <= to; n++) {
      job.progress(n / to, `${n} of ${to}.`)
      job.log(`At ${n}.`)
    }
    if (to < 0) throw new Error('Nothing to count.')
    await job.artefact('numbers.txt', Buffer.from(`up to ${to}`), 'text/plain')
    if (wait) await new Promise<void>((resolve) => job.signal.addEventListener('abort', () => resolve()))
    return { reached: to, whole: !wait }
  },
  partial: ({ whole, reached }) => (whole ? null : { message: `Cancelled at ${reached}.`, keep: true }),
}
/** Neither resolves nor heeds `signal`: only the end of its time ends it. */
const deaf: JobKind<null, null> = {
  name: 'deaf',
  noun: 'deaf job',
  run: (_, { expired }) =>
    new Promise((_resolve, reject) => expired.addEventListener('abort', () => reject(new Error('late')))),
}

describe.each(['embedded', 'postgresql'] as const)('on the %s database', (kind) => {
  const dataDir = newFolder()
  let postgres: TestPostgres | undefined
  let database: Database
  let jobs: JobsService
  let events: EventsService
  const blobs = new BlobStore(path.join(dataDir, 'blobs'))

  const begin = async () => {
    database = await openDatabase(dataDir, postgres?.url)
    const config = configFor(dataDir)
    const checkouts = new Checkouts(config, new Snapshots(new ProjectFolders(config), blobs))
    events = new EventsService(new EventsRepository(database))
    const housekeeping = new Housekeeping(blobs, checkouts)
    jobs = new JobsService(new JobsRepository(database), events, blobs, housekeeping)
    jobs.register(counting)
    jobs.register(deaf)
    await jobs.failInterrupted()
    return housekeeping
  }
  beforeAll(async () => {
    if (kind === 'postgresql') postgres = await startPostgres()
    await begin()
  })
  afterAll(async () => {
    await jobs?.stop()
    await events?.stop()
    await database?.close()
    await postgres?.stop()
    removeFolder(dataDir)
  })

  const ended = (id: string) =>
    until(async () => {
      const record = await jobs.record(id)
      return record.job.endedAt !== undefined && record
    })

  test('a job without a project has stages, progress, a log, artefacts and a result', async () => {
    const { id } = await jobs.start(counting, { to: 30 })
    const record = await ended(id)
    expect(record).toMatchObject({
      kind: 'count',
      request: { to: 30 },
      job: { state: 'done', stage: 'Counting', progress: 1 },
      result: { reached: 30 },
      artefacts: [{ name: 'numbers.txt', type: 'text/plain', bytes: 8 }],
    })
    expect(record.project).toBeUndefined()
    expect((await jobs.artefact(id, 'numbers.txt')).bytes.toString()).toBe('up to 30')
    await expect(jobs.artefact(id, 'none')).rejects.toMatchObject({ status: 404 })
    const first = await jobs.log(id, { after: -1, limit: 20 })
    const second = await jobs.log(id, { after: first.next ?? 0, limit: 20 })
    expect([...first.lines, ...second.lines].map(({ text }) => text)).toEqual(
      Array.from({ length: 30 }, (_, n) => `At ${n + 1}.`),
    )
    expect(second.next).toBeUndefined()
    expect((await jobs.records({ kind: 'count', limit: 10 })).map((each) => each.id)).toEqual([id])
    expect(await jobs.records({ kind: 'other', limit: 10 })).toEqual([])
  })

  test('a failed job says why; a cancelled one keeps what its kind says, or nothing', async () => {
    const failed = await ended((await jobs.start(counting, { to: -1 })).id)
    expect(failed).toMatchObject({ job: { state: 'failed', message: 'Nothing to count.' } })
    const waiting = await jobs.start(counting, { to: 3, wait: true })
    const queued = await jobs.start(counting, { to: 4 })
    await until(async () => (await jobs.record(waiting.id)).artefacts?.length === 1)
    expect(await jobs.cancel(queued.id)).toMatchObject({ job: { state: 'cancelled', message: 'Cancelled.' } })
    expect(await jobs.cancel(waiting.id)).toMatchObject({
      job: { state: 'cancelled', message: 'Cancelled at 3.' },
      result: { reached: 3 },
    })
    const stubborn = await jobs.start(deaf, null)
    await until(async () => (await jobs.record(stubborn.id)).job.state === 'running')
    const cancelled = await jobs.cancel(stubborn.id)
    expect(cancelled).toMatchObject({ job: { state: 'cancelled', message: 'Cancelled.' } })
    expect(cancelled.result).toBeUndefined()
    expect((await jobs.cancel(stubborn.id)).job.state).toBe('cancelled')
    await expect(jobs.cancel('none')).rejects.toMatchObject({ status: 404 })
  })

  test('over a restart results stay, what was cut short says so, and events are resumed', async () => {
    const done = await jobs.start(counting, { to: 5 })
    await ended(done.id)
    const cut = await jobs.start(counting, { to: 2, wait: true })
    await until(async () => (await jobs.record(cut.id)).artefacts?.length === 1)
    const seen = events.last
    // As if the process were killed: nothing is told to the jobs.
    await events.stop()
    const killed = jobs
    await database.close()
    await killed.stop().catch(() => {})
    const housekeeping = await begin()
    expect(await jobs.record(done.id)).toMatchObject({ job: { state: 'done' }, result: { reached: 5 } })
    expect(await jobs.record(cut.id)).toMatchObject({
      job: { state: 'failed', message: 'The service stopped while this was under way; start it again.' },
    })
    expect((await jobs.log(cut.id, { after: -1, limit: 10 })).lines).toHaveLength(2)
    const said: string[] = []
    const sink = {
      write: (text: string) => said.push(text) > 0,
      end: () => {},
      destroy: () => {},
      writableLength: 0,
    }
    await events.add(sink, new Set([`job:${cut.id}`]), seen)
    expect(said.join('')).toContain('"state":"failed"')
    expect(said.join('')).not.toContain('job-log')
    said.length = 0
    await events.add(sink, new Set([`job:${cut.id}`]), 1)
    expect(said.join('').match(/"type":"job-log"/g)).toHaveLength(2)
    events.remove(sink)
    // Artefacts are in use, whatever else is swept.
    await housekeeping.sweep({ olderThanMs: -1 })
    expect((await jobs.artefact(done.id, 'numbers.txt')).bytes.toString()).toBe('up to 5')
  })
})
