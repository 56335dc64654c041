/** A plan compiled for the run core: integer ids, fixed successor and predecessor lists, one instance for each task and lane. */
import { nodeServing, tierRow } from '@hivemind/swarm'
import type { Plan, PlanTask } from '@hivemind/synthesis'

/** Lane of everything behind a barrier: the whole swarm. */
export const SWARM = '*'

/** A device of a run. */
export interface CoreDevice {
  name: string
  /** Name of its device class; `*` counts as any class. */
  class: string
}

/**
 * How a parent's output reaches a child.
 * `item`: item by item. `object`: one value that goes along with every item. `collect`: all of the parent's items, of
 * every device, in one list.
 */
export type EdgeMode = 'item' | 'object' | 'collect'

export interface CoreEdge {
  parent: number
  child: number
  /** Position among the child's parents. */
  slot: number
  mode: EdgeMode
  /** The value stays on the device: the device's own core hands it over. */
  wired: boolean
  /** The parent runs once for the swarm and the child on every device: each gets its part. */
  scatter: boolean
  /** An object goes on when it is emitted (`Overlap`), not when its parent has ended. */
  early: boolean
}

export interface CoreTask {
  id: number
  plan: PlanTask
  /** This core dispatches it; otherwise it only follows what happens elsewhere. */
  local: boolean
  /** Runs outside this view: only its items are known. */
  external: boolean
  /** Device of each instance, by index; -1 for the swarm. */
  lanes: number[]
  /** Id of its first instance. */
  firstInstance: number
  /** Position of the instance of a device in `lanes`; -1 where it has none. */
  slotOfDevice: Int32Array
  /** Functions that run it: on edge nodes one for each node, which have the devices in turn; else one. */
  functions: number
  /** Number of its first function. */
  firstFunction: number
  parents: CoreEdge[]
  children: CoreEdge[]
  itemParents: number
  objectParents: number
  /** Called once, emits a stream. */
  generator: boolean
  /** It may start only when tasks outside its device allow it, so its inputs are held back until then. */
  gated: boolean
  /** It may have to wait for its turn: it keeps state, or a `Serial` names it. */
  ordered: boolean
  /** Tasks that must end before it for the same item, and from which it is kept apart. */
  serialAfter: { task: number; swarm: boolean }[]
  /** Tasks that wait for this one. */
  serialBefore: { task: number; swarm: boolean }[]
  /** Its watermark is needed: a task that keeps state or waits in turn reads from it, directly or not. */
  tracked: boolean
  /** Its items go to the run's results or are kept. */
  isOutput: boolean
  stateful: boolean
  /** Itself and the tasks below it over wires, in order; of tasks on devices. */
  wiredBelow: number[]
  /** Tasks whose inputs from outside are kept until this one is done with an item. */
  keepers: number[]
}

export interface CorePlan {
  plan: Plan
  devices: CoreDevice[]
  tasks: CoreTask[]
  /** Task of each instance. */
  taskOfInstance: Int32Array
  /** Index of the device of each instance; -1 for the swarm. */
  deviceOfInstance: Int32Array
  instances: number
  /** Function that runs the invocations of each instance. */
  functionOfInstance: Int32Array
  functions: number
  taskByName: Map<string, number>
  deviceByName: Map<string, number>
  /** The device this core runs on; `null` in the service. */
  device: string | null
}

/**
 * Compiles a plan for the service: it dispatches cloud tasks, and follows those on devices.
 * Throws an `Error` when the plan names tasks or devices that do not exist, or has a cycle.
 * @param edgeNodes number of edge nodes that run the tasks placed on them
 */
export function compileForService(plan: Plan, devices: readonly CoreDevice[], edgeNodes = 1): CorePlan {
  return compile(plan, [...devices], null, edgeNodes)
}

/**
 * Compiles the part of a plan that one lane of a device runs: it dispatches the edge tasks of that lane, and knows their
 * parents outside the device by their items only.
 */
