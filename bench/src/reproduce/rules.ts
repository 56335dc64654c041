/** When a row is met: a rule judges one number, and is written before the number is known. */

export type Verdict = 'met' | 'partly' | 'missed'

/** A rule, with a number that it calls met and one that it calls missed: a rule that cannot fail is none. */
export interface Rule {
  text: string
  judge: (value: number) => Verdict
  examples: { met: number; missed: number }
}

export type Show = (value: number) => string

export const percent: Show = (share) => `${(100 * share).toFixed(0)} %`
export const times: Show = (factor) => `${factor.toFixed(2)}x`
export const plain: Show = (value) => `${value}`

const rule = (
  text: string,
  isMet: (value: number) => boolean,
  isPartly: (value: number) => boolean,
  examples: Rule['examples'],
): Rule => ({
  text,
  judge: (value) => (isMet(value) ? 'met' : isPartly(value) ? 'partly' : 'missed'),
  examples,
})

/** A share that is at most so many percentage points away from theirs. */
export function near(theirs: number, met: number, partly: number): Rule {
  const points = (share: number) => Math.round(100 * share)
  const away = (value: number) => Math.abs(value - theirs)
  return rule(
    `${points(theirs)} % ± ${points(met)} points; partly ± ${points(partly)}`,
    (value) => away(value) <= met,
    (value) => away(value) <= partly,
    { met: theirs, missed: theirs + 2 * partly },
  )
}

/** At most so many times above or below their figure. */
export function within(theirs: number, met: number, partly: number, show: Show): Rule {
  const holds = (value: number, factor: number) => value >= theirs / factor && value <= theirs * factor
  const band = (factor: number) => `${show(theirs / factor)} to ${show(theirs * factor)}`
  return rule(
    `${band(met)}, a factor of ${met}; partly ${band(partly)}, a factor of ${partly}`,
    (value) => holds(value, met),
    (value) => holds(value, partly),
    { met: theirs, missed: theirs * partly * 2 },
  )
}

/** At least `met`; partly at least `partly`, where there is such a bound. */
export function atLeast(met: number, show: Show, partly?: number): Rule {
  const low = Math.min(met, partly ?? met)
  return rule(
    `at least ${show(met)}${partly === undefined ? '' : `; partly at least ${show(partly)}`}`,
    (value) => value >= met,
    (value) => partly !== undefined && value >= partly,
    { met, missed: low - Math.max(1, Math.abs(low)) },
  )
}

/** At most `met`; partly at most `partly`, where there is such a bound. */
export function atMost(met: number, show: Show, partly?: number): Rule {
  const high = Math.max(met, partly ?? met)
  return rule(
    `at most ${show(met)}${partly === undefined ? '' : `; partly at most ${show(partly)}`}`,
    (value) => value <= met,
    (value) => partly !== undefined && value <= partly,
    { met, missed: high + Math.max(1, Math.abs(high)) },
  )
}

/** From `low` to `high`; partly from `widerLow` to `widerHigh`. */
export function from(low: number, high: number, widerLow: number, widerHigh: number): Rule {
  return rule(
    `${low} to ${high}; partly ${widerLow} to ${widerHigh}`,
    (value) => value >= low && value <= high,
    (value) => value >= widerLow && value <= widerHigh,
    { met: low, missed: widerHigh + 1 },
  )
}

/** All of so many cases; partly at least so many of them. `what` says what each case must show. */
export function all(of: number, partly: number, what: string): Rule {
  return rule(
    `${what}, in all ${of}; partly in ${partly}`,
    (value) => value >= of,
    (value) => value >= partly,
    { met: of, missed: partly - 1 },
  )
}
