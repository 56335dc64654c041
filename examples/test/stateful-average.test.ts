import { expect, it } from 'vitest'
import { only, runExample } from './harness.ts'

it('stateful-average: each device has its own window', async () => {
  const outputs = await runExample('test/stateful-average', { devices: 4 })
  const row = [1.5, 5.5]
  expect(only(outputs, 'collect')).toEqual({
    rows: Object.fromEntries([1, 2, 3, 4].map((number) => [`device-${number}`, row])),
  })
})
