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

function linearScale(min: number, max: number, count: number): Scale {
  const low = min > 0 && min < max * START_AT_ZERO_BELOW ? 0 : min
  const span = max - low
  const padding = Math.max(span * PADDING, (Math.abs(max) * MIN_RELATIVE_SPAN - span) / 2) || 1
  const domain: [number, number] = [low === 0 ? 0 : low - padding, max + padding]
  const scale = scaleLinear(domain, [0, 1])
  return { kind: 'linear', domain, at: scale, valueAt: scale.invert, ticks: scale.ticks(count) }
}

function logScale(min: number, max: number, withZero: boolean, count: number): Scale {
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
    ticks: [...(withZero ? [0] : []), ...logTicks(scale, count)],
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
 * zero is among the values; with a negative value, or none above zero, the axis is linear whatever `kind` says.
 */
export function scaleOf(values: readonly number[], kind: ScaleKind, count = 6): Scale {
  const finite = values.filter(Number.isFinite)
  const [low, high] = extent(finite)
  if (low === undefined || high === undefined) return linearScale(0, 1, count)
  if (kind === 'linear' || low < 0 || high === 0) return linearScale(low, high, count)
  const [minPositive = high] = extent(finite.filter((value) => value > 0))
  return logScale(minPositive, high, low === 0, count)
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
