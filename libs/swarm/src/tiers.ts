/**
 * The tiers as a table: a row for each place where a task can run. Rules, estimates, synthesis and screens read the rows
 * and name no tier themselves, so that a tier is added by a row. HiveMind paper, sections 4.1, 4.2 and 4.4.
 */
import {
  type Pin,
  pinsToDevices,
  roleOf,
  swarmWideTasks,
  tasksHeldByData,
  topologicalOrder,
  type Workflow,
} from '@hivemind/workflow'
import { pinsToEdgeNodes } from './edge-nodes.ts'
import type { Fleet } from './fleet.ts'
import type { ProfileColumn } from './profile.ts'
import {
  ACTUATOR_NOT_IN_CLOUD,
  DATA_STAYS_ON_DEVICE,
  EDGE_NODE_NOT_AVAILABLE,
  EDGE_NODE_NOT_FOR_DEVICES,
  EDGE_NODE_SERVES_OTHERS,
  FABRIC_HAS_TOO_FEW_BOARDS,
  FABRIC_HAS_TOO_FEW_PLACES,
  FABRIC_NEEDS_NFU,
  FABRIC_NEEDS_WINDOW,
  FABRIC_NOT_AVAILABLE,
  FABRIC_NOT_FOR_DEVICES,
  SENSOR_NOT_IN_CLOUD,
  SWARM_BARRIER_NOT_ON_EDGE,
  type TaskFacts,
  type TierRule,
} from './tier-rules.ts'

/** Ids of all tiers, in the order of the table. */
export const TIER_IDS = ['cloud', 'edge', 'fabric', 'edge-node'] as const

/**
 * Id of a tier: where a task runs. `edge` is the devices themselves, `edge-node` the machines near them that serve them, and
 * `fabric` a network function in hardware.
 */
export type Tier = (typeof TIER_IDS)[number]

/** Why a task cannot run on a tier: the rule, and its sentence. */
export interface Refusal {
  rule: string
  reason: string
}

/**
 * How data gets from one task to another. `local`: inside one device. `uplink`: over the link between devices and cloud.
 * `radio`: between a device and the edge node that serves it. `backhaul`: between an edge node and the cloud. `handOver`: between cloud functions, as the fleet's `handOver` says.
 */
export type Transport = 'local' | 'uplink' | 'radio' | 'backhaul' | 'handOver'

/** What a transport costs, and how a deployment carries it. */
export interface TransportRow {
  /** The part of an item's latency that it counts as; `null` when it takes no time. */
  latencyPart: 'network' | 'dataExchange' | null
  /** Its bytes count as bandwidth: they go to the cloud, or come from there. */
  isBandwidth: boolean
  /** The end that pays for it in energy: the device at either end, for each byte its radio sends or receives. */
  energyPaidBy: 'device' | null
  /** How a deployment carries it. `wire`: a wire of the device's Node-RED flow. */
  protocol: 'wire' | 'thrift' | 'cloudevents'
}

/** The transports. */
export const TRANSPORTS: Readonly<Record<Transport, TransportRow>> = {
  local: { latencyPart: null, isBandwidth: false, energyPaidBy: null, protocol: 'wire' },
  uplink: { latencyPart: 'network', isBandwidth: true, energyPaidBy: 'device', protocol: 'thrift' },
  radio: { latencyPart: 'network', isBandwidth: false, energyPaidBy: 'device', protocol: 'thrift' },
  backhaul: { latencyPart: 'network', isBandwidth: true, energyPaidBy: null, protocol: 'cloudevents' },
  handOver: { latencyPart: 'dataExchange', isBandwidth: false, energyPaidBy: null, protocol: 'cloudevents' },
}

