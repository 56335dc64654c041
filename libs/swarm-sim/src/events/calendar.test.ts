import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Calendar } from './calendar.ts'

test('entries are taken up to a time, those before the next one may still be added, and numbers are used again', () => {
  const delay = fc.double({ min: 0, max: 100, noNaN: true })
  fc.assert(
    fc.property(fc.array(fc.tuple(delay, delay), { maxLength: 400 }), (steps) => {
      const calendar = new Calendar()
      const free: number[] = []
      const waiting: { entry: number; time: number }[] = []
      let now = 0
      let made = 0
      for (const [until, after] of steps) {
        const entry = free.pop() ?? made++
        calendar.reserve(entry + 1)
        calendar.times[entry] = now + after
        calendar.add(entry)
        waiting.push({ entry, time: now + after })
        now += until / 10
        const taken: number[] = []
        for (let first = calendar.first(); first >= 0; first = calendar.first()) {
          if ((calendar.times[first] as number) >= now) break
          calendar.shift(first)
          taken.push(first)
        }
        waiting.sort((a, b) => a.time - b.time)
        const due = waiting.findIndex(({ time }) => time >= now)
        expect(taken).toEqual(waiting.splice(0, due < 0 ? waiting.length : due).map(({ entry }) => entry))
        expect(calendar.size).toBe(waiting.length)
        free.push(...taken)
      }
    }),
    { numRuns: 100 },
  )
})
