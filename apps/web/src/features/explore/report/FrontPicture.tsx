import type { Candidate } from '../../../api/types.ts'
import { scaleOf, suitedScale, tickDigits } from '../../reports/scale.ts'
import { frontOf, staircase } from '../front.ts'
import { metrics } from '../metrics.ts'
import { MarkShape } from '../PlotParts.tsx'

const HEIGHT = 320
const margin = { top: 16, right: 20, bottom: 40, left: 66 }

/** Latency against energy of every candidate, and the front between them, as a picture. */
export function FrontPicture({
  candidates,
  selected,
  width,
}: {
  candidates: readonly Candidate[]
  selected: string | undefined
  width: number
}) {
  const [xMetric, yMetric] = [metrics.p99, metrics.energy]
  const marks = candidates.map((candidate) => ({
    id: candidate.id,
    candidate,
    x: xMetric.of(candidate.estimate),
    y: yMetric.of(candidate.estimate),
  }))
  const [xs, ys] = [marks.map((mark) => mark.x), marks.map((mark) => mark.y)]
  const xScale = scaleOf(xs, suitedScale(xs), 6)
  const yScale = scaleOf(ys, suitedScale(ys), 6)
  const [right, bottom] = [width - margin.right, HEIGHT - margin.bottom]
  const px = (value: number) => margin.left + xScale.at(value) * (right - margin.left)
  const py = (value: number) => bottom - yScale.at(value) * (bottom - margin.top)
  const corners = staircase(
    frontOf(marks).map((mark) => ({ x: px(mark.x), y: -py(mark.y) })),
    { x: right, y: -margin.top },
  )
  const [xDigits, yDigits] = [tickDigits(xScale.ticks), tickDigits(yScale.ticks)]
  return (
    <svg
      width={width}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${HEIGHT}`}
      role="img"
      aria-label="Latency p99 against energy per device of every candidate"
      fontSize={11}
      fill="var(--color-muted)"
    >
      {xScale.ticks.map((tick) => (
        <g key={tick}>
          <line x1={px(tick)} x2={px(tick)} y1={margin.top} y2={bottom} stroke="var(--color-line)" />
          <text x={px(tick)} y={bottom + 15} textAnchor="middle">
            {xMetric.print(tick, xDigits)}
          </text>
        </g>
      ))}
      {yScale.ticks.map((tick) => (
        <g key={tick}>
          <line x1={margin.left} x2={right} y1={py(tick)} y2={py(tick)} stroke="var(--color-line)" />
          <text x={margin.left - 7} y={py(tick) + 4} textAnchor="end">
            {yMetric.print(tick, yDigits)}
          </text>
        </g>
      ))}
      <text x={(margin.left + right) / 2} y={HEIGHT - 6} textAnchor="middle">
        {xMetric.label}
      </text>
      <text transform={`translate(12 ${(margin.top + bottom) / 2}) rotate(-90)`} textAnchor="middle">
        {yMetric.label}
      </text>
      <polyline
        points={corners.map((corner) => `${corner.x},${-corner.y}`).join(' ')}
        fill="none"
        stroke="var(--color-accent)"
        strokeWidth={1.75}
      />
      {marks.map((mark) => (
        <MarkShape
          key={mark.id}
          x={px(mark.x)}
          y={py(mark.y)}
          candidate={mark.candidate}
          selected={mark.id === selected}
          focused={false}
        />
      ))}
    </svg>
  )
}
