/** Numbers as text: three significant digits, in the unit that keeps them readable. */

/** A number with three significant digits and without trailing zeros, `0` for zero, `–` for NaN and infinity. */
export function number(value: number, digits = 3): string {
  if (!Number.isFinite(value)) return '–'
  if (value === 0) return '0'
  const size = Math.abs(value)
  if (size >= 10 ** digits) return Math.round(value).toLocaleString('en-GB')
  if (size < 1e-6) return value.toExponential(1)
  return String(Number(value.toPrecision(digits)))
}

/** `value` in the first of `steps` (factor and unit, largest first) that is not larger than it. */
const scaled = (value: number, steps: readonly (readonly [number, string])[], digits = 3): string => {
  const size = Math.abs(value)
  const step = steps.find(([from]) => size >= from) ?? steps.at(-1)
  if (!step) return number(value, digits)
  return `${number(value / step[0], digits)} ${step[1]}`
}

/** A time in ms. */
export const time = (ms: number, digits?: number): string =>
  !Number.isFinite(ms)
    ? '–'
    : ms === 0
      ? '0 ms'
      : scaled(
          ms,
          [
            [3_600_000, 'h'],
            [60_000, 'min'],
            [1000, 's'],
            [1, 'ms'],
            [0.001, 'µs'],
          ],
          digits,
        )

/** An energy in J. */
export const energy = (joule: number, digits?: number): string =>
  !Number.isFinite(joule)
    ? '–'
    : joule === 0
      ? '0 J'
      : scaled(
          joule,
          [
            [1000, 'kJ'],
            [1, 'J'],
            [0.001, 'mJ'],
          ],
          digits,
        )

/** A bandwidth in MB/s. */
export const bandwidth = (value: number, digits?: number): string =>
  !Number.isFinite(value)
    ? '–'
    : value === 0
      ? '0 MB/s'
      : scaled(
          value,
          [
            [1000, 'GB/s'],
            [1, 'MB/s'],
            [0.001, 'kB/s'],
          ],
          digits,
        )

/** A size in bytes. */
export const bytes = (value: number): string =>
  !Number.isFinite(value)
    ? '–'
    : scaled(value, [
        [1e9, 'GB'],
        [1e6, 'MB'],
        [1e3, 'kB'],
        [1, 'B'],
      ])

/** An amount in USD. */
export function cost(usd: number): string {
  if (!Number.isFinite(usd)) return '–'
  if (usd === 0) return '$0'
  return usd >= 0.01 ? `$${usd >= 100 ? number(usd) : usd.toFixed(usd >= 1 ? 2 : 3)}` : `$${number(usd, 2)}`
}

/** A share (0..1) in percent. */
export const share = (value: number): string => (Number.isFinite(value) ? `${number(value * 100, 2)}%` : '–')

/** Deviation of a measurement from its estimate: `+12%`; `×3.4` from twice the estimate up; `–` without an estimate. */
export function deviation(measured: number, estimated: number): string {
  if (!Number.isFinite(measured) || !Number.isFinite(estimated) || estimated <= 0) return '–'
  const ratio = measured / estimated
  if (ratio >= 2) return `×${number(ratio, 2)}`
  const percent = Math.round((ratio - 1) * 100)
  return percent === 0 ? '±0%' : `${percent > 0 ? '+' : '−'}${Math.abs(percent)}%`
}

/** An ISO 8601 instant as local time, with the date unless it is today. */
export function instant(iso: string, now = new Date()): string {
  const date = new Date(iso)
  if (Number.isNaN(date.getTime())) return '–'
  const clock = date.toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
  if (date.toDateString() === now.toDateString()) return clock
  return `${date.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })}, ${clock}`
}

/** The time from an ISO 8601 instant to `now` (ms since 1970): `now` below 3 s, else like `12 s ago`. */
export function ago(iso: string, now: number): string {
  const seconds = (now - Date.parse(iso)) / 1000
  if (Number.isNaN(seconds)) return '–'
  if (seconds < 3) return 'now'
  const [size, unit] =
    seconds < 60 ? [1, 's'] : seconds < 3600 ? [60, 'min'] : seconds < 86_400 ? [3600, 'h'] : [86_400, 'd']
  return `${Math.floor(seconds / size).toLocaleString('en-GB')} ${unit} ago`
}

/**
 * A count with all its digits up to a quadrillion. The largest float64, and `null` in explorations stored by older
 * versions, stand for any larger count.
 */
export const whole = (n: number | null): string =>
  n === null || n >= Number.MAX_VALUE
    ? 'over 10^308'
    : n < 1e15
      ? n.toLocaleString('en-GB')
      : n.toExponential(1)

/** `1 item`, `2 items`. */
export const count = (n: number | null, one: string, many = `${one}s`): string =>
  `${whole(n)} ${n === 1 ? one : many}`
