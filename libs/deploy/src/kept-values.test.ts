import { type DataPort, type EncodedValue, MemoryDataPort } from '@hivemind/values'
import { expect, test } from 'vitest'
import { KeptValues } from './kept-values.ts'

const value: EncodedValue = { type: 'application/json', bytes: Buffer.from('1') }

/** A port whose writes end when the test says so. */
class GatedPort extends MemoryDataPort {
  readonly gate = Promise.withResolvers<void>()
  readonly keys: string[] = []

  override async put(pool: string, key: string, value: EncodedValue) {
    this.keys.push(key)
    await this.gate.promise
    return super.put(pool, key, value)
  }
}

test('all values are written, and those who send more wait while many are on their way', async () => {
  const port = new GatedPort()
  const kept = new KeptValues(port, 'run-1')
  expect(kept.whenRoom()).toBeUndefined()
  for (let n = 0; n < 1_000; n++) kept.add(`judge/device-1/${n}`, value)
  expect(port.keys.length).toBeLessThan(1_000)
  let room = false
  const waiting = kept.whenRoom()?.then(() => {
    room = true
  })
  await new Promise(setImmediate)
  expect(room).toBe(false)
  port.gate.resolve()
  await waiting
  await kept.flush()
  expect(new Set(port.keys).size).toBe(1_000)
  const ref = {
    kind: 'stored',
    pool: 'run-1',
    key: 'judge/device-1/999',
    version: 1,
    size: 1,
    type: value.type,
  } as const
  expect(await port.get(ref)).toEqual(value)
})

test('a value that cannot be written is reported at the end', async () => {
  const full: DataPort = Object.assign(new MemoryDataPort(), {
    put: async () => {
      throw new Error('the disk is full')
    },
  })
  const kept = new KeptValues(full, 'run-1')
  kept.add('a', value)
  kept.add('b', value)
  await expect(kept.flush()).rejects.toThrow(
    '2 values that Persist keeps could not be written to the store: the disk is full',
  )
  await expect(new KeptValues(full, 'run-2').flush()).resolves.toBeUndefined()
})
