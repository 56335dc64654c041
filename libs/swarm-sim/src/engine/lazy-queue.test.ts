import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LazyQueue } from './lazy-queue.ts'

const delay = fc.oneof(
  // many at the same time, and now
  fc.constantFrom(0, 0, 1, 2.5, 1000),
  fc.double({ min: 0, max: 50, noNaN: true }),
  fc.double({ min: 0, max: 1e-6, noNaN: true }),
  fc.double({ min: 0, max: 1e7, noNaN: true }),
)

/** Adds some at once, each after a delay from now, then takes some. */
const step = fc.record({
  delays: fc.array(delay, { minLength: 1, maxLength: 4 }),
  times: fc.constantFrom(1, 1, 3, 40, 400),
  taken: fc.oneof(fc.nat(20), fc.nat(1000)),
})

test('entries are taken in the order of time, and those of one time as they were added, whatever comes in between', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = new LazyQueue()
      const waiting: { entry: number; time: number }[] = []
      let now = 0
      let made = 0
      const take = () => {
        // the first of those that are due first
        const next = waiting.reduce((first, each) => (each.time < first.time ? each : first))
        waiting.splice(waiting.indexOf(next), 1)
        expect(queue.due).toBe(next.time)
        expect(queue.take()).toBe(next.entry)
        now = next.time
      }
      for (const { delays, times, taken } of steps) {
        for (let each = 0; each < times * delays.length; each++) {
          const entry = made++
          const time = now + (delays[each % delays.length] as number) * (1 + (each % 7))
          queue.add(entry, time)
          waiting.push({ entry, time })
        }
        expect(queue.size).toBe(waiting.length)
        for (let left = Math.min(taken, waiting.length); left > 0; left--) take()
      }
      while (waiting.length > 0) take()
      expect(queue.due).toBe(Number.POSITIVE_INFINITY)
      expect(queue.size).toBe(0)
    }),
    { numRuns: 60 },
  )
})

test('times that lie on the edges of days keep their order', () => {
  const queue = new LazyQueue()
  const waiting: { entry: number; time: number }[] = []
  let now = 0
  for (let entry = 0; entry < 5000; entry++) {
    const time = now + ((entry * 7) % 50)
    queue.add(entry, time)
    waiting.push({ entry, time })
    if (entry < 100) continue
    waiting.sort((a, b) => a.time - b.time || a.entry - b.entry)
    const next = waiting.shift()
    now = queue.due
    expect({ entry: queue.take(), time: now }).toEqual(next)
  }
})

test('a list is as long as it must be', () => {
  for (let count = 30; count < 300; count++) {
    const queue = new LazyQueue()
    for (let entry = 0; entry < count; entry++) queue.add(count + entry, 0.5)
    expect(queue.due).toBe(0.5)
    for (let entry = 0; entry < count; entry++) queue.add(entry, 0.25)
    for (let entry = 0; entry < 2 * count; entry++) {
      expect(queue.due).toBe(entry < count ? 0.25 : 0.5)
      expect(queue.take()).toBe(entry)
    }
  }
})

test('what lies far behind the shortest of days is found', () => {
  const queue = new LazyQueue()
  for (let entry = 0; entry < 1000; entry++) queue.add(entry, entry * 1e-9)
  for (let turn = 0; turn < 20_000; turn++) {
    const now = queue.due
    queue.add(queue.take(), now + 1e-6)
  }
  for (let entry = 0; entry < 100; entry++) queue.add(1000 + entry, 1e12 + entry)
  for (let left = 1000; left > 0; left--) {
    expect(queue.due).toBeLessThan(1)
    queue.take()
  }
  for (let entry = 0; entry < 100; entry++)
    expect([queue.due, queue.take()]).toEqual([1e12 + entry, 1000 + entry])
})

test('thousands at one time, each of which brings another, stay in order', () => {
  const queue = new LazyQueue()
  const count = 20_000
  for (let entry = 0; entry < count; entry++) queue.add(entry, 5)
  let now = 5
  for (const delay of [0, 1, 0, 0.25, 900]) {
    const taken: number[] = []
    for (let left = count; left > 0; left--) {
      expect(queue.due).toBe(now)
      const entry = queue.take()
      taken.push(entry)
      queue.add(entry, now + delay)
    }
    expect(taken).toEqual(Array.from({ length: count }, (_, entry) => entry))
    now += delay
  }
})

test('days follow the times from one scale to another', () => {
  const queue = new LazyQueue()
  let now = 0
  let made = 0
  for (const scale of [1, 1e-9, 1e6, 1e-3, 1e12]) {
    for (let entry = 0; entry < 1000; entry++) queue.add(made++, now + scale * ((entry * 0.618) % 1))
    let last = now
    for (let turn = 0; turn < 20_000; turn++) {
      now = queue.due
      expect(now).toBeGreaterThanOrEqual(last)
      last = now
      queue.add(queue.take(), now + scale * ((turn * 0.618) % 1))
    }
    while (queue.size > 100) {
      now = queue.due
      queue.take()
    }
  }
})

test('what is never due comes last, and hides nothing that is added later', () => {
  const queue = new LazyQueue()
  for (let entry = 0; entry < 100; entry++) queue.add(entry, Number.POSITIVE_INFINITY)
  queue.add(100, 3)
  expect([queue.due, queue.take()]).toEqual([3, 100])
  expect([queue.due, queue.take()]).toEqual([Number.POSITIVE_INFINITY, 0])
  queue.add(101, 7)
  expect([queue.due, queue.take()]).toEqual([7, 101])
  for (let entry = 1; entry < 100; entry++)
    expect([queue.due, queue.take()]).toEqual([Number.POSITIVE_INFINITY, entry])
  expect(queue.size).toBe(0)
})
