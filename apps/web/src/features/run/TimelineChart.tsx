import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { Span } from '../../api/types.ts'
import { InlineSelect } from '../../ui/fields.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { tierColour, tierLabel } from '../reports/tiers.ts'
import { nextBar, timeline } from './spans.ts'
import { BarList } from './trace/BarList.tsx'
import { CursorLine, TimeAxis } from './trace/TimeAxis.tsx'
import { type SpanKey, sameSpan } from './trace/trace.ts'
import { type TimeWindow, useZoom } from './trace/useZoom.ts'
import { ZoomButtons } from './trace/ZoomButtons.tsx'

const ROW = 16
const LANE_PAD = 8
const LABEL = 132
/** Maximum number of rows of one lane. Further overlapping spans share the last row. */
const MAX_ROWS = 8
/** Pixels of a character of a bar's name, at most. */
const CHARACTER = 6.4

const keyOf = (span: Span) => `${span.task} ${span.device} ${span.seq} ${span.attempt}`

/**
 * Timeline of invocations: a lane for each worker, a bar for each invocation, with its name where there is room. Arrow keys go
 * from bar to bar, Enter or a press opens the trace of a bar's item.
 */
export function TimelineChart({
  spans,
  total = spans.length,
  traced,
  onTrace,
  run,
  cursor,
  onCursor,
}: {
  spans: readonly Span[]
  /** Number of all invocations; `spans` may be the first of them. */
  total?: number
  /** The invocation whose item's trace is open. */
  traced: SpanKey | undefined
  onTrace: (item: SpanKey) => void
  /** Start and end of the run, in ms since 1970. */
  run: TimeWindow
  /** A time of the run, in ms since 1970: what starts later is drawn pale. */
  cursor: number | undefined
  onCursor: (at: number) => void
}) {
  const id = useId()
  const box = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(800)
  const [task, setTask] = useState('')
  const [device, setDevice] = useState('')
  const [active, setActive] = useState<string>()
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(360, Math.floor(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const tasks = useMemo(() => [...new Set(spans.map((span) => span.task))], [spans])
  const devices = useMemo(
    () =>
      [...new Set(spans.map((span) => span.device))].sort((a, b) =>
        a.localeCompare(b, 'en', { numeric: true }),
      ),
    [spans],
  )
  const passing = useMemo(
    () =>
      task === '' && device === ''
        ? spans
        : spans.filter(
            (span) => (task === '' || span.task === task) && (device === '' || span.device === device),
          ),
    [spans, task, device],
  )
  const line = useMemo(() => timeline(passing), [passing])
  const whole = useMemo(() => {
    const { from, to } = timeline(spans)
    const start = Math.min(from, run.from)
    return { from: start, to: Math.max(start + 1, to, run.to) }
  }, [spans, run.from, run.to])
  const zoom = useZoom(whole)
  const { view } = zoom
  const plot = width - LABEL - 12
  const px = (at: number) => LABEL + ((at - view.from) / (view.to - view.from)) * plot

  let top = 20
  const lanes = line.lanes.map((lane) => {
    const height = Math.min(MAX_ROWS, lane.rows) * ROW + LANE_PAD
    const placed = { ...lane, top, height }
    top += height
    return placed
  })
  const bars = lanes.flatMap((lane) => lane.bars)
  const activeBar = bars.find(({ span }) => keyOf(span) === active) ?? bars[0]
  const onKeyDown = (event: KeyboardEvent) => {
    const next = activeBar && nextBar(lanes, activeBar.span, event.key, event.shiftKey)
    if (next) {
      setActive(keyOf(next))
      // A bar out of sight is brought into the middle.
      if (next.endedAt < view.from || next.startedAt > view.to)
        zoom.show({
          from: next.startedAt - (view.to - view.from) / 2,
          to: next.startedAt + (view.to - view.from) / 2,
        })
    } else if (activeBar && event.key === 'Enter') onTrace(activeBar.span)
    else if (!zoom.onKey(event)) return
    event.preventDefault()
  }
  const idOf = (span: Span) => `${id}-${keyOf(span)}`.replaceAll(' ', '-')
  const length = Math.max(1, line.to - line.from)
  return (
    <>
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <InlineSelect
          label="Task"
          testId="timeline-task"
          className="w-auto! max-w-48"
          value={task}
          options={[{ value: '', label: 'all' }, ...tasks.map((one) => ({ value: one, label: one }))]}
          onChange={setTask}
        />
        <InlineSelect
          label="Device"
          testId="timeline-device"
          className="w-auto! max-w-48"
          value={device}
          options={[
            { value: '', label: 'all' },
            ...devices.map((one) => ({ value: one, label: one === '*' ? 'whole swarm' : one })),
          ]}
          onChange={setDevice}
        />
        <ZoomButtons zoom={zoom} what="the timeline" />
        <span className="text-xs text-muted">
          {passing.length === spans.length
            ? 'Press a bar to follow its item.'
            : `${format.count(passing.length, 'invocation')} of ${spans.length.toLocaleString('en-GB')}`}
        </span>
      </div>
      <Scroll ref={box} className="max-h-96 overflow-y-auto" label="Timeline of the invocations">
        {passing.length === 0 ? (
          <p className="text-sm text-muted">
            {spans.length === 0 ? 'Nothing measured yet.' : 'No invocation passes the filter.'}
          </p>
        ) : (
          <BarList
            label={`${format.count(passing.length, 'invocation')} on ${format.count(lanes.length, 'worker')} within ${format.time(length)}. Arrow keys choose one, Enter opens its trace; plus, minus and 0 zoom.`}
            active={activeBar && idOf(activeBar.span)}
            width={width}
            height={top + 4}
            testId="timeline"
            onKeyDown={onKeyDown}
          >
            <TimeAxis view={view} origin={whole.from} px={px} width={plot} bottom={top} />
            <clipPath id={`${id}-clip`}>
              <rect x={LABEL} y={0} width={plot + 12} height={top + 4} />
            </clipPath>
            {lanes.map((lane) => (
              <g key={lane.worker}>
                <line x1={0} x2={width} y1={lane.top} y2={lane.top} stroke="var(--color-line)" />
                <text x={0} y={lane.top + 16} className="text-[11px]" fill="var(--color-ink)">
                  <title>{`${lane.worker}, ${tierLabel[lane.tier]}`}</title>
                  {lane.worker.length > 21 ? `${lane.worker.slice(0, 20)}…` : lane.worker}
                </text>
                <g clipPath={`url(#${id}-clip)`}>
                  {lane.bars
                    .filter(({ span }) => span.endedAt >= view.from && span.startedAt <= view.to)
                    .map(({ span, row }) => (
                      <Bar
                        key={keyOf(span)}
                        id={idOf(span)}
                        span={span}
                        origin={whole.from}
                        x={px(span.startedAt)}
                        width={Math.max(1.5, px(span.endedAt) - px(span.startedAt))}
                        y={lane.top + LANE_PAD / 2 + Math.min(MAX_ROWS - 1, row) * ROW}
                        left={LABEL}
                        active={span === activeBar?.span}
                        traced={sameSpan(span, traced)}
                        later={cursor !== undefined && span.startedAt > cursor}
                        onPress={() => {
                          setActive(keyOf(span))
                          onTrace(span)
                        }}
                      />
                    ))}
                </g>
              </g>
            ))}
            <CursorLine at={cursor} view={view} px={px} bottom={top} />
            {/* With keys the cursor is moved by the slider above. */}
            <rect
              x={LABEL}
              y={0}
              width={plot}
              height={18}
              fill="transparent"
              className="cursor-col-resize"
              data-testid="timeline-axis"
              onPointerDown={(event) => {
                const { left } = event.currentTarget.getBoundingClientRect()
                onCursor(view.from + ((event.clientX - left) / plot) * (view.to - view.from))
              }}
            />
          </BarList>
        )}
        {total > spans.length && (
          <p className="text-xs text-muted">
            The first {spans.length.toLocaleString('en-GB')} of {total.toLocaleString('en-GB')} invocations
            are shown. The table above includes all of them.
          </p>
        )}
        {line.hidden > 0 && (
          <p className="text-xs text-muted">
            {line.hidden.toLocaleString('en-GB')} invocations, the shortest ones, are not drawn.
          </p>
        )}
      </Scroll>
    </>
  )
}

function Bar({
  id,
  span,
  origin,
  x,
  y,
  width,
  left,
  active,
  traced,
  later,
  onPress,
}: {
  id: string
  span: Span
  origin: number
  x: number
  y: number
  width: number
  /** Where the plot begins: names of bars that begin before it stand there. */
  left: number
  active: boolean
  traced: boolean
  later: boolean
  onPress: () => void
}) {
  const name = labelOf(span)
  const from = Math.max(left, x)
  const room = x + width - from - 6
  const letters = Math.floor(room / CHARACTER)
  const failed = span.status === 'failed'
  return (
    <g
      id={id}
      role="option"
      aria-selected={traced}
      aria-label={describe(span, origin)}
      className="cursor-pointer"
      opacity={later ? 0.25 : undefined}
      onClick={onPress}
      data-testid={`bar-${span.task}-${span.device}-${span.seq}`}
    >
      <title>{describe(span, origin)}</title>
      <rect
        x={x}
        y={y}
        width={width}
        height={ROW - 2}
        rx={1.5}
        fill={failed ? 'var(--color-danger)' : tierColour[span.tier]}
        stroke={traced ? 'var(--color-warn)' : active ? 'var(--color-accent)' : 'none'}
        strokeWidth={traced || active ? 3 : 0}
        paintOrder="stroke"
      />
      {letters >= 3 && (
        // Within a picture of its own, so that the name ends where the bar does.
        <svg
          role="presentation"
          x={from}
          y={y}
          width={Math.max(0, room + 6)}
          height={ROW - 2}
          className="pointer-events-none"
        >
          <text
            x={3}
            y={11}
            className="text-[11px]"
            fill={failed ? 'var(--color-surface)' : 'var(--color-on-tier)'}
          >
            {name}
          </text>
        </svg>
      )}
    </g>
  )
}

/** The task and its item, in that order. */
const labelOf = ({ task, device, seq }: Span): string => (device === '*' ? task : `${task} ${seq}`)

/** Begins with what a bar has room for. */
const describe = (span: Span, from: number): string =>
  [
    `${labelOf(span)} ${span.device === '*' ? 'of the whole swarm' : `of ${span.device}`}${span.attempt > 1 ? `, try ${span.attempt}` : ''}`,
    `from ${format.time(span.startedAt - from)}, for ${format.time(span.endedAt - span.startedAt)}; waited ${format.time(span.startedAt - span.queuedAt)}`,
    `in ${format.bytes(span.bytesIn)}, out ${format.bytes(span.bytesOut)}`,
    ...(span.error ? [span.error] : []),
  ].join('\n')
