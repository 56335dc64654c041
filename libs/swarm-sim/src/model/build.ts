/** From a workflow, a placement, a fleet and a profile to the model that is estimated. */
import {
  completeProfile,
  constant,
  type Distribution,
  deviceClasses,
  emitsStream,
  type Fleet,
  inputBytesOf,
  type Placement,
  type Profile,
  rateOf,
  type TierProfile,
} from '@hivemind/swarm'
import {
  ancestorsOf,
  edgesOf,
  roleOf,
  swarmWideTasks,
  type Task,
  topologicalOrder,
  type Workflow,
} from '@hivemind/workflow'
import {
  type Channel,
  itemsOf,
  type Model,
  type ModelClass,
  type ModelParent,
  type ModelTask,
} from './model.ts'

export interface ModelInput {
  workflow: Workflow
  placement: Placement
  fleet: Fleet
  /** Completed with assumptions where it says nothing. */
  profile?: Profile
  /** Items each stream sensor emits on each device; without it, what the profile says each of them does. */
  itemsPerDevice?: number
}

/**
 * Builds the model of one placement. The placement must name a tier for every task; whether it is legal is
 * `checkPlacement`'s business.
 * @throws RangeError when a task has no tier, a tier is `fabric`, or `itemsPerDevice` is not a whole number above 0
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
  const { workflow, fleet, itemsPerDevice } = input
  if (itemsPerDevice !== undefined && !(Number.isInteger(itemsPerDevice) && itemsPerDevice > 0))
    throw new RangeError(`'itemsPerDevice' must be a whole number of at least 1, not ${itemsPerDevice}.`)
  const profile = completeProfile(workflow, input.profile)
  const shared = hardware(fleet)
  const order = topologicalOrder(workflow)
  const commons = commonsOf(workflow, fleet, order)
  return (placement) => {
    const tasks: ModelTask[] = []
    for (const [at, task] of order.entries()) {
      const common = commons[at] as Common
      const tier = tierOf(placement, task)
      const known = profile.tasks[task.name]?.[tier] as TierProfile
      const { stream, role } = common
      const parents = common.parents.map(
        ({ task: parent, data }): ModelParent => ({
          task: parent,
          channel: channelOf(tasks[parent] as ModelTask, tier),
          data,
        }),
      )
      tasks.push({
        name: task.name,
        tier,
        role,
        swarmWide: common.swarmWide,
        lanes: common.lanes,
        invocations: common.barrier ? 1 : invocationsOf(parents, tasks),
        outputs: role === 'sensor' ? sensorItems(stream, known, itemsPerDevice) : known.outputsPerInvocation,
        service: known.serviceMs,
        computes: 1,
        outputBytes: task.dataOut === null ? NOTHING : known.outputBytes,
        gap: role === 'sensor' ? (common.gap ?? known.serviceMs) : null,
        parents,
        barrier: common.barrier,
        restore: common.restore,
        learn: common.learn,
        serialWith: common.serialWith,
        inputBytes: common.inputBytes,
        returnsResult: tier === 'edge' && task.children.length === 0 && task.dataOut !== null,
      })
    }
    return { schema: 'hivemind.model/1', ...shared, tasks }
  }
}

const NOTHING = constant(0)

/** What does not hang on a task's tier. */
interface Common
  extends Pick<
    ModelTask,
    'role' | 'swarmWide' | 'lanes' | 'barrier' | 'restore' | 'learn' | 'serialWith' | 'inputBytes'
  > {
  stream: boolean
  /** A stream's time between items; `null` when it follows from the profile. */
  gap: Distribution | null
  parents: { task: number; data: boolean }[]
}

