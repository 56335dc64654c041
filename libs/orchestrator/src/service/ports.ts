/** What a run needs of the world around it: functions, devices, a clock. The run itself has no I/O, clock or timer. */
import type { Down, FailureKind, Up } from '@hivemind/agent-protocol'
import type { Breakdown } from '@hivemind/swarm'
import type { PlanTask } from '@hivemind/synthesis'
import type { InlineRef, ValueRef } from '@hivemind/values'
import type { CoreEvent } from '../core/events.ts'
import type { CoreDevice } from '../core/plan.ts'
import type { TaskInputRef } from '../device/ports.ts'
import type { RunEvent } from '../types.ts'

/** One invocation of a cloud function. */
export interface CloudWork {
  /** Identity of this try; unique within the run. */
  id: string
  run: string
  task: PlanTask
  /** Device whose item it is, or `*`; its index among `devices`, or -1. */
  device: string
  deviceIndex: number
  devices: string[]
  seq: number
  /** 1 for the first try. */
  attempt: number
  inputs: Record<string, TaskInputRef>
  state: Uint8Array | null
  firstItem: number
  maxItems: number
  /** Devices that each may get a part of the result, when it is scattered. */
  scatterTo: string[] | null
  /** W3C `traceparent` of the execution of its code. */
  traceparent: string
}

/** An item that a function has emitted: references to its value, and the state after it. */
export interface CloudItem {
  ref: ValueRef
  /** Parts by device, when the result is a map of devices and `scatterTo` was given. */
  parts?: Record<string, ValueRef>
  state?: Uint8Array
}

/** How one invocation of a function went. Times in ms since 1970. */
export interface CloudResult {
  worker: string
  /** When its container began with it by itself, before the run asked for it: the span is from then on. */
  queuedAt?: number
  startedAt: number
  endedAt: number
  /** ms; waiting in the run itself is added to `management`. */
  breakdown: Breakdown
  /** Of `management`, the wait until its function had started, in ms; absent when it was warm. */
  coldStartMs?: number
  bytesIn: number
  bytesOut: number
  items: number
  state?: Uint8Array
}

/** Why an invocation failed; what `invoke` rejects with. */
export class WorkFailure extends Error {
  readonly kind: FailureKind
  /** Stack trace of the user's code, exit code, limits: for people. */
  readonly detail: string

  constructor(kind: FailureKind, message: string, detail = '') {
    super(message)
    this.name = 'WorkFailure'
    this.kind = kind
    this.detail = detail
  }
}

/** What happens on the fleet. */
export type FleetEvent =
  | { type: 'up'; device: string; message: string }
  /** `returns`: its agent is being started again, and an `up` or another `lost` follows. */
  | { type: 'lost'; device: string; returns: boolean; message: string }
  /** How much work it can take over, relative to others; above 0. */
  | { type: 'capacity'; device: string; capacity: number }
  | { type: 'message'; device: string; message: Up }

/** What `executeRun` asks of the world around it. */
export interface ServicePorts {
  /** ms since 1970, with fraction. */
  now(): number
  /** Calls `action` after so many ms, unless cancelled. */
  after(ms: number, action: () => void): () => void
  /** Runs one invocation in the cloud. Rejects with `WorkFailure`. Settles soon after `signal` aborts. */
  invoke(
    work: CloudWork,
    onItem: (item: CloudItem, index: number) => void,
    signal: AbortSignalLike,
  ): Promise<CloudResult>
  /**
   * Sends a message to a device, in order. Resolves when the device has it, or will never get it: it does nothing then that
   * it was told before. What cannot arrive is told as `lost`.
   */
  send(device: string, message: Down): Promise<void>
  /** Subscribes to the fleet until the returned function is called. A message is acknowledged when the promise has resolved. */
  onFleet(handler: (event: FleetEvent) => Promise<void> | undefined): () => void
  /** A time of a device's clock as ms since 1970. */
  toServiceTime(device: string, deviceMs: number): number
  /** What people see of a value, as JSON. */
  preview(ref: ValueRef): unknown
  /** Keeps a value under `Persist` that came with a message. */
  persist(key: string, value: InlineRef): void
  newAbort(): { signal: AbortSignalLike; abort(): void }
}

/** As much of an `AbortSignal` as a run needs to know. */
export interface AbortSignalLike {
  readonly aborted: boolean
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** What a run is given, and who is told of it. */
export interface RunOptions {
  run: string
  /** Id of the deployment that the devices know. */
  deployment: string
  devices: CoreDevice[]
  /** Encoded values of the plan's inputs by data name; tasks get nothing for a missing one. */
  inputs?: Record<string, ValueRef>
  /** Invocations that may be under way in the cloud at once; unlimited when absent. */
  cloudSlots?: number
  /** Invocations of one function that may be under way at once; unlimited when absent. */
  slotsPerFunction?: number
  /** Edge nodes that run the tasks placed on them, each with functions of its own; 1 when absent. */
  edgeNodes?: number
  /** Maximum number of items that a sensor emits on each device; unlimited when absent. */
  itemsPerDevice?: number
  /** Invocations that wait for a free function, before devices are held back; 1,000 when absent. */
  maxWaiting?: number
  /** W3C `traceparent` of the request that started it: the run is part of that trace. */
  traceparent?: string
  signal?: AbortSignalLike
  onEvent?: (event: RunEvent) => void
  /** Told every event of the core before it is carried out: kept in order, they are the journal of the run. */
  journal?: (event: CoreEvent) => void
}

/** How a run ended. Everything else it told as events. */
export interface RunOutcome {
  state: 'succeeded' | 'failed' | 'cancelled'
  message?: string
  startedAt: number
  endedAt: number
  /** What failures cost; empty when nothing was lost. */
  losses: string[]
}
