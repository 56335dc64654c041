/** Axes: from a value to a position, and where the ticks go. */

export type ScaleKind = 'linear' | 'log'

export interface Scale {
  kind: ScaleKind
  domain: [number, number]
  /** Position of a value, from 0 (start of the axis) to 1. */
  at: (value: number) => number
  ticks: number[]
}

const STEPS = [1, 2, 2.5, 5, 10]
/** Room that a logarithmic axis keeps at its start for values of zero, as a share of its length. */
const ZERO_ROOM = 0.07

function niceStep(span: number, wanted: number): number {
  const rough = span / wanted
  const power = 10 ** Math.floor(Math.log10(rough))
  return (STEPS.find((step) => step * power >= rough) ?? 10) * power
}

function linear(least: number, most: number, wanted: number): Scale {
  const low = least > 0 && least < most * 0.6 ? 0 : least
  // Values that are all but equal should look so: the axis spans at least a tenth of them.
  const span = most - low
  const pad = Math.max(span * 0.06, (Math.abs(most) * 0.1 - span) / 2) || 1
  const domain: [number, number] = [low === 0 ? 0 : low - pad, most + pad]
  const length = domain[1] - domain[0]
  const step = niceStep(length, wanted)
  const ticks: number[] = []
  for (let n = Math.ceil(domain[0] / step - 1e-9); n * step <= domain[1] + step * 1e-9; n++)
    ticks.push(Number((n * step).toPrecision(12)))
  return { kind: 'linear', domain, at: (value) => (value - domain[0]) / length, ticks }
}

function log(least: number, most: number, zero: boolean, wanted: number): Scale {
  const pad = Math.max(1.08, (most / least) ** 0.06)
  const [from, to] = [Math.log10(least / pad), Math.log10(most * pad)]
  const start = zero ? ZERO_ROOM : 0
  const decades = to - from
  const every = decades > wanted ? Math.ceil(decades / wanted) : 1
  const marks = decades > 3 ? [1] : decades > 1.4 ? [1, 3] : decades > 0.7 ? [1, 2, 5] : null
  const ticks: number[] = zero ? [0] : []
  if (marks) {
    for (let power = Math.floor(from); power <= Math.ceil(to); power += every)
      for (const mark of marks) {
        const value = Number((mark * 10 ** power).toPrecision(12))
        if (Math.log10(value) >= from && Math.log10(value) <= to) ticks.push(value)
      }
  } else {
    // Less than a decade's part: evenly spaced round numbers read better than powers.
    const [low, high] = [10 ** from, 10 ** to]
    const step = niceStep(high - low, wanted)
    for (let n = Math.ceil(low / step); n * step <= high; n++) ticks.push(Number((n * step).toPrecision(12)))
  }
  return {
    kind: 'log',
    domain: [zero ? 0 : 10 ** from, 10 ** to],
    at: (value) =>
      value <= 0 ? (zero ? ZERO_ROOM / 3 : -1) : start + ((Math.log10(value) - from) / decades) * (1 - start),
    ticks,
  }
}

/** An axis that shows all these values; a logarithmic one keeps a place for zero when there is one. */
export function scaleOf(values: readonly number[], kind: ScaleKind, wanted = 6): Scale {
  const finite = values.filter(Number.isFinite)
  if (finite.length === 0) return linear(0, 1, wanted)
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  let leastPositive = Number.POSITIVE_INFINITY
  for (const value of finite) {
    least = Math.min(least, value)
    most = Math.max(most, value)
    if (value > 0) leastPositive = Math.min(leastPositive, value)
  }
  if (kind === 'log' && most > 0 && least >= 0) return log(leastPositive, most, least === 0, wanted)
  return linear(least, most, wanted)
}

/** The kind that shows these values best: logarithmic when the positive ones span more than a factor of 30. */
export function suitedScale(values: readonly number[]): ScaleKind {
  const positive = values.filter((value) => value > 0 && Number.isFinite(value))
  if (positive.length < 2) return 'linear'
  return positive.reduce((a, b) => Math.max(a, b)) > 30 * positive.reduce((a, b) => Math.min(a, b))
    ? 'log'
    : 'linear'
}

/** Significant digits, from three to eight, that say every tick as it is. */
export function tickDigits(ticks: readonly number[]): number {
  const enough = (digits: number) =>
    ticks.every((tick) => Math.abs(Number(tick.toPrecision(digits)) - tick) <= Math.abs(tick) * 1e-9)
  for (let digits = 3; digits < 8; digits++) if (enough(digits)) return digits
  return 8
}
