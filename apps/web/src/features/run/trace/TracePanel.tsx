import type { ItemPaths } from '@hivemind/orchestrator'
import type { Workflow } from '@hivemind/workflow'
import { ChevronLeft, ChevronRight, X } from 'lucide-react'
import { useMemo, useState } from 'react'
import type { Estimate } from '../../../api/types.ts'
import { InlineSelect } from '../../../ui/fields.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import { Panel, Scroll } from '../../../ui/Panel.tsx'
import * as format from '../../reports/format.ts'
import { GhostKey } from '../estimate/GhostBar.tsx'
import type { Taking } from '../estimate/TakeButton.tsx'
import type { RunView } from '../runState.ts'
import { invocationsOf, nearest } from './choices.ts'
import { SpanDetails } from './SpanDetails.tsx'
import { SpanPartsLegend, TraceChart } from './TraceChart.tsx'
import { nameOf, type SpanKey, sameSpan, traceOf } from './trace.ts'
import { useZoom } from './useZoom.ts'
import { ZoomButtons } from './ZoomButtons.tsx'

/** The way of one item from sensor to sink: every invocation and every link on it, on one time axis. */
export function TracePanel({
  item,
  paths,
  view,
  project,
  workflow,
  cursor,
  estimate,
  taking,
  onItem,
  onLogs,
  onOutputs,
}: {
  item: SpanKey
  paths: ItemPaths
  view: RunView
  project: string
  workflow: Workflow
  cursor: number | undefined
  estimate: Estimate | undefined
  taking: Taking
  /** Shows the trace of another item, or none. */
  onItem: (item: SpanKey | undefined) => void
  onLogs: (task: string) => void
  onOutputs: (task: string) => void
}) {
  const trace = useMemo(() => traceOf(paths, item), [paths, item])
  const all = useMemo(() => invocationsOf(view.spans), [view.spans])
  const zoom = useZoom(trace ?? { from: 0, to: 1 })
  const [row, setRow] = useState<{ item: SpanKey; at: number }>()
  const own = trace?.rows.findIndex((each) => each.kind === 'span' && sameSpan(each.step.span, item)) ?? 0
  const selected = Math.max(0, row && row.item === item ? row.at : own)
  const chosen = trace?.rows[Math.min(selected, trace.rows.length - 1)]
  const devices = [...(all.get(item.task)?.keys() ?? [])]
  const seqs = all.get(item.task)?.get(item.device) ?? []
  const at = seqs.indexOf(item.seq)
  const step = (by: number) => {
    const seq = seqs[at + by]
    if (seq !== undefined) onItem({ ...item, seq })
  }
  return (
    <Panel
      className="md:col-span-2"
      title={`Trace of ${nameOf(item)}`}
      testId="trace"
      actions={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <InlineSelect
            label="Task"
            testId="trace-task"
            className="w-auto! max-w-44"
            value={item.task}
            options={workflow.tasks
              .filter(({ name }) => all.has(name))
              .map(({ name }) => ({ value: name, label: name }))}
            onChange={(task) => onItem(nearest(all, { ...item, task }))}
          />
          <InlineSelect
            label="Device"
            testId="trace-device"
            className="w-auto! max-w-40"
            value={item.device}
            options={devices.map((device) => ({
              value: device,
              label: device === '*' ? 'whole swarm' : device,
            }))}
            onChange={(device) => onItem(nearest(all, { ...item, device }))}
          />
          <span className="flex items-center text-xs text-muted">
            <IconButton label="Previous item" disabled={at <= 0} onClick={() => step(-1)}>
              <ChevronLeft className="size-4" aria-hidden="true" />
            </IconButton>
            <span className="tabular-nums">
              item {item.seq}, {at + 1} of {seqs.length.toLocaleString('en-GB')}
            </span>
            <IconButton
              label="Next item"
              disabled={at < 0 || at >= seqs.length - 1}
              onClick={() => step(1)}
              data-testid="trace-next"
            >
              <ChevronRight className="size-4" aria-hidden="true" />
            </IconButton>
          </span>
          <ZoomButtons zoom={zoom} what="the trace" />
          <IconButton label="Close the trace" onClick={() => onItem(undefined)}>
            <X className="size-4" aria-hidden="true" />
          </IconButton>
        </span>
      }
    >
      {trace ? (
        <>
          <p className="text-sm" data-testid="trace-summary">
            {format.count(trace.rows.filter(({ kind }) => kind === 'span').length, 'step')} in{' '}
            <span className="font-medium tabular-nums">{format.time(trace.to - trace.from)}</span>, from{' '}
            {stepName(trace.rows[0])} to {stepName(trace.rows.at(-1))}.
            {view.spanCount > view.spans.length &&
              ` Only the first ${view.spans.length.toLocaleString('en-GB')} of ${view.spanCount.toLocaleString('en-GB')} invocations are loaded: steps of later ones are missing.`}
          </p>
          <div className="flex flex-wrap gap-x-3 gap-y-1">
            <SpanPartsLegend />
            {estimate && <GhostKey />}
          </div>
          <Scroll label="Trace" className="max-h-[28rem] overflow-auto">
            <TraceChart
              trace={trace}
              estimate={estimate}
              cursor={cursor}
              zoom={zoom}
              selected={selected}
              onSelect={(next) => setRow({ item, at: next })}
            />
          </Scroll>
          {chosen && (
            <SpanDetails
              step={
                chosen.kind === 'span'
                  ? chosen.step
                  : { span: chosen.source, tries: [chosen.source], inputs: [] }
              }
              paths={paths}
              estimate={estimate}
              taking={taking}
              view={view}
              project={project}
              workflow={workflow}
              onLogs={onLogs}
              onOutputs={onOutputs}
            />
          )}
        </>
      ) : (
        <p className="text-sm text-muted">
          This invocation is not among those that are loaded
          {view.spanCount > view.spans.length &&
            ` (the first ${view.spans.length.toLocaleString('en-GB')} of ${view.spanCount.toLocaleString('en-GB')})`}
          .
        </p>
      )}
    </Panel>
  )
}

const stepName = (row: NonNullable<ReturnType<typeof traceOf>>['rows'][number] | undefined): string =>
  row === undefined ? '' : row.kind === 'span' ? row.step.span.task : row.source.task
