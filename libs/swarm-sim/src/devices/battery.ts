/** Batteries: when they run empty, and what is left of them. */
import { energyOf } from '@hivemind/swarm'
import type { DeviceServers } from '../engine/device-servers.ts'
import type { Statistics } from '../figures/statistics.ts'
import type { Model, ModelClass } from '../model/model.ts'
import type { Activities } from './activities.ts'
import type { Outages } from './outages.ts'

/** A battery that would last for less than this is empty. */
const MIN_LEFT_MS = 1

/** What the use of a battery follows from. */
export interface Consumers {
  statistics: Statistics
  servers: DeviceServers
  activities: Activities
  outages: Outages
}

function joulesLeft(
  kind: ModelClass,
  device: number,
  now: number,
  { statistics, servers, activities, outages }: Consumers,
): number {
  const { core, up, down } = activities.reserved(device, now)
  const joules = energyOf(kind, {
    onMs: outages.onMs(device, now),
    busyMs: (servers.busyMs[device] as number) - core,
    sentBytes: (statistics.bytes[2 * device] as number) - up,
    receivedBytes: (statistics.bytes[2 * device + 1] as number) - down,
  })
  return kind.batteryJ - joules
}

/** The share of a device's battery that is left, from 0 to 1; 1 for a device without a battery. */
export function batteryShareLeft(model: Model, device: number, now: number, run: Consumers): number {
  const kind = model.classes[model.classOf[device] as number]
  if (!kind || kind.batteryJ <= 0) return 1
  return Math.max(0, joulesLeft(kind, device, now, run) / kind.batteryJ)
}

/**
 * How long a device's battery lasts at least, in ms: what is left, at the most power the device can draw. Asked again
 * and again, that comes as near to the end as one likes. 0 when it is empty, infinite when the device has none.
 */
export function minMsLeft(model: Model, device: number, now: number, run: Consumers): number {
  const kind = model.classes[model.classOf[device] as number]
  if (!kind || kind.batteryJ <= 0) return Number.POSITIVE_INFINITY
  const cores = kind.serverPerTask ? model.tasks.length : kind.cores
  const radioW =
    model.link.msPerByte > 0 ? (1000 * (kind.txJPerByte + kind.rxJPerByte)) / model.link.msPerByte : 0
  const maxW = kind.motionW + kind.idleW + kind.computeW * cores + radioW
  const ms = (1000 * joulesLeft(kind, device, now, run)) / maxW
  return ms < MIN_LEFT_MS ? 0 : ms
}
