/** Which devices are down, and for how long each has been on. */

/** A time for which a device was down. */
export interface Outage {
  /** 1 is `device-1`. */
  device: number
  cause: 'failure' | 'battery'
  atMs: number
  /** When it works again; `null` when it does not in this run. */
  untilMs: number | null
}

export class Outages {
  readonly list: Outage[] = []
  readonly #of: Outage[][]
  /** For every device: 0 while it is up, else when its work goes on, here or elsewhere; infinite when it does not. */
  readonly #resumesAt: Float64Array

  constructor(devices: number) {
    this.#of = Array.from({ length: devices }, () => [])
    this.#resumesAt = new Float64Array(devices)
  }

  isUp(device: number): boolean {
    return this.#resumesAt[device] === 0
  }

  resumesAt(device: number): number {
    return this.#resumesAt[device] as number
  }

  /** A device goes down; its work goes on at `resumesAt`, and it comes back then or not at all. */
  begin(device: number, cause: Outage['cause'], now: number, resumesAt: number, comesBack: boolean): void {
    const outage = { device: device + 1, cause, atMs: now, untilMs: comesBack ? resumesAt : null }
    this.list.push(outage)
    this.#of[device]?.push(outage)
    this.#resumesAt[device] = resumesAt
  }

  /** A device is back. */
  end(device: number): void {
    this.#resumesAt[device] = 0
  }

  /** Nobody takes over the work of a device that is down. */
  abandon(device: number): void {
    this.#resumesAt[device] = Number.POSITIVE_INFINITY
  }

  /** For how long before a time a device was on, in ms: one that is down uses no power. */
  onMs(device: number, before: number): number {
    let on = before
    for (const { atMs, untilMs } of this.#of[device] ?? [])
      on -= Math.max(0, Math.min(before, untilMs ?? before) - atMs)
    return on
  }
}
