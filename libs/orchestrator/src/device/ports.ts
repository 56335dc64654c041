/** What the part of a run on a device needs from its agent. The runtime itself has no I/O, clock or timer. */
import type { FailureKind, LogLine, Up } from '@hivemind/agent-protocol'
import type { PlanTask } from '@hivemind/synthesis'
import type { EncodedValue, ValueRef } from '@hivemind/values'

/** What a task is called with under one name: nothing, one value, or (behind a barrier) all that was collected. */
export type TaskInputRef =
  | { kind: 'none' }
  | { kind: 'one'; ref: ValueRef }
  | { kind: 'many'; items: { device: string; seq: number; ref: ValueRef | null }[] }

/** One invocation of task code. */
export interface DeviceWork {
  run: string
  task: PlanTask
  /** The device whose work it is. */
  lane: string
  deviceIndex: number
  devices: string[]
  seq: number
  /** 1 for the first try. */
  attempt: number
  inputs: Record<string, TaskInputRef>
  state: Uint8Array | null
  /** Number of the first item to emit, and how many at most; `Infinity` without a limit. */
  firstItem: number
  maxItems: number
  /** W3C `traceparent` of the execution of its code. */
  traceparent: string
}

/** An item as task code emits it. */
export interface EmittedValue {
  value: EncodedValue
  state?: Uint8Array
}

/** How task code went, in ms. */
export interface WorkResult {
  /** Items emitted by this call. */
  items: number
  /** Time in the code, waiting for a core, and in hand-over to and from the process. */
  executionMs: number
  waitedMs: number
  callMs: number
  bytesIn: number
  state?: Uint8Array
}

/** Why task code failed; what `execute` rejects with. */
export interface WorkError {
  kind: FailureKind
  message: string
  detail: string
}

/** A message on a wire of the flow: plain data. */
export interface WireItem {
  run: string
  lane: string
  /** The task that emitted it. */
  task: string
  seq: number
  /** The start of the lane that emitted it: a later start does not take it. */
  generation: number
  ref: ValueRef | null
}

/** What a device runtime needs from its agent: clock, timers, messages, task processes and values. */
export interface DevicePorts {
  /** Monotonic clock of the device, in ms. */
  now(): number
  /** Calls `action` after so many ms, unless cancelled. */
  after(ms: number, action: () => void): () => void
  /** Resolves when the service has the message. Never rejects while the agent lives. */
  send(message: Up): Promise<void>
  /** Resolves when the service keeps up with what is sent; `undefined`: it does. */
  whenRoom(): Promise<void> | undefined
  /** Runs task code. `onItem` resolves when the next item may come. Rejects with a `WorkError`. */
  execute(
    work: DeviceWork,
    onItem: (item: EmittedValue, index: number) => Promise<void>,
    onLog: (level: LogLine['level'], text: string) => void,
    signal: unknown,
  ): Promise<WorkResult>
  /** A reference that other processes can read: inline when small, else kept by the service. */
  share(
    value: EncodedValue,
    where: { run: string; lane: string; task: string; seq: number },
  ): Promise<ValueRef>
  /** Hands an item to the node of the task that emitted it, which sends it on over its wires. */
  pass(task: string, item: WireItem): void
  /** Stops what `execute` does for this signal. */
  abortable(): { signal: unknown; abort(): void }
}

/** The device that a runtime serves. */
export interface DeviceOptions {
  /** Name of the device. */
  device: string
  /** Invocations that may be under way at once, those of sensors not counted; the device's cores, usually. */
  slots: number
  /** Ready invocations that wait for a slot, before sensors wait; `MAX_READY_ON_DEVICE` when absent. */
  maxReady?: number
}
