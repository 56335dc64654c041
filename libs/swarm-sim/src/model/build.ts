/** From a workflow, a placement, a fleet and a profile to the model that is estimated. */
import {
  completeProfile,
  constant,
  type DeviceClass,
  type Distribution,
  deviceClasses,
  type EdgeNodeLink,
  emitsStream,
  type Fleet,
  inputBytesOf,
  matchesTarget,
  nodesOfDevices,
  type Placement,
  type Profile,
  type ProfileColumn,
  powerFiguresOf,
  pricePerCoreMs,
  rateOf,
  TIERS,
  type TierProfile,
  type TierRow,
  tierRow,
  transportBetween,
  withMean,
} from '@hivemind/swarm'
import {
  ancestorsOf,
  edgesOf,
  type Kinds,
  kindsOf,
  pinsToDevices,
  roleOf,
  scopesOf,
  stateKeyOf,
  type Task,
  topologicalOrder,
  type Workflow,
} from '@hivemind/workflow'
import {
  type Channel,
  itemsOf,
  type Model,
  type ModelClass,
  type ModelNodeLink,
  type ModelParent,
  type ModelSerial,
  type ModelTask,
} from './model.ts'

/** What a model is built from. */
export interface ModelInput {
  workflow: Workflow
  placement: Placement
  fleet: Fleet
  /** Completed with assumptions where it says nothing. */
  profile?: Profile
  /** Items each stream sensor emits on each device; without it, what the profile says each of them does. */
  itemsPerDevice?: number
  /** The table of tiers; `TIERS` when absent. */
  tiers?: readonly TierRow[]
}

/**
 * Builds the model of one placement. The placement must name a tier for every task; whether it is legal is
 * `checkPlacement`'s business.
 * @throws RangeError when a task has no tier, a tier cannot be estimated, or `itemsPerDevice` is not a whole number above 0
 */
export function buildModel(input: ModelInput): Model {
  return modelBuilder(input)(input.placement)
}

/**
 * Prepares all that placements of one workflow have in common; the function returned then builds the model of one
 * placement in microseconds. Its models share data: treat them as read-only.
 * @throws RangeError as `buildModel` does
 */
export function modelBuilder(input: Omit<ModelInput, 'placement'>): (placement: Placement) => Model {
  const { workflow, fleet, itemsPerDevice, tiers = TIERS } = input
  if (itemsPerDevice !== undefined && !(Number.isInteger(itemsPerDevice) && itemsPerDevice > 0))
    throw new RangeError(`'itemsPerDevice' must be a whole number of at least 1, not ${itemsPerDevice}.`)
  const profile = completeProfile(workflow, input.profile)
  const shared = hardwareOf(fleet)
  const fabricMs = constant(fabricMsOf(fleet))
  const order = topologicalOrder(workflow)
  const commons = commonsOf(workflow, fleet, order)
  const serial = serialOf(workflow, commons, order)
  return (placement) => {
    const tasks: ModelTask[] = []
    for (const [at, task] of order.entries()) {
      const common = commons[at] as Common
      const { row, hardware, column } = estimatedTier(placement, task, tiers)
      const known = profile.tasks[task.name]?.[column] as TierProfile
      const { stream, gap, parents: from, maxOutputs, ...own } = common
      const parents = from.map(
        (parent): ModelParent => ({
          ...parent,
          channel: channelOf(tierRow((tasks[parent.task] as ModelTask).tier, tiers), row),
        }),
      )
      const isSensor = own.role === 'sensor'
      tasks.push({
        name: task.name,
        tier: row.id,
        hardware,
        ...own,
        invocations: own.barrier ? 1 : invocationsOf(parents, tasks),
        outputs: isSensor
          ? sensorItems(stream, known, itemsPerDevice)
          : outputsOf(maxOutputs, known.outputsPerInvocation),
        service: hardware === 'fabric' ? fabricMs : known.serviceMs,
        computes: 1,
        outputBytes: task.dataOut === null ? NOTHING : known.outputBytes,
        gap: isSensor ? (gap ?? known.serviceMs) : null,
        parents,
        returnsResult:
          (hardware === 'devices' || hardware === 'nodes') &&
          task.children.length === 0 &&
          task.dataOut !== null,
      })
    }
    return { schema: 'hivemind.model/1', ...shared, tasks, serial }
  }
}

const NOTHING = constant(0)

/** What does not depend on a task's tier. */
interface Common
  extends Pick<
    ModelTask,
    | 'role'
    | 'swarmWide'
    | 'lanes'
    | 'barrier'
    | 'restore'
    | 'learn'
    | 'inputBytes'
    | 'priority'
    | 'deadlineMs'
    | 'dropsLate'
    | 'isIsolated'
    | 'isStateful'
  > {
  stream: boolean
  /** A stream's time between items; `null` when it follows from the profile. */
  gap: Distribution | null
  parents: Omit<ModelParent, 'channel'>[]
  /** What an invocation may emit: exactly one item, at most one, or any number. */
  maxOutputs: 'one' | 'at-most-one' | 'any'
}

