import { setTimeout } from 'node:timers/promises'
import type { ServerEvent } from '@hivemind/contracts'
import { BlobStore } from '@hivemind/values/node'
import { Injectable } from '@nestjs/common'
import type { QueryOf } from '../common/contract.ts'
import { log } from '../common/log.ts'
import { notFound } from '../common/problem.ts'
import { keepTrying } from '../common/storage-errors.ts'
import { newId, sentenceOf, storable } from '../common/text.ts'
import type { Page } from '../database/pages.ts'
import type { Noun } from '../database/tables.ts'
import { EventsService } from '../events/events.service.ts'
import type { Numbered } from '../events/merge.ts'
import { Housekeeping } from '../storage/housekeeping.ts'
import type { JobContext, JobKind } from './job-kind.ts'
import { type JobRow, type JobSummaryRow, JobsRepository } from './jobs.repository.ts'

const STOPPED = 'The service stopped while this was under way; start it again.'
const PUBLISH_EVERY_MS = 200
/** Time that a cancelled job gets to give what it has so far. */
const FINISH_MS = 1_000
/** Log lines a job keeps; the first ones. */
const MAX_LOG_LINES = 5_000

// biome-ignore lint/suspicious/noExplicitAny: the registry holds kinds of every request and result.
type AnyKind = JobKind<any, any>

interface ActiveJob {
  kind: AnyKind
  row: JobSummaryRow
  /** Fires when it is cancelled, `expired` when it must have ended. */
  cancel: AbortController
  expired: AbortController
  publishedAt: number
  lines: number
  /** Its end is decided and being kept: nothing may decide otherwise any more. */
  ending: boolean
  /** The last change being kept; they are kept one after another. */
  changes: Promise<void>
  ended: Promise<void>
}

/** The part of a job that every kind shows alike. */
export const toJob = (row: JobSummaryRow): Noun<'Job'> => ({
  state: row.state,
  stage: row.stage,
  progress: row.progress,
  message: row.message,
  createdAt: row.created_at.toISOString(),
  ...(row.ended_at ? { endedAt: row.ended_at.toISOString() } : {}),
})

const toRecord = (row: JobSummaryRow): Noun<'JobRecord'> => ({
  id: row.id,
  kind: row.kind,
  ...(row.project_id === null ? {} : { project: row.project_id }),
  request: row.request,
  job: toJob(row),
})

/** Runs jobs, one of each kind at a time and the others in turn; keeps their states, log lines, artefacts and results. */
@Injectable()
export class JobsService {
  private readonly repository: JobsRepository
  private readonly events: EventsService
  private readonly blobs: BlobStore
  private readonly kinds = new Map<string, AnyKind>()
  private readonly active = new Map<string, ActiveJob>()
  /** The end of the last job of each kind. */
  private readonly tails = new Map<string, Promise<void>>()
  private readonly stopping = new AbortController()

  constructor(
    repository: JobsRepository,
    events: EventsService,
    blobs: BlobStore,
    housekeeping: Housekeeping,
  ) {
    this.repository = repository
    this.events = events
    this.blobs = blobs
    housekeeping.addUse(() => repository.hashes())
    events.addReplay((topics, after) =>
      [...topics]
        .filter((topic) => topic.startsWith('job:'))
        .map((topic) => this.replayLog(topic.slice('job:'.length), after)),
    )
  }

  /** Adds a kind of jobs. Throws when there is one of that name. */
  register<Request, Result>(kind: JobKind<Request, Result>): void {
    if (this.kinds.has(kind.name)) throw new Error(`There are two kinds of jobs called '${kind.name}'.`)
    this.kinds.set(kind.name, kind)
  }

  /** Jobs that an earlier service left have failed; whoever listens again is told. */
  async failInterrupted(): Promise<void> {
    for (const row of await this.repository.failInterrupted(STOPPED, new Date())) this.publish(row)
  }

  /** Starts a job of a registered kind, for a project or for none. */
  async start<Request, Result>(
    kind: JobKind<Request, Result>,
    request: Request,
    project: string | null = null,
  ): Promise<JobSummaryRow> {
    if (this.kinds.get(kind.name) !== kind) throw new Error(`No kind of jobs '${kind.name}' was registered.`)
    const row: JobSummaryRow = {
      id: newId(),
      kind: kind.name,
      project_id: project,
      request,
      state: 'queued',
      stage: '',
      progress: 0,
      message: 'Waiting for its turn.',
      created_at: new Date(),
      ended_at: null,
    }
    await this.repository.add(row)
    const job: ActiveJob = {
      kind,
      row,
      cancel: new AbortController(),
      expired: new AbortController(),
      publishedAt: 0,
      lines: 0,
      ending: false,
      changes: Promise.resolve(),
      ended: Promise.resolve(),
    }
    this.active.set(row.id, job)
    const before = this.tails.get(kind.name) ?? Promise.resolve()
    job.ended = before.then(() => this.perform(job)).finally(() => this.active.delete(row.id))
    this.tails.set(kind.name, job.ended)
    this.publish(row)
    return { ...row }
  }

