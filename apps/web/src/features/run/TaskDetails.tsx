import type { Workflow } from '@hivemind/workflow'
import { X } from 'lucide-react'
import type { TaskStatistics } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { displayStateOf, stateLabel } from '../reports/displayState.ts'
import * as format from '../reports/format.ts'
import { TierChip } from '../reports/TierChip.tsx'
import { OpenCode } from './OpenCode.tsx'
import { RunFromButton } from './RunFromButton.tsx'
import { isFinal, type RunView } from './runState.ts'
import type { RunFrom } from './useRunFrom.ts'

/** A task of the run that was chosen on the graph: how it did, and the ways to its code, log lines and outputs. */
export function TaskDetails({
  task,
  view,
  project,
  workflow,
  onLogs,
  onOutputs,
  onTrace,
  run,
  runFrom,
  onClose,
}: {
  task: string
  view: RunView
  project: string
  workflow: Workflow
  onLogs: () => void
  onOutputs: () => void
  /** Absent when no invocation of the task is known. */
  onTrace: (() => void) | undefined
  run: string
  /** Absent while the run is under way. */
  runFrom: RunFrom | undefined
  onClose: () => void
}) {
  const state = view.tasks.get(task)
  const lines = view.logs.filter(({ source }) => source === task).length
  const outputs = view.outputs.filter((output) => output.task === task).length
  const reads = workflow.tasks.find(({ name }) => name === task)?.dataIn ?? []
  return (
    <section
      aria-label={`Task ${task}`}
      data-testid="task-details"
      className="flex flex-wrap items-center gap-x-3 gap-y-2 rounded-md border border-line bg-raised px-3 py-2 text-sm"
    >
      <span className="flex items-center gap-2">
        <span className="font-semibold">{task}</span>
        {state && <TierChip tier={state.tier} />}
      </span>
      <span className="text-muted">
        {stateLabel[displayStateOf(state, isFinal(view.state))]}
        {state && `: ${state.done} done, ${state.failed} failed`}
        {timesOf(view.statistics.find((row) => row.task === task))}
        {reads.length > 0 && `; reads ${reads.join(', ')}`}
      </span>
      <OpenCode task={task} project={project} workflow={workflow} />
      <Button disabled={lines === 0} onClick={onLogs} data-testid="task-logs">
        {lines === 0 ? 'No log lines' : format.count(lines, 'log line')}
      </Button>
      <Button disabled={outputs === 0} onClick={onOutputs} data-testid="task-outputs">
        {outputs === 0 ? 'No outputs kept' : format.count(outputs, 'output')}
      </Button>
      <Button disabled={!onTrace} onClick={onTrace} data-testid="task-trace">
        Trace its slowest item
      </Button>
      {runFrom && reads.length > 0 && (
        <RunFromButton runFrom={runFrom} from={{ run, task }} testId="run-from" />
      )}
      <Button className="ml-auto !px-2" aria-label={`Close the details of ${task}`} onClick={onClose}>
        <X className="size-4" aria-hidden="true" />
      </Button>
    </section>
  )
}

const timesOf = (row: TaskStatistics | undefined): string =>
  row ? `; p50 ${format.time(row.p50Ms)}, p99 ${format.time(row.p99Ms)}` : ''
