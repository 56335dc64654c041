import { useEffect, useMemo, useRef, useState } from 'react'
import type { Span } from '../../api/types.ts'
import { Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { scaleOf } from '../reports/scale.ts'
import { tierColour, tierLabel } from '../reports/tiers.ts'
import { timeline } from './spans.ts'

const ROW = 9
const LANE_PAD = 8
const LABEL = 132
/** Maximum number of rows of one lane. Further overlapping spans share the last row. */
const MAX_ROWS = 8

/** Timeline of invocations: a lane for each worker, a bar for each invocation. */
export function TimelineChart({
  spans,
  total = spans.length,
}: {
  spans: readonly Span[]
  /** Number of all invocations; `spans` may be the first of them. */
  total?: number
}) {
  const box = useRef<HTMLElement>(null)
  const [width, setWidth] = useState(800)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.max(360, Math.floor(entry.contentRect.width)))
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  const line = useMemo(() => timeline(spans), [spans])
  const length = Math.max(1, line.to - line.from)
  const scale = scaleOf([0, length], 'linear', 8, 'time')
  const plot = width - LABEL - 12
  const px = (at: number) => LABEL + scale.at(at - line.from) * plot

  let top = 20
  const lanes = line.lanes.map((lane) => {
    const height = Math.min(MAX_ROWS, lane.rows) * ROW + LANE_PAD
    const placed = { ...lane, top, height }
    top += height
    return placed
  })
  return (
    <Scroll ref={box} className="max-h-80 overflow-y-auto" label="Timeline of the invocations">
      {spans.length === 0 ? (
        <p className="text-sm text-muted">Nothing measured yet.</p>
      ) : (
        <svg
          width={width}
          height={top + 4}
          role="img"
          aria-label={`${format.count(spans.length, 'invocation')} on ${format.count(lanes.length, 'worker')} within ${format.time(length)}. The table of measured times has the figures.`}
        >
          {scale.ticks.map((tick) => (
            <g key={tick}>
              <line
                x1={px(line.from + tick)}
                x2={px(line.from + tick)}
                y1={16}
                y2={top}
                stroke="var(--color-line)"
              />
              <text
                x={px(line.from + tick)}
                y={11}
                textAnchor={tick === 0 ? 'start' : 'middle'}
                className="text-[11px]"
                fill="var(--color-muted)"
              >
                {format.time(tick)}
              </text>
            </g>
          ))}
          {lanes.map((lane) => (
            <g key={lane.worker}>
              <line x1={0} x2={width} y1={lane.top} y2={lane.top} stroke="var(--color-line)" />
              <text x={0} y={lane.top + 13} className="text-[11px]" fill="var(--color-ink)">
                <title>{`${lane.worker}, ${tierLabel[lane.tier]}`}</title>
                {lane.worker.length > 21 ? `${lane.worker.slice(0, 20)}…` : lane.worker}
              </text>
              {lane.bars.map(({ span, row }) => (
                <rect
                  key={`${span.task} ${span.device} ${span.seq} ${span.attempt}`}
                  x={px(span.startedAt)}
                  y={lane.top + LANE_PAD / 2 + Math.min(MAX_ROWS - 1, row) * ROW}
                  width={Math.max(1.5, px(span.endedAt) - px(span.startedAt))}
                  height={ROW - 2}
                  rx={1.5}
                  fill={span.status === 'failed' ? 'var(--color-danger)' : tierColour[span.tier]}
                >
                  <title>{describe(span, line.from)}</title>
                </rect>
              ))}
            </g>
          ))}
        </svg>
      )}
      {total > spans.length && (
        <p className="text-xs text-muted">
          The first {spans.length.toLocaleString('en-GB')} of {total.toLocaleString('en-GB')} invocations are
          shown. The table above includes all of them.
        </p>
      )}
      {line.hidden > 0 && (
        <p className="text-xs text-muted">
          {line.hidden.toLocaleString('en-GB')} invocations, the shortest ones, are not drawn.
        </p>
      )}
    </Scroll>
  )
}

const describe = (span: Span, from: number): string =>
  [
    `${span.task}, ${span.device === '*' ? 'whole swarm' : span.device}, item ${span.seq}${span.attempt > 1 ? `, try ${span.attempt}` : ''}`,
    `from ${format.time(span.startedAt - from)}, for ${format.time(span.endedAt - span.startedAt)}; waited ${format.time(span.startedAt - span.queuedAt)}`,
    `in ${format.bytes(span.bytesIn)}, out ${format.bytes(span.bytesOut)}`,
    ...(span.error ? [span.error] : []),
  ].join('\n')
