import type { Objective, Swing } from '@hivemind/placement'
import { Picture } from '../charts/Picture.tsx'
import { objectiveLabel, printObjective, tornadoBars } from './tornadoBars.ts'

const ROW = 24
const margin = { top: 20, right: 64, bottom: 8 }
const LABEL_LETTERS = 30
const LETTER = 6
const VALUE = 62

/** How much a metric changes when one entry of the profile is 20% lower or higher, largest change on top. */
export function TornadoChart({
  objective,
  swings,
  width,
}: {
  objective: Objective
  swings: readonly Swing[]
  width: number
}) {
  const { bars, baseAt } = tornadoBars(swings)
  const print = printObjective[objective]
  const height = margin.top + bars.length * ROW + margin.bottom
  const longest = Math.max(0, ...bars.map((bar) => bar.label.length))
  const left = LETTER * Math.min(LABEL_LETTERS, longest) + 8
  const px = (position: number) => left + VALUE + position * (width - left - VALUE - margin.right)
  return (
    <Picture
      label={`${objectiveLabel[objective]}: ${bars
        .map((bar) => `${bar.label}, 20% lower ${print(bar.low)}, 20% higher ${print(bar.high)}`)
        .join('; ')}`}
      width={width}
      height={height}
    >
      <text x={px(baseAt)} y={12} textAnchor="middle" fontWeight={600} fill="var(--color-ink)">
        {print(swings[0]?.base ?? 0)}
      </text>
      {bars.map((bar, n) => {
        const y = margin.top + n * ROW
        const [from, to] = [Math.min(bar.lowAt, bar.highAt), Math.max(bar.lowAt, bar.highAt)]
        const [leftValue, rightValue] = bar.low < bar.high ? [bar.low, bar.high] : [bar.high, bar.low]
        const part = (one: number, other: number, colour: string) => (
          <rect
            x={px(Math.min(one, other))}
            y={y + 4}
            width={Math.abs(px(other) - px(one))}
            height={ROW - 8}
            fill={colour}
          />
        )
        return (
          <g key={bar.label}>
            <text x={left - 8} y={y + 16} textAnchor="end" fill="var(--color-ink)">
              {bar.label.length > LABEL_LETTERS ? `${bar.label.slice(0, LABEL_LETTERS - 1)}…` : bar.label}
            </text>
            {part(bar.lowAt, baseAt, 'var(--color-part-exchange)')}
            {part(bar.highAt, baseAt, 'var(--color-part-network)')}
            <text x={px(from) - 5} y={y + 16} textAnchor="end">
              {print(leftValue)}
            </text>
            <text x={px(to) + 5} y={y + 16}>
              {print(rightValue)}
            </text>
          </g>
        )
      })}
      <line
        x1={px(baseAt)}
        x2={px(baseAt)}
        y1={margin.top - 4}
        y2={height - margin.bottom}
        stroke="var(--color-ink)"
      />
    </Picture>
  )
}