function commonsOf(workflow: Workflow, fleet: Fleet, order: readonly Task[]): Common[] {
  const devices = deviceClasses(fleet)
  const index = new Map(order.map((task, at) => [task.name, at]))
  const scopes = scopesOf(workflow)
  const kinds = kindsOf(workflow)
  const reads = new Map(edgesOf(workflow).map((edge) => [`${edge.from} ${edge.to}`, edge.data.length > 0]))
  const commons: Common[] = []
  for (const task of order) {
    const stream = emitsStream(workflow, task)
    const role = roleOf(task)
    const { directives } = task
    const parents = task.parents.map((name) => ({
      task: index.get(name) as number,
      data: reads.get(`${name} ${task.name}`) ?? false,
      isObject: kinds.get(name)?.out === 'object',
    }))
    const swarmWide = scopes.get(task.name) === 'swarm'
    const mixed = swarmWide && parents.some((parent) => !commons[parent.task]?.swarmWide)
    commons.push({
      role,
      stream,
      swarmWide,
      parents,
      lanes: swarmWide ? [] : lanesOf(task, fleet, devices, parents, commons),
      barrier: directives.synchronize ?? (mixed ? ({ kind: 'all' } as const) : null),
      restore: directives.restore ?? null,
      learn: directives.learn ?? null,
      priority: directives.schedule?.priority ?? 0,
      deadlineMs: directives.schedule?.deadline?.value ?? null,
      dropsLate: directives.schedule?.onMiss === 'drop',
      isIsolated: directives.isolate === true,
      isStateful: stateKeyOf(task) !== null,
      gap: role === 'sensor' && stream ? constant(1000 / rateOf(workflow, task)) : null,
      maxOutputs: maxOutputsOf(workflow, task, kinds.get(task.name)),
      inputBytes:
        parents.length > 0 ? 0 : task.dataIn.reduce((sum, name) => sum + inputBytesOf(workflow, name), 0),
    })
  }
  return commons
}

/** An object is one item, as is each output of a task whose `Data` has `kind='object'`; for an item, a task emits one or none. */
function maxOutputsOf({ data }: Workflow, task: Task, kinds: Kinds | undefined): Common['maxOutputs'] {
  const declared = data.find(({ name }) => name === task.dataOut)?.kind
  if (declared === 'object' || kinds?.out === 'object') return 'one'
  return kinds?.in === 'stream' ? 'at-most-one' : 'any'
}

function outputsOf(max: Common['maxOutputs'], measured: number): number {
  if (max === 'one') return 1
  return max === 'any' ? measured : Math.min(1, measured)
}

/** The model with at most `items` items from each stream sensor on each device; all that follows from it follows. */
export function withItems(model: Model, items: number): Model {
  const tasks: ModelTask[] = []
  for (const task of model.tasks)
    tasks.push({
      ...task,
      invocations: task.barrier ? 1 : invocationsOf(task.parents, tasks),
      outputs: task.gap ? Math.min(task.outputs, items) : task.outputs,
    })
  return { ...model, tasks }
}

/** The row of the tier that a task is placed on, which must have hardware and a profile column. */
function estimatedTier(
  placement: Placement,
  task: Task,
  tiers: readonly TierRow[],
): { row: TierRow; hardware: ModelTask['hardware']; column: ProfileColumn } {
  const tier = Object.hasOwn(placement, task.name) ? placement[task.name] : undefined
  if (tier === undefined) throw new RangeError(`The placement names no tier for task '${task.name}'.`)
  const row = tierRow(tier, tiers)
  if (row.hardware === null || row.profile === null)
    throw new RangeError(
      `Task '${task.name}' cannot be estimated on tier '${tier}': there is no model of it yet.`,
    )
  return { row, hardware: row.hardware, column: row.profile.column }
}

/** Time of an item in the fabric of a fleet, in ms; 0 where there is none, and so no task on it. */
function fabricMsOf({ fabric }: Fleet): number {
  return fabric ? fabric.cyclesPerItem / (fabric.clockMHz * 1000) : 0
}

/** The channel of an edge of the workflow, by the transport between the tiers of its ends. */
function channelOf(parent: TierRow, child: TierRow): Channel {
  const transport = transportBetween(parent, child)
  if (transport === 'uplink') return parent.hardware === 'devices' ? 'up' : 'down'
  if (transport === 'radio') return parent.hardware === 'devices' ? 'toNode' : 'fromNode'
  if (transport === 'backhaul') return parent.hardware === 'nodes' ? 'nodeUp' : 'nodeDown'
  return transport === 'local' ? 'wire' : 'handOver'
}

