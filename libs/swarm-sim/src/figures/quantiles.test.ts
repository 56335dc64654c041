import { quantileOf } from '@hivemind/swarm'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Quantiles } from './quantiles.ts'

const SHARES = [0, 0.01, 0.5, 0.95, 0.99, 0.999, 1]

function quantilesOf(values: readonly number[]): Quantiles {
  const quantiles = new Quantiles()
  for (const value of values) quantiles.add(value)
  return quantiles
}

const someValues = fc.array(
  fc.oneof(fc.double({ min: 0, max: 1e9, noNaN: true }), fc.constantFrom(0, 1, 2)),
  { maxLength: 300, size: 'max' },
)

test('few values give exact quantiles', () => {
  fc.assert(
    fc.property(someValues, (values) => {
      const sorted = [...values].sort((a, b) => a - b)
      const expected = SHARES.map((share) => quantileOf(sorted, share))
      expect(quantilesOf(values).at(...SHARES)).toEqual(expected)
      for (const [at, share] of SHARES.entries())
        expect(quantilesOf(values).at(share)).toEqual([expected[at]])
    }),
  )
})

test('many values give quantiles within 0.2 %', () => {
  let state = 7
  const uniform = () => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    return (state + 0.5) / 0x80000000
  }
  for (const draw of [uniform, () => -Math.log(uniform()) * 1e-4, () => 1e6 * uniform() ** 8]) {
    const values = Array.from({ length: 100_000 }, draw)
    const sorted = [...values].sort((a, b) => a - b)
    const quantiles = quantilesOf(values)
    expect(quantiles.mean).toBeCloseTo(values.reduce((sum, each) => sum + each, 0) / values.length, 9)
    for (const share of SHARES) {
      const exact = quantileOf(sorted, share)
      expect(Math.abs((quantiles.at(share)[0] ?? 0) - exact)).toBeLessThanOrEqual(0.002 * exact)
    }
  }
})

test('4,096 values are exact still, however they come', () => {
  const values = Array.from({ length: 4096 }, (_, at) => Math.sqrt((at * 2654435761) % 4096))
  const sorted = [...values].sort((a, b) => a - b)
  const columns = new Quantiles()
  columns.addAll(Float64Array.from(values), 3000)
  columns.addAll(Float64Array.from(values.slice(3000)), 1096)
  for (const quantiles of [quantilesOf(values), columns])
    expect(quantiles.at(...SHARES)).toEqual(SHARES.map((share) => quantileOf(sorted, share)))
})

test('columns of values give what the values give one by one', () => {
  const sizes = fc.array(fc.oneof(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1000, max: 5000 })), {
    maxLength: 5,
  })
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 9000 }), (lengths, expected) => {
      const [whole, single] = [new Quantiles(expected), new Quantiles()]
      let drawn = 0
      for (const length of lengths) {
        const column = Float64Array.from({ length }, () => (7919 * ++drawn) % 1009)
        // what lies behind is none of them
        whole.addAll(Float64Array.of(...column, 1e9), length)
        for (const value of column) single.add(value)
        single.add(drawn)
        whole.add(drawn)
      }
      expect([whole.count, whole.sum, whole.mean]).toEqual([single.count, single.sum, single.mean])
      expect(whole.at(...SHARES)).toEqual(single.at(...SHARES))
    }),
  )
})

test('nothing, zeros, and one value again and again', () => {
  expect(new Quantiles().at(0.5, 0.99)).toEqual([0, 0])
  expect(quantilesOf(Array.from({ length: 10_000 }, () => 0)).at(0, 0.5, 1)).toEqual([0, 0, 0])
  expect(quantilesOf(Array.from({ length: 10_000 }, () => 0.3)).at(0, 0.5, 1)).toEqual([0.3, 0.3, 0.3])
})
