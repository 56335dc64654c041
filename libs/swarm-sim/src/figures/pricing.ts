/** What a run uses, in joules and dollars. */
import type { Model } from '../model/model.ts'

/** Energy of one device over a run (paper section 5.2): motion and idle while it is on, computing and radio as used. */
export function energyOf(
  model: Model,
  device: number,
  use: { onMs: number; busyMs: number; sentBytes: number; receivedBytes: number },
): { joules: number; share: number } {
  const kind = model.classes[model.classOf[device] as number]
  if (!kind) return { joules: 0, share: 0 }
  const joules =
    ((kind.motionW + kind.idleW) * use.onMs + kind.computeW * use.busyMs) / 1000 +
    kind.txJPerByte * use.sentBytes +
    kind.rxJPerByte * use.receivedBytes
  return { joules, share: kind.batteryJ > 0 ? joules / kind.batteryJ : 0 }
}

/** Cost of the cloud from its core time and the length of the run. */
export function costOf(model: Model, cloudMs: number, endMs: number) {
  const costPerRun = cloudMs * model.cloud.pricePerCoreMs
  return { costPerRun, costPerHour: endMs > 0 ? (costPerRun * 3600e3) / endMs : 0 }
}
