/** When batteries run empty. */

import type { Ledger } from '../figures/ledger.ts'
import { energyOf } from '../figures/pricing.ts'
import type { Model } from '../model/model.ts'
import type { Cores } from '../stations.ts'
import type { Aboard } from './aboard.ts'
import type { Outages } from './outages.ts'

/** A battery that would last for less than this is empty. */
const SOON_MS = 1

export interface Consumers {
  ledger: Ledger
  cores: Cores
  aboard: Aboard
  outages: Outages
}

/**
 * How long a device's battery lasts at least, in ms: what is left, at the most power the device can draw. Asked again
 * and again, that comes as near to the end as one likes. 0 when it is empty, infinite when the device has none.
 */
export function leastMsLeft(model: Model, device: number, now: number, run: Consumers): number {
  const kind = model.classes[model.classOf[device] as number]
  if (!kind || kind.batteryJ <= 0) return Number.POSITIVE_INFINITY
  const { up, down } = run.aboard.unsent(device, now)
  const joules = energyOf(kind, {
    onMs: run.outages.onMs(device, now),
    busyMs: run.cores.busyUntil(device, now),
    sentBytes: (run.ledger.bytes[2 * device] as number) - up,
    receivedBytes: (run.ledger.bytes[2 * device + 1] as number) - down,
  })
  const servers = kind.serverPerTask ? model.tasks.length : kind.cores
  const radioW =
    model.link.msPerByte > 0 ? (1000 * (kind.txJPerByte + kind.rxJPerByte)) / model.link.msPerByte : 0
  const mostW = kind.motionW + kind.idleW + kind.computeW * servers + radioW
  const ms = (1000 * (kind.batteryJ - joules)) / mostW
  return ms < SOON_MS ? 0 : ms
}
