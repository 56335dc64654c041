import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import type { ExplorationJob, ProfileJob } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { JobProgress, ProblemNote } from '../../ui/feedback.tsx'

/** What the form asks for. */
export type ExplorationRequest = Parameters<typeof api.startExploration>[1]

/** A short profile: enough items for a mean of each task, within seconds. */
const SHORT_PROFILE = { agents: 2, itemsPerDevice: 8 }

const hasEnded = ({ job }: ProfileJob): boolean => job.state !== 'queued' && job.state !== 'running'

/**
 * Starts explorations, with `measure` after a short profile: the exploration begins when the profile has ended, whether it
 * succeeded or not, or was skipped.
 */
export function useMeasureFirst({
  project,
  profileJob,
  onProfileJob,
  onStarted,
}: {
  project: string
  /** The newest measurement, as events report it. */
  profileJob: ProfileJob | undefined
  onProfileJob: (job: ProfileJob) => void
  onStarted: (job: ExplorationJob) => void
}) {
  const [waiting, setWaiting] = useState<{ request: ExplorationRequest; job: string }>()
  const [failure, setFailure] = useState<string>()
  const explore = async (request: ExplorationRequest): Promise<void> => {
    onStarted(await api.startExploration(project, request))
  }
  const begin = async (request: ExplorationRequest, measure: boolean): Promise<void> => {
    setFailure(undefined)
    if (!measure) return explore(request)
    try {
      const job = await api.startProfile(project, { version: request.version, ...SHORT_PROFILE })
      onProfileJob(job)
      setWaiting({ request, job: job.id })
    } catch (error) {
      setFailure(error instanceof Error ? error.message : String(error))
      await explore(request)
    }
  }
  const proceed = useAction(async (skip: boolean) => {
    if (!waiting) return
    if (skip) await api.cancelProfileJob(waiting.job)
    setWaiting(undefined)
    await explore(waiting.request)
  })
  const ended = waiting && profileJob?.id === waiting.job && hasEnded(profileJob) ? profileJob : undefined
  const go = useRef(proceed.run)
  go.current = proceed.run
  useEffect(() => {
    if (!ended) return
    if (ended.job.state === 'failed') setFailure(ended.job.message)
    void go.current(false)
  }, [ended])
  return {
    begin,
    waiting: waiting !== undefined,
    skip: () => void proceed.run(true),
    skipping: proceed.busy,
    problem: proceed.problem,
    failure,
  }
}

/** Progress of the short profile before an exploration, with a way past it. */
export function MeasureFirst({
  flow,
  job,
}: {
  flow: ReturnType<typeof useMeasureFirst>
  job: ProfileJob | undefined
}) {
  return (
    <>
      {flow.waiting && (
        <div className="flex flex-col gap-2" data-testid="measure-first">
          <p className="text-sm">
            Measuring each task on this machine first, so that the estimates rest on measurements.
          </p>
          <div className="flex items-end gap-3">
            <JobProgress value={job?.job.progress ?? 0} label={job?.job.message || 'Measuring'} />
            <Button data-testid="measure-skip" busy={flow.skipping} onClick={flow.skip}>
              Skip: explore with assumptions
            </Button>
          </div>
        </div>
      )}
      {flow.failure && (
        <p role="status" className="text-sm text-warn">
          The tasks could not be measured, so the estimates rest on assumptions. {flow.failure}
        </p>
      )}
      <ProblemNote problem={flow.problem} />
    </>
  )
}

/** Says which tasks' figures are assumed, and offers to measure them and explore again. */
export function AssumedNote({
  assumed,
  of,
  busy,
  onMeasure,
}: {
  assumed: readonly string[]
  /** Number of tasks of the workflow. */
  of: number
  busy: boolean
  onMeasure: () => void
}) {
  if (assumed.length === 0) return null
  const names = assumed.slice(0, 4).join(', ') + (assumed.length > 4 ? ` and ${assumed.length - 4} more` : '')
  return (
    <div
      role="status"
      data-testid="assumed-note"
      className="flex flex-wrap items-center gap-x-3 gap-y-1 rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm text-warn"
    >
      <span className="min-w-64 flex-1">
        {assumed.length === of
          ? 'Nothing here has been measured: the times and sizes of all tasks are assumed, and so is every figure below.'
          : `The times and sizes of ${names} are assumed: every figure below that depends on them is a guess.`}
      </span>
      <Button data-testid="measure-again" disabled={busy} onClick={onMeasure}>
        Measure and explore again
      </Button>
    </div>
  )
}
