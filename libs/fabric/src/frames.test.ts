import { expect, test } from 'vitest'
import { readingFrame, readingOf } from './frames.ts'

test('a reading is read back with its source; no other frame is one', () => {
  expect(readingOf(readingFrame(-2.75, 0x0a000003))).toEqual({ source: 0x0a000003, value: -2.75 })
  expect(readingOf(Buffer.alloc(60))).toBeUndefined()
  expect(readingOf(readingFrame(1).subarray(0, 50))).toBeUndefined()
})
