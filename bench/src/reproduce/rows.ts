/** A row of the page, and what its statements have in common. */

export interface Row {
  /** Section or figure. */
  where: string
  statement: string
  theirs: string
  ours: string
  /** When it is met, and when partly; stated before our number is looked at. */
  rule: string
  verdict: 'met' | 'partly' | 'missed'
  remark?: string
}

/** A verdict, and the rule that it follows. */
export type Judged = Pick<Row, 'rule' | 'verdict'>

export const percent = (share: number) => `${(100 * share).toFixed(0)} %`
export const ms = (value: number) =>
  value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(2)} s`
export const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length
/** By a rule in words, and whether it holds. */
export const judged = (rule: string, met: boolean, partly = false): Judged => ({
  rule,
  verdict: met ? 'met' : partly ? 'partly' : 'missed',
})
/** By the distance from their share: so many percentage points away at most. */
export function near(ours: number, theirs: number, met: number, partly: number): Judged {
  const points = (share: number) => Math.round(100 * share)
  const away = Math.abs(ours - theirs)
  return judged(
    `${points(theirs)} % ± ${points(met)} points; partly ± ${points(partly)}`,
    away <= met,
    away <= partly,
  )
}
/** By the ratio to their figure: at most so many times above or below it. */
export function within(
  ours: number,
  theirs: number,
  met: number,
  partly: number,
  show: (value: number) => string,
): Judged {
  const holds = (factor: number) => ours >= theirs / factor && ours <= theirs * factor
  const band = (factor: number) => `${show(theirs / factor)} to ${show(theirs * factor)}`
  return judged(
    `${band(met)}, a factor of ${met}; partly ${band(partly)}, a factor of ${partly}`,
    holds(met),
    holds(partly),
  )
}
