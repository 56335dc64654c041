import { expect, test } from 'vitest'
import { executionTraceparent, formatTraceparent, parseTraceparent, runContext } from './ids.ts'
import { murmur128 } from './murmur.ts'

const OUTER = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

// What mmh3 5.3.1 (Python) gives for the same bytes, in the order of the words.
test.each([
  ['a', '033bb196ccef4fe1ccef4fe1ccef4fe1'],
  ['hello', '498e49896c081b4802cf3f742cf72941'],
  ['12345678', '083fc1f2e182fa4fbd464907c7fddd7a'],
  ['123456789', '0ae17570d324424ae1c75a004f4b9699'],
  ['Größe ☃ and then some more text, long enough for three blocks', 'bbe7666428dd3b31b6dcb8d02631fa28'],
])('the hash of %j is that of MurmurHash3', (text, hash) => {
  expect(murmur128(text)).toBe(hash)
})

test('a run has a trace of its own, or that of the request that started it', () => {
  const own = runContext('run-1')
  expect(runContext('run-1')).toEqual(own)
  expect(runContext('run-2').traceId).not.toBe(own.traceId)
  expect(parseTraceparent(formatTraceparent(own))).toEqual(own)
  expect(runContext('run-1', OUTER)).toEqual({ ...own, traceId: '4bf92f3577b34da6a3ce929d0e0e4736' })
  expect(runContext('run-1', OUTER.replace(/01$/, '00')).sampled).toBe(false)
  expect(runContext('run-1', 'nonsense')).toEqual(own)
})

test('each try has spans of its own', () => {
  const key = { task: 'judge', device: 'device-1', seq: 3, attempt: 1 }
  const others = [
    { ...key, task: 'judges' },
    { ...key, device: 'device-2' },
    { ...key, seq: 4 },
    { ...key, attempt: 2 },
  ]
  const ids = [key, ...others].map((each) => executionTraceparent('run-1', OUTER, each))
  expect(new Set(ids).size).toBe(5)
  for (const id of ids) expect(id).toMatch(/^00-4bf92f3577b34da6a3ce929d0e0e4736-[0-9a-f]{16}-01$/)
})

test.each([
  ['', undefined],
  [OUTER.replace('00-', 'ff-'), undefined],
  [`${OUTER}-more`, undefined],
  [OUTER.toUpperCase(), undefined],
  ['00-00000000000000000000000000000000-00f067aa0ba902b7-01', undefined],
  ['00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01', undefined],
  // A later version may say more.
  [`01${OUTER.slice(2)}-more`, '00f067aa0ba902b7'],
])('traceparent %j', (text, spanId) => {
  expect(parseTraceparent(text)?.spanId).toBe(spanId)
})
