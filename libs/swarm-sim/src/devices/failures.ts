/** When devices fail, and what follows (paper section 4.6, Fig. 10). */
import type { RestorePolicy } from '@hivemind/workflow'
import type { Model } from '../model/model.ts'
import { laneOf, streamOf, uniform } from '../random.ts'

/** When devices fail, and what follows. */
export interface DeviceFailures {
  /** Failures at known times; device 1 is `device-1`. */
  at?: { device: number; atMs: number }[]
  /** Mean time from a device's start, or return, to its next failure, in ms; exponentially distributed. */
  meanMs?: number
  /** From a failure until it is noticed, in ms; 3,000 without it (three heartbeats missed, paper section 4.6). */
  detectMs?: number
  /** From then until a device that comes back works again, in ms; 10,000 without it. */
  restartMs?: number
  /** What follows, instead of what the workflow's `Restore` says. */
  restore?: RestorePolicy
}

const FAILS = 9

/**
 * Checks failures of a fleet of so many devices.
 * @throws RangeError naming the field that is out of its range
 */
export function checkDeviceFailures(failures: DeviceFailures, devices: number): void {
  const { at = [], meanMs, detectMs = 0, restartMs = 0 } = failures
  for (const [index, { device, atMs }] of at.entries()) {
    if (!(Number.isInteger(device) && device >= 1 && device <= devices))
      throw new RangeError(
        `'deviceFailures.at[${index}].device' must be a whole number from 1 to ${devices}, not ${device}.`,
      )
    if (!(atMs >= 0 && Number.isFinite(atMs)))
      throw new RangeError(`'deviceFailures.at[${index}].atMs' must be at least 0, not ${atMs}.`)
  }
  if (meanMs !== undefined && !(meanMs > 0))
    throw new RangeError(`'deviceFailures.meanMs' must be above 0, not ${meanMs}.`)
  for (const [name, value] of Object.entries({ detectMs, restartMs }))
    if (!(value >= 0 && Number.isFinite(value)))
      throw new RangeError(`'deviceFailures.${name}' must be at least 0, not ${value}.`)
}

/** What follows the loss of a device: the given policy, else `repartition` if any task has it, else that of the first task on the devices. */
export function policyOf(model: Model, failures: DeviceFailures = {}): RestorePolicy {
  const onDevices = model.tasks.filter((task) => task.hardware === 'devices' && !task.swarmWide)
  if (failures.restore) return failures.restore
  if (onDevices.some((task) => task.restore === 'repartition')) return 'repartition'
  return onDevices[0]?.restore ?? 'respawn'
}

/** Draws when each device fails next. */
export class FailureTimes {
  readonly #failures: DeviceFailures
  readonly #stream: number
  /** For every device the random numbers taken so far. */
  readonly #taken: Int32Array

  constructor(failures: DeviceFailures, devices: number, seed: number) {
    this.#failures = failures
    this.#stream = streamOf(seed, FAILS)
    this.#taken = new Int32Array(devices)
  }

  /** The time after `from` at which a device (counted from 0) that is up fails; infinite when it does not. */
  next(device: number, from: number): number {
    const { at = [], meanMs } = this.#failures
    let next = meanMs === undefined ? Number.POSITIVE_INFINITY : from + meanMs * this.#exponential(device)
    for (const each of at)
      if (each.device === device + 1 && each.atMs >= from && each.atMs < next) next = each.atMs
    return next
  }

  /** Exponential with mean 1, by comparing uniform numbers only (von Neumann 1951): the same on every platform. */
  #exponential(device: number): number {
    const stream = laneOf(this.#stream, device)
    const draw = () => uniform(stream, (this.#taken[device] as number)++)
    for (let whole = 0; ; whole++) {
      const first = draw()
      let last = first
      let length = 0
      for (let next = first; next <= last; length++) {
        last = next
        next = draw()
      }
      if (length % 2 === 1) return whole + first
    }
  }
}
