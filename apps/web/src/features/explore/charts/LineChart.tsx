/** A line chart with marked points. Plain SVG of a given width, used on the page and in reports. */
import { type ScaleKind, scaleOf, suitedScale } from '../../reports/scale.ts'
import { Axes, frameOf } from './Axes.tsx'
import { Picture } from './Picture.tsx'

export interface LinePoint {
  x: number
  y: number
}

export interface Series {
  name: string
  colour: string
  dashed?: boolean
  thin?: boolean
  points: readonly LinePoint[]
}

const HEIGHT = 190
const margin = { top: 14, right: 14, bottom: 38, left: 62 }

export function LineChart({
  label,
  width,
  series,
  marks = [],
  own,
  xLabel,
  xKind,
  yKind,
  yShows = [],
  printX,
  printY,
}: {
  /** Description for screen readers. */
  label: string
  width: number
  series: readonly Series[]
  /** Points to highlight, each with a short label. */
  marks?: readonly (LinePoint & { text: string })[]
  /** Position on the x axis of the scenario's own value; drawn as a dotted line. */
  own?: number
  xLabel: string
  xKind: ScaleKind
  /** Kind of the y axis; chosen by the values when absent. */
  yKind?: ScaleKind
  /** Values that the y axis must include. */
  yShows?: readonly number[]
  printX: (value: number, digits?: number) => string
  printY: (value: number, digits?: number) => string
}) {
  const points = series.flatMap((each) => each.points)
  const ys = [...points.map((point) => point.y), ...yShows]
  const xScale = scaleOf(
    points.map((point) => point.x),
    xKind,
    Math.max(2, Math.floor(width / 110)),
  )
  const yScale = scaleOf(ys, yKind ?? suitedScale(ys), 4)
  const frame = frameOf({ width, height: HEIGHT }, margin, xScale, yScale)
  const { right, bottom, px, py } = frame
  return (
    <Picture label={label} width={width} height={HEIGHT}>
      <Axes frame={frame} x={{ label: xLabel, print: printX }} y={{ print: printY }} />
      {own !== undefined && (
        <line
          x1={px(own)}
          x2={px(own)}
          y1={margin.top}
          y2={bottom}
          stroke="var(--color-ink)"
          strokeDasharray="2 3"
        />
      )}
      {series.map(({ name, colour, dashed, thin, points: own }) => (
        <polyline
          key={name}
          points={own.map((point) => `${px(point.x)},${py(point.y)}`).join(' ')}
          fill="none"
          stroke={colour}
          strokeWidth={thin ? 1 : 2}
          strokeDasharray={dashed ? '6 3' : undefined}
          strokeLinejoin="round"
        />
      ))}
      {marks.map((mark) => (
        <g key={`${mark.x} ${mark.text}`}>
          <circle
            cx={px(mark.x)}
            cy={py(mark.y)}
            r={4.5}
            fill="var(--color-surface)"
            stroke="var(--color-accent)"
            strokeWidth={2}
          />
          <text
            x={px(mark.x) + (px(mark.x) > right - 60 ? -8 : 8)}
            y={py(mark.y) - 8 < margin.top + 8 ? py(mark.y) + 16 : py(mark.y) - 8}
            textAnchor={px(mark.x) > right - 60 ? 'end' : 'start'}
            fontWeight={600}
            fill="var(--color-ink)"
            stroke="var(--color-surface)"
            strokeWidth={3}
            paintOrder="stroke"
          >
            {mark.text}
          </text>
        </g>
      ))}
    </Picture>
  )
}
