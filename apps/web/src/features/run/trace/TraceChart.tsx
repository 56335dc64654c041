import { type KeyboardEvent, useId } from 'react'
import type { Estimate, Span } from '../../../api/types.ts'
import * as format from '../../reports/format.ts'
import { tierColour, tierLabel } from '../../reports/tiers.ts'
import { useWidth } from '../../reports/useWidth.ts'
import { total } from '../spans.ts'
import { BarList } from './BarList.tsx'
import { isWaiting, type PartKey, partKeys, partLooks, partsOf, piecesOf } from './parts.ts'
import { CursorLine, TimeAxis } from './TimeAxis.tsx'
import { placeOf, type Trace, type TraceRow } from './trace.ts'
import type { Zoom } from './useZoom.ts'

const GUTTER = 118
const RIGHT = 14
const TOP = 22
const ROW = 40
const LINK_ROW = 24
const BAR = 12
/** Pixels of a character of a bar's name, at most. */
const CHARACTER = 6.6

/** The rows of a trace on a time axis: bars of invocations with their parts, and links between places. */
export function TraceChart({
  trace,
  estimate,
  cursor,
  zoom,
  selected,
  onSelect,
}: {
  trace: Trace
  estimate: Estimate | undefined
  /** A time of the run, in ms since 1970. */
  cursor: number | undefined
  zoom: Zoom
  /** Index of the selected row. */
  selected: number
  onSelect: (row: number) => void
}) {
  const id = useId()
  const { box, width } = useWidth(800, 420)
  const plot = width - GUTTER - RIGHT
  const { view } = zoom
  const px = (at: number) => GUTTER + ((at - view.from) / Math.max(1e-9, view.to - view.from)) * plot
  const inView = (at: number) => Math.min(GUTTER + plot, Math.max(GUTTER, px(at)))

  let top = TOP
  const rows = trace.rows.map((row) => {
    const height = row.kind === 'span' ? ROW : LINK_ROW
    const placed = { row, top, height }
    top += height
    return placed
  })
  const middles = new Map(
    rows.flatMap((each) => (each.row.kind === 'span' ? [[each.row.index, each.top + 26] as const] : [])),
  )
  const onKeyDown = (event: KeyboardEvent) => {
    const to: Record<string, number> = {
      ArrowDown: selected + 1,
      ArrowUp: selected - 1,
      Home: 0,
      End: rows.length - 1,
    }
    const next = to[event.key]
    if (next === undefined ? zoom.onKey(event) : true) event.preventDefault()
    if (next !== undefined) onSelect(Math.min(rows.length - 1, Math.max(0, next)))
  }
  return (
    <div ref={box} className="min-w-0">
      <BarList
        label="Steps of the item. Arrow keys choose a step; plus, minus and 0 zoom; Shift with an arrow moves the view."
        active={`${id}-${selected}`}
        width={width}
        height={top + 6}
        testId="trace-chart"
        onKeyDown={onKeyDown}
      >
        <TimeAxis view={view} origin={trace.from} px={px} width={plot} bottom={top} />
        <clipPath id={`${id}-clip`}>
          <rect x={GUTTER - 1} y={0} width={plot + 2} height={top + 6} />
        </clipPath>
        {rows.map(({ row, top, height }, n) => (
          <g
            key={keyOf(row)}
            id={`${id}-${n}`}
            role="option"
            aria-selected={n === selected}
            className="cursor-pointer"
            onClick={() => onSelect(n)}
            data-testid={row.kind === 'span' ? `trace-step-${row.step.span.task}` : 'trace-link'}
          >
            <desc>{describe(row, trace.from)}</desc>
            <rect
              x={0}
              y={top}
              width={width}
              height={height}
              fill={n === selected ? 'var(--color-accent-soft)' : 'transparent'}
            />
            {row.kind === 'span' ? (
              <SpanRow
                row={row}
                ghostMs={estimatedMs(estimate, row.step.span.task)}
                top={top}
                px={px}
                inView={inView}
                right={GUTTER + plot}
                clip={`${id}-clip`}
              />
            ) : (
              <LinkRow
                row={row}
                top={top}
                px={px}
                inView={inView}
                right={GUTTER + plot}
                clip={`${id}-clip`}
              />
            )}
          </g>
        ))}
        <g clipPath={`url(#${id}-clip)`} pointerEvents="none">
          {rows.flatMap(({ row }) =>
            row.kind !== 'span'
              ? []
              : row.step.inputs.map((input) => {
                  const [y1, y2] = [middles.get(input.step) ?? 0, middles.get(row.index) ?? 0]
                  const [x1, x2] = [px(input.leftAt), px(input.readyAt)]
                  return (
                    <path
                      key={`${input.step} ${row.index}`}
                      d={`M${x1} ${y1 + BAR / 2}C${x1} ${(y1 + y2) / 2} ${x2} ${(y1 + y2) / 2} ${x2} ${y2 - BAR / 2}`}
                      fill="none"
                      stroke="var(--color-muted)"
                      strokeWidth={1.25}
                    />
                  )
                }),
          )}
        </g>
        <CursorLine at={cursor} view={view} px={px} bottom={top} />
      </BarList>
    </div>
  )
}

