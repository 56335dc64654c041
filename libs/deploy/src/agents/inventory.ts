/** The devices of a fleet: who belongs to it, what each is, how it is. */
import {
  type Applied,
  type ClockEstimate,
  type Hello,
  isName,
  type Telemetry,
} from '@hivemind/agent-protocol'
import { devicePassword } from '@hivemind/agent-protocol/node'

/** A device that belongs to a fleet. Plain data, to be kept by the service. */
export interface EnrolledDevice {
  id: string
  /** Name of its device class. */
  class: string
  /** ms since 1970. */
  enrolledAt: number
}

/** What an agent is started with on a new device. */
export interface Credential {
  fleet: string
  device: string
  class: string
  /** Password at the broker and the data endpoint. */
  token: string
}

/**
 * `enrolled`: never seen. `online`: connected and alive. `silent`: connected, but without a sign of life for 3 s.
 * `gone`: it said goodbye, or its connection broke.
 */
export type DeviceState = 'enrolled' | 'online' | 'silent' | 'gone'

/** One device, for people and for placements. */
export interface DeviceView extends EnrolledDevice {
  state: DeviceState
  /** Last sign of life, ms since 1970; absent when there was none since the start of the service. */
  seenAt?: number
  /** What the agent says about the device; absent when it has never said anything. */
  hello?: Hello
  telemetry?: Telemetry
  applied?: Applied
  /** Offset of its clock; `null` while nothing is known. */
  clock: ClockEstimate | null
  /** What is wrong with it, in a sentence; absent when nothing is. */
  problem?: string
}

interface Entry extends EnrolledDevice {
  state: DeviceState
  seenAt?: number
  hello?: Hello
  telemetry?: Telemetry
  applied?: Applied
}

/** The fleet, and what is known of it from before. */
export interface InventoryOptions {
  fleet: string
  secret: string
  /** Devices that were enrolled before. */
  devices?: readonly EnrolledDevice[]
  clockOf?: (device: string) => ClockEstimate | null
  onChange?: (device: string) => void
  /** ms since 1970. */
  now?: () => number
}

/** Who belongs to a fleet, and how each device is. */
export class Inventory {
  readonly #options: InventoryOptions
  readonly #entries = new Map<string, Entry>()
  readonly #now: () => number

  constructor(options: InventoryOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    for (const device of options.devices ?? []) this.#entries.set(device.id, { ...device, state: 'enrolled' })
  }

  /**
   * Adds a device and returns what its agent is started with; for a known device its class is changed and the credential
   * is the same again. Throws an `Error` when the id cannot be one.
   */
  enrol(device: string, deviceClass: string): Credential {
    if (!isName(device))
      throw new Error(
        `'${device}' cannot be the id of a device: use letters, digits, '.', '_' and '-', at most 64.`,
      )
    this.add({ id: device, class: deviceClass, enrolledAt: this.#now() })
    const { fleet, secret } = this.#options
    return { fleet, device, class: deviceClass, token: devicePassword(secret, device) }
  }

  /** Adds a device; for a known one its class is changed. */
  add(device: EnrolledDevice): void {
    const known = this.#entries.get(device.id)
    if (known) known.class = device.class
    else this.#entries.set(device.id, { ...device, state: 'enrolled' })
    this.#changed(device.id)
  }

  /** Removes a device: its credential is worth nothing from now on. Returns false when it is unknown. */
  forget(device: string): boolean {
    const known = this.#entries.delete(device)
    if (known) this.#changed(device)
    return known
  }

  /** Whether a device belongs to the fleet; the broker and the data endpoint ask. */
  isEnrolled(device: string): boolean {
    return this.#entries.has(device)
  }

  /** The devices, to be kept by the service. */
  enrolled(): EnrolledDevice[] {
    return [...this.#entries.values()].map(({ id, class: deviceClass, enrolledAt }) => ({
      id,
      class: deviceClass,
      enrolledAt,
    }))
  }

  /** All devices, in the order they were enrolled. */
  list(): DeviceView[] {
    return [...this.#entries.values()].map((entry) => this.#view(entry))
  }

  get(device: string): DeviceView | undefined {
    const entry = this.#entries.get(device)
    return entry && this.#view(entry)
  }

  /** Devices of a class that are online. */
  online(deviceClass?: string): DeviceView[] {
    return this.list().filter(
      (view) => view.state === 'online' && (deviceClass === undefined || view.class === deviceClass),
    )
  }

  /** The agent says what the device is. */
  hello(device: string, hello: Hello): void {
    this.#update(device, { hello })
  }

  telemetry(device: string, telemetry: Telemetry): void {
    this.#update(device, { telemetry })
  }

  applied(device: string, applied: Applied): void {
    this.#update(device, { applied })
  }

  /** It is connected, or has said goodbye. */
  presence(device: string, online: boolean): void {
    this.#update(device, { state: online ? 'online' : 'gone' })
  }

  /** A sign of life. */
  beat(device: string): void {
    const entry = this.#entries.get(device)
    if (!entry) return
    entry.seenAt = this.#now()
    if (entry.state !== 'online') this.#update(device, { state: 'online' })
  }

  /** No sign of life for too long. */
  silent(device: string): void {
    if (this.#entries.get(device)?.state === 'online') this.#update(device, { state: 'silent' })
  }

  #update(device: string, change: Partial<Entry>): void {
    const entry = this.#entries.get(device)
    // what the broker still keeps about a forgotten device
    if (!entry) return
    Object.assign(entry, change)
    this.#changed(device)
  }

  #view(entry: Entry): DeviceView {
    const problem = problemOf(entry)
    return {
      ...entry,
      clock: this.#options.clockOf?.(entry.id) ?? null,
      ...(problem === undefined ? {} : { problem }),
    }
  }

  #changed(device: string): void {
    this.#options.onChange?.(device)
  }
}

/** A device with an empty battery still counts for something: it may be the only one. */
const MIN_BATTERY_SHARE = 0.001

/** How much work a device can take over, relative to others: its cores, by the share of its battery that is left. */
export function freeCapacityOf({ hello, telemetry }: Pick<DeviceView, 'hello' | 'telemetry'>): number {
  const { batteryWh, capacityWh = 0 } = telemetry ?? {}
  const share = batteryWh === undefined || capacityWh <= 0 ? 1 : batteryWh / capacityWh
  // Whole per cents: a battery that drains is no news every few seconds.
  return Math.max(1, hello?.cores ?? 1) * Math.max(MIN_BATTERY_SHARE, Math.round(share * 100) / 100)
}

function problemOf({ id, class: deviceClass, hello, applied }: Entry): string | undefined {
  if (hello && hello.class !== deviceClass)
    return `Device '${id}' was enrolled as '${deviceClass}', but its agent says '${hello.class}'.`
  const failed = applied?.deployments.find(({ state }) => state === 'failed')
  return (
    failed && `Deployment '${failed.id}' could not be applied on device '${id}': ${failed.error ?? 'unknown'}`
  )
}
