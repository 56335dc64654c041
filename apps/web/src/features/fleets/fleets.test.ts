import { type Fleet, fleetByName, fleetFaults, parseFleet } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import {
  copyOf,
  faultsByPath,
  freeName,
  nameProblem,
  newClass,
  newEdgeNodes,
  newFleet,
  textOf,
  typedNumber,
  valueAt,
  withValue,
} from './draft.ts'

function drones(): Fleet {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('There is no fleet.')
  return fleet
}

test('edge nodes to start from fit every fleet that may have some', () => {
  expect(fleetFaults({ ...drones(), edgeNodes: newEdgeNodes() })).toEqual([])
})

describe('fields by path', () => {
  test('a field is read, replaced, removed; nothing else changes', () => {
    const own = drones()
    expect(valueAt(own, 'devices.0.class.power.idleW')).toBe(2)
    expect(valueAt(own, 'devices.7.class')).toBeUndefined()
    const changed = withValue(own, 'devices.0.class.power.idleW', 3)
    expect(valueAt(changed, 'devices.0.class.power.idleW')).toBe(3)
    expect(withValue(changed, 'devices.0.class.power.idleW', 2)).toEqual(own)
    expect(own).toEqual(drones())
    expect('rpc' in withValue(own, 'uplink.rpc', undefined).uplink).toBe(false)
    expect(withValue(own, 'cloud.otherHandOvers.0', undefined).cloud.otherHandOvers).toEqual(
      own.cloud.otherHandOvers?.slice(1),
    )
  })
  test('what is no number stays as it was typed, and is a fault of its field', () => {
    expect([typedNumber(' 1.5 '), typedNumber('1e3'), typedNumber(''), typedNumber('12 W')]).toEqual([
      1.5,
      1000,
      '',
      '12 W',
    ])
    const faults = faultsByPath(withValue(drones(), 'uplink.delayMs', '12 W'))
    expect([...faults]).toEqual([['uplink.delayMs', 'It must be a number from 0 to 60,000 ms, not "12 W".']])
  })
})

test('a copy has another name and the same figures, and says where its sources are from', () => {
  const copy = copyOf(drones(), 'mine', 'Mine')
  expect(fleetFaults(copy)).toEqual([])
  expect({ ...copy.devices[0]?.class, sources: [] }).toEqual({ ...drones().devices[0]?.class, sources: [] })
  expect(copy.uplink.sources[2]?.from).toBe('copied from paper-drones: HiveMind paper, section 2.1')
  expect(copyOf(copy, 'other', 'Other').uplink.sources).toEqual(copy.uplink.sources)
})

test('a new fleet is valid, and so is one with more classes', () => {
  const fleet = newFleet('field', 'Field')
  const names = fleet.devices.map((group) => group.class.name)
  const more = { ...fleet, devices: [...fleet.devices, { class: newClass(names), count: 1 }] }
  expect(fleetFaults(more)).toEqual([])
  expect(more.devices.map((group) => group.class.label)).toEqual(['Device', 'Device 2'])
  expect(parseFleet(textOf(more))).toEqual(more)
})

test('names', () => {
  expect(nameProblem('local', [])).toMatch(/ships with HiveMind/)
  expect(nameProblem('mine', ['mine'])).toMatch(/There is a fleet of this name/)
  expect(nameProblem('Mine', [])).toMatch(/small letters/)
  expect(freeName('paper-drones', [])).toBe('paper-drones-2')
  expect(freeName('Our Field!', ['our-field'])).toBe('our-field-2')
})
