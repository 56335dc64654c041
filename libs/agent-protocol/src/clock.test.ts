import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ClockEstimator } from './clock.ts'

/** A device clock that drifts, and answers over links of random delays. */
function* roundTrips(offset: number, drift: number, delays: readonly [number, number][], startAt = 0) {
  let now = startAt
  const device = (at: number) => (at - startAt) * (1 + drift) + startAt - offset
  for (const [there, back] of delays) {
    const sentAt = now
    const held = 900
    const receivedAt = sentAt + there + held + back
    const deviceAt = device(sentAt + there + held)
    yield {
      trip: { sentAt, receivedAt, deviceAt, heldMs: deviceAt - device(sentAt + there) },
      true: receivedAt - device(receivedAt),
    }
    now = receivedAt + 100
  }
}

const delays = fc.array(
  fc.tuple(fc.double({ min: 0, max: 50, noNaN: true }), fc.double({ min: 0, max: 50, noNaN: true })),
  {
    minLength: 1,
    maxLength: 60,
    size: 'max',
  },
)

test('the true offset is always within the uncertainty, for any delays and any drift up to the bound', () => {
  fc.assert(
    fc.property(
      fc.double({ min: -1e9, max: 1e9, noNaN: true }),
      fc.double({ min: -190e-6, max: 190e-6, noNaN: true }),
      delays,
      (offset, drift, list) => {
        const clock = new ClockEstimator()
        for (const { trip, true: truth } of roundTrips(offset, drift, list)) {
          clock.add(trip)
          const estimate = clock.estimate(trip.receivedAt)
          expect(Math.abs((estimate?.offsetMs ?? Number.NaN) - truth)).toBeLessThanOrEqual(
            (estimate?.uncertaintyMs ?? Number.NaN) + 1e-3,
          )
          expect(estimate?.jumps).toBe(0)
        }
      },
    ),
  )
})

test('one fast round trip among slow ones makes the estimate good, and it ages', () => {
  const clock = new ClockEstimator()
  const list: [number, number][] = [
    [40, 5],
    [0.2, 0.3],
    [3, 45],
  ]
  let last = 0
  for (const { trip } of roundTrips(1234, 0, list)) {
    clock.add(trip)
    last = trip.receivedAt
  }
  const now = clock.estimate(last)
  expect(now?.offsetMs).toBeCloseTo(1234, 0)
  expect(now?.uncertaintyMs).toBeLessThan(1)
  expect(now?.roundTripMs).toBeCloseTo(48)
  expect(clock.estimate(last + 60_000)?.uncertaintyMs).toBeCloseTo((now?.uncertaintyMs ?? 0) + 12)
})

test('a jump of a clock is noticed and followed', () => {
  const clock = new ClockEstimator()
  const list: [number, number][] = Array.from({ length: 5 }, () => [1, 1])
  let end = 0
  for (const { trip } of roundTrips(100, 0, list)) {
    clock.add(trip)
    end = trip.receivedAt
  }
  for (const { trip } of roundTrips(5_100, 0, list, end)) clock.add(trip)
  const estimate = clock.estimate(end + 5_000)
  expect(estimate?.jumps).toBe(1)
  expect(Math.abs((estimate?.offsetMs ?? 0) - 5_100)).toBeLessThanOrEqual(estimate?.uncertaintyMs ?? 0)
})

test('nothing is known before a round trip, and impossible ones are ignored', () => {
  const clock = new ClockEstimator()
  expect(clock.estimate(0)).toBeNull()
  clock.add({ sentAt: 10, receivedAt: 5, deviceAt: 1, heldMs: 0 })
  clock.add({ sentAt: 10, receivedAt: 15, deviceAt: Number.NaN, heldMs: 0 })
  clock.add({ sentAt: 10, receivedAt: 15, deviceAt: 1, heldMs: 6 })
  expect(clock.estimate(0)).toBeNull()
})
