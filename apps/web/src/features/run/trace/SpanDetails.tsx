import type { ItemPaths, PathStep } from '@hivemind/orchestrator'
import type { Workflow } from '@hivemind/workflow'
import type { Estimate } from '../../../api/types.ts'
import { Button } from '../../../ui/Button.tsx'
import { Scroll } from '../../../ui/Panel.tsx'
import { Term } from '../../../words/Term.tsx'
import * as format from '../../reports/format.ts'
import { JsonView } from '../../reports/JsonView.tsx'
import { TierChip } from '../../reports/TierChip.tsx'
import { deviationOf, sentenceOf } from '../estimate/deviation.ts'
import { TakeButton, type Taking } from '../estimate/TakeButton.tsx'
import { OpenCode } from '../OpenCode.tsx'
import type { RunView } from '../runState.ts'
import { partKeys, partLooks, partsOf } from './parts.ts'
import { inputsOf, linesOf, nameOf, outputsOf, placeOf } from './trace.ts'

/** Lines and values that are shown of one invocation. */
const MAX_SHOWN = 5

/** One invocation: its parts in figures, its log lines, what it read and wrote, and the ways to all of them. */
export function SpanDetails({
  step,
  paths,
  estimate,
  taking,
  view,
  project,
  workflow,
  onLogs,
  onOutputs,
}: {
  step: PathStep
  paths: ItemPaths
  estimate: Estimate | undefined
  taking: Taking
  view: RunView
  project: string
  workflow: Workflow
  onLogs: (task: string) => void
  onOutputs: (task: string) => void
}) {
  const { span, tries } = step
  const parts = partsOf(span)
  const expected = estimate?.perTask[span.task]?.breakdown
  const deviation = expected && span.status === 'ok' ? deviationOf(span.breakdown, expected) : undefined
  const lines = linesOf(span, view.logs)
  const outputs = outputsOf(span, view.outputs)
  const parents = workflow.tasks.find(({ name }) => name === span.task)?.parents ?? []
  const inputs = inputsOf(span, paths, view.outputs)
  return (
    <section
      aria-label={`Step ${span.task}`}
      data-testid="trace-step"
      className="grid min-w-0 grid-cols-1 md:grid-cols-[minmax(12rem,1fr)_minmax(0,2fr)] gap-4 rounded-md border border-line bg-raised p-3 text-sm"
    >
      <div className="flex min-w-0 flex-col gap-2">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-semibold">{span.task}</span>
          <TierChip tier={span.tier} />
        </p>
        <p className="text-xs break-words text-muted">
          {nameOf(span)}, by {span.worker}
          {placeOf(span) === span.worker ? '' : ` (${placeOf(span)})`}; in {format.bytes(span.bytesIn)}, out{' '}
          {format.bytes(span.bytesOut)}
          {span.items !== 1 && `, ${format.count(span.items, 'item')}`}
        </p>
        <table className="w-full text-xs tabular-nums">
          <caption className="sr-only">Parts of the time of {span.task}</caption>
          <tbody>
            {partKeys.map((key) => (
              <tr key={key} title={partLooks[key].meaning}>
                <th scope="row" className="py-0.5 text-left font-normal text-muted">
                  {partLooks[key].label}
                </th>
                <td className="text-right" data-testid={`trace-part-${key}`}>
                  {format.time(parts[key])}
                </td>
              </tr>
            ))}
            <tr className="border-t border-line font-medium">
              <th scope="row" className="py-0.5 text-left font-medium">
                Ready to end
              </th>
              <td className="text-right">{format.time(span.endedAt - span.queuedAt)}</td>
            </tr>
          </tbody>
        </table>
        {span.coldStartMs !== undefined && (
          <p className="text-xs" data-testid="trace-cold-start">
            <Term of="coldStart">Cold start</Term>: it waited {format.time(span.coldStartMs)} until its
            function had started.
          </p>
        )}
        {deviation && (
          <p className="text-xs" data-testid="trace-deviation">
            {sentenceOf(deviation, parts.queue)}
          </p>
        )}
        {tries.length > 1 && (
          <p className="text-xs text-muted">
            {format.count(tries.length, 'try', 'tries')}; the parts are those of the last.
          </p>
        )}
        {span.error && <p className="text-xs break-words text-danger">{span.error.split('\n')[0]}</p>}
        <span className="flex flex-wrap items-center gap-2">
          {span.status === 'ok' && <TakeButton task={span.task} taking={taking} />}
          <OpenCode task={span.task} project={project} workflow={workflow} />
        </span>
      </div>
      <div className="flex min-w-0 flex-col gap-3 text-xs">
        <Values
          title="Input"
          values={inputs}
          none={
            parents.length === 0
              ? 'It reads the inputs of the run, if any.'
              : `Not kept. Put ${parents.join(', ')} under Persist to keep what goes from there to ${span.task}.`
          }
        />
        <Values
          title="Output"
          values={outputs}
          none={`Not kept. Put ${span.task} under Persist to keep it.`}
          more={
            outputs.length > 0 && (
              <Button className="!h-7 !px-2 !text-xs" onClick={() => onOutputs(span.task)}>
                Show among the outputs
              </Button>
            )
          }
        />
        <div className="flex min-w-0 flex-col gap-1">
          <p className="flex items-center gap-2 font-medium">
            Log
            {lines.length > 0 && (
              <Button
                className="!h-7 !px-2 !text-xs"
                data-testid="trace-logs"
                onClick={() => onLogs(span.task)}
              >
                Show in the log
              </Button>
            )}
          </p>
          {lines.length === 0 && <p className="text-muted">It logged nothing.</p>}
          <ul className="font-mono" data-testid="trace-lines">
            {lines.slice(0, MAX_SHOWN).map((line, n) => (
              <li key={n} className="break-words whitespace-pre-wrap">
                <span className="text-muted">+{format.time(Math.max(0, line.at - span.queuedAt))} </span>
                {line.text}
              </li>
            ))}
          </ul>
          {lines.length > MAX_SHOWN && (
            <p className="text-muted">{format.count(lines.length - MAX_SHOWN, 'more line')}.</p>
          )}
        </div>
      </div>
    </section>
  )
}

/** Values of an invocation, the first few of them. */
export function Values({
  title,
  values,
  none,
  more,
}: {
  title: string
  values: RunView['outputs']
  none: string
  more?: React.ReactNode
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <p className="flex items-center gap-2 font-medium">
        {title}
        {more}
      </p>
      {values.length === 0 ? (
        <p className="text-muted">{none}</p>
      ) : (
        <Scroll label={`${title} values`} className="max-h-40 overflow-auto font-mono">
          {values.slice(0, MAX_SHOWN).map((value) => (
            <div key={`${value.task} ${value.device} ${value.seq}`}>
              <JsonView value={value.value} name={value.data} />
            </div>
          ))}
          {values.length > MAX_SHOWN && (
            <p className="font-sans text-muted">{format.count(values.length - MAX_SHOWN, 'more value')}.</p>
          )}
        </Scroll>
      )}
    </div>
  )
}
