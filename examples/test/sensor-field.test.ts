import { expect, it } from 'vitest'
import { only, runExample } from './harness.ts'

interface Field {
  means: number
  coldest: { device: string; mean: number }
  warmest: { device: string; mean: number }
  sensors: { device: string; mean: number }[]
}

it('sensor-field: a mean of every ten readings, and the east is warmer', async () => {
  const outputs = await runExample('sensor-field', { devices: 24, args: { sense: { rate: '2000/s' } } })
  const readings = (outputs.get('sense') ?? []).filter(({ device }) => device === 'device-3')
  const means = (outputs.get('average') ?? []).filter(({ device }) => device === 'device-3')
  expect(readings).toHaveLength(40)
  for (const [n, { value }] of means.entries()) {
    const ten = readings.slice(10 * n, 10 * n + 10).map((each) => each.value as number)
    // readings have ten bits after the point: their sum is exact
    expect(value).toBe(ten.reduce((sum, each) => sum + each, 0) / 10)
  }
  const field = only<Field>(outputs, 'field')
  expect([field.means, field.sensors.length]).toEqual([24 * 4, 24])
  const number = ({ device }: { device: string }): number => Number(device.slice('device-'.length))
  expect(number(field.coldest)).toBeLessThan(8)
  expect(number(field.warmest)).toBeGreaterThan(16)
})
