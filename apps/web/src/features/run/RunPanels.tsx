import { sinksOf, swarmWideTasks, type Workflow } from '@hivemind/workflow'
import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { DeploymentRecord, Layout, LogLine, RunRecord, Span } from '../../api/types.ts'
import { ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { TaskGraph } from '../reports/TaskGraph.tsx'
import { Devices } from './Devices.tsx'
import { meanQueues } from './estimate/deviation.ts'
import { useTaking } from './estimate/TakeButton.tsx'
import { Failures } from './Failures.tsx'
import { failures } from './failures.ts'
import { Logs } from './Logs.tsx'
import { MeasuredTable } from './MeasuredTable.tsx'
import { Headlines, Outputs } from './Outputs.tsx'
import { Constraints, Deadlines, ReportDownloads, RunStatus, tookMs } from './RunStatus.tsx'
import { Scrubber } from './replay/Scrubber.tsx'
import { useReplay } from './replay/useReplay.ts'
import { isFinal, type RunView } from './runState.ts'
import { TaskDetails } from './TaskDetails.tsx'
import { TimelineChart } from './TimelineChart.tsx'
import { TracePanel } from './trace/TracePanel.tsx'
import { inputsOf, pathsOf, type SpanKey, spanOfLine, spanOfOutput } from './trace/trace.ts'
import type { LoadedRun } from './useRun.ts'
import type { RunFrom } from './useRunFrom.ts'

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

const showPart = (part: RefObject<HTMLElement | null>) => part.current?.scrollIntoView({ block: 'nearest' })

/** The invocations that had ended by a time, all without one. */
const endedBy = (spans: readonly Span[], at: number | undefined): readonly Span[] =>
  at === undefined ? spans : spans.filter(({ endedAt }) => endedAt <= at)

/** The invocation of a task that took longest. */
const slowestOf = (task: string, spans: readonly Span[]): Span | undefined =>
  spans
    .filter((span) => span.task === task)
    .reduce<Span | undefined>(
      (slowest, span) =>
        slowest && slowest.endedAt - slowest.queuedAt >= span.endedAt - span.queuedAt ? slowest : span,
      undefined,
    )

interface RunPanelsProps {
  live: LoadedRun
  record: RunRecord
  deployment: DeploymentRecord | undefined
  workflow: Workflow | null
  layout: Layout | undefined
  tasks: readonly string[]
  runFrom: RunFrom
}

/** One run, once it is loaded. */
export function RunPanels(props: RunPanelsProps) {
  const { view, problem, loading, reload } = props.live
  if (problem) return <ProblemNote problem={problem} retry={reload} />
  if (!view) return loading ? <Waiting what="Loading the run" /> : null
  return <LoadedPanels {...props} newest={view} />
}

/** One run: its state, its tasks on the graph, outputs, log, measured times, devices, and the trace of one item. */
function LoadedPanels({
  record,
  deployment,
  workflow,
  layout,
  tasks,
  runFrom,
  newest,
}: Omit<RunPanelsProps, 'live'> & {
  /** The run as it is; the panels show it as it was at the cursor. */
  newest: RunView
}) {
  const cursor = useReplay(newest)
  const { view } = cursor
  const sinks = useMemo(() => (workflow ? resultTasks(workflow) : { all: [], main: [] }), [workflow])
  const [chosen, setChosen] = useState<string>()
  const [logSource, setLogSource] = useState('')
  const [outputTask, setOutputTask] = useState<string>()
  const [traced, setTraced] = useState<SpanKey>()
  const logs = useRef<HTMLDivElement>(null)
  const outputs = useRef<HTMLDivElement>(null)
  const trace = useRef<HTMLDivElement>(null)
  const failed = useMemo(() => failures(endedBy(view.spans, cursor.at), view.logs), [view, cursor.at])
  const { spans } = newest
  const paths = useMemo(() => pathsOf(workflow, spans), [workflow, spans])
  const spansOf = useMemo(() => Map.groupBy(spans, ({ task }) => task), [spans])
  const openTrace = useCallback((item: SpanKey | undefined) => {
    setTraced(item && { task: item.task, device: item.device, seq: item.seq })
  }, [])
  useEffect(() => {
    if (traced) showPart(trace)
  }, [traced])
  const showLogs = (task: string) => {
    setLogSource(task)
    showPart(logs)
  }
  const showOutputs = (task: string) => {
    setOutputTask(task)
    showPart(outputs)
  }
  const inputsOfItem = (item: SpanKey) => {
    const span = paths?.find(item)
    const values = span && paths && inputsOf(span, paths, newest.outputs)
    if (values && values.length > 0) return values
    // A stream that the failure has cut short left no span, but its items are kept.
    const parents = workflow?.tasks.find(({ name }) => name === item.task)?.parents ?? []
    const kept = newest.outputs.filter(
      ({ task, device, seq }) => parents.includes(task) && device === item.device && seq === item.seq,
    )
    return kept.length > 0 ? kept : values
  }
  const traceLine = (line: LogLine) => {
    const own = spansOf.get(line.source)
    const span = own && spanOfLine(line, own)
    return span && (() => openTrace(span))
  }
  const queues = useMemo(() => meanQueues(spans), [spans])
  const taking = useTaking(record.project, record.id)
  const slowest = chosen === undefined ? undefined : slowestOf(chosen, spansOf.get(chosen) ?? [])
  return (
    <div className="grid min-w-0 grid-cols-1 md:grid-cols-2 items-start gap-4">
      {newest.startedAt > 0 && <Scrubber cursor={cursor} live={!isFinal(newest.state)} />}
      <Panel
        className="md:col-span-2"
        title="Run"
        actions={<ReportDownloads run={record.id} final={isFinal(view.state)} />}
      >
        <RunStatus view={view} record={record} taskCount={tasks.length} failed={failed} />
        <Failures
          failures={failed}
          project={record.project}
          workflow={workflow}
          inputs={inputsOfItem}
          run={record.id}
          runFrom={runFrom}
          onTrace={openTrace}
        />
        <ProblemNote problem={runFrom.problem} />
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
            onLogs={() => showLogs(chosen)}
            onOutputs={() => showOutputs(chosen)}
            onTrace={slowest && (() => openTrace(slowest))}
            run={record.id}
            runFrom={isFinal(newest.state) ? runFrom : undefined}
            onClose={() => setChosen(undefined)}
          />
        )}
      </Panel>
      {traced && paths && workflow && (
        <div ref={trace} className="md:col-span-2 min-w-0 scroll-mt-2">
          <TracePanel
            item={traced}
            paths={paths}
            view={newest}
            cursor={cursor.at}
            project={record.project}
            workflow={workflow}
            estimate={deployment?.estimate}
            taking={taking}
            onItem={openTrace}
            onLogs={showLogs}
            onOutputs={showOutputs}
          />
        </div>
      )}
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
            onTrace={(output) => openTrace(paths && spanOfOutput(output, paths))}
          />
        </Panel>
      </div>
      <div ref={logs} className="min-w-0">
        <Panel title="Log">
          <Logs lines={view.logs} source={logSource} onSource={setLogSource} onTrace={traceLine} />
        </Panel>
      </div>
      <Panel
        className="md:col-span-2"
        title="Measured beside the estimate for this machine"
        testId="run-spans"
      >
        <MeasuredTable
          statistics={newest.statistics}
          estimate={deployment?.estimate}
          tasks={tasks}
          tookMs={tookMs(newest)}
          queues={queues}
          project={record.project}
          taking={taking}
        />
      </Panel>
      <Panel className="md:col-span-2" title="Timeline">
        <TimelineChart
          spans={spans}
          total={newest.spanCount}
          traced={traced}
          onTrace={openTrace}
          run={cursor}
          cursor={cursor.at}
          onCursor={cursor.moveTo}
        />
      </Panel>
      <Panel className="md:col-span-2" title="Devices">
        <Devices view={view} at={cursor.at} onTrace={openTrace} />
      </Panel>
    </div>
  )
}
