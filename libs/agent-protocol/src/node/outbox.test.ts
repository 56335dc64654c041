import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { Frame } from '../session.ts'
import { Outbox } from './outbox.ts'

const frame: Frame<never> = { b: 'one', p: 'two', n: 1, a: 1, m: [] }

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setImmediate', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

test('what is not urgent waits for a while after what was sent last, and goes once', () => {
  const frames = vi.fn(() => [frame])
  const publish = vi.fn()
  const outbox = new Outbox({ frames }, publish)
  outbox.wake(false)
  vi.advanceTimersByTime(5)
  expect(publish).toHaveBeenCalledTimes(1)
  for (let n = 0; n < 10; n += 1) outbox.wake(false)
  vi.advanceTimersByTime(1)
  expect(publish).toHaveBeenCalledTimes(1)
  vi.advanceTimersByTime(60)
  expect(publish).toHaveBeenCalledTimes(2)
})

test('what is urgent goes at the end of the turn, and takes along what waits', () => {
  const publish = vi.fn()
  const outbox = new Outbox({ frames: () => [frame] }, publish)
  outbox.wake(true)
  outbox.wake(true)
  vi.advanceTimersByTime(1)
  expect(publish).toHaveBeenCalledTimes(1)
  outbox.wake(false)
  outbox.wake(true)
  vi.advanceTimersByTime(60)
  expect(publish).toHaveBeenCalledTimes(2)
})