/** One tier. */
export interface TierRow {
  id: Tier
  /** For people, capitalised. */
  label: string
  /** One letter that stands for it where a placement is a row of letters. */
  letter: string
  /** Colour token of the web app's design system: `cloud` stands for the CSS variable `--color-cloud`. */
  colour: string
  /** Shape of its baseline (`all-ID`) in plots of candidates. */
  mark: 'square' | 'diamond' | 'triangle' | 'hexagon'
  /** Position in charts, from the devices upwards. */
  chartOrder: number
  /** Whether a fleet has it at all; every fleet does when absent. Of a fleet without it, it is no choice that rules remove. */
  isIn?: (fleet: Fleet) => boolean
  /** Its conditions, in the order in which they are asked. */
  rules: readonly TierRule[]
  /** A task on it runs on every device, on the device's own data; otherwise at one place for all devices. */
  perDevice: boolean
  /**
   * The fleet's hardware that its tasks occupy, at that hardware's speed; `null` when there is no model of it. Nothing waits for
   * the fabric: it takes items as fast as its line brings them.
   */
  hardware: 'devices' | 'nodes' | 'cloud' | 'fabric' | null
  /**
   * The column of a profile with a task's time, sizes and number of outputs on it, and the columns from which a missing one
   * is derived, best first. `null` when nothing can be known of it yet: such a tier is not estimated.
   */
  profile: { column: ProfileColumn; derivedFrom: readonly ProfileColumn[] } | null
  /** How its output reaches a task on each tier, by that tier's id. */
  transport: Readonly<Partial<Record<Tier, Transport>>>
  /** What a busy ms of a task costs: energy of the device (its `computeW`), or money (the cloud's price of a core). */
  costs: { energy: boolean; money: boolean }
}

/** Every tier there is. */
export const TIERS: readonly TierRow[] = [
  {
    id: 'cloud',
    label: 'Cloud',
    letter: 'C',
    colour: 'cloud',
    mark: 'square',
    chartOrder: 3,
    rules: [SENSOR_NOT_IN_CLOUD, ACTUATOR_NOT_IN_CLOUD, DATA_STAYS_ON_DEVICE],
    perDevice: false,
    hardware: 'cloud',
    profile: { column: 'cloud', derivedFrom: ['edge'] },
    transport: { cloud: 'handOver', edge: 'uplink', fabric: 'handOver' },
    costs: { energy: false, money: true },
  },
  {
    id: 'edge',
    label: 'Edge',
    letter: 'E',
    colour: 'edge',
    mark: 'diamond',
    chartOrder: 0,
    rules: [SWARM_BARRIER_NOT_ON_EDGE],
    perDevice: true,
    hardware: 'devices',
    profile: { column: 'edge', derivedFrom: ['cloud'] },
    transport: { cloud: 'uplink', edge: 'local', fabric: 'uplink' },
    costs: { energy: true, money: false },
  },
  {
    id: 'fabric',
    label: 'Fabric',
    letter: 'F',
    colour: 'fabric',
    mark: 'triangle',
    chartOrder: 2,
    rules: [
      DATA_STAYS_ON_DEVICE,
      FABRIC_NEEDS_NFU,
      FABRIC_NOT_AVAILABLE,
      FABRIC_NOT_FOR_DEVICES,
      FABRIC_NEEDS_WINDOW,
      FABRIC_HAS_TOO_FEW_BOARDS,
      FABRIC_HAS_TOO_FEW_PLACES,
    ],
    perDevice: false,
    hardware: 'fabric',
    // sizes and numbers of outputs are those of the same op in software; its time is the fleet's
    profile: { column: 'edge', derivedFrom: ['cloud'] },
    transport: { cloud: 'handOver', edge: 'uplink', fabric: 'handOver' },
    costs: { energy: false, money: false },
  },
  {
    id: 'edge-node',
    label: 'Edge node',
    letter: 'N',
    colour: 'edge-node',
    mark: 'hexagon',
    chartOrder: 1,
    isIn: ({ edgeNodes }) => edgeNodes !== undefined,
    rules: [
      DATA_STAYS_ON_DEVICE,
      EDGE_NODE_NOT_AVAILABLE,
      EDGE_NODE_NOT_FOR_DEVICES,
      SWARM_BARRIER_NOT_ON_EDGE,
      EDGE_NODE_SERVES_OTHERS,
    ],
    perDevice: false,
    hardware: 'nodes',
    profile: { column: 'cloud', derivedFrom: ['edge'] },
    transport: { cloud: 'backhaul', edge: 'radio', fabric: 'backhaul', 'edge-node': 'local' },
    costs: { energy: false, money: false },
  },
]

