/** Axes of plots: positions of values, values at positions, and ticks. Built on d3-scale. */
import { extent, max } from 'd3-array'
import { type ScaleLogarithmic, scaleLinear, scaleLog } from 'd3-scale'

export type ScaleKind = 'linear' | 'log'

export interface Scale {
  kind: ScaleKind
  domain: [number, number]
  /** Position of a value, from 0 (start of the axis) to 1 (its end). */
  at: (value: number) => number
  /** Value at a position: the inverse of `at`. */
  valueAt: (position: number) => number
  ticks: number[]
}

/** Share of a logarithmic axis that is reserved at its start for zero, when zero is among the values. */
const ZERO_SHARE = 0.07
/** Free space at the ends of an axis, as a share of its domain (linear) or an exponent of its ratio (logarithmic). */
const PADDING = 0.06
/** A linear axis whose smallest value lies below this share of its largest starts at zero. */
const START_AT_ZERO_BELOW = 0.6
/** Narrowest domain of a linear axis, as a share of its largest value: nearly equal values must look nearly equal. */
const MIN_RELATIVE_SPAN = 0.1

/** What ticks are round in: decimal numbers, or times in ms. */
export type TickUnit = 'decimal' | 'time'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
/** Round times from 1 ms to a day, in ms. */
const ROUND_TIMES: readonly number[] = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 30].map((n) => n * SECOND),
  ...[1, 2, 5, 10, 30].map((n) => n * MINUTE),
  ...[1, 2, 6, 12, 24].map((n) => n * HOUR),
]
/** The rounder ones, and the roundest, for axes that span many decades. */
const ROUNDER_TIMES = [1, 10, 100, SECOND, 10 * SECOND, MINUTE, 10 * MINUTE, HOUR, 24 * HOUR]
const ROUNDEST_TIMES = [1, 100, SECOND, MINUTE, HOUR]

/** Multiples of a round time over a linear axis; `null` when it is shorter than 2 ms or longer than days. */
function timeTicks([low, high]: readonly [number, number], count: number): number[] | null {
  const step = ROUND_TIMES.find((each) => (high - low) / each <= count)
  if (step === undefined || high - low < 2) return null
  const first = Math.ceil(low / step)
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, n) => (first + n) * step)
}

/** Round times over a logarithmic axis; `null` when fewer than two lie on it. */
function logTimeTicks([low, high]: readonly [number, number], count: number): number[] | null {
  const choices = [ROUND_TIMES, ROUNDER_TIMES, ROUNDEST_TIMES].map((times) =>
    times.filter((time) => time >= low && time <= high),
  )
  const chosen = choices.find((ticks) => ticks.length <= count + 1) ?? choices.at(-1)
  return chosen && chosen.length >= 2 && low >= 0.5 && high <= 48 * HOUR ? chosen : null
}

function linearScale(min: number, max: number, count: number, unit: TickUnit): Scale {
  const low = min > 0 && min < max * START_AT_ZERO_BELOW ? 0 : min
  const span = max - low
  const padding = Math.max(span * PADDING, (Math.abs(max) * MIN_RELATIVE_SPAN - span) / 2) || 1
  const domain: [number, number] = [low === 0 ? 0 : low - padding, max + padding]
  const scale = scaleLinear(domain, [0, 1])
  const ticks = (unit === 'time' ? timeTicks(domain, count) : null) ?? scale.ticks(count)
  return { kind: 'linear', domain, at: scale, valueAt: scale.invert, ticks }
}

function logScale(
  [min, max]: readonly [number, number],
  withZero: boolean,
  count: number,
  unit: TickUnit,
): Scale {
  const padding = Math.max(1.08, (max / min) ** PADDING)
  const domain: [number, number] = [min / padding, max * padding]
  const start = withZero ? ZERO_SHARE : 0
  const scale = scaleLog(domain, [start, 1])
  const atZero = withZero ? ZERO_SHARE / 3 : -1
  return {
    kind: 'log',
    domain: [withZero ? 0 : domain[0], domain[1]],
    at: (value) => (value > 0 ? scale(value) : atZero),
    valueAt: (position) => (position < start ? 0 : scale.invert(position)),
    ticks: [
      ...(withZero ? [0] : []),
      ...((unit === 'time' ? logTimeTicks(domain, count) : null) ?? logTicks(scale, count)),
    ],
  }
}

/** Leading digits of the ticks within a decade, from the densest choice to the sparsest. */
const LEADING_DIGITS = [[1, 2, 5], [1, 3], [1]]

/**
 * The ticks of a logarithmic axis: those of d3, thinned where it proposes every multiple of each power of ten.
 * Over less than a decade or so d3 gives evenly spaced round numbers, which all stay.
 */
function logTicks(scale: ScaleLogarithmic<number, number>, count: number): number[] {
  const all = scale.ticks(count)
  if (all.some((tick) => digitsOf(tick) > 1)) return all
  const chosen = LEADING_DIGITS.map((digits) =>
    all.filter((tick) => digits.includes(Number(tick.toExponential()[0]))),
  )
  return [all, ...chosen].find((ticks) => ticks.length <= count + 1) ?? (chosen.at(-1) as number[])
}

/**
 * An axis that shows all finite `values`, with about `count` ticks. A logarithmic axis reserves a place for zero when
 * zero is among the values; with a negative value, or none above zero, the axis is linear whatever `kind` says. Ticks are round
 * in `unit`: times at 1, 2, 5, 10, 30 min, not at 1.67.
 */
export function scaleOf(
  values: readonly number[],
  kind: ScaleKind,
  count = 6,
  unit: TickUnit = 'decimal',
): Scale {
  const finite = values.filter(Number.isFinite)
  const [low, high] = extent(finite)
  if (low === undefined || high === undefined) return linearScale(0, 1, count, unit)
  if (kind === 'linear' || low < 0 || high === 0) return linearScale(low, high, count, unit)
  const [minPositive = high] = extent(finite.filter((value) => value > 0))
  return logScale([minPositive, high], low === 0, count, unit)
}

/** Largest ratio of positive values that a linear axis still shows well. */
const MAX_LINEAR_RATIO = 30

/** The kind of axis that shows these values best: logarithmic when the positive ones span more than a factor of 30. */
export function suitedScale(values: readonly number[]): ScaleKind {
  const [low, high] = extent(values.filter((value) => value > 0 && Number.isFinite(value)))
  return low !== undefined && high > MAX_LINEAR_RATIO * low ? 'log' : 'linear'
}

/** Fewest significant digits, from three to eight, that print every tick exactly. */
export const tickDigits = (ticks: readonly number[]): number =>
  Math.min(8, Math.max(3, max(ticks, digitsOf) ?? 3))

/** Significant digits of a number: 1,250 has three. */
const digitsOf = (value: number): number =>
  value.toExponential().replace(/e.*$/, '').replace(/[-.]/g, '').length
