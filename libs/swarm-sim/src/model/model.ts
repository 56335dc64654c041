/**
 * A queueing model of one placement on one fleet: plain data that both the closed form and the simulation read.
 * Times in ms, sizes in bytes, energy in J. docs/placement.md, "The model", says what everything means.
 */
import type { Distribution, Estimate, PowerFigures, Tier } from '@hivemind/swarm'
import type { LearnScope, RestorePolicy, Role, SyncCondition } from '@hivemind/workflow'

/** The properties of a device class that estimates use. */
export interface ModelClass extends PowerFigures {
  name: string
  cores: number
  /** Each task has a server of its own instead of sharing the cores. */
  serverPerTask: boolean
  /** A task keeps its server, and a sensor its next item, while too much of what it sent to the cloud is not acknowledged. */
  awaitsArrival: boolean
  cpuSpeed: number
  /** Of its movement; 0 for what stands still. */
  speedMps: number
}

/** Over the links of an edge node: from a device to it and back, and from it to the cloud and back. */
export type NodeChannel = 'toNode' | 'fromNode' | 'nodeUp' | 'nodeDown'

/**
 * How a parent's output reaches a child: `wire` on one device or edge node; `up` and `down` over the uplink; over the links of
 * an edge node; `handOver` between two cloud functions.
 */
export type Channel = 'wire' | 'up' | 'down' | NodeChannel | 'handOver'

/** Whether a channel is one of the links of edge nodes. */
export const isOfNode = (channel: Channel): channel is NodeChannel =>
  channel === 'toNode' || channel === 'fromNode' || isBackhaul(channel)

/** Whether a channel is the link between an edge node and the cloud. */
export const isBackhaul = (channel: Channel): boolean => channel === 'nodeUp' || channel === 'nodeDown'

/** Whether a link of an edge node is used from the devices towards the cloud. */
export const isUpwards = (channel: NodeChannel): boolean => channel === 'toNode' || channel === 'nodeUp'

/** One input of a task. */
export interface ModelParent {
  /** Index of the parent in `Model.tasks`. */
  task: number
  channel: Channel
  /** False for a mere order: a message without payload. */
  data: boolean
  /** Whether it gives one object, which goes with every item, rather than a stream. */
  isObject: boolean
}

/** A `Serial` statement: no invocation of `a` overlaps one of `b`. */
export interface ModelSerial {
  /** Indices into `Model.tasks`. */
  a: number
  b: number
  /** Where they may not overlap: for one device, or nowhere. */
  scope: 'device' | 'swarm'
  /** Whether `b` also waits, item by item, until `a` has ended; false where the graph orders the two, or they have no item in common. */
  inOrder: boolean
}

/** One task on its tier, with its times and sizes. */
export interface ModelTask {
  name: string
  tier: Tier
  /** The hardware that it occupies, by its tier's row: the cores of a device or of an edge node, containers in the cloud, or a fabric, for which nothing waits. */
  hardware: 'devices' | 'nodes' | 'cloud' | 'fabric'
  role: Role
  /** Runs once for the swarm instead of once for each device; of its children, those that are not are scattered: each device gets its result. */
  swarmWide: boolean
  /** Indices of the devices it runs on; empty when swarm-wide. */
  lanes: number[]
  /** Invocations on each lane, or in all when swarm-wide. */
  invocations: number
  /** Items of output for each invocation; invocation i gives items floor(i * outputs) up to floor((i + 1) * outputs). */
  outputs: number
  /** Time of an invocation on the reference core; of the fabric, its own. */
  service: Distribution
  /** Share of that time which is work of the host, if there is one; the rest passes by itself, before. */
  computes: number
  /** Work of the host for each item it sends to the cloud, after the arrival: only then does the device hear of it. */
  arrivalMs?: number
  /** Work of the host for each item it emits that nobody waits for: to pass it on and to tell of it. */
  besideMs?: number
  outputBytes: Distribution
  /** A sensor's time between two items; `null` for every other task. */
  gap: Distribution | null
  /** Its streams begin after so many ms and a random part of so many more, instead of at a random phase of a gap. */
  begin?: { afterMs: number; spreadMs: number }
  /** Its streams end so many ms after their last item: barriers below wait for that. */
  endMs?: number
  parents: ModelParent[]
  /** Condition of its barrier; a swarm-wide task that joins a swarm-wide parent with one on the devices has one as well. */
  barrier: SyncCondition | null
  /** What follows when its device fails; `null` when the workflow does not say. */
  restore: RestorePolicy | null
  /** Whose decisions its model is retrained with; `null` when the workflow does not say. */
  learn: LearnScope | null
  /** Goes before tasks of lower priority that wait for the same servers; 0 when the workflow does not say. */
  priority: number
  /** From when its inputs are complete to its end, in ms; of equal priorities the nearer deadline goes first. */
  deadlineMs: number | null
  /** What has not begun by its deadline is given up. */
  dropsLate: boolean
  /** Has a core of its own where there are more cores than such tasks. */
  isIsolated: boolean
  /** Keeps state: its items come one at a time and in order. */
  isStateful: boolean
  /** What the run hands to a root task that reads data. */
  inputBytes: number
  /** A task on devices or edge nodes whose output is a result of the run: it is sent to the cloud (paper section 2.3). */
  returnsResult: boolean
}

