/** Values over another one, as lines with marks. Plain SVG of a given size: it goes on the page and into reports. */
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
  /** What the picture shows, in words. */
  label: string
  width: number
  series: readonly Series[]
  /** Points of note, each with a short text. */
  marks?: readonly (LinePoint & { text: string })[]
  /** The place on the x axis that is the scenario's own. */
  own?: number
  xLabel: string
  xKind: ScaleKind
  /** Without one, what suits the values. */
  yKind?: ScaleKind
  /** Values that the y axis reaches to in any case. */
  yShows?: readonly number[]
  printX: (value: number, digits?: number) => string
  printY: (value: number, digits?: number) => string
}) {
  const points = series.flatMap((each) => each.points)
  const ys = [...points.map((point) => point.y), ...yShows]
  const xScale = scaleOf(
    points.map((point) => point.x),
    xKind,
    Math.max(2, Math.floor(width / 90)),
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