/** Mean estimated time of an invocation in ms; 0 when nothing is known. */
function estimatedMs(estimate: Estimate | undefined, task: string): number {
  const own = estimate?.perTask[task]
  return own ? total(own.breakdown) : 0
}

interface RowProps {
  top: number
  px: (at: number) => number
  inView: (at: number) => number
  right: number
  clip: string
}

/** Text beside the start of a bar, moved so that it is within the plot. */
function BarName({ text, from, y, right }: { text: string; from: number; y: number; right: number }) {
  const fits = from + text.length * CHARACTER <= right
  return (
    <text
      x={fits ? from : right}
      y={y}
      textAnchor={fits ? 'start' : 'end'}
      className="text-[11px]"
      fill="var(--color-ink)"
    >
      {text}
    </text>
  )
}

function SpanRow({
  row,
  ghostMs,
  top,
  px,
  inView,
  right,
  clip,
}: { row: Extract<TraceRow, { kind: 'span' }>; ghostMs: number } & RowProps) {
  const { span, tries } = row.step
  const y = top + 20
  const behind = Math.max(...row.step.inputs.map(({ of }) => of), 1)
  const place = span.worker || placeOf(span)
  const name = `${span.task}${span.device === '*' ? '' : `, item ${span.seq}`} · ${format.time(row.to - row.from)}${tries.length > 1 ? ` · ${format.count(tries.length, 'try', 'tries')}` : ''}${behind > 1 ? ` · after the last of ${format.count(behind, 'input')}` : ''}`
  return (
    <>
      <rect x={0} y={top + 8} width={4} height={24} rx={1} fill={tierColour[span.tier]} />
      <text x={10} y={top + 18} className="text-[11px] font-medium" fill="var(--color-ink)">
        <title>{span.worker}</title>
        {place.length > 16 ? `${place.slice(0, 15)}…` : place}
      </text>
      <text x={10} y={top + 31} className="text-[11px]" fill="var(--color-muted)">
        {tierLabel[span.tier]}
      </text>
      <BarName text={name} from={inView(row.from)} y={top + 14} right={right} />
      <g clipPath={`url(#${clip})`}>
        <Ghost ms={ghostMs} from={span.queuedAt} y={y} px={px} />
        {tries.map((each) => (
          <TryBar key={each.attempt} span={each} y={y} px={px} />
        ))}
      </g>
    </>
  )
}

