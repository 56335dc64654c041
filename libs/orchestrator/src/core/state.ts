/** The state of one run: plain data, changed by `step` alone. */
import type { CollectedItem, Part } from './events.ts'
import type { CorePlan, CoreTask } from './plan.ts'
import { EMPTY, type SeqSet } from './seq-set.ts'

/**
 * `held`: its inputs are there, but it may not start yet (`Serial`, or the order of a task that keeps state). `queued`:
 * it waits for a slot. `pausing`: it waits for its next try. `running`: it is under way, here or on a device.
 */
export type InvocationState = 'held' | 'queued' | 'pausing' | 'running'

/** An invocation that has not ended. */
export interface Invocation {
  instance: number
  seq: number
  state: InvocationState
  parts: Part[]
  readyAt: number
  /** 1 for the first try. */
  attempt: number
  /** 0 before it was first dispatched. */
  delivery: number
  /** Order of becoming ready over the whole run. */
  order: number
}

/** Inputs of one item that are not complete yet. */
export interface Waiting {
  parts: Part[]
  count: number
}

/** Where an input that goes along with every item is kept. */
export const OBJECT = -1

/** Inputs of a task that reads several, or an object, until they are complete. */
export interface Join {
  /** Objects and collected lists of its parents, by position; `undefined` where there is none yet. */
  objects: (Part | undefined)[]
  objectsHere: number
  waiting: Map<number, Waiting>
}

/** What a barrier, or a task that reads whole streams, has collected. */
export interface Collector {
  /** By parent position. */
  items: CollectedItem[][]
  /** Instances of each parent that may still emit. */
  open: number[]
  count: number
  opened: boolean
  /** Items that came after the barrier had opened. */
  late: number
}

/** On a device: what has come to one of its tasks. */
export interface Arrivals {
  /** Items that have come, over wires or from outside, by parent position. */
  came: (SeqSet | undefined)[]
  outsideEnded: boolean[]
  /** Objects that came early for the sake of another child, by parent position, until their task has ended. */
  heldObjects: Map<number, Part>
}

/** On the service: what it keeps of a task on a device. */
export interface Remote {
  /** The device was told that no more input comes. */
  endTold: boolean
  /** Calls under way once more, of a task that takes turns in the whole swarm: `5` for item 5, `on 2` for a generator on agent 2. */
  redone: Set<string>
  /** The state after each item, as long as that item may be needed again. */
  savedStates: Map<number, Uint8Array>
  /** Inputs from outside by number (objects under `OBJECT`) and parent position, for the case that the device is lost. */
  kept: Map<number, Map<number, Part>>
  /** Forwards that wait for the numbers before them: by parent position, then number. */
  heldForwards: Map<number, Map<number, Part>>
}

/** One task on one lane. There are as many as tasks times devices, so what only some of them need is apart. */
export interface Instance {
  /** Instances of its parents that may still emit. */
  openParents: number
  /** The one invocation that has not ended, most of the time; `others` are further ones by number. */
  invocation: Invocation | null
  others: Map<number, Invocation> | null
  running: number
  emitted: SeqSet
  done: SeqSet
  /** Its own object, until it has ended. */
  object: Part | undefined
  /** Every item below this number has ended or will never come. Kept for tracked tasks. */
  watermark: number
  ended: boolean
  /** What is kept between invocations, and the number of items it was saved after. */
  state: Uint8Array | null
  stateItems: number
  /** Numbers that a generator is to emit, where it does not emit all of them. */
  range: { first: number; count?: number } | null
  join: Join | null
  collector: Collector | null
  arrivals: Arrivals | null
  remote: Remote | null
}

export interface TaskCounts {
  started: number
  done: number
  failed: number
  missed: number
  dropped: number
  running: number
  /** Instances that have not ended. */
  open: number
}

/** Which agent does which numbers of a lane's work. */
export interface Share {
  host: number
  from: number
  to: number
}

export interface Lane {
  shares: Share[]
  /** Agents that have ended their share of a generator, by task. */
  sharesDone: Map<number, Set<number>>
  /** Times its work was begun after a failure or a loss, the first included. */
  attempt: number
  /** Counts the starts that agents were told. What an earlier one reports of ends is no more heard, nor are items of what keeps state. */
  generation: number
  /** Agents that did a share of it, and have not said that they stopped. It starts elsewhere when they have. */
  stopping: Set<number>
  /** Waits for its agent, for any agent, or for its turn. */
  homeless: boolean
  /** What it does once more has to wait for others (`Serial` in the whole swarm). */
  waitsForTurn: boolean
  /** Some agent was told to start it. */
  started: boolean
}

