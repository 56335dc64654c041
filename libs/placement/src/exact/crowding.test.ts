import fc from 'fast-check'
import { expect, test } from 'vitest'
import { crowdingOf } from './crowding.ts'

const coordinate = fc.integer({ min: 0, max: 9 })
const given = fc.array(fc.tuple(coordinate, coordinate, coordinate), { minLength: 1, maxLength: 40 })

test('adds up how far the neighbours in each objective are apart', () => {
  fc.assert(
    fc.property(given, (points) => {
      const expected = points.map(() => 0)
      for (const d of [0, 1, 2]) {
        const order = [...points.keys()].sort((a, b) => (points[a]?.[d] ?? 0) - (points[b]?.[d] ?? 0))
        const values = order.map((point) => points[point]?.[d] ?? 0)
        const extent = (values.at(-1) ?? 0) - (values[0] ?? 0)
        for (const [place, point] of order.entries()) {
          const gap = (values[place + 1] ?? values[place] ?? 0) - (values[place - 1] ?? values[place] ?? 0)
          if (extent > 0) expected[point] = (expected[point] ?? 0) + gap / extent
        }
      }
      // rows that are not asked about lie between
      const rows = Float64Array.from(points.flatMap((point) => [...point, 99, 99, 99]))
      const numbers = Int32Array.from(points, (_, index) => 2 * index)
      expect([...crowdingOf(rows, numbers, 3)]).toEqual(expected)
    }),
  )
})
