/**
 * The messages between the service and the agent of a device. `Down` and `Up` travel in a session (reliable, in order,
 * see `session.ts`); the others are retained MQTT messages of which only the last one counts, or periodic reports.
 */

import type { ValueRef } from '@hivemind/values'
import type { SeqRanges } from './ranges.ts'

/** Version of the protocol; it is the second level of every topic. */
export const PROTOCOL_VERSION = 1

/**
 * Why an invocation failed. `lost`: the worker or device went away. `deadline`: dropped, as it could not start in time. The
 * other kinds are those of `TaskError`.
 */
export type FailureKind =
  | 'exception'
  | 'crash'
  | 'timeout'
  | 'memory'
  | 'load'
  | 'cancelled'
  | 'value'
  | 'lost'
  | 'deadline'

/** How one try of an invocation on a device went. */
export interface SpanRecord {
  /** Name of the agent that ran it. */
  worker: string
  /** 1 for the first try. */
  attempt: number
  /** Ready to run, started, ended; ms of the device's monotonic clock. */
  queuedAt: number
  startedAt: number
  endedAt: number
  /** Parts of the time from `queuedAt` to `endedAt`, in ms. The service adds that of the last item on the network. */
  network: number
  management: number
  dataExchange: number
  execution: number
  /** Sizes of the encoded inputs and outputs. */
  bytesIn: number
  bytesOut: number
  /** Items it emitted. */
  items: number
  ok: boolean
  /** One sentence; absent when `ok`. */
  error?: string
}

/** How grave a log line is. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** One line for the Run screen. */
export interface LogLine {
  /** ms of the device's monotonic clock. */
  at: number
  level: LogLevel
  /** A task, or `agent`. */
  source: string
  text: string
}

/** Begins a lane of a run on a device, or resumes it after a loss of either side. */
export interface StartLane {
  t: 'start'
  run: string
  /** Id of one of the device's desired deployments. */
  deployment: string
  /** The device whose work it is, whichever agent does it. */
  lane: string
  /** Counts the starts of the lane; the ends of its invocations repeat it. */
  generation: number
  /** All devices of the run, in order. */
  devices: string[]
  /** Maximum number of items a sensor emits; unlimited when absent. */
  maxItems?: number
  /** W3C `traceparent` of the request that started the run: its spans are part of that trace. */
  traceparent?: string
  /** Inputs of the plan by name of the data. */
  inputs: Record<string, ValueRef>
  /** Invocations that are done already, by task. */
  done: Record<string, SeqRanges>
  /** Last saved state of each task that keeps one: a CBOR map of `context.state`. */
  states: Record<string, Uint8Array>
  /** Tasks that emit streams: number of the first item to emit, and how many at most. Without an entry: all, from 0. */
  generators: Record<string, { first: number; count?: number }>
}

/** An item of a producer outside the device. */
export interface DownItem {
  t: 'item'
  run: string
  lane: string
  /** The producer. */
  task: string
  seq: number
  /** `null`: an item without data (a mere order). */
  ref: ValueRef | null
  /** The task on the device that it is for. */
  child: string
}

/** A producer outside the device emits no more items, for one task on the device. */
export interface DownEnded {
  t: 'ended'
  run: string
  lane: string
  task: string
  child: string
}

/** Forget the run, or one lane of it, and end all work for it. */
export interface StopLane {
  t: 'stop'
  run: string
  lane?: string
}

/** What the service sends to a device. */
export type Down = StartLane | DownItem | DownEnded | StopLane

/** An item of a task on the device. */
export interface UpItem {
  t: 'item'
  run: string
  lane: string
  task: string
  seq: number
  /** The start of the lane that emitted it. */
  generation: number
  /** `null`: the value stays on the device. */
  ref: ValueRef | null
  /** Parts of a result that is scattered, by device. */
  parts?: Record<string, ValueRef>
  /** When it was emitted, ms of the device's monotonic clock. */
  at: number
  /** The task's state after this item (a checkpoint). */
  state?: Uint8Array
}

/** An invocation has ended; its items have been sent before. */
export interface UpDone {
  t: 'done'
  run: string
  lane: string
  task: string
  seq: number
  /** Of the start of the lane that it belongs to. */
  generation: number
  items: number
  span: SpanRecord
  /** Present when the task's state changed. */
  state?: Uint8Array
  /** It ended after its deadline. */
  missed?: boolean
}

