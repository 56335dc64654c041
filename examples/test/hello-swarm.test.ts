import { describe, expect, it } from 'vitest'
import { only, runExample } from './harness.ts'

const FAST = { readSensor: { rate: '1000/s' } }

interface Report {
  readings: number
  stations: Record<string, { readings: number; icy: number; wet: number; dry: number }>
  playable: string[]
}

describe('hello-swarm', () => {
  it('reports the same for any number of devices', async () => {
    const reports: Report[] = []
    for (const devices of [1, 2, 3, 8, 10]) {
      reports.push(only<Report>(await runExample('hello-swarm', { devices, args: FAST }), 'summary'))
    }
    for (const report of reports) expect(report).toEqual(reports[0])
    expect(reports[0]?.readings).toBe(80)
    expect(Object.keys(reports[0]?.stations ?? {})).toHaveLength(8)
    for (const { readings, icy, wet, dry } of Object.values(reports[0]?.stations ?? {}))
      expect(icy + wet + dry).toBe(readings)
  })

  it('emits no more than it is asked for', async () => {
    const outputs = await runExample('hello-swarm', { devices: 2, maxItems: 3, args: FAST })
    expect(outputs.get('readSensor')).toHaveLength(6)
    expect(outputs.get('judge')).toHaveLength(6)
  })
})
