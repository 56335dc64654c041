/** The two axes of a plot. Plain SVG, used on the page and in reports. */
import { type Scale, tickDigits } from '../../reports/scale.ts'

/** Most significant digits of a tick's label. */
const MAX_DIGITS = 8

interface Margin {
  top: number
  right: number
  bottom: number
  left: number
}

/** Area and scales of a plot. `px` and `py` map values to pixels. */
export interface Frame {
  left: number
  right: number
  top: number
  bottom: number
  x: Scale
  y: Scale
  px: (value: number) => number
  py: (value: number) => number
}

/** The area within the margins of a picture, with a scale for each direction. */
export function frameOf(size: { width: number; height: number }, margin: Margin, x: Scale, y: Scale): Frame {
  const { left, top } = margin
  const right = size.width - margin.right
  const bottom = size.height - margin.bottom
  return {
    left,
    right,
    top,
    bottom,
    x,
    y,
    px: (value) => left + x.at(value) * (right - left),
    py: (value) => bottom - y.at(value) * (bottom - top),
  }
}

interface AxisText {
  label?: string
  /** Formats a tick with this many significant digits. */
  print: (value: number, digits?: number) => string
}

const titleOf = (label: string, { kind }: Scale): string =>
  kind === 'log' ? `${label} (logarithmic)` : label

/** Labels of ticks, with as many digits as tell them apart; what would still be the same is printed once. */
function labelsOf({ ticks }: Scale, print: AxisText['print']): { tick: number; text: string }[] {
  const least = tickDigits(ticks)
  const labelled = (digits: number) => ticks.map((tick) => ({ tick, text: print(tick, digits) }))
  const distinct = (all: readonly { text: string }[]): boolean =>
    new Set(all.map(({ text }) => text)).size === all.length
  for (let digits = least; digits < MAX_DIGITS; digits++) {
    const all = labelled(digits)
    if (distinct(all)) return all
  }
  return labelled(MAX_DIGITS).filter(
    ({ text }, at, all) => all.findIndex((other) => other.text === text) === at,
  )
}

/** Grid lines, tick labels and axis titles. */
export function Axes({ frame, x, y }: { frame: Frame; x: AxisText; y: AxisText }) {
  const { left, right, top, bottom, px, py } = frame
  return (
    <g fontSize={11} fill="var(--color-muted)" stroke="none">
      {labelsOf(frame.x, x.print).map(({ tick, text }) => (
        <g key={tick}>
          <line x1={px(tick)} x2={px(tick)} y1={top} y2={bottom} stroke="var(--color-line)" />
          <text x={px(tick)} y={bottom + 16} textAnchor="middle">
            {text}
          </text>
        </g>
      ))}
      {labelsOf(frame.y, y.print).map(({ tick, text }) => (
        <g key={tick}>
          <line x1={left} x2={right} y1={py(tick)} y2={py(tick)} stroke="var(--color-line)" />
          <text x={left - 8} y={py(tick) + 4} textAnchor="end">
            {text}
          </text>
        </g>
      ))}
      {x.label && (
        <text x={(left + right) / 2} y={bottom + 34} textAnchor="middle" fontWeight={500}>
          {titleOf(x.label, frame.x)}
        </text>
      )}
      {y.label && (
        <text
          transform={`translate(13 ${(top + bottom) / 2}) rotate(-90)`}
          textAnchor="middle"
          fontWeight={500}
        >
          {titleOf(y.label, frame.y)}
        </text>
      )}
    </g>
  )
}
