/** What kinds of jobs are made of. */
import type { BlobContent } from '@hivemind/values/node'
import type { Noun } from '../database/tables.ts'
import type { JobSummaryRow } from './jobs.repository.ts'

/** What a job may report while it runs. */
export interface JobContext {
  id: string
  project: string | null
  /** Names the step that begins. */
  stage(name: string): void
  /** How far it is, 0 to 1; it never goes back. */
  progress(fraction: number, message: string): void
  log(text: string, level?: Noun<'JobLogLine'>['level']): void
  /** Keeps a file with the job; one of the same name is replaced. */
  artefact(name: string, content: BlobContent, type?: string): Promise<void>
  /** Fires when the job is cancelled: resolve soon with what there is so far, or reject. */
  signal: AbortSignal
  /** Fires when the time for that is over: whatever the job has started must end. */
  expired: AbortSignal
}

/** A kind of work that takes a while. */
export interface JobKind<Request, Result> {
  /** Name of the kind, as the jobs interface shows it. */
  name: string
  /** What a person calls one. */
  noun: string
  /** Does the work; rejects with a sentence. What it resolves to is kept as the result, as JSON; null is none. */
  run(request: Request, job: JobContext): Promise<Result>
  /**
   * The sentence of a job that was cancelled, and whether this result is worth keeping; null when the result is whole all
   * the same. Without this method a cancelled job keeps nothing.
   */
  partial?(result: Result): { message: string; keep: boolean } | null
  /** Tells the clients of the kind's own screens of a change. */
  publish?(row: JobSummaryRow): void
}
