import { expect, test } from 'vitest'
import { near } from './rows.ts'

test('a row is met near their figure, partly farther away, and missed beyond that', () => {
  const verdicts = [0.22, 0.27, 0.3, 0.1, 0.6].map((ours) => near(ours, 0.22, 0.06, 0.1).verdict)
  expect(verdicts).toEqual(['met', 'met', 'partly', 'missed', 'missed'])
  expect(near(0, 0.22, 0.06, 0.1).rule).toBe('22 % ± 6 points; partly ± 10')
})
