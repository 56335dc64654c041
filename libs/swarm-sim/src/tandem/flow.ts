/** Items in the order of the times at which they pass a point. */
import { doubled } from '../arrays.ts'
import type { LazyQueue } from '../events/lazy-queue.ts'

/** So many items at a time lie in the processor's caches; beside them, what is done once for each flow is little. */
export const FLOW = 2048

export class Flow {
  items = new Int32Array(FLOW)
  /** In ms. */
  times = new Float64Array(FLOW)
  /** The first of them, and how far they go. */
  first = 0
  count = 0

  get isEmpty(): boolean {
    return this.first === this.count
  }

  /** The first one's time. */
  get time(): number {
    return this.times[this.first] as number
  }

  clear(): void {
    this.first = 0
    this.count = 0
  }

  push(item: number, time: number): void {
    if (this.count === this.items.length) this.#makeRoom()
    this.items[this.count] = item
    this.times[this.count++] = time
  }

  /** Takes the first one. */
  shift(): number {
    const item = this.items[this.first++] as number
    if (this.first === this.count) this.clear()
    return item
  }

  #makeRoom(): void {
    if (2 * this.first >= this.count) {
      this.items.copyWithin(0, this.first)
      this.times.copyWithin(0, this.first)
      this.count -= this.first
      this.first = 0
      return
    }
    this.items = doubled(this.items)
    this.times = doubled(this.times)
  }
}

/** Hands on what leaves before then, in the order of time. */
export function release(under: LazyQueue, until: number, out: Flow): void {
  for (let time = under.due; time < until; time = under.due) out.push(under.take(), time)
}
