/**
 * The inputs that all statements share: the shipped fleets as they are, and the figures of the work itself. Each has a source,
 * and a range unless the paper gives it. Those marked `calibrated` were set by the calibration rows alone (`rows.ts`).
 */
import { type DeviceClass, type Fleet, fleetByName, type HandOver } from '@hivemind/swarm'

/** The shipped fleets that the paper's swarms are simulated with. */
export type FleetName = 'paper-drones' | 'paper-cars'

/** A shipped fleet. */
export function shipped(name: FleetName): Fleet {
  const fleet = fleetByName(name)
  if (!fleet) throw new Error(`There is no fleet '${name}'.`)
  return fleet
}

/** The class of the fleet's devices. */
export function classOf(fleet: Fleet): DeviceClass {
  const [group] = fleet.devices
  if (!group) throw new Error(`Fleet '${fleet.name}' has no devices.`)
  return group.class
}

function handOverOf(fleet: Fleet, kind: HandOver['kind']): HandOver {
  const found = fleet.cloud.otherHandOvers?.find((each) => each.kind === kind)
  if (!found) throw new Error(`Fleet '${fleet.name}' has no hand-over '${kind}'.`)
  return found
}

const DRONES = shipped('paper-drones')
const DRONE = classOf(DRONES)
const CAR = classOf(shipped('paper-cars'))
const DIRECT = handOverOf(DRONES, 'direct')
const MEMORY = handOverOf(DRONES, 'remote-memory')

/** One input: its value, its plausible range (absent when the paper gives the value), and where both are from. */
export interface Quantity {
  what: string
  unit: string
  value: number
  range?: readonly [number, number]
  from: string
  /** Set with the calibration rows in view, within its range. */
  calibrated?: true
}

const FLEET = 'fleet paper-drones, an assumption'
const WORK = 'assumption'

