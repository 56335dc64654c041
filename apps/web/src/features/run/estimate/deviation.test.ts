import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Span } from '../../../api/types.ts'
import { deviationOf, meanQueues, sentenceOf } from './deviation.ts'

const parts = (network: number, management: number, dataExchange: number, execution: number) => ({
  network,
  management,
  dataExchange,
  execution,
})

test('the reason for a deviation is the part that makes it, in a sentence', () => {
  const sentence = (...[measured, estimated, queueMs]: [number[], number[], number?]) => {
    const of = ([a = 0, b = 0, c = 0, d = 0]: number[]) => parts(a, b, c, d)
    const deviation = deviationOf(of(measured), of(estimated))
    return deviation && sentenceOf(deviation, queueMs)
  }
  expect(sentence([0, 80, 2, 1], [0, 0, 2, 1], 78)).toBe(
    '80 ms longer than estimated, because of the queue (80 ms instead of 0 ms).',
  )
  expect(sentence([0, 80, 2, 1], [0, 0, 2, 1], 3)).toContain('because of the dispatch (80 ms')
  expect(sentence([40, 0, 0, 10], [2, 0, 0, 10])).toContain('because of the network (40 ms instead of 2 ms)')
  expect(sentence([0, 0, 1, 10], [0, 0, 1, 40])).toBe(
    '30 ms shorter than estimated, because of the service time (10 ms instead of 40 ms).',
  )
  // What pulls the other way is no reason; two parts that both make much of it are.
  expect(sentence([0, 0, 30, 50], [20, 0, 5, 10])).toBe(
    '45 ms longer than estimated, because of the service time (50 ms instead of 10 ms) and the data exchange (30 ms instead of 5 ms).',
  )
  expect(sentence([0, 0, 0, 105], [0, 0, 0, 100])).toBe('As estimated: 105 ms measured, 100 ms estimated.')
  expect(sentence([0, 5, 0, 1], [0, 0, 0, 0])).toBeUndefined()
})

test('a deviation beyond the bounds always has a reason, and reasons pull its way', () => {
  const ms = fc.double({ min: 0, max: 1e5, noNaN: true })
  const any = fc.tuple(ms, ms, ms, ms).map((four) => parts(...four))
  fc.assert(
    fc.property(any, any, (measured, estimated) => {
      const deviation = deviationOf(measured, estimated)
      if (!deviation || deviation.kind === 'agrees') return
      expect(deviation.reasons.length).toBeGreaterThan(0)
      for (const each of deviation.reasons)
        expect(each.measuredMs > each.estimatedMs).toBe(deviation.kind === 'longer')
    }),
  )
})

test('the mean queue is over the invocations that succeeded', () => {
  const span = (waited: number, status: Span['status'] = 'ok'): Span => ({
    task: 'judge',
    device: 'd',
    seq: 0,
    tier: 'edge',
    worker: 'd',
    queuedAt: 0,
    startedAt: waited,
    endedAt: waited + 10,
    breakdown: parts(0, waited + 1, 0, 9),
    bytesIn: 0,
    bytesOut: 0,
    items: 1,
    status,
    attempt: 1,
  })
  expect(meanQueues([span(10), span(30), span(1000, 'failed')])).toEqual(new Map([['judge', 20]]))
})
