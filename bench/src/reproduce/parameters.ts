/**
 * The one set of inputs that all statements share: the shipped fleets as they are, and the few figures of the work itself.
 * Each has a source, and a range unless the paper gives it. None is fitted, and none is set for one statement alone.
 */
import { type DeviceClass, type Fleet, fleetByName, type HandOver } from '@hivemind/swarm'

/** The shipped fleets that the paper's swarms are simulated with. */
export type FleetName = 'paper-drones' | 'paper-cars'

function shipped(name: FleetName): Fleet {
  const fleet = fleetByName(name)
  if (!fleet) throw new Error(`There is no fleet '${name}'.`)
  return fleet
}

function classOf(fleet: Fleet): DeviceClass {
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
    from: `${FLEET}; paper, 3.1: less than a second`,
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
    what: 'frames of Scenario B on the devices alone, and of Fig. 3b',
    unit: '/s',
    value: 8,
    from: 'paper, 2.1',
  },
  lightFps: {
    what: 'frames of the jobs and scenarios otherwise',
    unit: '/s',
    value: 2,
    range: [1, 4],
    from: 'assumption: section 2.2 says that links are not oversubscribed, and 16 drones at 8/s need more than they carry',
  },
  workRatio: {
    what: 'times of all tasks, over those listed below',
    unit: '',
    value: 1,
    range: [0.5, 2],
    from: WORK,
  },
} as const satisfies Record<string, Quantity>

/** A value for each input. */
export type Inputs = Record<keyof typeof QUANTITIES, number>

const inputsBy = (choose: (quantity: Quantity) => number): Inputs =>
  Object.fromEntries(
    Object.entries<Quantity>(QUANTITIES).map(([name, quantity]) => [name, choose(quantity)]),
  ) as Inputs

/** The inputs as they ship. */
export const SHIPPED: Inputs = inputsBy(({ value }) => value)

/** The same with every input that has a range in the middle of it (arithmetic mean of its ends). */
export const MIDDLE: Inputs = inputsBy(({ value, range }) => (range ? (range[0] + range[1]) / 2 : value))

export const JOB_SECONDS = 120

/** The compared systems (sections 2.3 and 5.1). */
export type System = 'centralised' | 'distributed' | 'hivemind'

/** Which parts of the hardware fabric a system has. */
export interface Fabric {
  /** The servers' ends of remote calls (4.5). */
  rpc: boolean
  /** Hand-over between functions by remote memory (4.4). */
  remoteMemory: boolean
}

/**
 * What a call between device and cloud costs its two ends. A software end takes half of a call between two servers, at the
 * speed of its core. Devices have no fabric, so it relieves the servers' ends alone; the 2.1 us of section 4.5 are between
 * servers under one switch.
 */
function callCost({ callMs, callMBps }: Inputs, deviceSpeed: number, fabric: Fabric) {
  const ends = (fabric.rpc ? 0 : 1) + 1 / deviceSpeed
  return { fixedMs: (callMs / 2) * ends, bandwidthMBps: (2 * callMBps) / ends }
}

/** A shipped fleet with these inputs, as one of the systems has it; HiveMind with its fabric, the others without, unless said. */
export function fleetFor(
  inputs: Inputs,
  name: FleetName,
  system: System,
  fabric: Fabric = { rpc: system === 'hivemind', remoteMemory: system === 'hivemind' },
): Fleet {
  const fleet = shipped(name)
  const isHiveMind = system === 'hivemind'
  const cpuSpeed = name === 'paper-drones' ? inputs.droneSpeed : inputs.carSpeed
  const drone = {
    power: { ...DRONE.power, computeW: inputs.computeW },
    radio: { ...DRONE.radio, txJPerMB: inputs.txJPerMB },
  }
  return {
    ...fleet,
    devices: fleet.devices.map((group) => ({
      ...group,
      class: { ...group.class, cpuSpeed, ...(name === 'paper-drones' ? drone : {}) },
    })),
    uplink: {
      ...fleet.uplink,
      bandwidthMbps: inputs.routerMbps,
      delayMs: inputs.delayMs,
      rpc: callCost(inputs, cpuSpeed, fabric),
    },
    cloud: {
      ...fleet.cloud,
      coldStartMs: inputs.coldStartMs,
      keepAliveS: isHiveMind ? inputs.keepAliveS : 0,
      dispatchMs: inputs.dispatchMs * (isHiveMind ? inputs.schedulerRatio : 1),
      handOver: fabric.remoteMemory
        ? { kind: 'remote-memory', fixedMs: inputs.memoryMs, bandwidthMBps: inputs.memoryMBps }
        : { kind: 'store', fixedMs: inputs.storeMs, bandwidthMBps: inputs.storeMBps },
    },
  }
}
