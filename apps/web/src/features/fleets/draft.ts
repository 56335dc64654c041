/** A fleet being edited: its fields by path, copies, and unsaved changes that this browser keeps. */
import { type DeviceClass, type EdgeNodes, type Fleet, fleetFaults, fleetNameFault } from '@hivemind/swarm'

/** Unsaved changes of a fleet. Numbers that cannot be read are kept as their text. */
export interface FleetDraft {
  /** Hash of the fleet that the changes were made on. */
  base: string
  fleet: Fleet
}

type Node = Record<string, unknown>

/** The value at a path such as `devices.0.class.cores`; `undefined` when there is none. */
export const valueAt = (fleet: Fleet, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (value, name) => (typeof value === 'object' && value !== null ? (value as Node)[name] : undefined),
      fleet,
    )

/** The fleet with another value at a path; `undefined` removes the field, or the entry of a list. */
export function withValue(fleet: Fleet, path: string, value: unknown): Fleet {
  const change = (node: unknown, [name = '', ...rest]: string[]): unknown => {
    const next = rest.length === 0 ? value : change((node as Node)[name] ?? {}, rest)
    if (Array.isArray(node))
      return next === undefined
        ? node.filter((_, index) => index !== Number(name))
        : Object.assign([...node], { [name]: next })
    const { [name]: _, ...others } = node as Node
    return next === undefined ? others : { ...(node as Node), [name]: next }
  }
  return change(fleet, path.split('.')) as Fleet
}

/** What an input for a number gives: the number, or the text when it is none, which the checks then refuse. */
export function typedNumber(text: string): number | string {
  const trimmed = text.trim()
  const value = Number(trimmed)
  return trimmed === '' || !Number.isFinite(value) ? trimmed : value
}

/** A copy under another name. Its sources say where they are copied from. */
export function copyOf(fleet: Fleet, name: string, label: string): Fleet {
  const copied = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copied)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        key === 'sources'
          ? (each as Node[]).map(({ what, from }) => ({ what, from: originOf(fleet, String(from)) }))
          : copied(each),
      ]),
    )
  }
  return { ...(copied(fleet) as Fleet), name, label }
}

const originOf = ({ name }: Fleet, from: string): string =>
  from.startsWith('copied from ') ? from : `copied from ${name}: ${from}`

/** Edge nodes to start from: gateways that serve all devices. */
export const newEdgeNodes = (): EdgeNodes => ({
  name: 'gateway',
  label: 'Gateway',
  count: 1,
  cores: 4,
  cpuSpeed: 0.4,
  memoryMB: 8192,
  power: { idleW: 3, computeW: 2 },
  callMs: 2,
  link: { kind: 'wireless', bandwidthMbps: 100, delayMs: 2 },
  backhaul: { kind: 'wired', bandwidthMbps: 100, delayMs: 10 },
  sources: [],
})

/** A device class to start from, under a name that the others do not have. */
export function newClass(others: readonly string[]): DeviceClass {
  const free = (index: number): string => {
    const name = index === 1 ? 'device' : `device-${index}`
    return others.includes(name) ? free(index + 1) : name
  }
  const name = free(1)
  return {
    name,
    label: `Device${name.slice('device'.length).replace('-', ' ')}`,
    cpuSpeed: 0.25,
    cores: 4,
    memoryMB: 2048,
    power: { motionW: 0, idleW: 2, computeW: 2 },
    radio: { txJPerMB: 0.5, rxJPerMB: 0.3 },
    batteryWh: 50,
    sensors: [],
    speedMps: 0,
    sources: [],
  }
}

/** A fleet to start from: four devices, one access point and a small cloud. */
export function newFleet(name: string, label: string): Fleet {
  return {
    schema: 'hivemind.fleet/1',
    name,
    label,
    devices: [{ class: newClass([]), count: 4 }],
    uplink: {
      ...{ name: 'link', label: 'Wireless access point', kind: 'wireless' },
      ...{ count: 1, bandwidthMbps: 100, delayMs: 5, sources: [] },
    },
    cloud: {
      ...{ servers: 2, coresPerServer: 16, cpuSpeed: 1 },
      ...{ coldStartMs: 150, keepAliveS: 60, dispatchMs: 5 },
      handOver: { kind: 'store', fixedMs: 20, bandwidthMBps: 100 },
      ...{ pricePerCoreHour: 0.05, sources: [] },
    },
  }
}

/** What is wrong with a name for a new fleet; `undefined` when nothing is. */
export function nameProblem(name: string, taken: readonly string[]): string | undefined {
  if (taken.includes(name)) return 'There is a fleet of this name. Choose another.'
  const fault = fleetNameFault(name)
  return fault && `It ${fault}`
}

/** A free name like this one. */
export function freeName(wanted: string, taken: readonly string[]): string {
  const base =
    wanted
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 50) || 'fleet'
  for (let index = 1; ; index += 1) {
    const name = index === 1 ? base : `${base}-${index}`
    if (nameProblem(name, taken) === undefined) return name
  }
}

/** Faults by the path of their field. */
export const faultsByPath = (fleet: Fleet): ReadonlyMap<string, string> =>
  new Map(fleetFaults(fleet).map(({ path, message }) => [path, `It ${message}`]))

/** The text of a fleet as `--fleet FILE` reads it. */
export const textOf = (fleet: Fleet): string => `${JSON.stringify(fleet, null, 2)}\n`

const keyOf = (project: string, name: string): string => `hivemind.fleet.${project}.${name}`

/** The stored unsaved changes of a fleet; `undefined` when there are none, or none that can be read. */
export function readDraft(project: string, name: string): FleetDraft | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(project, name)) ?? 'null')
    if (typeof kept !== 'object' || kept === null) return undefined
    const { base, fleet } = kept as Partial<FleetDraft>
    const isWhole = typeof base === 'string' && Array.isArray(fleet?.devices) && fleet.uplink && fleet.cloud
    return isWhole ? { base, fleet } : undefined
  } catch {
    return undefined
  }
}

/** Stores unsaved changes, or forgets them. False when the browser refuses. */
export function storeDraft(project: string, name: string, draft: FleetDraft | undefined): boolean {
  try {
    if (draft) localStorage.setItem(keyOf(project, name), JSON.stringify(draft))
    else localStorage.removeItem(keyOf(project, name))
    return true
  } catch {
    return draft === undefined
  }
}
