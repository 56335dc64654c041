/** What a barrier has collected: the instances of its parents over all devices (Listing 2, `Synchronize`). */
import type { SyncCondition } from '@hivemind/workflow'

export interface Instance {
  device: string
  seq: number
  value: unknown
}

export class Barrier {
  /** Instances that came after the barrier had opened. */
  dropped = 0
  readonly #condition: SyncCondition
  readonly #order: Map<string, number>
  readonly #instances: Map<string, Map<string, Instance>>
  readonly #open: Set<string>
  #count = 0
  #taken = false

  /** @param lanes for every parent, the lanes it runs on (device names, or `*`) */
  constructor(condition: SyncCondition, lanes: Map<string, string[]>, devices: readonly string[]) {
    this.#condition = condition
    this.#order = new Map(devices.map((device, index) => [device, index]))
    this.#instances = new Map([...lanes.keys()].map((parent) => [parent, new Map()]))
    this.#open = new Set([...lanes].flatMap(([parent, names]) => names.map((name) => `${parent} ${name}`)))
  }

  offer(parent: string, instance: Instance): void {
    const of = this.#instances.get(parent)
    const key = `${instance.device} ${instance.seq}`
    if (!of || of.has(key)) return
    if (this.#taken) {
      this.dropped += 1
      of.set(key, { ...instance, value: undefined })
      return
    }
    of.set(key, instance)
    this.#count += 1
  }

  /** No more instances of this parent will come from this lane. */
  end(parent: string, device: string): void {
    this.#open.delete(`${parent} ${device}`)
  }

  get ended(): boolean {
    return this.#open.size === 0
  }

  /** How many instances it waits for in vain when all parents have ended before the condition held; 0 when it held. */
  get missing(): number {
    const wanted = this.#wanted()
    return wanted === null ? 0 : Math.max(0, wanted - this.#count)
  }

  /**
   * For each parent its instances by device and number, once: when the condition holds, or when every parent has
   * ended and it no longer can.
   */
  take(): Record<string, Instance[]> | null {
    const wanted = this.#wanted()
    if (this.#taken || !(this.ended || (wanted !== null && this.#count >= wanted))) return null
    this.#taken = true
    return Object.fromEntries(
      [...this.#instances].map(([parent, instances]) => [
        parent,
        [...instances.values()].sort((a, b) => this.#rank(a) - this.#rank(b) || a.seq - b.seq),
      ]),
    )
  }

  #wanted(): number | null {
    if (this.#condition.kind === 'all') return null
    return this.#condition.kind === 'any' ? 1 : this.#condition.count
  }

  #rank(instance: Instance): number {
    return this.#order.get(instance.device) ?? -1
  }
}
