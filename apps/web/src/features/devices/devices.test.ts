import { describe, expect, test } from 'vitest'
import type { Device } from '../../api/types.ts'
import { batteryShare, deviceIdProblem, isOtherVersion, sortedDevices } from './devices.ts'

const device = (id: string, more: Partial<Device> = {}): Device => ({
  id,
  class: 'drone',
  state: 'online',
  enrolled: false,
  version: '0.1.0',
  cores: 2,
  memoryMB: 1024,
  ...more,
})

describe('devices', () => {
  test('battery share needs charge and capacity', () => {
    expect(batteryShare(device('a'))).toBeUndefined()
    expect(batteryShare(device('a', { telemetry: { batteryWh: 5 } }))).toBeUndefined()
    expect(batteryShare(device('a', { telemetry: { batteryWh: 5, capacityWh: 0 } }))).toBeUndefined()
    expect(batteryShare(device('a', { telemetry: { batteryWh: 5, capacityWh: 20 } }))).toBe(0.25)
    expect(batteryShare(device('a', { telemetry: { batteryWh: 21, capacityWh: 20 } }))).toBe(1)
  })
  test('ids are names that topics and files can hold', () => {
    expect(['', 'drone-7', 'a_1', 'x'.repeat(64)].map(deviceIdProblem)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    for (const bad of ['-a', 'a.b', 'a b', 'x'.repeat(65), '#'])
      expect(deviceIdProblem(bad)).toMatch('Use letters, digits')
  })
  test('an agent of another version is one that somebody installed, and that is there', () => {
    const other = device('a', { enrolled: true, version: '0.0.9' })
    expect(isOtherVersion(other, '0.1.0')).toBe(true)
    expect(isOtherVersion({ ...other, version: '0.1.0' }, '0.1.0')).toBe(false)
    expect(isOtherVersion({ ...other, enrolled: false }, '0.1.0')).toBe(false)
    expect(isOtherVersion({ ...other, state: 'gone' }, '0.1.0')).toBe(false)
    expect(isOtherVersion(other, undefined)).toBe(false)
  })
  test('online ones come first, ids in numeric order', () => {
    const sorted = sortedDevices([
      device('drone-10'),
      device('drone-1', { state: 'gone' }),
      device('drone-2'),
      device('car-9', { class: 'car' }),
    ])
    expect(sorted.map(({ id }) => id)).toEqual(['car-9', 'drone-2', 'drone-10', 'drone-1'])
  })
})
