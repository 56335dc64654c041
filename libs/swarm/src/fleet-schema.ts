/** The schema of a fleet: names, units and ranges of its figures. The file, the service and the form of the browser check by it. */
import { edgeNodeFaults } from './edge-nodes.ts'
import { type Fault, faultsOf } from './faults.ts'
import type { Fleet } from './fleet.ts'
import { deviceCount, fleetByName } from './fleets.ts'
import { boolean, list, oneOf, optional, quantity, record, text, wholeQuantity } from './schema.ts'

/** Maximum number of devices of a fleet. */
export const MAX_DEVICES = 10_000
/** Maximum number of characters of a name, and of a label or a source. */
const MAX_NAME = 64
const MAX_TEXT = 400

const sources = list(record({ what: text(MAX_TEXT), from: text(MAX_TEXT) }), { max: 40 })
const name = text(MAX_NAME)
const label = text(MAX_TEXT)
const handOverKind = oneOf('store', 'direct', 'co-placed', 'remote-memory')

const cpuSpeed = quantity(
  'Core speed',
  '× reference',
  0.001,
  1000,
  '1 is the core that profiles are measured on',
)
const perCall = (what: string) => quantity(what, 'ms', 0, 60_000)
const rate = (what: string) => quantity(what, 'MB/s', 0.001, 1_000_000)
const handOver = {
  fixedMs: perCall('Time of a hand-over'),
  bandwidthMBps: rate('Hand-over bandwidth'),
  isShared: optional(boolean),
}

const deviceClass = record({
  name,
  label,
  cpuSpeed,
  cores: wholeQuantity('Cores', '', 1, 1024),
  processPerTask: optional(boolean),
  awaitsArrival: optional(boolean),
  memoryMB: quantity('Memory', 'MB', 1, 10_000_000),
  power: record({
    motionW: quantity('Power in motion', 'W', 0, 100_000, 'Beside the power of the board'),
    idleW: quantity('Power of the board, idle', 'W', 0, 100_000),
    computeW: quantity('Power of a busy core', 'W', 0, 100_000, 'More than when idle'),
  }),
  radio: record({
    txJPerMB: quantity('Energy to send', 'J/MB', 0, 100_000),
    rxJPerMB: quantity('Energy to receive', 'J/MB', 0, 100_000),
  }),
  batteryWh: quantity('Battery', 'Wh', 0.001, 1_000_000),
  sensors: list(text(MAX_NAME), { max: 50 }),
  speedMps: quantity('Speed of movement', 'm/s', 0, 1000, '0 for a device that stays where it is'),
  sources,
})

const linkKind = oneOf('wireless', 'wired', 'loopback')
const nodeLink = (what: string) =>
  record({
    kind: linkKind,
    bandwidthMbps: quantity(
      `Bandwidth ${what}`,
      'Mbit/s',
      0.001,
      1_000_000,
      'Of each node, that carries data',
    ),
    delayMs: quantity(`Delay ${what}, one way`, 'ms', 0, 60_000),
  })

/** Every field of a fleet. */
export const fleetSchema = record({
  schema: oneOf('hivemind.fleet/1'),
  name,
  label,
  devices: list(
    record({ class: deviceClass, count: wholeQuantity('Number of devices', '', 0, MAX_DEVICES) }),
    { min: 1, max: 50 },
  ),
  uplink: record({
    name,
    label,
    kind: linkKind,
    count: wholeQuantity('Access points', '', 1, MAX_DEVICES, 'The devices are divided evenly among them'),
    bandwidthMbps: quantity(
      'Bandwidth of each',
      'Mbit/s',
      0.001,
      1_000_000,
      'That carries data, not the nominal rate',
    ),
    delayMs: quantity('Delay, one way', 'ms', 0, 60_000),
    rpc: optional(record({ fixedMs: perCall('Time of a call'), bandwidthMBps: rate('Call bandwidth') })),
    sources,
  }),
  cloud: record({
    servers: wholeQuantity('Servers', '', 1, 100_000),
    coresPerServer: wholeQuantity('Cores of each server', '', 1, 1024),
    cpuSpeed,
    coldStartMs: quantity('Start of a function', 'ms', 0, 600_000, 'Mean time when no instance is warm'),
    coldStartSpread: optional(list(quantity('Quantile over the mean', '', 0, 1000), { min: 2, max: 101 })),
    keepAliveS: quantity('Kept warm for', 's', 0, 86_400),
    dispatchMs: quantity('Dispatch of a call', 'ms', 0, 60_000),
    handOver: record({ kind: optional(handOverKind), ...handOver }),
    otherHandOvers: optional(list(record({ kind: handOverKind, ...handOver, sources }), { max: 4 })),
    pricePerCoreHour: quantity('Price', '$ per core and hour', 0, 1000),
    sources,
  }),
  edgeNodes: optional(
    record({
      name,
      label,
      count: wholeQuantity('Edge nodes', '', 1, MAX_DEVICES, 'The devices are dealt out to them in turn'),
      cores: wholeQuantity('Cores of each node', '', 1, 1024),
      cpuSpeed,
      memoryMB: quantity('Memory of each node', 'MB', 1, 10_000_000),
      power: record({
        idleW: quantity('Power of a node, idle', 'W', 0, 100_000),
        computeW: quantity('Power of a busy core', 'W', 0, 100_000, 'More than when idle'),
      }),
      callMs: quantity('Time of a call', 'ms', 0, 60_000, 'Functions are warm on an edge node'),
      serves: optional(list(name, { min: 1, max: 50 })),
      link: nodeLink('to the devices'),
      backhaul: nodeLink('to the cloud'),
      sources,
    }),
  ),
  fabric: optional(
    record({
      boards: wholeQuantity('Boards', '', 1, 256, 'Each runs one network function at a time'),
      places: wholeQuantity('Devices of a board', '', 1, 4096, 'For so many, a board keeps a window'),
      clockMHz: quantity('Clock of a board', 'MHz', 1, 10_000, 'No faster than its build allows'),
      cyclesPerItem: quantity(
        'Cycles of an item',
        '',
        1,
        1_000_000,
        'From when it is in to when its result leaves',
      ),
      sources,
    }),
  ),
  host: optional(
    record({
      cores: wholeQuantity('Cores of the computer', '', 1, 1024),
      others: optional(quantity('Other jobs on it', '', 0, 10_000)),
      sources,
    }),
  ),
})

