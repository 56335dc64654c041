/** The streams each device senses: its own, and parts of others that it has taken over (paper section 4.6, Fig. 10). */

/** Items of a lane's stream that are still to be sensed: so many from a number on. */
export interface Part {
  lane: number
  first: number
  items: number
}

/** Begins to sense a part on a device. */
type Begin = (task: number, device: number, part: Part) => void

export class Parts {
  readonly #devices: number
  readonly #begin: Begin
  /** Streams under way, by task and device. */
  readonly #active = new Set<number>()
  /** What comes after them. */
  readonly #waiting = new Map<number, Part[]>()

  constructor(devices: number, begin: Begin) {
    this.#devices = devices
    this.#begin = begin
  }

  /** A stream begins on a device. */
  began(task: number, device: number): void {
    this.#active.add(this.#keyOf(task, device))
  }

  /** The stream of a device has ended, or goes on elsewhere: what waits for it begins. */
  ended(task: number, device: number): void {
    const key = this.#keyOf(task, device)
    this.#active.delete(key)
    const next = this.#waiting.get(key)?.shift()
    if (next) this.#start(task, device, next)
  }

  /** Deals a part out evenly; each piece comes after what its new device has to sense anyway. */
  deal(task: number, heirs: readonly number[], { lane, first, items }: Part): void {
    for (const [at, heir] of heirs.entries()) {
      const from = Math.floor((items * at) / heirs.length)
      const to = Math.floor((items * (at + 1)) / heirs.length)
      if (from === to) continue
      const part = { lane, first: first + from, items: to - from }
      const key = this.#keyOf(task, heir)
      if (!this.#active.has(key)) this.#start(task, heir, part)
      else this.#waiting.set(key, [...(this.#waiting.get(key) ?? []), part])
    }
  }

  /** Takes from a device what it has not begun. */
  takeWaiting(task: number, device: number): Part[] {
    const key = this.#keyOf(task, device)
    const parts = this.#waiting.get(key) ?? []
    this.#waiting.delete(key)
    return parts
  }

  #start(task: number, device: number, part: Part): void {
    this.began(task, device)
    this.#begin(task, device, part)
  }

  #keyOf(task: number, device: number): number {
    return task * this.#devices + device
  }
}