/** A try of an invocation has failed. */
export interface UpFailed {
  t: 'failed'
  run: string
  lane: string
  task: string
  seq: number
  /** Of the start of the lane that it belongs to. */
  generation: number
  kind: FailureKind
  /** One sentence. */
  message: string
  /** Stack trace, exit code, limits: for people. */
  detail: string
  /** Items that the failed try emitted before. */
  items: number
  span: SpanRecord
  /** False when the device tries again by itself. */
  final: boolean
}

/** Log lines of a run; `run` is empty for those of the agent itself. */
export interface UpLog {
  t: 'log'
  run: string
  lines: LogLine[]
}

/** What a device sends to the service. */
export type Up = UpItem | UpDone | UpFailed | UpLog

/** What a device says about itself when it connects (retained). */
export interface Hello {
  device: string
  /** Name of its device class. */
  class: string
  /** Version of the agent. */
  version: string
  /** New for every start of the agent. */
  boot: string
  /** Runtimes it can run task code with: `node`, `python`, `nfu`. */
  runtimes: string[]
  cores: number
  memoryMB: number
  /** Process id, for a device that is a process of this machine. */
  pid?: number
}

/** One deployment that a device is to have. Hashes are sha-256, hex. */
export interface DesiredDeployment {
  id: string
  /** Blob of the plan as JSON. */
  plan: string
  /** Blob of the Node-RED flow as JSON; absent when no task of the plan runs on devices of this class. */
  flow?: string
  /** Blob of each task's packed bundle. */
  bundles: Record<string, string>
  /**
   * Cores of the machine that isolated tasks have for themselves, by task, and those that the others share: where several
   * agents share a machine. An agent without it chooses among all cores of its device.
   */
  cores?: { isolated: Record<string, number>; shared: number[] }
}

/** A function that a device has for other devices: it is an edge node (Vertex, section 3.2). Hashes are sha-256, hex. */
export interface DesiredFunction {
  /** Letters and digits. What has the same id need not be started again. */
  id: string
  /** Functions of one name take each other's place, as soon as the later one is ready and the former is wanted no more. */
  name: string
  /** Blob of how its host is configured, as JSON. */
  config: string
  /** Blob of its packed bundle; absent when it has no code of its own. */
  bundle?: string
  /** What its host asks callers for. */
  token: string
}

/** What a device is to run (retained). */
export interface Desired {
  /** Grows with every change. */
  revision: number
  deployments: DesiredDeployment[]
  functions?: DesiredFunction[]
  /** Base URL of the HTTP data endpoint. */
  dataUrl: string
  limits?: {
    /** Log lines a second that are forwarded. */
    logLinesPerSecond?: number
  }
}

/** State of one deployment on a device (retained with its revision). */
export interface AppliedDeployment {
  id: string
  state: 'fetching' | 'ready' | 'failed'
  /** One sentence, when failed. */
  error?: string
}

/** State of one function on a device. */
export interface AppliedFunction {
  id: string
  state: 'starting' | 'ready' | 'restarting' | 'failed'
  /** One sentence, when it failed or restarts. */
  error?: string
}

/** How far a device has got with its desired state (retained). */
export interface Applied {
  revision: number
  boot: string
  deployments: AppliedDeployment[]
  functions?: AppliedFunction[]
}

/** Figures of a device, sent every few seconds (retained). Fields that a device cannot measure are absent. */
export interface Telemetry {
  /** ms of the device's monotonic clock. */
  at: number
  /** Share of the processor time in use, 0 to 1. */
  cpu?: number
  memoryUsedMB?: number
  memoryMB?: number
  /** Energy left, and the full charge, in Wh. */
  batteryWh?: number
  capacityWh?: number
  /** Last round trip to the broker and the service, in ms. */
  roundTripMs?: number
  /** Position in metres. */
  position?: { x: number; y: number }
}

/** A heartbeat of a device, once a second. */
export interface Beat {
  boot: string
  /** Number of this beat, from 1. */
  n: number
  /** ms of the device's monotonic clock when it was sent. */
  at: number
  /** The service's last echo that the device has seen: its `service` time, and how long ago it came, in ms. */
  echo?: { service: number; heldMs: number }
}

/** The service's answer to a beat. */
export interface BeatEcho {
  boot: string
  /** `n` and `at` of the beat. */
  n: number
  at: number
  /** ms of the service's clock when it answered. */
  service: number
}

/** Whether the agent of a device is connected (retained; the last will says `gone`). */
export interface Presence {
  boot: string
  state: 'online' | 'gone'
}