  private async perform(job: ActiveJob): Promise<void> {
    const { cancel, expired, row, kind } = job
    if (cancel.signal.aborted) return
    try {
      await this.change(job, { state: 'running', message: 'Under way.' })
      if (expired.signal.aborted) return
      const result: unknown = await kind.run(row.request, this.contextOf(job))
      if (expired.signal.aborted) return
      if (!cancel.signal.aborted) await this.done(job, result)
      else await this.cancelled(job, result)
    } catch (error) {
      if (expired.signal.aborted) return
      const end = cancel.signal.aborted ? this.cancelled(job) : this.fail(job, sentenceOf(error))
      await end.catch((failure: unknown) =>
        log.error({ job: row.id, err: failure }, 'The state of a job could not be kept.'),
      )
    }
    log.info({ job: row.id, kind: row.kind }, `Job ${job.row.state}: ${job.row.message}`)
  }

  private contextOf(job: ActiveJob): JobContext {
    return {
      id: job.row.id,
      project: job.row.project_id,
      signal: job.cancel.signal,
      expired: job.expired.signal,
      stage: (name) => {
        if (job.ending) return
        job.row.stage = storable(name)
        this.publish(job.row)
      },
      progress: (fraction, message) => this.progress(job, fraction, message),
      log: (text, level = 'info') => this.logLine(job, text, level),
      artefact: async (name, content, type = 'application/octet-stream') => {
        const hash = await this.blobs.put(content)
        const bytes = await this.blobs.size(hash)
        await this.repository.addArtefact(job.row.id, { name: storable(name), type, hash, bytes })
        this.publish(job.row)
      },
    }
  }

  private logLine(job: ActiveJob, text: string, level: Noun<'JobLogLine'>['level']): void {
    if (job.ending || job.lines > MAX_LOG_LINES) return
    const cut = job.lines++ === MAX_LOG_LINES
    const line = cut
      ? { at: Date.now(), level: 'warn' as const, text: 'Further lines are left out.' }
      : { at: Date.now(), level, text: storable(text) }
    const { id } = job.row
    const event = this.events.publish([`job:${id}`], { type: 'job-log', job: id, line })
    job.changes = job.changes
      .catch(() => {})
      .then(() => this.repository.addLog(id, [{ id: event, event: line }]))
      .catch((error: unknown) => log.error({ job: id, err: error }, 'A log line could not be kept.'))
  }

  private done(job: ActiveJob, result: unknown): Promise<void> {
    return this.change(job, { state: 'done', progress: 1, message: 'Done.', ended_at: new Date() }, result)
  }

  /** Cancelled; what there is so far is kept, if the kind says that it is worth it. */
  private cancelled(job: ActiveJob, result?: unknown): Promise<void> {
    const nothing = { message: 'Cancelled.', keep: false }
    const partial = result === undefined || result === null ? nothing : (job.kind.partial?.(result) ?? null)
    if (!partial && job.kind.partial) return this.done(job, result)
    const { message, keep } = partial ?? nothing
    return this.change(job, { state: 'cancelled', message, ended_at: new Date() }, keep ? result : undefined)
  }

  private progress(job: ActiveJob, fraction: number, message: string): void {
    if (job.ending || job.row.state !== 'running') return
    job.row.progress = Math.min(1, Math.max(job.row.progress, fraction))
    job.row.message = storable(message)
    const now = Date.now()
    if (now - job.publishedAt < PUBLISH_EVERY_MS) return
    job.publishedAt = now
    this.publish(job.row)
  }

  private publish(row: JobSummaryRow): void {
    const event: ServerEvent = { type: 'job', job: toRecord(row) }
    this.events.publishNoun([`job:${row.id}`], event, { id: row.id, project: row.project_id })
    this.kinds.get(row.kind)?.publish?.(row)
  }

  private fail(job: ActiveJob, message: string): Promise<void> {
    return this.change(job, { state: 'failed', message: storable(message), ended_at: new Date() })
  }

