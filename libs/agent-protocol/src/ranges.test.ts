import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addSeq, countSeqs, hasSeq, type SeqRanges } from './ranges.ts'

test('ranges hold the same numbers as a set, sorted, disjoint and never adjacent', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40), { maxLength: 80 }), (numbers) => {
      const ranges: SeqRanges = []
      const set = new Set<number>()
      for (const number of numbers) {
        expect(addSeq(ranges, number)).toBe(!set.has(number))
        set.add(number)
      }
      for (let number = 0; number <= 42; number += 1) expect(hasSeq(ranges, number)).toBe(set.has(number))
      expect(countSeqs(ranges)).toBe(set.size)
      ranges.forEach(([first, end], index) => {
        expect(first).toBeLessThan(end)
        const previous = ranges[index - 1]
        if (previous) expect(first).toBeGreaterThan(previous[1])
      })
    }),
  )
})
