/** Counts what is still under way below each invocation delivered from outside, to say when all of it has ended. */
import type { WireKey } from './reporter.ts'

interface Delivery {
  key: WireKey
  epoch: number
  open: number
}

export class Deliveries {
  readonly #deliveries = new Map<number, Delivery>()
  readonly #onEnd: (key: WireKey, epoch: number) => void
  #last = 0

  constructor(onEnd: (key: WireKey, epoch: number) => void) {
    this.#onEnd = onEnd
  }

  /** Begins a delivery that is held once. */
  begin(key: WireKey, epoch: number): number {
    this.#last += 1
    this.#deliveries.set(this.#last, { key, epoch, open: 1 })
    return this.#last
  }

  /** So many messages more are on their way. */
  hold(id: number, messages: number): void {
    const delivery = this.#deliveries.get(id)
    if (delivery) delivery.open += messages
  }

  /** One message has been dealt with. */
  release(id: number): void {
    const delivery = this.#deliveries.get(id)
    if (!delivery) return
    delivery.open -= 1
    if (delivery.open > 0) return
    this.#deliveries.delete(id)
    this.#onEnd(delivery.key, delivery.epoch)
  }

  /** Forgets what belongs to a run. */
  drop(run: string): void {
    for (const [id, { key }] of this.#deliveries) if (key.run === run) this.#deliveries.delete(id)
  }
}
