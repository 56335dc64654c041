import { verdictWord } from '@hivemind/swarm'
import { Download } from 'lucide-react'
import { Link } from 'react-router'
import { runReportUrl, runTraceUrl } from '../../api/client.ts'
import type { RunRecord, RunState, TaskState } from '../../api/types.ts'
import { Badge } from '../../ui/feedback.tsx'
import * as format from '../reports/format.ts'
import type { Failure } from './failures.ts'
import { isFinal, type RunView } from './runState.ts'

/** Colour of the badge of each state. */
export const runTone: Record<RunState, 'ok' | 'danger' | 'accent' | 'muted'> = {
  queued: 'muted',
  starting: 'accent',
  running: 'accent',
  succeeded: 'ok',
  failed: 'danger',
  cancelled: 'muted',
}

/** How long a run took, in ms, once it has ended. */
export const tookMs = (view: RunView): number | undefined =>
  isFinal(view.state) && view.endedAt > 0 && view.startedAt > 0 ? view.endedAt - view.startedAt : undefined

/** State, duration and progress of a run, in one line. */
export function RunStatus({
  view,
  record,
  taskCount,
  failed,
}: {
  view: RunView
  record: RunRecord
  taskCount: number
  /** What is said below. */
  failed: readonly Failure[]
}) {
  const took = tookMs(view)
  const tasks = [...view.tasks.values()]
  const done = tasks.filter((task) => task.state === 'done').length
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm" role="status">
      <Badge tone={runTone[view.state]}>
        <span data-testid="run-state">{view.state}</span>
      </Badge>
      <span className="text-muted">
        started {format.instant(record.createdAt)}
        {took === undefined ? '' : `, took ${format.time(took)}`}
        {tasks.length > 0
          ? `, ${done} of ${format.count(Math.max(taskCount, tasks.length), 'task')} done`
          : ''}
      </span>
      {record.request.from && <Origin {...record.request.from} />}
      {view.message && !failed.some(({ message }) => view.message.includes(message)) && (
        <span className={`min-w-0 break-words ${view.state === 'failed' ? 'text-danger' : ''}`}>
          {view.message}
        </span>
      )}
    </div>
  )
}

/** Of a run that began at a task: where its inputs are from. */
function Origin({ run, task, item }: NonNullable<RunRecord['request']['from']>) {
  return (
    <span data-testid="run-origin">
      from <span className="font-medium">{task}</span> on, with{' '}
      {item ? `item ${item.seq} of ${item.device}` : 'the items'} of{' '}
      <Link className="underline" to={`?run=${run}`}>
        an earlier run
      </Link>
    </span>
  )
}

/** Links to the report and the trace of a run that is over. */
export function ReportDownloads({ run, final }: { run: string; final: boolean }) {
  const look =
    'inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 text-sm font-medium hover:bg-sunken'
  if (!final)
    return (
      <span className="text-xs text-muted">Report and trace can be downloaded when the run is over.</span>
    )
  return (
    <span className="flex gap-1.5">
      <a className={look} href={runReportUrl(run, 'html')} download data-testid="report-download">
        <Download className="size-4" aria-hidden="true" />
        Report
      </a>
      <a className={look} href={runReportUrl(run, 'json')} download aria-label="Report as JSON">
        JSON
      </a>
      <a
        className={look}
        href={runTraceUrl(run)}
        download
        aria-label="OpenTelemetry trace as JSON"
        data-testid="trace-download"
      >
        OpenTelemetry
      </a>
    </span>
  )
}

const verdictTone = { met: 'ok', missed: 'danger', 'not judged': 'muted' } as const

/** The verdict on each constraint when the run has ended: its rule first, then the figure. */
export function Constraints({ verdicts }: { verdicts: RunView['constraints'] }) {
  if (verdicts.length === 0) return null
  return (
    <ul aria-label="Constraints" className="flex flex-col gap-1 text-sm" data-testid="run-constraints">
      {verdicts.map((verdict) => {
        const { key, rule, text } = verdict
        const word = verdictWord(verdict)
        return (
          <li key={key} className="flex flex-wrap items-baseline gap-2">
            <Badge tone={verdictTone[word]}>{word}</Badge>
            <span className="font-medium">{key}</span>
            {rule && <span className="min-w-0 break-words text-muted">{rule}:</span>}
            <span className="min-w-0 break-words">{text}</span>
          </li>
        )
      })}
    </ul>
  )
}

/** Tasks whose invocations ended after their deadline or were given up because of it. */
export function Deadlines({ tasks }: { tasks: readonly TaskState[] }) {
  const late = tasks.filter(({ missed = 0, dropped = 0 }) => missed + dropped > 0)
  if (late.length === 0) return null
  return (
    <ul aria-label="Missed deadlines" className="text-sm text-warn" data-testid="run-deadlines">
      {late.map(({ task, missed = 0, dropped = 0 }) => (
        <li key={task}>
          <span className="font-medium">{task}</span> missed its deadline {format.count(missed, 'time')}
          {dropped > 0 ? `; ${format.count(dropped, 'item')} given up because of it` : ''}.
        </li>
      ))}
    </ul>
  )
}