export function compileForDevice(plan: Plan, lane: CoreDevice, devices: readonly CoreDevice[]): CorePlan {
  const runs = lanesByTask(plan, devices)
  const at = devices.findIndex(({ name }) => name === lane.name)
  const own = new Set(
    plan.tasks
      .filter(({ tier, name }) => tier === 'edge' && runs.get(name)?.includes(at))
      .map(({ name }) => name),
  )
  const wiredTo = new Set(
    plan.links.filter(({ transport }) => transport === 'wire').map(({ from, to }) => `${from} ${to}`),
  )
  const outside = new Set(
    plan.tasks
      .filter(({ name }) => own.has(name))
      .flatMap(({ name, parents }) =>
        parents.filter((parent) => !own.has(parent) || !wiredTo.has(`${parent} ${name}`)),
      ),
  )
  // A task on the device whose items also come back from the service stands for itself in both roles.
  const kept = plan.tasks.filter(({ name }) => own.has(name) || outside.has(name))
  const names = new Set(kept.map(({ name }) => name))
  const cut: Plan = {
    ...plan,
    tasks: kept.map((task) => ({
      ...task,
      parents: own.has(task.name) ? task.parents : [],
      children: task.children.filter((child) => own.has(child)),
      serialAfter: task.serialAfter?.filter(({ task: name }) => names.has(name) && own.has(name)),
    })),
    links: plan.links.filter(({ from, to }) => names.has(from) && own.has(to)),
  }
  const gated = new Set(
    plan.tasks
      .filter(({ serialAfter = [] }) =>
        serialAfter.some(({ task, scope }) => scope === 'swarm' || !own.has(task)),
      )
      .map(({ name }) => name),
  )
  return compile(cut, [lane], { lane: lane.name, own, gated })
}

function compile(
  plan: Plan,
  devices: CoreDevice[],
  view: { lane: string; own: ReadonlySet<string>; gated: ReadonlySet<string> } | null,
  edgeNodes = 1,
): CorePlan {
  const order = inOrder(plan)
  const taskByName = new Map(order.map(({ name }, id) => [name, id]))
  const deviceByName = new Map(devices.map(({ name }, index) => [name, index]))
  const lanes = view ? null : lanesByTask(plan, devices)
  const wires = new Set(
    plan.links.filter(({ transport }) => transport === 'wire').map(({ from, to }) => `${from} ${to}`),
  )
  let instances = 0
  let functions = 0
  const tasks = order.map((task, id): CoreTask => {
    const own = lanes ? (lanes.get(task.name) ?? []) : [0]
    const slotOfDevice = new Int32Array(devices.length).fill(-1)
    own.forEach((device, slot) => {
      if (device >= 0) slotOfDevice[device] = slot
    })
    const firstInstance = instances
    instances += own.length
    const firstFunction = functions
    const ownFunctions = !view && tierRow(task.tier).hardware === 'nodes' ? edgeNodes : 1
    functions += ownFunctions
    return {
      id,
      plan: task,
      local: view ? view.own.has(task.name) : task.tier !== 'edge',
      external: view ? !view.own.has(task.name) : false,
      lanes: own,
      firstInstance,
      slotOfDevice,
      functions: ownFunctions,
      firstFunction,
      parents: [],
      children: [],
      itemParents: 0,
      objectParents: 0,
      generator: task.kindIn === 'object' && task.kindOut === 'stream',
      gated: view?.gated.has(task.name) ?? false,
      ordered: task.stateKey !== undefined,
      serialAfter: [],
      serialBefore: [],
      tracked: task.stateKey !== undefined,
      isOutput: task.dataOut !== null && (task.children.length === 0 || task.persist),
      stateful: task.stateKey !== undefined,
      wiredBelow: [],
      keepers: [],
    }
  })
  for (const task of tasks) linkParents(task, tasks, taskByName, wires, view !== null)
  for (const task of tasks) linkSerial(task, tasks, taskByName, view !== null)
  markTracked(tasks)
  markKept(tasks)
  const taskOfInstance = new Int32Array(instances)
  for (const { id, firstInstance, lanes: own } of tasks)
    taskOfInstance.fill(id, firstInstance, firstInstance + own.length)
  return {
    plan,
    devices,
    tasks,
    taskOfInstance,
    deviceOfInstance: Int32Array.from(tasks.flatMap(({ lanes: own }) => own)),
    instances,
    functionOfInstance: Int32Array.from(
      tasks.flatMap(({ lanes: own, firstFunction, functions: count }) =>
        own.map((device) => firstFunction + (device < 0 ? 0 : nodeServing(device, count))),
      ),
    ),
    functions,
    taskByName,
    deviceByName,
    device: view?.lane ?? null,
  }
}

function linkParents(
  task: CoreTask,
  tasks: CoreTask[],
  taskByName: ReadonlyMap<string, number>,
  wires: ReadonlySet<string>,
  onDevice: boolean,
): void {
  const { name, parents, scope, barrier, overlaps = [] } = task.plan
  for (const [slot, parentName] of parents.entries()) {
    const parent = tasks[taskByName.get(parentName) ?? -1]
    if (!parent)
      throw new Error(`Task '${name}' has the parent '${parentName}', which the plan does not have.`)
    const swarmParent = parent.plan.scope === 'swarm'
    const collects = !onDevice && (barrier !== undefined || (scope === 'swarm' && !swarmParent))
    const edge: CoreEdge = {
      parent: parent.id,
      child: task.id,
      slot,
      mode: collects ? 'collect' : parent.plan.kindOut === 'stream' ? 'item' : 'object',
      wired: wires.has(`${parentName} ${name}`),
      scatter: !onDevice && swarmParent && scope !== 'swarm',
      early: overlaps.includes(parentName),
    }
    task.parents.push(edge)
    parent.children.push(edge)
    if (edge.mode === 'item') task.itemParents += 1
    else if (barrier === undefined || onDevice) task.objectParents += 1
  }
}

