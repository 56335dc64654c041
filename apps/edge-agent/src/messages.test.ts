import { encodeValue } from '@hivemind/values'
import { expect, test } from 'vitest'
import { type FlowMessage, fromMessage, toMessage } from './messages.ts'

const place = { run: 'r', lane: 'd1', task: 'cam', seq: 3, generation: 1 }
const item = (value: unknown, type?: string) => ({
  ...place,
  ref: { kind: 'inline' as const, ...encodeValue(value, type) },
})

test('a message that nobody looks at keeps the bytes of its producer', () => {
  const sent = item({ a: 1 })
  expect(fromMessage(toMessage('frame', sent))?.ref).toEqual({ ...sent.ref })
  const back = fromMessage(toMessage('frame', sent))
  expect(back?.ref?.kind === 'inline' && back.ref.bytes).toBe(sent.ref.bytes)
  expect(fromMessage(toMessage('order', { ...place, ref: null }))).toEqual({ ...place, ref: null })
})

test('a node of the flow sees the value, and what it changes or replaces is what goes on', () => {
  const looked = toMessage('frame', item({ a: 1 }))
  ;(looked.payload as { a: number }).a = 2
  const next = fromMessage(looked)?.ref
  expect(next).toMatchObject(encodeValue({ a: 2 }))
  const replaced = toMessage('frame', item({ a: 1 }))
  replaced.payload = [5]
  expect(replaced.payload).toEqual([5])
  expect(fromMessage(replaced)?.ref).toMatchObject(encodeValue([5]))
  const image = toMessage('frame', item(new Uint8Array([1, 2]), 'image/jpeg'))
  image.payload = new Uint8Array([3])
  expect(fromMessage(image)?.ref).toMatchObject({ type: 'image/jpeg', bytes: new Uint8Array([3]) })
})

test('the copies that a flow makes for several wires carry the value as well', () => {
  const message = toMessage('frame', item(new Uint8Array([7, 8]), 'image/jpeg'))
  const copy = structuredClone({ ...message }) as FlowMessage
  expect(fromMessage(copy)).toMatchObject({
    ...place,
    ref: { type: 'image/jpeg', bytes: new Uint8Array([7, 8]) },
  })
})

test('a message of another maker is none of ours', () => {
  expect(fromMessage({ topic: 'x', payload: 1 })).toBeNull()
})
