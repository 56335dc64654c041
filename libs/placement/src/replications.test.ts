import { expect, test } from 'vitest'
import { areTied, intervalOf, REPLICATIONS } from './replications.ts'

test('the interval of five values is that of Student', () => {
  expect(REPLICATIONS).toBe(5)
  const { low, high } = intervalOf([1, 2, 3, 4, 5])
  // 3 +- 2.776 * sqrt(2.5) / sqrt(5)
  expect(low).toBeCloseTo(3 - 1.963, 3)
  expect(high).toBeCloseTo(3 + 1.963, 3)
  expect(intervalOf([7, 7, 7, 7, 7])).toEqual({ low: 7, high: 7 })
})

test('candidates are compared seed by seed', () => {
  const luck = [10, 50, 20, 90, 40]
  // always a little slower: not tied, though the intervals of both overlap widely
  expect(areTied(luck, [11, 51.2, 21, 90.9, 41.1])).toBe(false)
  expect(areTied(luck, [12, 49, 21, 89, 40])).toBe(true)
  expect(areTied(luck, luck)).toBe(true)
})
