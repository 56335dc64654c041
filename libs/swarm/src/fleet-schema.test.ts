import { describe, expect, test } from 'vitest'
import {
  type Fleet,
  FleetError,
  fleetByName,
  fleetFaults,
  fleetNameFault,
  fleetSchema,
  fleets,
  localFleet,
  parseFleet,
  schemaAt,
  withDevices,
  withHandOver,
} from './index.ts'

function drones(): Fleet {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('There is no fleet.')
  return fleet
}

test('every shipped fleet is valid, also resized and with another hand-over, and survives JSON', () => {
  for (const fleet of [...fleets(), localFleet(64, 8)]) {
    expect(fleetFaults(fleet)).toEqual([])
    expect(fleetFaults(withDevices(fleet, 1000, { scaleLinks: true }))).toEqual([])
    expect(parseFleet(JSON.stringify(fleet))).toEqual(fleet)
  }
  expect(fleetFaults(withHandOver(drones(), 'direct'))).toEqual([])
})

describe('a broken fleet is refused with the field and how to fix it', () => {
  const cases: [string, (fleet: Fleet) => unknown, string, RegExp][] = [
    [
      'a negative bandwidth',
      (f) => ({ ...f, uplink: { ...f.uplink, bandwidthMbps: -3 } }),
      'uplink.bandwidthMbps',
      /from 0\.001 to 1,000,000 Mbit\/s, not -3\./,
    ],
    [
      'half a core',
      (f) => ({ ...f, devices: f.devices.map((g) => ({ ...g, class: { ...g.class, cores: 1.5 } })) }),
      'devices.0.class.cores',
      /whole number from 1 to 1,024, not 1\.5\./,
    ],
    [
      'a missing price',
      (f) => ({ ...f, cloud: { ...f.cloud, pricePerCoreHour: undefined } }),
      'cloud.pricePerCoreHour',
      /not empty\./,
    ],
    ['a misspelt field', (f) => ({ ...f, uplnk: 1 }), 'uplnk', /not a known field\. Known: schema, name/],
    [
      'an unknown kind of link',
      (f) => ({ ...f, uplink: { ...f.uplink, kind: 'string' } }),
      'uplink.kind',
      /"wireless" or "wired"/,
    ],
    ['no classes', (f) => ({ ...f, devices: [] }), 'devices', /at least 1/],
    [
      'no device',
      (f) => ({ ...f, devices: f.devices.map((group) => ({ ...group, count: 0 })) }),
      'devices',
      /not 0\./,
    ],
    [
      'two classes of one name',
      (f) => ({ ...f, devices: [...f.devices, ...f.devices] }),
      'devices.1.class.name',
      /must differ/,
    ],
    [
      'a spread that falls',
      (f) => ({ ...f, cloud: { ...f.cloud, coldStartSpread: [1, 0.5] } }),
      'cloud.coldStartSpread.1',
      /Sort them/,
    ],
    ['a name for no file', (f) => ({ ...f, name: '../x' }), 'name', /small letters/],
    [
      'a name from the prototype',
      (f) => JSON.parse(JSON.stringify(f).replace('"host"', '"x"').replace('{', '{"__proto__":1,')),
      '__proto__',
      /not a known field/,
    ],
    ['another format', (f) => ({ ...f, schema: 'hivemind.fleet/2' }), 'schema', /"hivemind\.fleet\/1"/],
    ['no object', () => [], '', /must be an object, not a list/],
  ]
  test.each(cases)('%s', (_, broken, path, message) => {
    const faults = fleetFaults(broken(drones()))
    expect(faults[0]?.path).toBe(path)
    expect(faults[0]?.message).toMatch(message)
    expect(() => parseFleet(broken(drones()))).toThrow(FleetError)
  })

  test('text that is no JSON', () => {
    expect(() => parseFleet('{')).toThrow(/The fleet is wrong: it is not JSON: /)
  })

  test('all faults are named', () => {
    const fleet = drones()
    const faults = fleetFaults({ ...fleet, label: 7, uplink: { ...fleet.uplink, delayMs: 'long' } })
    expect(faults.map(({ path }) => path)).toEqual(['label', 'uplink.delayMs'])
    expect(new FleetError(faults).message).toBe(
      "The fleet is wrong at 'label': it must be text, not 7. (and 1 more)",
    )
  })
})

test('the name of a shipped fleet is taken', () => {
  expect(fleetNameFault('half-bandwidth')).toBeUndefined()
  expect(fleetNameFault('local')).toMatch(/ships with HiveMind/)
  expect(fleetNameFault('Half')).toMatch(/small letters/)
})

test('the schema of a field has its name, unit and range', () => {
  expect(schemaAt(fleetSchema, 'devices.3.class.power.idleW')).toMatchObject({
    quantity: { unit: 'W', min: 0 },
  })
  expect(schemaAt(fleetSchema, 'uplink.rpc.fixedMs')).toMatchObject({ quantity: { unit: 'ms' } })
  expect(schemaAt(fleetSchema, 'uplink.loss')).toBeUndefined()
})
