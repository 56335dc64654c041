/** The fleets that ship with HiveMind, and how to resize one. Figures the paper does not give say so, with a range. */
import type { Cloud, DeviceClass, Fleet, Link } from './fleet.ts'
import { sensorGateways } from './sensor-gateways.ts'
import { assumed, paper } from './sources.ts'

const PAPER_CLOUD: Cloud = {
  servers: 12,
  coresPerServer: 40,
  cpuSpeed: 1,
  coldStartMs: 150,
  coldStartSpread: [0.5, 0.62, 0.7, 0.77, 0.84, 0.9, 0.98, 1.1, 1.3, 1.7, 3],
  keepAliveS: 20,
  dispatchMs: 5,
  handOver: { kind: 'store', fixedMs: 20, bandwidthMBps: 100, isShared: true },
  otherHandOvers: [
    {
      kind: 'direct',
      fixedMs: 1,
      bandwidthMBps: 1000,
      sources: [
        paper('direct RPC is considerably faster than the database, and slower than memory (Fig. 6)', '3.3'),
        assumed('1 ms for each call, and 1,000 MB/s of a 10 Gb/s interface', '0.2-5 ms, 300-1,250 MB/s'),
      ],
    },
    {
      kind: 'co-placed',
      fixedMs: 0,
      bandwidthMBps: 10_000,
      sources: [
        paper('in memory, in the container of the parent, there is no data exchange (Fig. 6)', '3.3'),
        assumed(
          'data is read at 10,000 MB/s, and every child finds its parent’s container',
          '5,000-20,000 MB/s',
        ),
      ],
    },
    {
      kind: 'remote-memory',
      fixedMs: 0.002,
      bandwidthMBps: 1250,
      sources: [
        paper(
          'an FPGA on the memory interconnect serves RoCE-style accesses without the host’s stack',
          '4.4',
        ),
        assumed(
          '0.002 ms and 1,250 MB/s: the round trip between servers under one switch is 2.1 us (section 4.5), their interfaces have 10 Gb/s (section 2.1)',
          '0.002-0.1 ms, 1,000-1,250 MB/s',
        ),
      ],
    },
  ],
  pricePerCoreHour: 0.05,
  sources: [
    paper('12 servers of 40 cores, 10 Gb/s interfaces on a 40 Gb/s top-of-rack switch', '2.1'),
    paper('idle containers are kept for 10 to 30 s; 20 s is the middle', '4.3'),
    paper('an invocation has a core of its own: containers never share a logical core', '4.3'),
    assumed('cold start of a container: 150 ms (the paper: less than a second)', '100-1000 ms'),
    assumed(
      'starts vary from half to three times that: they are a larger share of the tail than of the median (the paper, 3.3)',
      'none to that',
    ),
    assumed('controller and scheduler: 5 ms for each invocation', '1-20 ms'),
    assumed('hand-over through the CouchDB of OpenWhisk: 20 ms and 100 MB/s', '5-60 ms, 50-500 MB/s'),
    paper('functions that access the database at once wait for one another', '4.4'),
    assumed('price: 0.05 USD per core and hour', '0.02-0.10 USD'),
    { what: 'cpuSpeed 1: a core of these servers is the reference core', from: 'definition' },
  ],
}

const PAPER_LINK: Link = {
  name: 'wifi',
  label: 'Two 867 Mb/s wireless routers',
  kind: 'wireless',
  count: 2,
  bandwidthMbps: 867,
  delayMs: 2,
  rpc: { fixedMs: 26.25, bandwidthMBps: 13.71 },
  sources: [
    assumed(
      'a call’s end on a drone takes half of a call between two servers, at the speed of its core: 6.25 ms and 160 MB/s',
      '2.5-100 ms, 15-250 MB/s',
    ),
    assumed(
      'a message to or from a function passes RPC server, front end and controller in software: 20 ms and 15 MB/s',
      '2-40 ms, 10-100 MB/s',
    ),
    paper('two 867 Mb/s LinkSys AC2200 routers between swarm and servers', '2.1'),
    assumed('all of the nominal 867 Mb/s carries data', '430-867 Mb/s'),
    assumed('one-way delay of 2 ms', '1-10 ms'),
  ],
}

const DRONE: DeviceClass = {
  name: 'ar-drone-2',
  label: 'Parrot AR.Drone 2.0',
  cpuSpeed: 0.08,
  cores: 1,
  memoryMB: 2048,
  power: { motionW: 52, idleW: 2, computeW: 2.5 },
  radio: { txJPerMB: 0.5, rxJPerMB: 0.3 },
  batteryWh: 11.1,
  sensors: [
    'front camera',
    'photo camera',
    'gyroscope',
    'accelerometer',
    'thermometer',
    'magnetometer',
    'hygrometer',
    'ultrasound altimeter',
  ],
  speedMps: 4,
  sources: [
    paper('ARM Cortex-A8 at 1 GHz, one core, 2 GB of memory, the sensors, 4 m/s', '2.1'),
    assumed('one core runs 12.5 times slower than a server core (cpuSpeed 0.08)', '0.02-0.1'),
    {
      what: 'battery of 11.1 Wh (1,000 mAh at 11.1 V) and 12 minutes of flight, hence about 54 W in all',
      from: 'AR.Drone 2.0 data sheet',
    },
    assumed('the board takes 2 W when idle, and 2.5 W more at full load of its core', '1-3 W, 1-4 W'),
    assumed('the radio takes 0.5 J to send and 0.3 J to receive one MB', '0.1-1 J'),
  ],
}