/** One link of each edge node. */
export interface ModelNodeLink {
  msPerByte: number
  delayMs: number
  /** Both directions share it. */
  shared: boolean
}

/** The edge nodes of a fleet, all equal. */
export interface ModelNodes {
  count: number
  /** For every device, the node that serves it; -1 where none does. */
  nodeOf: number[]
  cores: number
  cpuSpeed: number
  idleW: number
  computeW: number
  /** From when a call arrives to when it asks for a core. */
  callMs: number
  /** Between a node and its devices, and between a node and the cloud. */
  link: ModelNodeLink
  backhaul: ModelNodeLink
}

/** The link that a channel stands for. */
export const nodeLinkOf = ({ link, backhaul }: ModelNodes, channel: NodeChannel): ModelNodeLink =>
  isBackhaul(channel) ? backhaul : link

/** The queueing model of one placement. */
export interface Model {
  schema: 'hivemind.model/1'
  classes: ModelClass[]
  /** Index into `classes` for every device. */
  classOf: number[]
  /** Devices and cloud are processes of one computer, which share its cores evenly; `null` when each has its own. */
  host: { cores: number; others: number } | null
  link: {
    accessPoints: number
    msPerByte: number
    delayMs: number
    /** Time at the ends of a remote call, beside the air. */
    rpcMsPerByte: number
    /** Both directions share the air of an access point. */
    shared: boolean
  }
  /** Only where the fleet has edge nodes. */
  nodes?: ModelNodes
  cloud: {
    /** Cores, hence functions that can run at once. */
    slots: number
    cpuSpeed: number
    coldStartMs: number
    /** How long a start takes, with that mean. */
    coldStart: Distribution
    keepAliveMs: number
    dispatchMs: number
    /** `isShared`: all hand-overs queue for one server that takes `msPerByte`. */
    handOver: { fixedMs: number; msPerByte: number; isShared: boolean }
    pricePerCoreMs: number
  }
  /** Parents before children. */
  tasks: ModelTask[]
  serial: ModelSerial[]
}

/** Number of items a task sends on from each lane (or in all when swarm-wide). */
export function itemsOf(task: ModelTask): number {
  return Math.floor(task.invocations * task.outputs + 1e-9)
}

/** Number of places a task runs at: its lanes, or 1 for the swarm. */
export function laneCount(task: ModelTask): number {
  return task.swarmWide ? 1 : task.lanes.length
}

/**
 * The devices that a task's result, which is one for the swarm, is sent to over a channel from the cloud; empty for other tasks. In
 * order. Over `nodeDown` it goes to the edge nodes that serve them, once for each device.
 */
export function scatterLanes(
  { tasks }: Pick<Model, 'tasks'>,
  index: number,
  over: 'down' | 'nodeDown' = 'down',
): number[] {
  if (!tasks[index]?.swarmWide) return []
  const readers = tasks.filter(({ parents }) =>
    parents.some(({ task, channel }) => task === index && channel === over),
  )
  return [...new Set(readers.flatMap(({ lanes }) => lanes))].sort((a, b) => a - b)
}

/** Items of sensor data in the whole run; in a workflow without sensors every root invocation is one. */
export function originTasks(model: Model): number[] {
  const indices = model.tasks.map((_, index) => index)
  const sensors = indices.filter((index) => model.tasks[index]?.gap)
  return sensors.length > 0 ? sensors : indices.filter((index) => model.tasks[index]?.parents.length === 0)
}

/** Items of sensor data of the whole run, over all devices. */
export function totalItems(model: Model, origins: readonly number[] = originTasks(model)): number {
  return origins.reduce((sum, index) => {
    const task = model.tasks[index]
    if (!task) return sum
    return sum + laneCount(task) * (task.gap ? Math.floor(task.outputs) * task.invocations : task.invocations)
  }, 0)
}

/** The share of the cores of the edge nodes that is busy in a run, and the mean energy of a node in J; `busyMs` is the mean of all nodes. */
export function edgeNodesUsed(
  { cores, idleW, computeW }: ModelNodes,
  busyMs: number,
  endMs: number,
): NonNullable<Estimate['edgeNodes']> {
  return {
    busyShare: endMs > 0 ? busyMs / (cores * endMs) : 0,
    energyJ: (idleW * endMs + computeW * busyMs) / 1000,
  }
}