export type AgentState = 'up' | 'returning' | 'gone'

export interface RunState {
  plan: CorePlan
  options: CoreOptions
  instances: Instance[]
  tasks: TaskCounts[]
  lanes: Lane[]
  agents: AgentState[]
  /** How much work each agent can take over, relative to others; 1 where nothing is known. */
  capacities: number[]
  /** Ready invocations in order of dispatch: a binary heap. */
  queue: Invocation[]
  /** By function: invocations under way here. Follows from `instances`. */
  calls: number[]
  /** By function: ready invocations that found no worker free. */
  blocked: Map<number, Invocation[]>
  slotsUsed: number
  timers: Map<number, { instance: number; seq: number }>
  lastOrder: number
  lastDelivery: number
  lastTimer: number
  openInstances: number
  /** Invocations under way, here or on devices. */
  underWay: number
  phase: 'new' | 'running' | 'ended'
}

export interface CoreOptions {
  /** Invocations that may be under way here at once; unlimited when absent. */
  slots?: number
  /** Invocations of one function that may be under way here at once; unlimited when absent. */
  slotsPerFunction?: number
  /** Maximum number of items that a sensor emits on each device; unlimited when absent. */
  itemsPerDevice?: number
}

/** Invocations of each function that are under way here. */
export function callsOf(plan: CorePlan, instances: readonly Instance[]): number[] {
  const calls: number[] = Array.from({ length: plan.functions }, () => 0)
  instances.forEach(({ running }, instance) => {
    if (!plan.tasks[plan.taskOfInstance[instance] as number]?.local) return
    const at = plan.functionOfInstance[instance] as number
    calls[at] = (calls[at] as number) + running
  })
  return calls
}

/** The state of a run before its first event. */
export function newRunState(plan: CorePlan, options: CoreOptions = {}): RunState {
  const instances = plan.tasks.flatMap((task) => newInstances(plan, task))
  return {
    plan,
    options,
    instances,
    tasks: plan.tasks.map(({ lanes }) => ({
      started: 0,
      done: 0,
      failed: 0,
      missed: 0,
      dropped: 0,
      running: 0,
      open: lanes.length,
    })),
    lanes: plan.devices.map((_, device) => ({
      shares: [{ host: device, from: 0, to: Number.POSITIVE_INFINITY }],
      sharesDone: new Map(),
      attempt: 1,
      generation: 0,
      stopping: new Set(),
      homeless: false,
      waitsForTurn: false,
      started: false,
    })),
    agents: plan.devices.map(() => 'up'),
    capacities: plan.devices.map(() => 1),
    queue: [],
    calls: callsOf(plan, instances),
    blocked: new Map(),
    slotsUsed: 0,
    timers: new Map(),
    lastOrder: 0,
    lastDelivery: 0,
    lastTimer: 0,
    openInstances: instances.length,
    underWay: 0,
    phase: 'new',
  }
}

/** The instances of a task, one for each of its lanes. */
function newInstances(plan: CorePlan, task: CoreTask): Instance[] {
  const feeding = (parent: number): number =>
    task.plan.scope === 'swarm' ? (plan.tasks[parent]?.lanes.length ?? 0) : 1
  const openParents = task.parents.reduce((sum, { parent }) => sum + feeding(parent), 0)
  const collects = task.parents.some(({ mode }) => mode === 'collect')
  const joins = task.objectParents > 0 || task.itemParents > 1
  return task.lanes.map(() => ({
    openParents,
    invocation: null,
    others: null,
    running: 0,
    emitted: EMPTY,
    done: EMPTY,
    object: undefined,
    watermark: 0,
    ended: false,
    state: null,
    stateItems: 0,
    range: null,
    join: joins ? { objects: [], objectsHere: 0, waiting: new Map() } : null,
    collector: collects
      ? {
          items: task.parents.map(() => []),
          open: task.parents.map(({ parent, mode }) => (mode === 'collect' ? feeding(parent) : 0)),
          count: 0,
          opened: false,
          late: 0,
        }
      : null,
    arrivals: plan.device === null ? null : { came: [], outsideEnded: [], heldObjects: new Map() },
    remote: task.local
      ? null
      : {
          endTold: false,
          redone: new Set(),
          savedStates: new Map(),
          kept: new Map(),
          heldForwards: new Map(),
        },
  }))
}
