/** What a run uses, in joules and dollars. */
import type { Model, ModelClass } from '../model/model.ts'

/** What a device did during a run. */
export interface Use {
  onMs: number
  busyMs: number
  sentBytes: number
  receivedBytes: number
}

/** Energy of a device over a run, in J (paper section 5.2): motion and idle while it is on, computing and radio as used. */
export function energyOf(kind: ModelClass, use: Use): number {
  return (
    ((kind.motionW + kind.idleW) * use.onMs + kind.computeW * use.busyMs) / 1000 +
    kind.txJPerByte * use.sentBytes +
    kind.rxJPerByte * use.receivedBytes
  )
}

/** How much of a battery that is; 0 when there is none. */
export function shareOf(kind: ModelClass, joules: number): number {
  return kind.batteryJ > 0 ? joules / kind.batteryJ : 0
}

/** Cost of the cloud from its core time and the length of the run. */
export function costOf(model: Model, cloudMs: number, endMs: number) {
  const costPerRun = cloudMs * model.cloud.pricePerCoreMs
  return { costPerRun, costPerHour: endMs > 0 ? (costPerRun * 3600e3) / endMs : 0 }
}
