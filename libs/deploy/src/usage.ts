/** What devices and cloud functions used during a run, measured from its events and messages, in memory for each of them only. */
import type { Down, Up } from '@hivemind/agent-protocol'
import type { RunEvent, Span } from '@hivemind/orchestrator'
import {
  batteryShareOf,
  type Cloud,
  chargedIdleMs,
  costOf,
  type DeviceClass,
  energyOf,
  fleets,
  localFleet,
  powerFiguresOf,
  pricePerCoreMs,
  type RunFigures,
  tierRow,
} from '@hivemind/swarm'
import { refSize } from '@hivemind/values'
import type { DeviceSpec } from './types.ts'

/** Start and end of a run, ms since 1970. */
export interface RunTime {
  startedAt: number
  endedAt: number
}

interface DeviceUse {
  busyMs: number
  sentBytes: number
  receivedBytes: number
  /** Time it was lost, in ms, and since when it is; ms since 1970. */
  offMs: number
  lostAt: number | null
}

/** One worker process of a cloud function. */
interface WorkerUse {
  coreMs: number
  /** When its last invocation ended, ms since 1970. */
  endedAt: number
}

/** The class of a device: the one it is named after, or an agent on this machine where any class will do. */
function classOf({ class: name }: DeviceSpec): DeviceClass | undefined {
  const [local] = localFleet(1).devices
  if (name === '*') return local?.class
  return fleets()
    .flatMap(({ devices }) => devices.map((group) => group.class))
    .find((known) => known.name === name)
}

const INTERRUPTED = {
  unknown:
    'the service was restarted during the run, so that not all is known that devices sent and received.',
}

/** Measures one run. */
export class RunUsage {
  readonly #devices: readonly DeviceSpec[]
  readonly #cloud: Cloud
  readonly #uses = new Map<string, DeviceUse>()
  readonly #workers = new Map<string, WorkerUse>()
  #interrupted = false

  /** `cloud` gives the price of the functions and how long an idle one is charged. */
  constructor(devices: readonly DeviceSpec[], cloud: Cloud) {
    this.#devices = devices
    this.#cloud = cloud
  }

  take(event: RunEvent): void {
    if (event.type === 'span') this.#span(event.span)
    if (event.type !== 'device') return
    const use = this.#use(event.device)
    if (event.state === 'lost') use.lostAt ??= event.at
    else if (use.lostAt !== null) {
      use.offMs += event.at - use.lostAt
      use.lostAt = null
    }
  }

  /** What devices sent and received so far is not known. */
  interrupted(): void {
    this.#interrupted = true
  }

  /** A device has sent a message. */
  sent(device: string, message: Up): void {
    if (message.t === 'item' && message.ref) this.#use(device).sentBytes += refSize(message.ref)
  }

  /** A message was sent to a device. */
  received(device: string, message: Down): void {
    const use = this.#use(device)
    if (message.t === 'item' && message.ref) use.receivedBytes += refSize(message.ref)
    if (message.t === 'start')
      for (const ref of Object.values(message.inputs)) use.receivedBytes += refSize(ref)
  }

  /** Cost of the functions, and energy of the device that used most of it and of its battery. */
  figures(run: RunTime): Pick<RunFigures, 'costPerRun' | 'costPerHour' | 'energyJ' | 'energyShare'> {
    const runMs = run.endedAt - run.startedAt
    return { ...costOf(pricePerCoreMs(this.#cloud), this.#coreMs(run), runMs), ...this.#energy(run) }
  }

  #coreMs({ endedAt }: RunTime): number {
    const keepAliveMs = this.#cloud.keepAliveS * 1000
    let coreMs = 0
    for (const worker of this.#workers.values())
      coreMs += worker.coreMs + chargedIdleMs(endedAt - worker.endedAt, keepAliveMs)
    return coreMs
  }

  #energy({ startedAt, endedAt }: RunTime): Pick<RunFigures, 'energyJ' | 'energyShare'> {
    if (this.#interrupted) return { energyJ: INTERRUPTED, energyShare: INTERRUPTED }
    let energyJ = 0
    let energyShare = 0
    for (const device of this.#devices) {
      const known = classOf(device)
      if (!known) {
        const unknown = `no power figures are known of the class '${device.class}' of device ${device.name}; fleets.ts lists those that are.`
        return { energyJ: { unknown }, energyShare: { unknown } }
      }
      const figures = powerFiguresOf(known)
      const { offMs, lostAt, ...use } = this.#use(device.name)
      const onMs = endedAt - startedAt - offMs - (lostAt === null ? 0 : endedAt - lostAt)
      const joules = energyOf(figures, { ...use, onMs })
      energyJ = Math.max(energyJ, joules)
      energyShare = Math.max(energyShare, batteryShareOf(figures, joules))
    }
    return { energyJ, energyShare }
  }

  #span({ tier, worker, startedAt, endedAt, breakdown }: Span): void {
    if (tier === 'edge') {
      this.#use(worker).busyMs += breakdown.execution
      return
    }
    if (!tierRow(tier).costs.money) return
    const coreMs = endedAt - startedAt
    const known = this.#workers.get(worker)
    if (!known) {
      this.#workers.set(worker, { coreMs, endedAt })
      return
    }
    known.coreMs += coreMs + chargedIdleMs(startedAt - known.endedAt, this.#cloud.keepAliveS * 1000)
    known.endedAt = Math.max(known.endedAt, endedAt)
  }

  #use(device: string): DeviceUse {
    let use = this.#uses.get(device)
    if (!use) {
      use = { busyMs: 0, sentBytes: 0, receivedBytes: 0, offMs: 0, lostAt: null }
      this.#uses.set(device, use)
    }
    return use
  }
}
