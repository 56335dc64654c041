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

function edgeNodes() {
  const { edgeNodes } = fleetByName('sensor-gateways') ?? {}
  if (!edgeNodes) throw new Error('The fleet sensor-gateways has no edge nodes.')
  return edgeNodes
}

test('a larger swarm has more edge nodes when its links grow with it', () => {
  const fleet = { ...drones(), edgeNodes: edgeNodes() }
  expect(withDevices(fleet, 64).edgeNodes?.count).toBe(3)
  expect(withDevices(fleet, 64, { scaleLinks: true }).edgeNodes?.count).toBe(12)
})

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
    [
      'edge nodes that serve a class the fleet has not',
      (f) => ({ ...f, edgeNodes: { ...edgeNodes(), serves: ['buoy'] } }),
      'edgeNodes.serves.0',
      /must be a class of devices of this fleet \(ar-drone-2\), not "buoy"\./,
    ],
    [
      'a class served twice',
      (f) => ({ ...f, edgeNodes: { ...edgeNodes(), serves: ['ar-drone-2', 'ar-drone-2'] } }),
      'edgeNodes.serves.1',
      /"ar-drone-2" is named already/,
    ],
    [
      'edge nodes called like a class',
      (f) => ({ ...f, edgeNodes: { ...edgeNodes(), name: 'ar-drone-2' } }),
      'edgeNodes.name',
      /must differ from the classes of devices/,
    ],
    [
      'edge nodes called like all devices',
      (f) => ({ ...f, edgeNodes: { ...edgeNodes(), name: 'all' } }),
      'edgeNodes.name',
      /"Edge:all" means devices/,
    ],
    [
      'edge nodes with a name that Place cannot write',
      (f) => ({ ...f, edgeNodes: { ...edgeNodes(), name: 'my gateway' } }),
      'edgeNodes.name',
      /must begin with a letter or digit/,
    ],
    [
      'edge nodes without a call time',
      (f) => ({ ...f, edgeNodes: { ...edgeNodes(), callMs: -1 } }),
      'edgeNodes.callMs',
      /from 0 to 60,000 ms, not -1\./,
    ],
    [
      'edge nodes on one computer with all else',
      (f) => ({ ...f, host: { cores: 4, sources: [] }, edgeNodes: edgeNodes() }),
      'edgeNodes',
      /left out where devices and cloud are processes of one computer/,
    ],
    [
      'edge nodes for devices that await arrivals',
      (f) => ({
        ...f,
        devices: f.devices.map((g) => ({ ...g, class: { ...g.class, awaitsArrival: true } })),
        edgeNodes: edgeNodes(),
      }),
      'edgeNodes',
      /left out where the devices they serve wait/,
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
