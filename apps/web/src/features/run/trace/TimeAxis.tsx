import { scaleLinear } from 'd3-scale'
import * as format from '../../reports/format.ts'
import type { TimeWindow } from './useZoom.ts'

/** Grid lines of a time axis, with the time since `origin` above each. */
export function TimeAxis({
  view,
  origin,
  px,
  width,
  bottom,
}: {
  view: TimeWindow
  /** ms that reads 0. */
  origin: number
  px: (at: number) => number
  /** Of the plot, in pixels. */
  width: number
  bottom: number
}) {
  const count = Math.max(2, Math.floor(width / 110))
  const ticks = scaleLinear([view.from - origin, view.to - origin], [0, 1]).ticks(count)
  return (
    <g fontSize={11} fill="var(--color-muted)">
      {ticks.map((tick) => (
        <g key={tick}>
          <line
            x1={px(origin + tick)}
            x2={px(origin + tick)}
            y1={16}
            y2={bottom}
            stroke="var(--color-line)"
          />
          <text x={px(origin + tick)} y={11} textAnchor="middle">
            {format.time(tick, 4)}
          </text>
        </g>
      ))}
    </g>
  )
}

/** The cursor of the run on a time axis; nothing where it is out of view. */
export function CursorLine({
  at,
  view,
  px,
  bottom,
}: {
  at: number | undefined
  view: TimeWindow
  px: (at: number) => number
  bottom: number
}) {
  if (at === undefined || at < view.from || at > view.to) return null
  return (
    <g pointerEvents="none" data-testid="cursor">
      <line x1={px(at)} x2={px(at)} y1={14} y2={bottom} stroke="var(--color-accent)" strokeWidth={2} />
      <path d={`M${px(at) - 5} 12h10l-5 7z`} fill="var(--color-accent)" />
    </g>
  )
}
