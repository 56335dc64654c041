import type { Candidate } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import { choose } from './systems.ts'

const candidate = (id: string, p99: number, energyJ: number) =>
  ({ id, estimate: { latencyMs: { p99 }, energyJ } }) as unknown as Candidate

test('of the placements that are as fast, the one that takes the least energy is chosen', () => {
  const fast = candidate('fast', 1000, 50)
  const thrifty = candidate('thrifty', 1090, 40)
  const slow = candidate('slow', 1200, 10)
  expect(choose([fast, thrifty, slow], 0.1)).toBe(thrifty)
  expect(choose([fast, thrifty, slow], 0)).toBe(fast)
  expect(choose([fast, thrifty, slow], 0.25)).toBe(slow)
})

test('what misses the goal of 10 s is chosen only where nothing meets it', () => {
  const late = candidate('late', 10_500, 1)
  expect(choose([candidate('within', 9_900, 50), late], 0.1)?.id).toBe('within')
  expect(choose([candidate('later', 12_000, 1), late], 0.1)?.id).toBe('late')
})