/** All inputs, by name. */
export const QUANTITIES = {
  routerMbps: {
    what: 'payload that one of the two routers carries',
    unit: 'Mb/s',
    value: DRONES.uplink.bandwidthMbps,
    range: [430, 867],
    from: 'fleet paper-drones; paper, 2.1, nominal',
  },
  delayMs: { what: 'one-way delay', unit: 'ms', value: DRONES.uplink.delayMs, range: [1, 10], from: FLEET },
  droneSpeed: {
    what: 'a core of a drone against one of a server',
    unit: '',
    value: DRONE.cpuSpeed,
    range: [0.02, 0.1],
    from: FLEET,
  },
  carSpeed: {
    what: 'a core of a car against one of a server',
    unit: '',
    value: CAR.cpuSpeed,
    range: [0.1, 0.4],
    from: 'fleet paper-cars, an assumption',
  },
  nativeRatio: {
    what: 'work of a task in its native form on a device, over the form for serverless functions',
    unit: '',
    value: 0.25,
    range: [0.15, 0.6],
    from: 'assumption; paper, 2.1: there are two implementations, one of them native for the edge',
    calibrated: true,
  },
  computeW: {
    what: 'a drone’s core at full load takes',
    unit: 'W',
    value: DRONE.power.computeW,
    range: [1, 4],
    from: FLEET,
  },
  txJPerMB: {
    what: 'a drone sends a MB for',
    unit: 'J',
    value: DRONE.radio.txJPerMB,
    range: [0.1, 1],
    from: FLEET,
  },
  coldStartMs: {
    what: 'start of a container',
    unit: 'ms',
    value: DRONES.cloud.coldStartMs,
    range: [100, 1000],
    from: `${FLEET}; paper, 3.1: less than a second, and 3.2: milliseconds`,
    calibrated: true,
  },
  startSpread: {
    what: 'how far starts vary, over the spread of the fleet',
    unit: '',
    value: 1,
    range: [0, 1],
    from: 'assumption; fleet paper-drones has that spread',
  },
  dispatchMs: {
    what: 'controller and scheduler',
    unit: 'ms',
    value: DRONES.cloud.dispatchMs,
    range: [1, 20],
    from: FLEET,
  },
  schedulerRatio: {
    what: 'the same in HiveMind, over that',
    unit: '',
    value: 1.1,
    range: [1, 1.5],
    from: 'assumption; paper, 5.1: slightly higher',
  },
  keepAliveS: {
    what: 'HiveMind keeps an idle container for (the other systems stop it at once)',
    unit: 's',
    value: DRONES.cloud.keepAliveS,
    range: [10, 30],
    from: 'fleet paper-drones; paper, 4.3',
  },
  storeMs: {
    what: 'hand-over through the database, each',
    unit: 'ms',
    value: DRONES.cloud.handOver.fixedMs,
    range: [5, 60],
    from: FLEET,
  },
  storeMBps: {
    what: 'hand-over through the database',
    unit: 'MB/s',
    value: DRONES.cloud.handOver.bandwidthMBps,
    range: [50, 500],
    from: FLEET,
  },
  storeShared: {
    what: 'whether functions share the bandwidth of the database (from 0.5 on) or each has it for itself',
    unit: '',
    value: 1,
    range: [0, 1],
    from: 'assumption; paper, 4.4: expensive when many functions access data at once',
  },
  callMs: {
    what: 'remote call in software between two servers, each',
    unit: 'ms',
    value: DIRECT.fixedMs,
    range: [0.2, 5],
    from: FLEET,
  },
  callMBps: {
    what: 'remote call in software between two servers',
    unit: 'MB/s',
    value: DIRECT.bandwidthMBps,
    range: [300, 1250],
    from: `${FLEET}; 10 Gb/s interfaces: paper, 2.1`,
  },
  ingestMs: {
    what: 'a message between router and function in software (RPC server, front end, controller), each',
    unit: 'ms',
    value: 20,
    range: [2, 40],
    from: 'assumption; paper, 2.3: NGINX, controller, database and invoker are on the way',
    calibrated: true,
  },
  ingestMBps: {
    what: 'the same',
    unit: 'MB/s',
    value: 15,
    range: [10, 100],
    from: 'assumption',
    calibrated: true,
  },
  memoryMs: {
    what: 'remote memory between two servers, each access',
    unit: 'ms',
    value: MEMORY.fixedMs,
    range: [0.002, 0.1],
    from: `${FLEET}; 2.1 us round trip under one switch: paper, 4.5`,
  },
  memoryMBps: {
    what: 'remote memory between two servers',
    unit: 'MB/s',
    value: MEMORY.bandwidthMBps,
    range: [1000, 1250],
    from: `${FLEET}; 10 Gb/s interfaces: paper, 2.1`,
  },
  frameMB: { what: 'frame', unit: 'MB', value: 2, from: 'paper, 2.1' },
  maxFrameMB: {
    what: 'frame of the highest resolution (8 MP)',
    unit: 'MB',
    value: 4,
    range: [3, 8],
    from: WORK,
  },
  fps: {
    what: 'frames of the scenarios where the text says no more, and of Fig. 3b',
    unit: '/s',
    value: 8,
    from: 'paper, 2.1',
  },
  lightFps: {
    what: 'frames where links are not oversubscribed (2.2, 5.1 to 5.3)',
    unit: '/s',
    value: 4,
    range: [2, 6],
    from: 'assumption: 16 drones at 8/s need more than the routers carry, and section 2.2 says that they do carry it',
  },
  selects: {
    what: 'whether photos are selected before the work on them (from 0.5 on) or all are worked on',
    unit: '',
    value: 1,
    range: [0, 1],
    from: 'assumption; paper, 5.1: part of a task is executed at the edge, which reduces traffic',
  },
  newGround: {
    what: 'share of a frame that must show new ground for it to be kept',
    unit: '',
    value: 0.5,
    range: [0.25, 1],
    from: 'assumption; 4 m/s and 6.7 m along the flight for a frame: paper, 2.1',
  },
  selectMs: {
    what: 'selection of frames, for each frame that is looked at, on a core of a server',
    unit: 'ms',
    value: 2,
    range: [0.5, 8],
    from: WORK,
  },
  workRatio: {
    what: 'times of all tasks, over those listed below',
    unit: '',
    value: 1,
    range: [0.5, 2],
    from: WORK,
    calibrated: true,
  },
  serverGrowth: {
    what: 'servers for 1,024 drones, over those for 16',
    unit: '',
    value: 1,
    range: [1, 64],
    from: 'paper, 5.6: the links grow with the swarm, of servers it says nothing',
  },
  asFast: {
    what: 'placements whose p99 is up to so much above the least are as fast to a person (the choice of HiveMind’s placement)',
    unit: '',
    value: 0.1,
    range: [0, 0.25],
    from: 'assumption; paper, 4.2: performance and power are shown, and a person selects',
  },
} as const satisfies Record<string, Quantity>

/** The name of an input. */
export type InputName = keyof typeof QUANTITIES
/** A value for each input. */
export type Inputs = Record<InputName, number>

const inputsBy = (choose: (quantity: Quantity) => number): Inputs =>
  Object.fromEntries(
    Object.entries<Quantity>(QUANTITIES).map(([name, quantity]) => [name, choose(quantity)]),
  ) as Inputs

/** The inputs as they ship. */
export const SHIPPED: Inputs = inputsBy(({ value }) => value)

/** The same with every input that has a range in the middle of it (arithmetic mean of its ends). */
export const MIDDLE: Inputs = inputsBy(({ value, range }) => (range ? (range[0] + range[1]) / 2 : value))
