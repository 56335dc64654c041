import fc from 'fast-check'
import { expect, it } from 'vitest'
import { addExactly, meanOf } from './exact.ts'

const mean = (values: readonly number[]) => meanOf(values.reduce(addExactly, [] as number[]), values.length)

it.each([
  [[1, 3, 5], 3],
  [[0.1, 0.2, 0.3], 0.2],
  [[1e308, 1e-300, -1e308], 1e-300 / 3],
  [[1, 1e100, 1, -1e100], 0.5],
  [[-0, 0], 0],
  [[5e-324, 0], 0],
  [[5e-324, 5e-324, 5e-324, 0], 5e-324],
  [[-1, -2], -1.5],
])('the mean of %j is %j', (values, expected) => {
  expect(mean(values)).toBe(expected)
})

it('has no order and rounds once', () => {
  // within these bounds the sum of whole numbers is exact in a double, so one division rounds once
  const whole = fc.array(fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), { minLength: 1, maxLength: 50 })
  fc.assert(
    fc.property(whole, (values) => {
      const expected = values.reduce((sum, x) => sum + x, 0) / values.length
      expect(mean(values)).toBe(expected === 0 ? 0 : expected)
    }),
  )
  const any = fc.double({ noNaN: true, min: -1e300, max: 1e300 })
  fc.assert(
    fc.property(fc.array(any, { minLength: 1, maxLength: 30 }), (values) => {
      expect(mean([...values].reverse())).toBe(mean(values))
      expect(mean(values.flatMap((x) => [x, x]))).toBe(mean(values))
    }),
  )
  fc.assert(
    fc.property(any, (x) => {
      expect(mean([x, x, x])).toBe(x === 0 ? 0 : x)
    }),
  )
})
