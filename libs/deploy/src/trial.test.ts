/** What is concluded from the calls of two versions, and which calls go where. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { judge, type Seen, Trial } from './trial.ts'

const seen = (calls: number, failed = 0, ms: number[] = []): Seen => ({
  calls,
  failed,
  lastError: 'no such model',
  times: new Map([['loud', ms]]),
})
const times = (ms: number, count = 20): number[] => Array.from({ length: count }, () => ms)

test.each<[string, Seen, Seen, boolean | undefined, RegExp]>([
  ['too early', seen(100), seen(9), undefined, /^$/],
  ['as well as before', seen(100, 1, times(10)), seen(10, 0, times(12)), true, /^10 calls of the new /],
  ['two failures may be an accident', seen(100), seen(9, 2), undefined, /^$/],
  ['three are none, at once', seen(90), seen(3, 3), false, /^3 of 3 calls .*, and 0 of 90 .* no such model$/],
  ['as many as before', seen(90, 30), seen(10, 3), true, /^10 calls/],
  ['more than before', seen(90, 20), seen(10, 3), false, /^3 of 10 calls/],
  [
    'slower',
    seen(90, 0, times(100)),
    seen(10, 0, times(170)),
    false,
    /^'loud' takes 170.0 ms .* took 100.0 ms/,
  ],
  ['slower, but not by much', seen(90, 0, times(1)), seen(10, 0, times(9)), true, /^10 calls/],
  ['slower, by too few calls', seen(90, 0, times(100)), seen(10, 0, times(500, 19)), true, /^10 calls/],
])('%s', (_, before, next, good, why) => {
  const verdict = judge(before, next, 10)
  expect(verdict?.good).toBe(good)
  expect(verdict?.why ?? '').toMatch(why)
})

const endpoint = async () => ({ url: 'http://new' })
let trial: Trial
const options = { share: 0.1, calls: 5, limitMs: 60_000 }
beforeEach(() => {
  vi.useFakeTimers()
  trial = new Trial(options, new Map([['loud', endpoint]]), () => {})
})
afterEach(() => {
  trial.close()
  vi.useRealTimers()
})

const call = (error?: Error): boolean => {
  const tried = trial.take('loud')
  tried?.ended(error)
  return tried?.endpoint !== undefined
}

test('one call in ten goes to the new function, and none of a task that is not new', async () => {
  expect(trial.take('total')).toBeUndefined()
  const went = Array.from({ length: 40 }, () => call())
  expect(went.flatMap((toNew, index) => (toNew ? [index + 1] : []))).toEqual([10, 20, 30, 40])
  expect(trial.message).toBe(
    'Trying it on 10 % of the calls of runs on the deployment before: 4 of 5 calls, 0 failed.',
  )
  for (let index = 0; index < 10; index += 1) call()
  await expect(trial.verdict).resolves.toBeUndefined()
})

test('of a function with several tasks, calls of each are tried', () => {
  trial = new Trial({ ...options, calls: 50 }, new Map([['see+name', endpoint]]), () => {})
  const went = { see: 0, name: 0 }
  for (let index = 0; index < 40; index += 1)
    for (const task of ['see', 'name'] as const) if (trial.take('see+name', task)?.endpoint) went[task] += 1
  expect(went).toEqual({ see: 4, name: 4 })
})

test('failures of the new function alone revert it', async () => {
  for (let index = 0; index < 30; index += 1) {
    const tried = trial.take('loud')
    tried?.ended(tried.endpoint ? new Error('no such model') : undefined)
  }
  await expect(trial.verdict).rejects.toThrow(/^Reverted: 3 of 3 calls .* and 0 of 27 .*no such model$/)
})

test('too few calls until the limit revert it', async () => {
  call()
  await vi.advanceTimersByTimeAsync(options.limitMs)
  await expect(trial.verdict).rejects.toThrow(/had 0 of 5 calls in 1 min, too few to judge/)
})
