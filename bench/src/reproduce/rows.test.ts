import { expect, test } from 'vitest'
import { near, percent, within } from './rows.ts'

test('a row is met near their figure, partly farther away, and missed beyond that', () => {
  const verdicts = [0.22, 0.27, 0.3, 0.1, 0.6].map((ours) => near(ours, 0.22, 0.06, 0.1).verdict)
  expect(verdicts).toEqual(['met', 'met', 'partly', 'missed', 'missed'])
  expect(near(0, 0.22, 0.06, 0.1).rule).toBe('22 % ± 6 points; partly ± 10')
})

test('a row whose size is far above theirs is missed, as is one that is far below', () => {
  const verdicts = [0.56, 0.46, 0.3, 1.1, 0.27, 1.2, -0.5].map(
    (ours) => within(ours, 0.56, 1.25, 2, percent).verdict,
  )
  expect(verdicts).toEqual(['met', 'met', 'partly', 'partly', 'missed', 'missed', 'missed'])
  expect(within(0, 0.56, 1.25, 2, percent).rule).toBe(
    '45 % to 70 %, a factor of 1.25; partly 28 % to 112 %, a factor of 2',
  )
})
