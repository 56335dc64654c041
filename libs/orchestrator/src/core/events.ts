/**
 * What a run core is told and what it answers. Both are plain data: the list of events is the journal of a run, and the
 * same events give the same effects and the same state (sketch of the spine, section 2; HiveMind paper, section 4.6).
 */
import type { FailureKind } from '@hivemind/agent-protocol'
import type { ValueRef } from '@hivemind/values'

/** A result that is scattered: the whole, and the part of each device by name. */
export interface PartedRef {
  kind: 'parted'
  whole: ValueRef
  parts: Record<string, ValueRef>
}

/** One item that a barrier has collected. */
export interface CollectedItem {
  /** Device name, or `*`. */
  device: string
  seq: number
  ref: ValueRef | null
}

/** What a child gets of one parent. `null`: an order without data, or a value that stays on its device. */
export type Part = ValueRef | PartedRef | { kind: 'many'; items: CollectedItem[] } | null

/** Which invocation an event is about; `device` is an index, -1 for the swarm. */
interface Keyed {
  task: number
  device: number
  seq: number
}

interface At {
  /** ms of the clock of whoever runs the core. */
  at: number
}

/** The run begins. */
export interface Start extends At {
  type: 'start'
}

/** A task has emitted an item: `seq` is the item's number. */
export interface ItemArrived extends Keyed, At {
  type: 'item'
  ref: ValueRef | PartedRef | null
  /** The dispatch that emitted it; absent for a device, which sees to repetitions itself. */
  delivery?: number
  /** State of the task after this item (a checkpoint). */
  state?: Uint8Array
}

/** On a device: an item has reached a child, over a wire or from outside. */
export interface ItemReached extends Keyed, At {
  type: 'reached'
  child: number
  ref: ValueRef | null
}

/** On a device: a task outside it emits nothing more for a child. */
export interface OutsideEnded extends At {
  type: 'outsideEnded'
  task: number
  child: number
}

/** An invocation has ended; its items came before. */
export interface TaskDone extends Keyed, At {
  type: 'done'
  delivery?: number
  /** Items it emitted, those before a checkpoint included. */
  items: number
  /** It ended after its deadline, where a device has judged that. */
  missed?: boolean
  /** The agent that ran it: it may have done a share of a lane's work only. */
  host?: number
  state?: Uint8Array
}

/** A try of an invocation has failed. What a device reports is final: it has tried again itself. */
export interface TaskFailed extends Keyed, At {
  type: 'failed'
  delivery?: number
  /** Items a device has emitted before it gave up, those of an earlier beginning not counted. */
  items?: number
  /** The agent that ran it: it may have done a share of a lane's work only. */
  host?: number
  kind: FailureKind
  message: string
  detail: string
}

/** An agent is there (again). */
export interface DeviceUp extends At {
  type: 'deviceUp'
  device: number
  message: string
}

/** An agent is gone. `returns`: it is being started again, and a `deviceUp` or another `deviceLost` follows. */
export interface DeviceLost extends At {
  type: 'deviceLost'
  device: number
  returns: boolean
  message: string
}

/** How much work a device can take over, relative to others: its cores, by the share of its battery that is left. */
export interface CapacityChanged extends At {
  type: 'capacity'
  device: number
  /** Above 0. */
  capacity: number
}

/** An agent does no more work for a lane, as it was told. */
export interface LaneStopped extends At {
  type: 'laneStopped'
  lane: number
  host: number
}

/** The service was killed and goes on from its journal: calls under way here and all timers are gone. */
export interface Interrupted extends At {
  type: 'interrupted'
  message: string
}

export interface TimerFired extends At {
  type: 'timer'
  id: number
}

export interface Cancel extends At {
  type: 'cancel'
  message: string
}

/** On a device: what is done already and need not be done again, before `start`. */
export interface Resume extends At {
  type: 'resume'
  lane: LaneStart
}

/** What `step` is told. Kept in order, the events are the journal of a run. */
export type CoreEvent =
  | Start
  | Resume
  | ItemArrived
  | ItemReached
  | OutsideEnded
  | TaskDone
  | TaskFailed
  | DeviceUp
  | DeviceLost
  | LaneStopped
  | Interrupted
  | CapacityChanged
  | TimerFired
  | Cancel

/** One invocation to be run. */
export interface Dispatch extends Keyed {
  type: 'dispatch'
  /** Identity of this try; events about it repeat it. */
  delivery: number
  /** 1 for the first try. */
  attempt: number
  /** By position among the task's parents; empty for a root. */
  parts: Part[]
  readyAt: number
  /** When it should have ended; `Infinity` without a deadline. */
  dueAt: number
  state: Uint8Array | null
  /** Number of the first item a generator is to emit, and how many at most; others start at their own number. */
  firstItem: number
  maxItems: number
}

/** What a device is told when it begins, or takes over, a lane. */
export interface LaneStart {
  /** Done before, by task: ranges `[from, to)` of numbers. */
  done: Record<string, [number, number][]>
  states: Record<string, Uint8Array>
  /** First item of each generator, and how many at most (absent: as the run says). */
  generators: Record<string, { first: number; count?: number }>
}

export interface StartLane {
  type: 'startLane'
  lane: number
  host: number
  generation: number
  start: LaneStart
}

/** An item from outside a device goes to it, for one of its tasks. */
export interface Forward {
  type: 'forward'
  lane: number
  host: number
  task: number
  seq: number
  ref: ValueRef | null
  child: number
}

export interface ForwardEnd {
  type: 'forwardEnd'
  lane: number
  host: number
  task: number
  child: number
}

/** An agent is to do no more work for a lane; `laneStopped` answers. */
export interface StopLane {
  type: 'stopLane'
  lane: number
  host: number
}

export interface CancelDispatch extends Keyed {
  type: 'cancelDispatch'
  delivery: number
}

/** `at` is an instant of the core's clock. */
export interface SetTimer {
  type: 'setTimer'
  id: number
  at: number
}

/** An item that is a result of the run or is kept. */
export interface Output extends Keyed {
  type: 'output'
  ref: ValueRef | PartedRef | null
}

/** An invocation ended well, or was given up. `missed`: after its deadline. */
export interface Ended extends Keyed {
  type: 'ended'
  items: number
  missed: boolean
  givenUp: boolean
}

/** On a device: no further try is made; the service decides. */
export interface GaveUp extends Keyed {
  type: 'gaveUp'
  kind: FailureKind
  message: string
  detail: string
  items: number
}

/** Counters of a task have changed, for another reason than a `dispatch` or `ended`. */
export interface TaskChanged {
  type: 'task'
  task: number
}

/** A sentence for people. `loss`: something that the result lacks. */
export interface Note {
  type: 'note'
  level: 'info' | 'warn' | 'error'
  text: string
  task?: number
  device?: number
  loss?: true
}

export interface RunEnded {
  type: 'end'
  state: 'succeeded' | 'failed' | 'cancelled'
  message?: string
}

/** What `step` asks for: whoever runs the core carries it out, in order. */
export type CoreEffect =
  | Dispatch
  | CancelDispatch
  | StartLane
  | Forward
  | ForwardEnd
  | StopLane
  | SetTimer
  | Output
  | Ended
  | GaveUp
  | TaskChanged
  | Note
  | RunEnded