const CAR: DeviceClass = {
  name: 'robot-car',
  label: 'Robotic car with a Raspberry Pi',
  cpuSpeed: 0.15,
  cores: 4,
  memoryMB: 1024,
  power: { motionW: 6, idleW: 2, computeW: 1 },
  radio: { txJPerMB: 0.4, rxJPerMB: 0.25 },
  batteryWh: 18.5,
  sensors: ['front camera', 'GPS', 'accelerometer', 'thermometer', 'altimeter'],
  speedMps: 0.5,
  sources: [
    paper(
      'a front camera, a Raspberry Pi board, GPS, accelerometer, temperature and altitude sensors',
      '5.5',
    ),
    assumed('the board is a Raspberry Pi 3: four cores, each 0.15 of a server core, 1 GB', '0.1-0.4'),
    assumed('driving takes 6 W', '3-15 W'),
    assumed('the board takes 2 W when idle and 1 W more for each busy core', '1.5-3 W, 0.5-1.5 W'),
    assumed('the radio takes 0.4 J to send and 0.25 J to receive one MB', '0.1-1 J'),
    assumed('battery of 18.5 Wh (two 18650 cells)', '10-40 Wh'),
    assumed('0.5 m/s', '0.2-1 m/s'),
  ],
}

const PAPER_DRONES: Fleet = {
  schema: 'hivemind.fleet/1',
  name: 'paper-drones',
  label: '16 drones and 12 servers (the paper’s swarm)',
  devices: [{ class: DRONE, count: 16 }],
  uplink: PAPER_LINK,
  cloud: PAPER_CLOUD,
}

const PAPER_CARS: Fleet = {
  schema: 'hivemind.fleet/1',
  name: 'paper-cars',
  label: '14 robotic cars and 12 servers (the paper’s second swarm)',
  devices: [{ class: CAR, count: 14 }],
  uplink: {
    ...PAPER_LINK,
    rpc: { fixedMs: 23.33, bandwidthMBps: 14.29 },
    sources: [
      assumed(
        'a call’s end on a car as on a drone, at the speed of its core: 3.33 ms and 300 MB/s',
        '1-25 ms, 60-1,000 MB/s',
      ),
      assumed('a message to or from a function as with drones: 20 ms and 15 MB/s', '2-40 ms, 10-100 MB/s'),
      paper('a wireless network with TCP/IP', '5.5'),
      assumed('the same two routers as for the drones (section 2.1)', '1-2 routers of 430-867 Mb/s'),
      assumed('one-way delay of 2 ms', '1-10 ms'),
    ],
  },
  cloud: PAPER_CLOUD,
}

/**
 * The local target as a fleet: edge agents and cloud workers are processes of this machine, and share its cores.
 * @param agents edge agents, at least 1
 * @param cores cores of the machine; a pure library cannot ask it
 */
export function localFleet(agents: number, cores = 4): Fleet {
  checkCount(agents, 'agents')
  checkCount(cores, 'cores')
  const agent: DeviceClass = {
    name: 'local-agent',
    label: 'Edge agent on this machine',
    cpuSpeed: 1,
    cores: 1,
    processPerTask: true,
    awaitsArrival: true,
    memoryMB: 2048,
    power: { motionW: 0, idleW: 2, computeW: 10 },
    radio: { txJPerMB: 0, rxJPerMB: 0 },
    batteryWh: 50,
    sensors: ['replayed files'],
    speedMps: 0,
    sources: [
      { what: 'cpuSpeed 1: profiles are measured on this machine', from: 'definition' },
      { what: 'no motion and no radio: the agents are processes of one machine', from: 'definition' },
      { what: 'an agent gives each task a process of its own (docs/task-code.md)', from: 'definition' },
      {
        what: 'a task goes on while few of its items are on their way (docs/devices.md)',
        from: 'definition',
      },
      assumed(
        '2 W idle and 10 W more for a busy core, and a battery of 50 Wh, as a laptop has',
        '1-5 W, 5-20 W',
      ),
    ],
  }
  return {
    schema: 'hivemind.fleet/1',
    name: 'local',
    label: `${agents} edge agent${agents === 1 ? '' : 's'} on this machine`,
    devices: [{ class: agent, count: agents }],
    uplink: {
      name: 'loopback',
      label: 'Loopback of this machine',
      kind: 'loopback',
      count: 1,
      bandwidthMbps: 8000,
      delayMs: 0.2,
      sources: [assumed('1 GB/s and 0.2 ms, encoding included', '2,000-20,000 Mb/s, 0.05-1 ms')],
    },
    cloud: {
      servers: 1,
      coresPerServer: cores,
      cpuSpeed: 1,
      coldStartMs: 150,
      keepAliveS: 60,
      dispatchMs: 3,
      handOver: { kind: 'store', fixedMs: 2, bandwidthMBps: 500 },
      otherHandOvers: [
        {
          kind: 'co-placed',
          fixedMs: 0,
          bandwidthMBps: 10_000,
          sources: [
            {
              what: 'in the memory of a function host: what is left of a call is in dispatchMs',
              from: 'measured, docs/bench/co-placement.md',
            },
          ],
        },
      ],
      pricePerCoreHour: 0.05,
      sources: [
        assumed('a function process starts in 150 ms', '50-1000 ms'),
        assumed('a process is kept for 60 s', '10-600 s'),
        {
          what: '3 ms to hand an invocation to a warm function and have its answer (2 to 8 ms on a busy machine)',
          from: 'measured, docs/bench/validation.md',
        },
        assumed('hand-over over HTTP on the loopback: 2 ms and 500 MB/s', '1-10 ms, 100-1000 MB/s'),
        assumed('price as in the paper fleets, for comparison: 0.05 USD per core and hour', '0.02-0.10 USD'),
      ],
    },
    host: {
      cores,
      sources: [{ what: 'agents and functions are processes of one machine', from: 'definition' }],
    },
  }
}