function linkSerial(
  task: CoreTask,
  tasks: CoreTask[],
  taskByName: ReadonlyMap<string, number>,
  onDevice: boolean,
): void {
  for (const { task: name, scope } of task.plan.serialAfter ?? []) {
    const first = tasks[taskByName.get(name) ?? -1]
    if (!first) throw new Error(`'Serial' names the task '${name}', which the plan does not have.`)
    const sameDevice = task.plan.tier === 'edge' && first.plan.tier === 'edge' && scope !== 'swarm'
    // Two tasks of one device are kept apart by that device, which must get what the first one reads in order.
    if (!onDevice && sameDevice) {
      first.tracked = true
      continue
    }
    const swarm = scope === 'swarm'
    task.serialAfter.push({ task: first.id, swarm })
    first.serialBefore.push({ task: task.id, swarm })
    task.ordered = true
    first.ordered = true
    if (onDevice) continue
    task.gated = !task.local
    // Swarm-wide, each of the two may have to wait for the other one; a root begins with its device.
    if (swarm && !first.local && first.parents.length > 0) first.gated = true
  }
}

/** A task that keeps state, or comes after another in turn, needs to know up to which item its parents are settled. */
function markTracked(tasks: CoreTask[]): void {
  for (const { serialAfter } of tasks)
    for (const { task } of serialAfter) (tasks[task] as CoreTask).tracked = true
  for (const task of [...tasks].reverse())
    if (task.tracked || task.children.some(({ child }) => tasks[child]?.tracked)) task.tracked = true
}

/** What comes from outside a device is kept in the service until all that is computed from it there is done. */
function markKept(tasks: CoreTask[]): void {
  for (const task of tasks) {
    if (task.local || task.external) continue
    const below = new Set([task.id])
    for (const each of tasks)
      if (each.parents.some(({ wired, parent }) => wired && below.has(parent))) below.add(each.id)
    task.wiredBelow = [...below]
    if (task.parents.every(({ wired }) => wired)) continue
    for (const id of below) tasks[id]?.keepers.push(task.id)
  }
}

/** Indexes of the devices that each task runs on; `[-1]` for a task that runs once for the swarm. */
function lanesByTask(plan: Plan, devices: readonly CoreDevice[]): Map<string, number[]> {
  const all = devices.map((_, index) => index)
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  const lanes = new Map<string, number[]>()
  for (const task of inOrder(plan)) {
    if (task.scope === 'swarm') {
      lanes.set(task.name, [-1])
      continue
    }
    if (task.device !== undefined && !devices.some(({ name }) => name === task.device))
      throw new Error(
        `Task '${task.name}' is pinned to ${task.device}, which this run does not have: it has ${devices.map(({ name }) => name).join(', ')}.`,
      )
    const own = all.filter((index) => {
      const device = devices[index] as CoreDevice
      const pinned = task.device === undefined || task.device === device.name
      const classed =
        task.deviceClass === undefined || device.class === '*' || device.class === task.deviceClass
      return pinned && classed
    })
    if (own.length === 0 && devices.length === 0)
      throw new Error(`Task '${task.name}' runs once for each device, and this run has no devices.`)
    if (own.length === 0)
      throw new Error(
        `Task '${task.name}' is pinned to devices of the class '${task.deviceClass}', and this run has none.`,
      )
    const above = task.parents
      .filter((parent) => byName.get(parent)?.scope !== 'swarm')
      .map((parent) => new Set(lanes.get(parent)))
    lanes.set(
      task.name,
      own.filter((device) => above.every((devices) => devices.has(device))),
    )
  }
  return lanes
}

/** The tasks, parents before children. */
function inOrder(plan: Plan): PlanTask[] {
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  const left = new Map(plan.tasks.map((task) => [task.name, task.parents.length]))
  const order = plan.tasks.filter(({ parents }) => parents.length === 0)
  for (let at = 0; at < order.length; at++)
    for (const child of order[at]?.children ?? []) {
      const missing = (left.get(child) ?? 0) - 1
      left.set(child, missing)
      const task = byName.get(child)
      if (missing === 0 && task) order.push(task)
    }
  if (order.length < plan.tasks.length) throw new Error(`The plan of '${plan.workflow}' has a cycle.`)
  return order
}
