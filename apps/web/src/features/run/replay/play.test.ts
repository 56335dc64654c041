import { expect, test } from 'vitest'
import { movedBy, played } from './play.ts'

test('playing moves by the time that passed, times the speed, and stops at the end', () => {
  expect(played(100, 50, 2, 1000)).toBe(200)
  expect(played(100, 50, 0.1, 1000)).toBe(105)
  expect(played(990, 50, 1, 1000)).toBe(1000)
  expect(played(100, -5, 1, 1000)).toBe(100)
})

test('keys move the cursor within the run', () => {
  const range = { from: 0, to: 1000 }
  const by = (key: string, at: number, shiftKey = false) => movedBy({ key, shiftKey }, at, range)
  expect(by('ArrowRight', 100)).toBe(105)
  expect(by('ArrowLeft', 100, true)).toBe(50)
  expect(by('ArrowLeft', 2)).toBe(0)
  expect(by('ArrowRight', 999)).toBe(1000)
  expect([by('Home', 500), by('End', 500), by('a', 500)]).toEqual([0, 1000, undefined])
})
