import { expect, test } from 'vitest'
import { PATIENCE, Router, type Routing } from './router.ts'

/** The lines of nextpnr's table, with what is left after each thousand steps. */
const table = (left: number[]): string[] => [
  'Info: Routing 159405 arcs.',
  'Info:            |   (re-)routed arcs  |   delta    | remaining|       time spent     |',
  'Info:    IterCnt |  w/ripup   wo/ripup |  w/r  wo/r |      arcs| batch(sec) total(sec)|',
  ...left.map(
    (connections, n) =>
      `Info: ${String((n + 1) * 1000).padStart(10)} |    67   ${n}932 |  -67   932 | ${String(connections).padStart(9)}|       4.39       4.39|`,
  ),
]
const read = (lines: string[]): { router: Router; seen: Routing[] } => {
  const router = new Router()
  const seen = lines.flatMap((line) => router.read(line) ?? [])
  return { router, seen }
}

test('it says how many connections are made', () => {
  const { router, seen } = read(table([158_494, 100_000, 0]))
  expect(seen).toEqual([911, 59_405, 159_405].map((made) => ({ made, of: 159_405 })))
  expect(router.problem).toBeUndefined()
})

test('a route that falls back for a while goes on, as those did that ended', () => {
  const back = Array.from({ length: 6 }, (_, n) => 14_563 + 300 * (n + 1))
  expect(read(table([40_000, 14_563, ...back, 14_000, 0])).router.problem).toBeUndefined()
})

test('one without fewer connections left for too many steps is given up, and not a step before', () => {
  const stand = Array.from({ length: PATIENCE.steps / 1000 }, () => 42_000)
  expect(read(table([42_000, ...stand.slice(1)])).router.problem).toBeUndefined()
  expect(read(table([42_000, ...stand])).router.problem).toBe(
    'the router goes in circles: 42000 of 159405 connections were left at its step 1000, and never fewer in 30000 more',
  )
})

test('one with many more left than once is given up', () => {
  expect(read(table([42_000, 46_999])).router.problem).toBeUndefined()
  expect(read(table([42_000, 44_000, 47_000])).router.problem).toBe(
    'the router goes in circles: 42000 of 159405 connections were left at its step 1000, and 47000 at step 3000',
  )
})