/**
 * The local fleet with edge nodes that this machine plays, for the rules of a placement: its tasks on them are functions beside those of the
 * cloud, and are estimated so (`onThisMachine`).
 */
export function withEdgeNodes(fleet: Fleet, name: string, count: number): Fleet {
  const { kind, bandwidthMbps, delayMs } = fleet.uplink
  const link = { kind, bandwidthMbps, delayMs }
  return {
    ...fleet,
    edgeNodes: {
      name,
      label: 'Edge node on this machine',
      count,
      cores: fleet.host?.cores ?? 1,
      cpuSpeed: 1,
      memoryMB: 2048,
      power: { idleW: 0, computeW: 0 },
      callMs: fleet.cloud.dispatchMs,
      link,
      backhaul: link,
      sources: [{ what: 'edge nodes are processes of this machine', from: 'definition' }],
    },
  }
}

/** The fleets that ship with HiveMind; the first is the default. Fresh values: change them as you like. */
export function fleets(): Fleet[] {
  const shipped = [PAPER_DRONES, PAPER_CARS, sensorGateways(PAPER_CLOUD)].map(structuredClonePlain)
  return [...shipped, localFleet(2)]
}

/** A shipped fleet by its name (`paper-drones`, `paper-cars`, `sensor-gateways`, `local`), or `undefined`. */
export function fleetByName(name: string): Fleet | undefined {
  return fleets().find((fleet) => fleet.name === name)
}

/** Names of the device classes of these fleets, each once. */
export const deviceClassesOf = (fleets: readonly Fleet[]): string[] => [
  ...new Set(fleets.flatMap((fleet) => fleet.devices.map((group) => group.class.name))),
]

/** Names of the edge nodes of these fleets, each once. */
export const edgeNodesOf = (fleets: readonly Fleet[]): string[] => [
  ...new Set(fleets.flatMap(({ edgeNodes }) => edgeNodes?.name ?? [])),
]

/** Number of devices of all classes. */
export function deviceCount(fleet: Fleet): number {
  return fleet.devices.reduce((sum, group) => sum + group.count, 0)
}

/** The class of every device, in order: `device-1` is the first. */
export function deviceClasses(fleet: Fleet): DeviceClass[] {
  return fleet.devices.flatMap((group) => Array.from({ length: group.count }, () => group.class))
}

/**
 * The fleet with another number of devices; classes keep their shares (largest remainders), and link, edge nodes and
 * cloud stay as they are unless `scaleLinks` asks for access points and edge nodes in proportion, as the paper does beyond 16 drones
 * (5.6).
 */
export function withDevices(fleet: Fleet, count: number, options: { scaleLinks?: boolean } = {}): Fleet {
  checkCount(count, 'count')
  const before = deviceCount(fleet)
  const shares = fleet.devices.map((group) => (group.count * count) / before)
  const counts = shares.map(Math.floor)
  const byRemainder = shares
    .map((share, index) => ({ index, rest: share - Math.floor(share) }))
    .sort((a, b) => b.rest - a.rest || a.index - b.index)
  let left = count - counts.reduce((sum, each) => sum + each, 0)
  for (const { index } of byRemainder) {
    if (left === 0) break
    counts[index] = (counts[index] ?? 0) + 1
    left -= 1
  }
  const scaled = (links: number) =>
    options.scaleLinks ? Math.max(1, Math.round((links * count) / before)) : links
  const { edgeNodes, uplink } = fleet
  return {
    ...fleet,
    devices: fleet.devices.map((group, index) => ({ class: group.class, count: counts[index] ?? 0 })),
    uplink: { ...uplink, count: scaled(uplink.count) },
    ...(edgeNodes && { edgeNodes: { ...edgeNodes, count: scaled(edgeNodes.count) } }),
  }
}

function checkCount(count: number, name: string): void {
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`'${name}' must be a whole number of at least 1, not ${count}.`)
}

function structuredClonePlain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T
}
