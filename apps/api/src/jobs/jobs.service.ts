import { setTimeout } from 'node:timers/promises'
import type { Exploration } from '@hivemind/swarm'
import { Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { notFound } from '../common/problem.ts'
import { newId, sentenceOf, storable } from '../common/text.ts'
import type { JobKind, Noun } from '../database/tables.ts'
import { type JobRow, type JobSummaryRow, JobsRepository } from './jobs.repository.ts'

const STOPPED = 'The service stopped while this was under way; start it again.'
const PUBLISH_EVERY_MS = 200
/** So long a job that is cancelled may take to give what it has so far. */
const FINISH_MS = 1000

export interface JobSpec {
  kind: JobKind
  project: string
  request: JobRow['request']
  /** Does the work; rejects when `signal` fires. What it resolves to is kept as the result. */
  work(
    signal: AbortSignal,
    progress: (fraction: number, message: string) => void,
  ): Promise<Exploration | null>
  /** Asks it to resolve soon with what there is so far, which then says that it is `cancelled`. */
  finish?(): void
  /** Tells the clients of a change. */
  publish(row: JobSummaryRow): void
}

interface ActiveJob {
  spec: JobSpec
  row: JobSummaryRow
  controller: AbortController
  publishedAt: number
  /** Its end is decided and being kept: nothing may decide otherwise any more. */
  ending: boolean
  /** The last change being kept; they are kept one after another. */
  changes: Promise<void>
  ended: Promise<void>
}

/** The part of a job that every kind shows alike. */
export const toJob = (row: JobSummaryRow): Noun<'Job'> => ({
  state: row.state,
  progress: row.progress,
  message: row.message,
  createdAt: row.created_at.toISOString(),
  ...(row.ended_at ? { endedAt: row.ended_at.toISOString() } : {}),
})

/** Runs jobs, one of each kind at a time and the others in turn; keeps their states. */
@Injectable()
export class JobsService {
  private readonly repository: JobsRepository
  private readonly active = new Map<string, ActiveJob>()
  /** The end of the last job of each kind. */
  private readonly tails = new Map<JobKind, Promise<void>>()

  constructor(repository: JobsRepository) {
    this.repository = repository
  }

  failInterrupted(): Promise<void> {
    return this.repository.failInterrupted(STOPPED, new Date())
  }

  async start(spec: JobSpec): Promise<JobSummaryRow> {
    const row: JobSummaryRow = {
      id: newId(),
      kind: spec.kind,
      project_id: spec.project,
      request: spec.request,
      state: 'queued',
      progress: 0,
      message: 'Waiting for its turn.',
      created_at: new Date(),
      ended_at: null,
    }
    await this.repository.add(row)
    const job: ActiveJob = {
      spec,
      row,
      controller: new AbortController(),
      publishedAt: 0,
      ending: false,
      changes: Promise.resolve(),
      ended: Promise.resolve(),
    }
    this.active.set(row.id, job)
    const before = this.tails.get(spec.kind) ?? Promise.resolve()
    job.ended = before.then(() => this.perform(job)).finally(() => this.active.delete(row.id))
    this.tails.set(spec.kind, job.ended)
    spec.publish(row)
    return { ...row }
  }

  private async perform(job: ActiveJob): Promise<void> {
    const { signal } = job.controller
    if (signal.aborted) return
    try {
      await this.change(job, { state: 'running', message: 'Under way.' })
      if (signal.aborted) return
      const result = await job.spec.work(signal, (fraction, message) => this.progress(job, fraction, message))
      if (signal.aborted) return
      await (result?.cancelled ? this.cancelled(job, result) : this.done(job, result))
    } catch (error) {
      if (signal.aborted) return
      await this.fail(job, sentenceOf(error)).catch((failure: unknown) =>
        log.error({ job: job.row.id, err: failure }, 'The state of a job could not be kept.'),
      )
    }
  }

  private done(job: ActiveJob, result: Exploration | null): Promise<void> {
    return this.change(job, { state: 'done', progress: 1, message: 'Done.', ended_at: new Date() }, result)
  }

  /** Cancelled; what there is so far is kept, if there is anything. */
  private cancelled(job: ActiveJob, partial?: Exploration): Promise<void> {
    const some = partial && partial.candidates.length > 0 ? partial : undefined
    const message = some?.cancelled
      ? `Cancelled after ${some.cancelled.done} of ${some.cancelled.of} candidates.`
      : 'Cancelled.'
    return this.change(job, { state: 'cancelled', message, ended_at: new Date() }, some)
  }

  private progress(job: ActiveJob, fraction: number, message: string): void {
    if (job.ending || job.row.state !== 'running') return
    job.row.progress = Math.min(1, Math.max(job.row.progress, fraction))
    job.row.message = storable(message)
    const now = Date.now()
    if (now - job.publishedAt < PUBLISH_EVERY_MS) return
    job.publishedAt = now
    job.spec.publish(job.row)
  }

  private fail(job: ActiveJob, message: string): Promise<void> {
    return this.change(job, { state: 'failed', message: storable(message), ended_at: new Date() })
  }

  /** Keeps a change first and shows it then, so that whoever sees a job done finds its result. */
  private change(job: ActiveJob, change: Partial<JobSummaryRow>, result?: Exploration | null): Promise<void> {
    if (job.ending) return job.changes
    job.ending = change.ended_at !== undefined
    job.changes = job.changes
      .catch(() => {})
      .then(async () => {
        try {
          await this.repository.update({ ...job.row, ...change }, result)
        } catch (error) {
          job.ending = false
          throw error
        }
        Object.assign(job.row, change)
        job.spec.publish(job.row)
      })
    return job.changes
  }

  /** Throws 404. Progress is as of now. */
  async get(kind: JobKind, noun: string, id: string): Promise<JobRow> {
    const row = await this.repository.find(kind, id)
    if (!row) throw notFound(noun, id)
    const job = this.active.get(id)
    return job ? { ...row, ...job.row } : row
  }

  async list(kind: JobKind, project: string): Promise<JobSummaryRow[]> {
    const rows = await this.repository.list(kind, project)
    return rows.map((row) => this.active.get(row.id)?.row ?? row)
  }

  /** Cancels it, keeping what it has so far if it can give that soon; one that has ended stays as it is. Throws 404. */
  async cancel(kind: JobKind, noun: string, id: string): Promise<JobRow> {
    await this.get(kind, noun, id)
    const job = this.active.get(id)
    if (job?.spec.finish && job.row.state === 'running') {
      job.spec.finish()
      await Promise.race([job.ended, setTimeout(FINISH_MS, undefined, { ref: false })])
    }
    if (job && !job.ending) job.controller.abort()
    if (job) await this.cancelled(job)
    return this.get(kind, noun, id)
  }

  /** Stops the jobs of a project that is about to go, and waits for them. */
  async stopProject(project: string): Promise<void> {
    const jobs = [...this.active.values()].filter((job) => job.row.project_id === project)
    const running = jobs.filter((job) => job.row.state === 'running')
    for (const job of jobs) await this.cancel(job.spec.kind, 'job', job.row.id)
    await Promise.all(running.map((job) => job.ended))
  }

  /** Stops everything; what was under way has failed. */
  async stop(): Promise<void> {
    const jobs = [...this.active.values()]
    for (const job of jobs) {
      if (!job.ending) job.controller.abort()
      await this.fail(job, STOPPED)
    }
    await Promise.all(jobs.map((job) => job.ended))
  }
}
