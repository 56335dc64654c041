/** Device classes, links and the cloud as data. Every figure names its source. */

/** Where a number comes from: a paper section, a data sheet, a measurement, or an assumption with its range. */
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
  /** Cores that all tasks share, first come, first served. */
  cores: number
  /** Instead, each task has a process of its own, which does one invocation at a time beside all others. */
  processPerTask?: boolean
  /**
   * A task begins its next invocation, and a sensor its next item, only when what it has sent to the cloud has arrived and
   * the device has heard so. Without it, they go on at once.
   */
  awaitsArrival?: boolean
  memoryMB: number
  /** Electrical power while moving, idle and computing at full load on one core, in W. */
  power: { motionW: number; idleW: number; computeW: number }
  /** Energy of the radio in J per MB sent and received. */
  radio: { txJPerMB: number; rxJPerMB: number }
  batteryWh: number
  sensors: string[]
  /** Movement speed in m/s; 0 for what stands still. */
  speedMps: number
  sources: Source[]
}

/** The link between the devices and the cloud. */
export interface Link {
  name: string
  label: string
  kind: 'wireless' | 'wired' | 'loopback'
  /** Number of equal access points the devices share evenly. */
  count: number
  /** Usable bandwidth of one, in Mbit/s, shared by both directions when wireless. */
  bandwidthMbps: number
  /** One-way propagation and processing delay in ms. */
  delayMs: number
  /**
   * What a remote call costs its ends beside the air, when that is not negligible: fixed time in ms, and bandwidth in MB/s
   * (copying, encoding, the network stack). The fabric takes it over (paper section 4.5).
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
}

/** The servers behind the link, and what a function costs there. */
export interface Cloud {
  servers: number
  coresPerServer: number
  /** Speed of one core relative to the reference core. */
  cpuSpeed: number
  /** Time to start a function instance that is not warm, in ms. */
  coldStartMs: number
  /** Idle time after which an instance is stopped, in s. */
  keepAliveS: number
  /** Controller and scheduler time per invocation, in ms. */
  dispatchMs: number
  /** Data hand-over between two cloud functions, through a store when it does not say how. */
  handOver: Omit<HandOver, 'kind'> & { kind?: HandOverKind }
  /** Other ways that one may ask about (`withHandOver`). */
  otherHandOvers?: (HandOver & { sources: Source[] })[]
  /** USD per core and hour. */
  pricePerCoreHour: number
  sources: Source[]
}

/** One computer on which a whole fleet runs. */
export interface Host {
  cores: number
  /** Jobs of somebody else that are always there and take their share of the cores; 0 without it. */
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
  /** When devices and cloud are processes of one computer: its cores, which all that computes shares evenly. */
  host?: Host
}
