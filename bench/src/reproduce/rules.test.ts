import { expect, test } from 'vitest'
import { all, atLeast, atMost, from, near, percent, plain, type Rule, within } from './rules.ts'
import { STATEMENTS } from './statements/index.ts'

const verdicts = (rule: Rule, values: number[]) => values.map((value) => rule.judge(value))

test('a share is met near theirs, partly farther away, and missed beyond that', () => {
  const rule = near(0.22, 0.06, 0.1)
  expect(verdicts(rule, [0.22, 0.27, 0.3, 0.1, 0.6])).toEqual(['met', 'met', 'partly', 'missed', 'missed'])
  expect(rule.text).toBe('22 % ± 6 points; partly ± 10')
})

test('a size far above theirs is missed, as is one far below', () => {
  const rule = within(0.56, 1.25, 2, percent)
  expect(verdicts(rule, [0.56, 0.46, 0.3, 1.1, 0.27, 1.2, -0.5])).toEqual([
    'met',
    'met',
    'partly',
    'partly',
    'missed',
    'missed',
    'missed',
  ])
  expect(rule.text).toBe('45 % to 70 %, a factor of 1.25; partly 28 % to 112 %, a factor of 2')
})

test('bounds, ranges and counts have their ends inside', () => {
  expect(verdicts(atLeast(3, plain, 2), [3, 2, 1.9])).toEqual(['met', 'partly', 'missed'])
  expect(verdicts(atMost(2, plain, 3), [2, 3, 3.1])).toEqual(['met', 'partly', 'missed'])
  expect(verdicts(from(4, 6, 3, 8), [4, 6, 3, 8, 9])).toEqual(['met', 'met', 'partly', 'partly', 'missed'])
  expect(verdicts(all(12, 9, 'less'), [12, 9, 8])).toEqual(['met', 'partly', 'missed'])
  expect(verdicts(atLeast(3, plain), [3, 2.9])).toEqual(['met', 'missed'])
})

test.each([Number.NaN])('%s, which no experiment should give, is missed', (value) => {
  for (const { rule, id } of STATEMENTS) expect(rule.judge(value), id).toBe('missed')
})

test('the rule of every row can be met and can fail', () => {
  for (const { rule, id } of STATEMENTS) {
    expect(rule.judge(rule.examples.met), id).toBe('met')
    expect(rule.judge(rule.examples.missed), id).toBe('missed')
  }
})

test('rows have a name each, and no more than a third of them is for calibration', () => {
  expect(new Set(STATEMENTS.map(({ id }) => id)).size).toBe(STATEMENTS.length)
  expect(STATEMENTS.length).toBeGreaterThanOrEqual(45)
  expect(STATEMENTS.filter(({ calibration }) => calibration).length).toBeLessThanOrEqual(
    STATEMENTS.length / 3,
  )
})