/**
 * The row of a tier.
 * @throws RangeError when the table has no such tier
 */
export function tierRow(id: string, tiers: readonly TierRow[] = TIERS): TierRow {
  const row = tiers.find((each) => each.id === id)
  if (!row) throw new RangeError(`'${id}' is no tier; the tiers are: ${tierIds(tiers).join(', ')}.`)
  return row
}

/** Whether a text is the id of a tier of the table. */
export function isTier(id: string, tiers: readonly TierRow[] = TIERS): id is Tier {
  return tiers.some((each) => each.id === id)
}

/** Ids of the rows, in order. */
export function tierIds(tiers: readonly TierRow[] = TIERS): Tier[] {
  return tiers.map((each) => each.id)
}

/** The rows whose tasks can be estimated: those with a profile column. */
export function estimatedTiers(tiers: readonly TierRow[] = TIERS): TierRow[] {
  return tiers.filter((each) => each.profile !== null)
}

/** The rows of the tiers that a fleet has. */
export function tiersIn(fleet: Fleet, tiers: readonly TierRow[] = TIERS): TierRow[] {
  return tiers.filter(({ isIn }) => isIn?.(fleet) ?? true)
}

/** The tier that a pin means in a fleet: `Edge:NAME` is the edge nodes where they are called so, else devices. */
export function pinnedTier(pin: Pin, fleet: Pick<Fleet, 'edgeNodes'>): Tier {
  return pinsToEdgeNodes(pin, fleet) ? 'edge-node' : pin.tier
}

/** Why a task cannot run on a tier of a fleet: the first rule that refuses; `null` when it can. */
export function canRun(tier: TierRow, task: TaskFacts, fleet: Fleet): Refusal | null {
  for (const rule of tier.rules) {
    const reason = rule.refuse(task, fleet)
    if (reason !== null) return { rule: rule.name, reason }
  }
  return null
}

/**
 * How the output of a task on tier `from` reaches one on tier `to`. Either row may name it, so that a new row says for
 * itself how it is reached.
 * @throws RangeError when neither row names the other
 */
export function transportBetween(from: TierRow, to: TierRow): Transport {
  const transport = from.transport[to.id] ?? to.transport[from.id]
  if (!transport) throw new RangeError(`No transport is known from tier '${from.id}' to tier '${to.id}'.`)
  return transport
}

/** The facts of every task, in the order of the workflow. Throws on a cycle. */
export function taskFacts(workflow: Workflow): TaskFacts[] {
  const wide = swarmWideTasks(workflow)
  const held = tasksHeldByData(workflow)
  const functions = workflow.tasks.filter(({ code }) => code.startsWith('nfu:'))
  const byTurn = [
    ...functions.filter(({ directives }) => directives.place?.tier === 'fabric'),
    ...functions.filter(({ directives }) => directives.place?.tier !== 'fabric'),
  ]
  const targets = new Map<string, readonly string[]>()
  for (const { name, directives, parents } of topologicalOrder(workflow)) {
    const own =
      pinsToDevices(directives.place) && directives.place.target !== 'all' ? [directives.place.target] : []
    const above = parents.flatMap((parent) => (wide.has(parent) ? [] : (targets.get(parent) ?? [])))
    targets.set(name, [...new Set([...own, ...above])])
  }
  return workflow.tasks.map((task) => ({
    name: task.name,
    code: task.code,
    role: roleOf(task),
    swarmWide: wide.has(task.name),
    barrier: task.directives.synchronize !== undefined,
    heldBy: held.get(task.name) ?? null,
    targets: targets.get(task.name) ?? [],
    functionNumber: byTurn.indexOf(task),
  }))
}
