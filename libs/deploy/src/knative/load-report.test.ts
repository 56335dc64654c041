import { expect, test } from 'vitest'
import { LoadReport } from './load-report.ts'

/** Requests that are held until the test lets them go. */
function holds() {
  const open: PromiseWithResolvers<void>[] = []
  let failures = 0
  const report = new LoadReport(
    () => {
      const one = Promise.withResolvers<void>()
      open.push(one)
      return one.promise
    },
    () => {
      failures += 1
    },
  )
  return {
    report,
    open: () => open.length,
    failures: () => failures,
    /** The oldest is answered. */
    answer: async () => {
      open.shift()?.resolve()
      await new Promise(setImmediate)
    },
    refuse: async () => {
      open.shift()?.reject(new Error('gone'))
      await new Promise(setImmediate)
    },
  }
}

test('a request is held for each call that is under way at once', () => {
  const { report, open } = holds()
  report.began()
  expect(open()).toBe(1)
  report.began()
  expect(open()).toBe(2)
  report.ended()
  report.began()
  expect(open()).toBe(2)
})

test('another one follows as long as the call goes on, or another has begun meanwhile', async () => {
  const { report, open, answer } = holds()
  report.began()
  await answer()
  expect(open()).toBe(1)
  report.ended()
  report.began()
  report.ended()
  await answer()
  expect(open()).toBe(1)
  await answer()
  expect(open()).toBe(0)
  report.began()
  expect(open()).toBe(1)
})

test('two calls after each other count as one', async () => {
  const { report, open, answer } = holds()
  report.began()
  report.began()
  report.ended()
  await answer()
  await answer()
  // the first goes on
  expect(open()).toBe(2)
  await answer()
  await answer()
  expect(open()).toBe(1)
})

test('a request that is not held is told, and the next call tries again', async () => {
  const { report, open, refuse, failures } = holds()
  report.began()
  await refuse()
  expect([open(), failures()]).toEqual([0, 1])
  report.began()
  report.ended()
  report.ended()
  report.began()
  expect(open()).toBeGreaterThan(0)
})
