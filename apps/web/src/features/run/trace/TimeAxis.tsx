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
