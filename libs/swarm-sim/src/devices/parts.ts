/** The streams each device senses: its own, and parts of others that it has taken over (paper section 4.6, Fig. 10). */

/** Items of a lane's stream that are still to be sensed: `items` of them, from number `first` on. */
export interface Part {
  lane: number
  first: number
  items: number
}

/** A device that can take over work. */
export interface Heir {
  device: number
  /** How much of all work it should have, relative to others; above 0. */
  weight: number
}

interface Ports {
  /** Begins to sense a part on a device; returns the number of the stream. */
  sense(task: number, device: number, part: Part): number
  /** Items that a stream has still to emit. */
  itemsLeft(sensor: number): number
}

export class Parts {
  readonly #devices: number
  readonly #ports: Ports
  /** Streams under way, by task and device. */
  readonly #active = new Map<number, number>()
  /** Parts that each device senses after that. */
  readonly #waiting = new Map<number, Part[]>()

  constructor(devices: number, ports: Ports) {
    this.#devices = devices
    this.#ports = ports
  }

  /** A stream begins on a device. */
  began(task: number, device: number, sensor: number): void {
    this.#active.set(this.#keyOf(task, device), sensor)
  }

  /** The stream of a device has ended: the part that waits for it begins. */
  ended(task: number, device: number): void {
    const key = this.#keyOf(task, device)
    this.#active.delete(key)
    const next = this.#waiting.get(key)?.shift()
    if (next) this.#start(task, device, next)
  }

  /**
   * Divides a part among devices so that all are done with their sensing at about the same time, relative to their weights.
   * Each piece comes after what its new device has to sense anyway.
   */
  divide(task: number, heirs: readonly Heir[], { lane, first, items }: Part): void {
    const shares = levelled(
      items,
      heirs.map(({ device, weight }) => ({ left: this.#left(task, device), weight })),
    )
    let from = first
    for (const [at, { device }] of heirs.entries()) {
      const count = shares[at] as number
      if (count === 0) continue
      const part = { lane, first: from, items: count }
      from += count
      const key = this.#keyOf(task, device)
      if (!this.#active.has(key)) this.#start(task, device, part)
      else this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), part])
    }
  }

  /** Takes from a device the parts it has not begun. */
  takeWaiting(task: number, device: number): Part[] {
    const key = this.#keyOf(task, device)
    const parts = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    return parts
  }

  #left(task: number, device: number): number {
    const key = this.#keyOf(task, device)
    const sensor = this.#active.get(key)
    const active = sensor === undefined ? 0 : this.#ports.itemsLeft(sensor)
    return (this.#waiting.get(key) ?? []).reduce((sum, { items }) => sum + items, active)
  }

  #start(task: number, device: number, part: Part): void {
    this.began(task, device, this.#ports.sense(task, device, part))
  }

  #keyOf(task: number, device: number): number {
    return task * this.#devices + device
  }
}

/** Divides items so that (left + share) / weight is as equal as it can be; the shares are whole and add up. */
export function levelled(items: number, loads: readonly { left: number; weight: number }[]): number[] {
  // as water fills a vessel: the lowest are filled up to a common level
  const byLevel = [...loads.keys()].sort((a, b) => levelOf(loads[a]) - levelOf(loads[b]) || a - b)
  let sum = items
  let weights = 0
  let level = 0
  for (const [at, index] of byLevel.entries()) {
    const load = loads[index] as (typeof loads)[number]
    sum += load.left
    weights += load.weight
    level = sum / weights
    const next = byLevel[at + 1]
    if (next === undefined || level <= levelOf(loads[next])) break
  }
  const exact = loads.map(({ left, weight }) => Math.max(0, level * weight - left))
  let before = 0
  let given = 0
  return exact.map((share) => {
    before += share
    const upTo = Math.min(items, Math.round(before))
    const whole = upTo - given
    given = upTo
    return whole
  })
}

function levelOf(load: { left: number; weight: number } | undefined): number {
  return load ? load.left / load.weight : Number.POSITIVE_INFINITY
}