function commonsOf(workflow: Workflow, fleet: Fleet, order: readonly Task[]): Common[] {
  const devices = deviceClasses(fleet).map((each) => each.name)
  const index = new Map(order.map((task, at) => [task.name, at]))
  const wide = swarmWideTasks(workflow)
  const reads = new Map(edgesOf(workflow).map((edge) => [`${edge.from} ${edge.to}`, edge.data.length > 0]))
  const serial = serialPairs(workflow, wide)
  const commons: Common[] = []
  for (const task of order) {
    const stream = emitsStream(workflow, task)
    const role = roleOf(task)
    const parents = task.parents.map((name) => ({
      task: index.get(name) as number,
      data: reads.get(`${name} ${task.name}`) ?? false,
    }))
    const swarmWide = wide.has(task.name)
    const mixed = swarmWide && parents.some((parent) => !commons[parent.task]?.swarmWide)
    commons.push({
      role,
      stream,
      swarmWide,
      parents,
      lanes: swarmWide ? [] : lanesOf(task, devices, parents, commons),
      barrier: task.directives.synchronize ?? (mixed ? ({ kind: 'all' } as const) : null),
      restore: task.directives.restore ?? null,
      learn: task.directives.learn ?? null,
      gap: role === 'sensor' && stream ? constant(1000 / rateOf(workflow, task)) : null,
      serialWith: (serial.get(task.name) ?? []).map((name) => index.get(name) as number),
      inputBytes:
        parents.length > 0 ? 0 : task.dataIn.reduce((sum, name) => sum + inputBytesOf(workflow, name), 0),
    })
  }
  return commons
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

function tierOf(placement: Placement, task: Task): 'cloud' | 'edge' {
  const tier = Object.hasOwn(placement, task.name) ? placement[task.name] : undefined
  if (tier === 'cloud' || tier === 'edge') return tier
  throw new RangeError(
    tier === undefined
      ? `The placement names no tier for task '${task.name}'.`
      : `Task '${task.name}' cannot be estimated on tier '${tier}': there is no model of it yet.`,
  )
}

function channelOf(parent: ModelTask, tier: 'cloud' | 'edge'): Channel {
  if (parent.tier === 'edge') return tier === 'edge' ? 'wire' : 'up'
  return tier === 'edge' ? 'down' : 'handOver'
}

function lanesOf(
  task: Task,
  classes: string[],
  parents: readonly { task: number }[],
  tasks: readonly { lanes: number[] }[],
): number[] {
  const pin = task.directives.place
  const target = pin?.tier === 'edge' ? pin.target : 'all'
  const lanes: number[] = []
  const sides = parents.map((parent) => new Set(tasks[parent.task]?.lanes))
  for (const [device, name] of classes.entries()) {
    const matches = target === 'all' || target === name || target === `device-${device + 1}`
    if (matches && sides.every((side) => side.has(device))) lanes.push(device)
  }
  return lanes
}

/** A child runs for every item all parents have; a parent of exactly one item is an object and goes with every item. */
function invocationsOf(parents: ModelParent[], tasks: readonly ModelTask[]): number {
  const streams = parents
    .map((parent) => itemsOf(tasks[parent.task] as ModelTask))
    .filter((items) => items !== 1)
  return streams.length > 0 ? Math.min(...streams) : 1
}

function sensorItems(stream: boolean, known: TierProfile, itemsPerDevice: number | undefined): number {
  if (!stream) return 1
  return itemsPerDevice ?? Math.max(1, Math.round(known.outputsPerInvocation))
}

/** `Serial` pairs that the graph does not already keep apart. */
function serialPairs(workflow: Workflow, wide: ReadonlySet<string>): Map<string, string[]> {
  const pairs = new Map<string, string[]>()
  const add = (a: string, b: string) => {
    const known = pairs.get(a) ?? []
    if (!known.includes(b)) pairs.set(a, [...known, b])
  }
  const names = new Set(workflow.tasks.map((task) => task.name))
  for (const { kind, a, b } of workflow.relations) {
    if (kind !== 'serial' || a === b || !names.has(a) || !names.has(b)) continue
    // one for each device and one for the swarm have no item in common
    if (wide.has(a) !== wide.has(b)) continue
    if (ancestorsOf(workflow, a).has(b) || ancestorsOf(workflow, b).has(a)) continue
    add(a, b)
    add(b, a)
  }
  return pairs
}

function hardware(fleet: Fleet): Pick<Model, 'classes' | 'classOf' | 'host' | 'link' | 'cloud'> {
  const { uplink, cloud } = fleet
  const classes = fleet.devices.map(
    ({ class: each }): ModelClass => ({
      name: each.name,
      cores: each.cores,
      serverPerTask: each.processPerTask ?? false,
      awaitsArrival: each.awaitsArrival ?? false,
      cpuSpeed: each.cpuSpeed,
      motionW: each.power.motionW,
      idleW: each.power.idleW,
      computeW: each.power.computeW,
      txJPerByte: each.radio.txJPerMB / 1e6,
      rxJPerByte: each.radio.rxJPerMB / 1e6,
      batteryJ: each.batteryWh * 3600,
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
    cloud: {
      slots: cloud.servers * cloud.coresPerServer,
      cpuSpeed: cloud.cpuSpeed,
      coldStartMs: cloud.coldStartMs,
      keepAliveMs: cloud.keepAliveS * 1000,
      dispatchMs: cloud.dispatchMs,
      handOver: {
        fixedMs: cloud.handOver.fixedMs,
        msPerByte: 1 / (cloud.handOver.bandwidthMBps * 1000),
      },
      pricePerCoreMs: cloud.pricePerCoreHour / 3600e3,
    },
  }
}
