import {
  itemsOnTheWay,
  MAX_BYTES_IN_A_MESSAGE,
  MAX_BYTES_ON_THE_WAY,
  MAX_ITEMS_ON_THE_WAY,
} from '@hivemind/swarm'
import { INLINE_LIMIT } from '@hivemind/values'
import { describe, expect, test } from 'vitest'
import { OnTheWay } from './on-the-way.ts'

/** Sends items of so many bytes for as long as the next may follow; returns how to let them arrive, the oldest first. */
async function fill(way: OnTheWay, bytes: number): Promise<(() => void)[]> {
  const arrivals: (() => void)[] = []
  for (let mayFollow = true; mayFollow && arrivals.length < 1000; ) {
    const { promise, resolve } = Promise.withResolvers<void>()
    arrivals.push(resolve)
    mayFollow = false
    void way.add(bytes, promise).then(() => {
      mayFollow = true
    })
    await new Promise((turn) => setImmediate(turn))
  }
  return arrivals
}

describe('a task runs ahead of the service', () => {
  test('by a number of items', async () => {
    expect(await fill(new OnTheWay(), 100)).toHaveLength(MAX_ITEMS_ON_THE_WAY)
  })

  test('by a number of bytes', async () => {
    expect(await fill(new OnTheWay(), MAX_BYTES_ON_THE_WAY / 4)).toHaveLength(4)
  })

  test('by one item, however large', async () => {
    expect(await fill(new OnTheWay(), 10 * MAX_BYTES_ON_THE_WAY)).toHaveLength(1)
  })

  test('and goes on when the oldest has arrived, one for one', async () => {
    const way = new OnTheWay()
    const arrivals = await fill(way, 100)
    let follows = 0
    void way.add(100, Promise.resolve()).then(() => {
      follows += 1
    })
    await new Promise((turn) => setImmediate(turn))
    expect(follows).toBe(0)
    arrivals[0]?.()
    await new Promise((turn) => setImmediate(turn))
    expect(follows).toBe(1)
  })

  test('in the simulation by as many', async () => {
    expect(MAX_BYTES_IN_A_MESSAGE).toBe(INLINE_LIMIT)
    for (const bytes of [0, 100, 20_000, 100_000, MAX_BYTES_IN_A_MESSAGE])
      expect(await fill(new OnTheWay(), bytes)).toHaveLength(itemsOnTheWay(bytes))
    expect(itemsOnTheWay(MAX_BYTES_IN_A_MESSAGE + 1)).toBe(1)
  })
})
