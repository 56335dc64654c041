import { expect, test } from 'vitest'
import { Places } from './places.ts'

const never = new AbortController().signal

test('who finds no place waits in order; a place that is given back twice counts once', async () => {
  const places = new Places(1)
  const order: string[] = []
  const first = await places.take(never)
  expect(places.full).toBe(true)
  const others = ['a', 'b'].map((name) =>
    places.take(never).then((leave) => {
      order.push(name)
      return leave
    }),
  )
  first()
  first()
  const a = await others[0]
  expect(order).toEqual(['a'])
  a?.()
  const b = await others[1]
  expect(order).toEqual(['a', 'b'])
  b?.()
  expect(places.full).toBe(false)
})

test('who does not want to wait any more takes no place', async () => {
  const places = new Places(1)
  const first = await places.take(never)
  const stop = new AbortController()
  const waits = places.take(stop.signal)
  stop.abort(new Error('enough'))
  await expect(waits).rejects.toThrow('enough')
  first()
  expect(places.full).toBe(false)
  await expect(places.take(stop.signal)).rejects.toThrow('enough')
})
