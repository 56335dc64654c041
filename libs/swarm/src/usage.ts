/** What devices and cloud functions use, in joules and dollars: the same formulas for a simulation and a measured run. */
import type { DeviceClass } from './fleet.ts'

/** Power and radio figures of a device class. */
export interface PowerFigures {
  motionW: number
  idleW: number
  /** One core at full load. */
  computeW: number
  txJPerByte: number
  rxJPerByte: number
  /** 0 when the class has no battery. */
  batteryJ: number
}

/** The power figures of a device class. */
export function powerFiguresOf({ power, radio, batteryWh }: DeviceClass): PowerFigures {
  return {
    motionW: power.motionW,
    idleW: power.idleW,
    computeW: power.computeW,
    txJPerByte: radio.txJPerMB / 1e6,
    rxJPerByte: radio.rxJPerMB / 1e6,
    batteryJ: batteryWh * 3600,
  }
}

/** What a device did during a run. Times in ms. */
export interface Use {
  /** Time it was switched on. */
  onMs: number
  /** Time its cores were busy, summed over cores. */
  busyMs: number
  sentBytes: number
  receivedBytes: number
}

/** Energy of a device over a run, in J (paper section 5.2): motion and idle while it is on, computing and radio as used. */
export function energyOf(figures: PowerFigures, use: Use): number {
  return (
    ((figures.motionW + figures.idleW) * use.onMs + figures.computeW * use.busyMs) / 1000 +
    figures.txJPerByte * use.sentBytes +
    figures.rxJPerByte * use.receivedBytes
  )
}

/** `joules` as a share of a battery (1 is all of it); 0 when the class has no battery. */
export function batteryShareOf({ batteryJ }: PowerFigures, joules: number): number {
  return batteryJ > 0 ? joules / batteryJ : 0
}

/** The part of a container's idle time that is charged, in ms: it is stopped after the keep-alive time. */
export function chargedIdleMs(idleMs: number, keepAliveMs: number): number {
  return Math.max(0, Math.min(idleMs, keepAliveMs))
}

/** Cost of the cloud, in USD, from its core time and the length of the run, both in ms. */
export function costOf(
  pricePerCoreMs: number,
  coreMs: number,
  runMs: number,
): { costPerRun: number; costPerHour: number } {
  const costPerRun = coreMs * pricePerCoreMs
  return { costPerRun, costPerHour: runMs > 0 ? (costPerRun * 3600e3) / runMs : 0 }
}

/** The price of one core in USD per ms. */
export function pricePerCoreMs({ pricePerCoreHour }: { pricePerCoreHour: number }): number {
  return pricePerCoreHour / 3600e3
}