/** A value that is no fleet. The message says where the first fault is, and how to fix it. */
export class FleetError extends Error {
  readonly faults: readonly Fault[]

  constructor(faults: readonly Fault[]) {
    const [first] = faults
    const more = faults.length > 1 ? ` (and ${faults.length - 1} more)` : ''
    super(`The fleet is wrong${first?.path ? ` at '${first.path}'` : ''}: it ${first?.message ?? ''}${more}`)
    this.name = 'FleetError'
    this.faults = faults
  }
}

const FLEET_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/

/** The fault of a name for a fleet of one's own; `undefined` for a good one. Names of shipped fleets are taken. */
export function fleetNameFault(name: string): string | undefined {
  if (!FLEET_NAME.test(name))
    return 'must have 1 to 64 small letters, digits and hyphens, and begin with a letter or digit.'
  return fleetByName(name) && 'is the name of a fleet that ships with HiveMind. Choose another.'
}

/** All faults of a value that should be a fleet: of its fields, and of what they are together. */
export function fleetFaults(value: unknown): Fault[] {
  const faults = faultsOf(fleetSchema, value)
  if (faults.length > 0) return faults
  const fleet = value as Fleet
  const spread = fleet.cloud.coldStartSpread ?? []
  const classes = fleet.devices.map((group) => group.class.name)
  const kinds = (fleet.cloud.otherHandOvers ?? []).map(({ kind }) => kind)
  const count = deviceCount(fleet)
  return [
    ...(FLEET_NAME.test(fleet.name)
      ? []
      : [
          { path: 'name', message: `must have small letters, digits and hyphens only, not "${fleet.name}".` },
        ]),
    ...classes.flatMap((each, index) =>
      each.trim() === ''
        ? [{ path: `devices.${index}.class.name`, message: 'must not be empty.' }]
        : classes.indexOf(each) === index
          ? []
          : [
              {
                path: `devices.${index}.class.name`,
                message: `must differ: another class is called "${each}".`,
              },
            ],
    ),
    ...(count >= 1 && count <= MAX_DEVICES
      ? []
      : [{ path: 'devices', message: `must be 1 to 10,000 devices together, not ${count}.` }]),
    ...spread.flatMap((each, index) =>
      each < (spread[index - 1] ?? 0)
        ? [
            {
              path: `cloud.coldStartSpread.${index}`,
              message: 'must not be below the one before. Sort them.',
            },
          ]
        : [],
    ),
    ...kinds.flatMap((kind, index) =>
      kinds.indexOf(kind) === index
        ? []
        : [
            {
              path: `cloud.otherHandOvers.${index}.kind`,
              message: `must differ: there is a "${kind}" already.`,
            },
          ],
    ),
    ...edgeNodeFaults(fleet),
  ]
}

/**
 * Reads a fleet from JSON text or from a value that JSON text gave.
 * @throws FleetError with every fault, the first of them in its message
 */
export function parseFleet(json: unknown): Fleet {
  let value = json
  if (typeof json === 'string')
    try {
      value = JSON.parse(json)
    } catch (error) {
      throw new FleetError([
        { path: '', message: `is not JSON: ${error instanceof Error ? error.message : error}` },
      ])
    }
  const faults = fleetFaults(value)
  if (faults.length > 0) throw new FleetError(faults)
  return value as Fleet
}

/** File name of a project's own fleet, in the folder of its workflow. */
export const fleetFile = (name: string): string => `${name}${FLEET_FILE_ENDING}`
/** How the names of those files end. */
export const FLEET_FILE_ENDING = '.fleet.json'
