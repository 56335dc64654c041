import type { Candidate } from '../../../api/types.ts'
import { scaleOf, suitedScale } from '../../reports/scale.ts'
import { Axes, frameOf } from '../charts/Axes.tsx'
import { Picture } from '../charts/Picture.tsx'
import { frontOf, staircase } from '../front.ts'
import { metrics } from '../metrics.ts'
import { MarkShape } from '../PlotParts.tsx'

const HEIGHT = 320
const margin = { top: 16, right: 20, bottom: 40, left: 66 }

/** Energy over latency of every candidate, with the front, as an SVG picture. */
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
  const frame = frameOf(
    { width, height: HEIGHT },
    margin,
    scaleOf(xs, suitedScale(xs), 6),
    scaleOf(ys, suitedScale(ys), 6),
  )
  const { px, py } = frame
  const corners = staircase(
    frontOf(marks).map((mark) => ({ x: px(mark.x), y: -py(mark.y) })),
    { x: frame.right, y: -frame.top },
  )
  return (
    <Picture label="Energy per device over latency p99 of every candidate" width={width} height={HEIGHT}>
      <Axes frame={frame} x={xMetric} y={yMetric} />
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
    </Picture>
  )
}