/** The estimate behind a bar: a dashed outline that begins with it. */
function Ghost({
  ms,
  from,
  y,
  px,
}: {
  /** Estimated time, in ms; 0 when nothing is known. */
  ms: number
  from: number
  y: number
  px: (at: number) => number
}) {
  if (ms <= 0) return null
  return (
    <rect
      x={px(from)}
      y={y - 3}
      width={Math.max(3, px(from + ms) - px(from))}
      height={BAR + 6}
      fill="none"
      stroke="var(--color-muted)"
      strokeDasharray="3 2"
      data-testid="ghost"
    >
      <title>{`Estimate: ${format.time(ms)}`}</title>
    </rect>
  )
}

function TryBar({ span, y, px }: { span: Span; y: number; px: (at: number) => number }) {
  const width = Math.max(2, px(span.endedAt) - px(span.queuedAt))
  return (
    <>
      <rect
        x={px(span.queuedAt)}
        y={y}
        width={width}
        height={BAR}
        fill="var(--color-sunken)"
        stroke={span.status === 'failed' ? 'var(--color-danger)' : 'var(--color-line-strong)'}
        strokeWidth={span.status === 'failed' ? 2 : 1}
      />
      {piecesOf(span).map(({ part, from, to }) =>
        part === 'other' ? null : (
          <rect
            key={part}
            x={px(from)}
            y={isWaiting(part) ? y + BAR / 2 - 2 : y}
            width={Math.max(0, px(to) - px(from))}
            height={isWaiting(part) ? 4 : BAR}
            fill={partLooks[part].colour}
          >
            <title>{`${partLooks[part].label}: ${format.time(partsOf(span)[part])}`}</title>
          </rect>
        ),
      )}
    </>
  )
}

function LinkRow({
  row,
  top,
  px,
  inView,
  right,
  clip,
}: { row: Extract<TraceRow, { kind: 'link' }> } & RowProps) {
  const y = top + 16
  return (
    <>
      <rect x={0} y={top + 4} width={4} height={16} rx={1} fill="var(--color-part-network)" />
      <text x={10} y={top + 16} className="text-[11px]" fill="var(--color-muted)">
        link
      </text>
      <BarName text={linkName(row)} from={inView(row.from)} y={top + 11} right={right} />
      <g clipPath={`url(#${clip})`}>
        <rect
          x={px(row.from)}
          y={y}
          width={Math.max(2, px(row.to) - px(row.from))}
          height={5}
          fill="var(--color-part-network)"
        />
      </g>
    </>
  )
}

const linkName = ({ source, target, from, to }: Extract<TraceRow, { kind: 'link' }>): string =>
  `${placeOf(source)} → ${placeOf(target)} · ${source.items > 1 && to <= from ? 'of an item of a stream not recorded' : format.time(to - from)}`

const keyOf = (row: TraceRow): string =>
  row.kind === 'span' ? `span ${row.step.span.task}` : `link ${row.source.task} ${row.target.task}`

function describe(row: TraceRow, origin: number): string {
  const times = `from ${format.time(row.from - origin)}, for ${format.time(row.to - row.from)}`
  if (row.kind === 'link') return `Link ${linkName(row)}, ${times}`
  const { span } = row.step
  const parts = partsOf(span)
  const said = partKeys
    .filter((key) => parts[key] > 0)
    .map((key) => `${partLooks[key].label.toLowerCase()} ${format.time(parts[key])}`)
  return `${span.task} on ${placeOf(span)}, ${times}: ${said.join(', ')}${span.status === 'failed' ? '; failed' : ''}`
}

/** What the colours of the bars mean. */
export function SpanPartsLegend({ keys = partKeys }: { keys?: readonly PartKey[] }) {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted" aria-label="Parts of a bar">
      {keys
        .filter((key) => key !== 'other')
        .map((key) => (
          <li key={key} className="flex items-center gap-1.5" title={partLooks[key].meaning}>
            <span
              className={`w-2.5 rounded-xs ${isWaiting(key) ? 'h-1' : 'h-2.5'}`}
              style={{ background: partLooks[key].colour }}
            />
            {partLooks[key].label}
          </li>
        ))}
    </ul>
  )
}
