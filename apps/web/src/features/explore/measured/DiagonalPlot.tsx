import { useId } from 'react'
import * as format from '../../reports/format.ts'
import { scaleOf, suitedScale } from '../../reports/scale.ts'
import { Axes, frameOf } from '../charts/Axes.tsx'
import { Picture } from '../charts/Picture.tsx'
import { deviationText, type Point } from './comparison.ts'

const HEIGHT = 300
const margin = { top: 14, right: 16, bottom: 42, left: 70 }
/** Deviation, as a share, up to which an estimate counts as near its measurement. */
const NEAR = 0.2

/** Estimated (vertical) over measured (horizontal) times. On the diagonal the two are equal. */
export function DiagonalPlot({ points, width }: { points: readonly Point[]; width: number }) {
  const clip = useId()
  const drawn = points.filter(({ figure }) => figure.simulatedMs > 0 && figure.measuredMs > 0)
  const values = drawn.flatMap(({ figure }) => [figure.simulatedMs, figure.measuredMs])
  const scale = scaleOf(values, suitedScale(values), 5)
  const frame = frameOf({ width, height: HEIGHT }, margin, scale, scale)
  const { left, right, top, bottom, px, py } = frame
  const [from, to] = scale.domain
  const line = (factor: number) => `${px(from)},${py(from * factor)} ${px(to)},${py(to * factor)}`
  const near = drawn.filter(({ figure }) => Math.abs(figure.deviation ?? 1) <= NEAR).length
  return (
    <Picture
      label={`Estimated over measured times: ${near} of ${format.count(drawn.length, 'figure')} within 20% of the measurement.`}
      width={width}
      height={HEIGHT}
    >
      <Axes
        frame={frame}
        x={{ label: 'Measured', print: format.time }}
        y={{ label: 'Estimated', print: format.time }}
      />
      <clipPath id={clip}>
        <rect x={left} y={top} width={right - left} height={bottom - top} />
      </clipPath>
      <g clipPath={`url(#${clip})`}>
        {[1 - NEAR, 1 + NEAR].map((factor) => (
          <polyline key={factor} points={line(factor)} stroke="var(--color-muted)" strokeDasharray="3 4" />
        ))}
        <polyline points={line(1)} stroke="var(--color-muted)" strokeWidth={1.5} />
      </g>
      {drawn.map((point) => (
        <Mark
          key={point.name}
          point={point}
          x={px(point.figure.measuredMs)}
          y={py(point.figure.simulatedMs)}
        />
      ))}
    </Picture>
  )
}

function Mark({ point: { name, of, task, figure }, x, y }: { point: Point; x: number; y: number }) {
  const colour = task === null ? 'var(--color-accent)' : 'var(--color-muted)'
  const paint =
    of === 'p99'
      ? { fill: 'var(--color-surface)', stroke: colour, strokeWidth: 1.75 }
      : { fill: colour, stroke: 'var(--color-surface)', strokeWidth: 1 }
  return (
    <g transform={`translate(${x} ${y})`}>
      <title>
        {`${name}: ${format.time(figure.simulatedMs)} estimated, ${format.time(figure.measuredMs)} measured (${deviationText(figure.deviation)})`}
      </title>
      <circle r={10} fill="transparent" />
      {of === 'run' ? (
        <rect x={-5} y={-5} width={10} height={10} {...paint} />
      ) : task === null ? (
        <path d="M0 -7 L7 0 L0 7 L-7 0 Z" {...paint} />
      ) : (
        <circle r={4.5} {...paint} />
      )}
    </g>
  )
}
