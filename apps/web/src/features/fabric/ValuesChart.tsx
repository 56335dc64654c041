import type { FabricValues } from '../../api/types.ts'
import * as format from '../reports/format.ts'
import { scaleOf } from '../reports/scale.ts'
import { useWidth } from '../reports/useWidth.ts'

const HEIGHT = 160
const LEFT = 44
const BOTTOM = 20

/** The latest values that came out of a board over time: a line for each sensor. */
export function ValuesChart({ values }: { values: FabricValues }) {
  const { box, width } = useWidth()
  const end = values.at(-1)?.at ?? 0
  const seconds = (at: number) => (at - end) / 1000
  const x = scaleOf(
    values.map(({ at }) => seconds(at)),
    'linear',
    4,
  )
  const y = scaleOf(
    values.map(({ value }) => value),
    'linear',
    4,
  )
  const px = (value: number) => LEFT + x.at(value) * (width - LEFT - 8)
  const py = (value: number) => (1 - y.at(value)) * (HEIGHT - BOTTOM)
  const lines = Map.groupBy(values, ({ source }) => source)
  const text = { fontSize: 11, fill: 'var(--color-muted)' }
  return (
    <div ref={box}>
      <svg
        width={width}
        height={HEIGHT}
        className="block max-w-full"
        role="img"
        aria-label={`The latest ${format.count(values.length, 'value')} of ${format.count(lines.size, 'sensor')}`}
      >
        {y.ticks.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={width} y1={py(tick)} y2={py(tick)} stroke="var(--color-line)" />
            <text {...text} x={LEFT - 6} y={py(tick) + 4} textAnchor="end">
              {format.number(tick)}
            </text>
          </g>
        ))}
        {x.ticks.map((tick) => (
          <text key={tick} {...text} x={px(tick)} y={HEIGHT - 4} textAnchor="middle">
            {format.number(tick)} s
          </text>
        ))}
        {[...lines].map(([source, line]) => (
          <g key={source} data-testid={`sensor-${source}`}>
            <polyline
              points={line.map(({ at, value }) => `${px(seconds(at))},${py(value)}`).join(' ')}
              fill="none"
              stroke="var(--color-fabric)"
            />
            {line.map(({ at, value }, n) => (
              <circle key={n} cx={px(seconds(at))} cy={py(value)} r={2} fill="var(--color-fabric)" />
            ))}
          </g>
        ))}
      </svg>
    </div>
  )
}
