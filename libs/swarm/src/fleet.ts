/** Device classes, links and the cloud as data. Every figure names its source. */

/** The origin of a number: a paper section, a data sheet, a measurement, or an assumption with its range. */
export interface Source {
  what: string
  from: string
}

/** A class of equal devices. Paper section 2.1; `sources` names the origin of every figure. */
export interface DeviceClass {
  name: string
  label: string
  /** Speed of one core relative to the reference core on which profiles are measured; 0.08 is 12.5 times slower. */
  cpuSpeed: number
  /** Number of cores, shared by all tasks first come, first served. */
  cores: number
  /** Instead of sharing cores, each task has its own process, which runs one invocation at a time, concurrently with the others. */
  processPerTask?: boolean
  /**
   * A task starts its next invocation, and a sensor its next item, only while not too many of its outputs are on their way to the
   * cloud, see `itemsOnTheWay`: they are until their arrival is acknowledged. A sensor also waits for the tasks on its device, see
   * `MAX_READY_ON_DEVICE`. When absent, they continue at once.
   */
  awaitsArrival?: boolean
  memoryMB: number
  /** Electrical power while moving, idle and computing at full load on one core, in W. */
  power: { motionW: number; idleW: number; computeW: number }
  /** Energy of the radio in J per MB sent and received. */
  radio: { txJPerMB: number; rxJPerMB: number }
  batteryWh: number
  sensors: string[]
  /** Movement speed in m/s; 0 for stationary devices. */
  speedMps: number
  sources: Source[]
}

/** The link between the devices and the cloud. */
export interface Link {
  name: string
  label: string
  kind: 'wireless' | 'wired' | 'loopback'
  /** Number of equal access points, among which the devices are divided evenly. */
  count: number
  /** Usable bandwidth of one access point, in Mbit/s; shared by both directions when wireless. */
  bandwidthMbps: number
  /** One-way propagation and processing delay in ms. */
  delayMs: number
  /**
   * Cost of a remote call at its ends, excluding the link, when it is not negligible: fixed time in ms, and bandwidth in MB/s
   * (copying, encoding, the network stack). The fabric offloads it (paper section 4.5).
   */
  rpc?: { fixedMs: number; bandwidthMBps: number }
  sources: Source[]
}

/**
 * How the output of one cloud function reaches the next (paper sections 3.3, 4.3 and 4.4): through a third party such as a
 * database (`store`), by a remote call (`direct`), in the memory of one container (`co-placed`), or by remote memory access
 * between servers (`remote-memory`).
 */
export type HandOverKind = 'store' | 'direct' | 'co-placed' | 'remote-memory'

/** One way of handing data over between cloud functions: a fixed time, and a bandwidth in MB/s. */
export interface HandOver {
  kind: HandOverKind
  /** Time of each hand-over, in ms. */
  fixedMs: number
  bandwidthMBps: number
  /**
   * All functions share the bandwidth, and wait for one another, as at a database (paper section 4.4: expensive when many
   * functions access data at once). When absent, each hand-over has the bandwidth for itself.
   */
  isShared?: boolean
}

/** The servers behind the link, and what a function costs there. */
export interface Cloud {
  servers: number
  coresPerServer: number
  /** Speed of one core relative to the reference core. */
  cpuSpeed: number
  /** Mean time to start a function instance that is not warm, in ms. */
  coldStartMs: number
  /**
   * How that time varies: evenly spaced quantiles over the mean, from the minimum to the maximum, at least two. When absent,
   * each start takes as long.
   */
  coldStartSpread?: number[]
  /** Idle time after which an instance is stopped, in s. */
  keepAliveS: number
  /** Controller and scheduler time per invocation, in ms. */
  dispatchMs: number
  /** Data hand-over between two cloud functions; through a store when `kind` is absent. */
  handOver: Omit<HandOver, 'kind'> & { kind?: HandOverKind }
  /** Alternatives to `handOver`; see `withHandOver`. */
  otherHandOvers?: (HandOver & { sources: Source[] })[]
  /** USD per core and hour. */
  pricePerCoreHour: number
  sources: Source[]
}

/**
 * Boards with network functions in hardware, on the way from the devices to the cloud (paper section 4.4; InLocus, section IV).
 * Each runs one function at a time, with the engine distil.
 */
export interface Fabric {
  boards: number
  /** Devices for which one board keeps a window. */
  places: number
  /** Clock of the boards, in MHz: no faster than the build's timing allows. */
  clockMHz: number
  /** Cycles from the end of a reading on its way in to the beginning of what leaves for it. */
  cyclesPerItem: number
  sources: Source[]
}

/** A link of the edge nodes. Each node has one of its own, with this bandwidth; both directions share it when wireless. */
export type EdgeNodeLink = Pick<Link, 'kind' | 'bandwidthMbps' | 'delayMs'>

/**
 * Edge nodes: a level of its own between devices and cloud (Vertex paper, section 3.2). A few machines near the devices, such as gateways
 * or a ground station, each of which runs tasks for the devices that it serves. Functions are warm there: a call costs no start.
 */
export interface EdgeNodes {
  /** `Place(task, 'Edge:NAME')` puts a task on them. */
  name: string
  label: string
  /** Number of equal nodes, among which the devices that they serve are dealt out in turn. */
  count: number
  /** Cores of each node, shared by all tasks first come, first served. */
  cores: number
  /** Speed of one core relative to the reference core. */
  cpuSpeed: number
  memoryMB: number
  /** Electrical power of each node: idle, and what a busy core takes more, in W. */
  power: { idleW: number; computeW: number }
  /** Time to take a call of a function, in ms. */
  callMs: number
  /** Names of the device classes that they serve; all when absent. */
  serves?: string[]
  /** Between a node and its devices. */
  link: EdgeNodeLink
  /** Between a node and the cloud. */
  backhaul: EdgeNodeLink
  sources: Source[]
}

/** One computer on which a whole fleet runs. */
export interface Host {
  cores: number
  /** Number of other jobs that constantly take their share of the cores; 0 when absent. */
  others?: number
  sources: Source[]
}

/** The devices, the link and the cloud on which a workflow is placed. */
export interface Fleet {
  schema: 'hivemind.fleet/1'
  name: string
  label: string
  devices: { class: DeviceClass; count: number }[]
  /** The link between the devices and the cloud. */
  uplink: Link
  cloud: Cloud
  /** Absent when there are none. */
  edgeNodes?: EdgeNodes
  /** Absent when there is none. */
  fabric?: Fabric
  /** Set when devices and cloud are processes of one computer, whose cores they share evenly. */
  host?: Host
}
