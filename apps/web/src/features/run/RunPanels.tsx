import { verdictWord } from '@hivemind/swarm'
import { sinksOf, swarmWideTasks, type Workflow } from '@hivemind/workflow'
import { Download } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { runReportUrl } from '../../api/client.ts'
import type { DeploymentRecord, Layout, RunRecord, RunState, TaskState } from '../../api/types.ts'
import { Badge, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { TaskGraph } from '../reports/TaskGraph.tsx'
import { Failures } from './Failures.tsx'
import { type Failure, failures } from './failures.ts'
import { Logs } from './Logs.tsx'
import { MeasuredTable } from './MeasuredTable.tsx'
import { Headlines, Outputs } from './Outputs.tsx'
import { isFinal, type RunView } from './runState.ts'
import { TaskDetails } from './TaskDetails.tsx'
import { TimelineChart } from './TimelineChart.tsx'
import type { LoadedRun } from './useRun.ts'

export const runTone: Record<RunState, 'ok' | 'danger' | 'accent' | 'muted'> = {
  queued: 'muted',
  starting: 'accent',
  running: 'accent',
  succeeded: 'ok',
  failed: 'danger',
  cancelled: 'muted',
}

/**
 * The tasks whose outputs are results: those that run once for the swarm first. `main` are the ones shown in large type:
 * the swarm-wide ones, or all of them when there are none.
 */
function resultTasks(workflow: Workflow): { all: string[]; main: string[] } {
  const names = sinksOf(workflow).map((task) => task.name)
  // Without a sink there is a cycle, and with one the swarm-wide tasks are not defined.
  if (names.length === 0) return { all: [], main: [] }
  const wide = swarmWideTasks(workflow)
  const main = names.filter((name) => wide.has(name))
  return { all: [...main, ...names.filter((name) => !wide.has(name))], main: main.length > 0 ? main : names }
}

/** One run: its state, its tasks on the graph, outputs, log, measured times and devices. */
export function RunPanels({
  live,
  record,
  deployment,
  workflow,
  layout,
  tasks,
}: {
  live: LoadedRun
  record: RunRecord
  deployment: DeploymentRecord | undefined
  workflow: Workflow | null
  layout: Layout | undefined
  tasks: readonly string[]
}) {
  const { view, problem, loading, reload } = live
  const sinks = useMemo(() => (workflow ? resultTasks(workflow) : { all: [], main: [] }), [workflow])
  const [chosen, setChosen] = useState<string>()
  const [logSource, setLogSource] = useState('')
  const [outputTask, setOutputTask] = useState<string>()
  const logs = useRef<HTMLDivElement>(null)
  const outputs = useRef<HTMLDivElement>(null)
  const failed = useMemo(() => (view ? failures(view.spans, view.logs) : []), [view])
  if (problem) return <ProblemNote problem={problem} retry={reload} />
  if (!view) return loading ? <Waiting what="Loading the run" /> : null
  return (
    <div className="grid min-w-0 grid-cols-2 items-start gap-4">
      <Panel
        className="col-span-2"
        title="Run"
        actions={<ReportDownloads run={record.id} final={isFinal(view.state)} />}
      >
        <RunStatus view={view} record={record} taskCount={tasks.length} failed={failed} />
        <Failures failures={failed} project={record.project} workflow={workflow} />
        <Constraints verdicts={view.constraints} />
        <Deadlines tasks={[...view.tasks.values()]} />
        {view.losses.length > 0 && (
          <div className="rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm text-warn">
            <p className="font-medium">What was lost</p>
            <ul className="list-disc pl-5">
              {view.losses.map((loss) => (
                <li key={loss}>{loss}</li>
              ))}
            </ul>
          </div>
        )}
        <Headlines outputs={view.outputs} sinks={sinks.main} />
        {workflow && (
          <div className="h-72 overflow-hidden rounded-md border border-line bg-canvas">
            <TaskGraph
              key={record.id}
              workflow={workflow}
              layout={layout}
              placement={deployment?.request.placement}
              states={view.tasks}
              over={isFinal(view.state)}
              chosen={chosen}
              onChoose={(task) => setChosen(task === chosen ? undefined : task)}
              label="The tasks and what they do now"
            />
          </div>
        )}
        {workflow && chosen !== undefined && (
          <TaskDetails
            task={chosen}
            view={view}
            project={record.project}
            workflow={workflow}
            onLogs={() => {
              setLogSource(chosen)
              logs.current?.scrollIntoView({ block: 'nearest' })
            }}
            onOutputs={() => {
              setOutputTask(chosen)
              outputs.current?.scrollIntoView({ block: 'nearest' })
            }}
            onClose={() => setChosen(undefined)}
          />
        )}
      </Panel>
      <div ref={outputs} className="min-w-0">
        <Panel title="Outputs">
          <Outputs
            run={record.id}
            outputs={view.outputs}
            count={view.outputCount}
            sinks={sinks.all}
            over={isFinal(view.state)}
            chosen={outputTask}
            onChoose={setOutputTask}
          />
        </Panel>
      </div>
      <div ref={logs} className="min-w-0">
        <Panel title="Log">
          <Logs lines={view.logs} source={logSource} onSource={setLogSource} />
        </Panel>
      </div>
      <Panel className="col-span-2" title="Measured beside the estimate for this machine" testId="run-spans">
        <MeasuredTable
          statistics={view.statistics}
          estimate={deployment?.estimate}
          tasks={tasks}
          tookMs={tookMs(view)}
        />
      </Panel>
      <Panel className="col-span-2" title="Timeline">
        <TimelineChart spans={view.spans} total={view.spanCount} />
      </Panel>
      <Panel className="col-span-2" title="Devices">
        <Devices view={view} />
      </Panel>
    </div>
  )
}

const tookMs = (view: RunView): number | undefined =>
  isFinal(view.state) && view.endedAt > 0 && view.startedAt > 0 ? view.endedAt - view.startedAt : undefined

function RunStatus({
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
      {view.message && !failed.some(({ message }) => view.message.includes(message)) && (
        <span className={`min-w-0 break-words ${view.state === 'failed' ? 'text-danger' : ''}`}>
          {view.message}
        </span>
      )}
    </div>
  )
}

function ReportDownloads({ run, final }: { run: string; final: boolean }) {
  const look =
    'inline-flex h-8 items-center gap-1.5 rounded-md border border-line-strong bg-surface px-3 text-sm font-medium hover:bg-sunken'
  if (!final)
    return <span className="text-xs text-muted">The report can be downloaded when the run is over.</span>
  return (
    <span className="flex gap-1.5">
      <a className={look} href={runReportUrl(run, 'html')} download data-testid="report-download">
        <Download className="size-4" aria-hidden="true" />
        Report
      </a>
      <a className={look} href={runReportUrl(run, 'json')} download aria-label="Report as JSON">
        JSON
      </a>
    </span>
  )
}

const verdictTone = { met: 'ok', missed: 'danger', 'not judged': 'muted' } as const

/** The verdict on each constraint when the run has ended: its rule first, then the figure. */
function Constraints({ verdicts }: { verdicts: RunView['constraints'] }) {
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
function Deadlines({ tasks }: { tasks: readonly TaskState[] }) {
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

const deviceTone = { up: 'ok', lost: 'danger', respawned: 'warn' } as const

function Devices({ view }: { view: RunView }) {
  if (view.devices.length === 0)
    return <p className="text-sm text-muted">No device was lost or came back during this run.</p>
  return (
    <ol className="flex flex-col gap-1 text-sm">
      {view.devices.map((event) => (
        <li
          key={`${event.at} ${event.device} ${event.state}`}
          className="flex flex-wrap items-baseline gap-2"
        >
          <span className="w-20 text-xs text-muted tabular-nums">
            {view.startedAt > 0 ? `+${format.time(Math.max(0, event.at - view.startedAt))}` : ''}
          </span>
          <span className="font-medium">{event.device}</span>
          <Badge tone={deviceTone[event.state]}>{event.state}</Badge>
          <span>{event.message}</span>
        </li>
      ))}
    </ol>
  )
}