  /** Keeps a change first and shows it then, so that whoever sees a job done finds its result. */
  private change(job: ActiveJob, change: Partial<JobSummaryRow>, result?: unknown): Promise<void> {
    if (job.ending) return job.changes
    job.ending = change.ended_at !== undefined
    job.changes = job.changes
      .catch(() => {})
      .then(async () => {
        try {
          const keep = () => this.repository.update({ ...job.row, ...change }, result)
          if (job.ending)
            await keepTrying(keep, { what: `The end of job ${job.row.id}`, signal: this.stopping.signal })
          else await keep()
        } catch (error) {
          job.ending = false
          throw error
        }
        Object.assign(job.row, change)
        this.publish(job.row)
      })
    return job.changes
  }

  /** A job of this kind, its progress as of now. Throws 404. */
  async get(kind: AnyKind, id: string): Promise<JobRow> {
    const row = await this.repository.find(id)
    if (row?.kind !== kind.name) throw notFound(kind.noun, id)
    return this.current(row)
  }

  private current(row: JobRow): JobRow {
    const job = this.active.get(row.id)
    return job ? { ...row, ...job.row } : row
  }

  async list(kind: AnyKind, project: string, page: Page): Promise<JobSummaryRow[]> {
    const rows = await this.repository.list({ kind: kind.name, project, ...page })
    return rows.map((row) => this.active.get(row.id)?.row ?? row)
  }

  /** Jobs of every kind, newest first, without results. */
  async records(query: QueryOf<'listJobs'>): Promise<Noun<'JobRecord'>[]> {
    const rows = await this.repository.list(query)
    return rows.map((row) => toRecord(this.active.get(row.id)?.row ?? row))
  }

  /** A job of any kind, with its result and artefacts. Throws 404. */
  async record(id: string): Promise<Noun<'JobRecord'>> {
    const row = this.current(await this.row(id))
    const artefacts = await this.repository.artefacts(id)
    return { ...toRecord(row), artefacts, ...(row.result === null ? {} : { result: row.result }) }
  }

  private async row(id: string): Promise<JobRow> {
    const row = await this.repository.find(id)
    if (!row) throw notFound('job', id)
    return row
  }

  /** A page of a job's log. Throws 404. */
  async log(id: string, { after, limit }: QueryOf<'getJobLog'>): Promise<Noun<'JobLogPage'>> {
    await this.row(id)
    await this.active.get(id)?.changes.catch(() => {})
    const page = await this.repository.log(id, after, limit)
    const next = page.length < limit ? undefined : page.at(-1)?.id
    return { lines: page.map(({ event }) => event), ...(next === undefined ? {} : { next }) }
  }

  /** A file that a job has kept. Throws 404. */
  async artefact(id: string, name: string): Promise<{ type: string; bytes: Buffer }> {
    await this.row(id)
    const found = (await this.repository.artefacts(id)).find((each) => each.name === name)
    if (!found) throw notFound('artefact', name)
    return { type: found.type, bytes: await this.blobs.bytes(found.hash) }
  }

  private async *replayLog(id: string, after: number): AsyncGenerator<Numbered<ServerEvent>> {
    await this.active.get(id)?.changes.catch(() => {})
    for (const { id: event, event: line } of await this.repository.log(id, after, MAX_LOG_LINES + 1))
      yield { id: event, event: { type: 'job-log', job: id, line } }
  }

  /** Cancels a job, keeping what it has so far if it can give that soon; one that has ended stays as it is. Throws 404. */
  async cancel(id: string): Promise<Noun<'JobRecord'>> {
    await this.row(id)
    const job = this.active.get(id)
    if (job && !job.ending) {
      job.cancel.abort()
      if (job.row.state === 'running')
        await Promise.race([job.ended, setTimeout(FINISH_MS, undefined, { ref: false })])
      if (!job.ending) job.expired.abort()
      await this.cancelled(job)
    }
    await Promise.race([job?.changes, setTimeout(FINISH_MS, undefined, { ref: false })])
    return this.record(id)
  }

  /** Stops the jobs of a project that is about to go, and waits for them. */
  async stopProject(project: string): Promise<void> {
    const jobs = [...this.active.values()].filter((job) => job.row.project_id === project)
    const running = jobs.filter((job) => job.row.state === 'running')
    for (const job of jobs) await this.cancel(job.row.id)
    await Promise.all(running.map((job) => job.ended))
  }

  /** Stops everything; what was under way has failed. */
  async stop(): Promise<void> {
    const jobs = [...this.active.values()]
    this.stopping.abort()
    for (const job of jobs) {
      if (!job.ending) {
        job.expired.abort()
        job.cancel.abort()
      }
      await this.fail(job, STOPPED).catch((error: unknown) =>
        log.error({ job: job.row.id, err: error }, 'The state of a job could not be kept.'),
      )
    }
    await Promise.all(jobs.map((job) => job.ended))
  }
}