function lanesOf(
  task: Task,
  fleet: Fleet,
  devices: readonly DeviceClass[],
  parents: readonly { task: number }[],
  tasks: readonly { lanes: number[]; swarmWide: boolean }[],
): number[] {
  const pin = task.directives.place
  const target = pinsToDevices(pin) ? pin.target : 'all'
  const lanes: number[] = []
  const sides = parents.flatMap((parent) =>
    tasks[parent.task]?.swarmWide ? [] : [new Set(tasks[parent.task]?.lanes)],
  )
  for (const [device, each] of devices.entries()) {
    if (matchesTarget(target, device, each, fleet) && sides.every((side) => side.has(device)))
      lanes.push(device)
  }
  return lanes
}

/** A child runs for every item that all its streams have; an object goes with every item. */
function invocationsOf(parents: ModelParent[], tasks: readonly ModelTask[]): number {
  const streams = parents.filter(({ isObject }) => !isObject)
  return streams.length > 0
    ? Math.min(...streams.map((parent) => itemsOf(tasks[parent.task] as ModelTask)))
    : 1
}

function sensorItems(stream: boolean, known: TierProfile, itemsPerDevice: number | undefined): number {
  if (!stream) return 1
  return itemsPerDevice ?? Math.max(1, Math.round(known.outputsPerInvocation))
}

/** The `Serial` statements that have an effect: two tasks of different scopes have neither an item nor a device in common. */
function serialOf(workflow: Workflow, commons: readonly Common[], order: readonly Task[]): ModelSerial[] {
  const index = new Map(order.map((task, at) => [task.name, at]))
  return workflow.relations.flatMap(({ kind, a, b, scope = 'device' as const }): ModelSerial[] => {
    const first = index.get(a)
    const second = index.get(b)
    if (kind !== 'serial' || first === undefined || second === undefined || first === second) return []
    const haveItems = commons[first]?.swarmWide === commons[second]?.swarmWide
    if (!haveItems && scope === 'device') return []
    const isOrdered = ancestorsOf(workflow, a).has(b) || ancestorsOf(workflow, b).has(a)
    return [{ a: first, b: second, scope, inOrder: haveItems && !isOrdered }]
  })
}

const nodeLink = ({ kind, bandwidthMbps, delayMs }: EdgeNodeLink): ModelNodeLink => ({
  msPerByte: 8 / (bandwidthMbps * 1000),
  delayMs,
  shared: kind === 'wireless',
})

function nodesOf(fleet: Fleet): Pick<Model, 'nodes'> {
  if (!fleet.edgeNodes) return {}
  const { count, cores, cpuSpeed, power, callMs, link, backhaul } = fleet.edgeNodes
  return {
    nodes: {
      count,
      nodeOf: nodesOfDevices(fleet),
      cores,
      cpuSpeed,
      ...power,
      callMs,
      link: nodeLink(link),
      backhaul: nodeLink(backhaul),
    },
  }
}

function hardwareOf(fleet: Fleet): Pick<Model, 'classes' | 'classOf' | 'host' | 'link' | 'nodes' | 'cloud'> {
  const { uplink, cloud } = fleet
  const classes = fleet.devices.map(
    ({ class: each }): ModelClass => ({
      name: each.name,
      cores: each.cores,
      serverPerTask: each.processPerTask ?? false,
      awaitsArrival: each.awaitsArrival ?? false,
      cpuSpeed: each.cpuSpeed,
      ...powerFiguresOf(each),
      speedMps: each.speedMps,
    }),
  )
  return {
    classes,
    classOf: fleet.devices.flatMap((group, at) => Array.from({ length: group.count }, () => at)),
    host: fleet.host ? { cores: fleet.host.cores, others: fleet.host.others ?? 0 } : null,
    link: {
      accessPoints: uplink.count,
      msPerByte: 8 / (uplink.bandwidthMbps * 1000),
      delayMs: uplink.delayMs + (uplink.rpc?.fixedMs ?? 0),
      rpcMsPerByte: uplink.rpc ? 1 / (uplink.rpc.bandwidthMBps * 1000) : 0,
      shared: uplink.kind === 'wireless',
    },
    ...nodesOf(fleet),
    cloud: {
      slots: cloud.servers * cloud.coresPerServer,
      cpuSpeed: cloud.cpuSpeed,
      coldStartMs: cloud.coldStartMs,
      coldStart: withMean(
        { mean: 1, quantiles: cloud.coldStartSpread ?? [1, 1], samples: 0 },
        cloud.coldStartMs,
      ),
      keepAliveMs: cloud.keepAliveS * 1000,
      dispatchMs: cloud.dispatchMs,
      handOver: {
        fixedMs: cloud.handOver.fixedMs,
        msPerByte: 1 / (cloud.handOver.bandwidthMBps * 1000),
        isShared: cloud.handOver.isShared ?? false,
      },
      pricePerCoreMs: pricePerCoreMs(cloud),
    },
  }
}
