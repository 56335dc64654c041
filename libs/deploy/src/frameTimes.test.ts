import { expect, test } from 'vitest'
import { FrameTimes } from './frameTimes.ts'

function frame(length: number): Buffer {
  const bytes = Buffer.alloc(4 + length)
  bytes.writeUInt32BE(length)
  return bytes
}

test('every frame has one time, however the bytes are cut', () => {
  for (const cut of [1, 3, 7, 1000]) {
    const frames = new FrameTimes()
    const bytes = Buffer.concat([frame(0), frame(10), frame(300), frame(1)])
    // the same clock: the system's may be set meanwhile
    const from = performance.timeOrigin + performance.now()
    for (let at = 0; at < bytes.length; at += cut) frames.sent('a', bytes.subarray(at, at + cut))
    const times = [1, 2, 3, 4, 5].map(() => frames.next('a'))
    expect(times[4]).toBeUndefined()
    expect(times.slice(0, 4).every((time) => time !== undefined && time >= from)).toBe(true)
  }
})

test('a frame leaves when its first byte does', async () => {
  const frames = new FrameTimes()
  const bytes = frame(10)
  frames.sent('a', bytes.subarray(0, 5))
  await new Promise((resolve) => setTimeout(resolve, 30))
  frames.sent('a', Buffer.concat([bytes.subarray(5), frame(2)]))
  const [first, second] = [frames.next('a'), frames.next('a')]
  expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(20)
})

test('connections are kept apart, and forgotten', () => {
  const frames = new FrameTimes()
  frames.sent('a', frame(5))
  expect(frames.next('b')).toBeUndefined()
  frames.forget('a')
  expect(frames.next('a')).toBeUndefined()
})
