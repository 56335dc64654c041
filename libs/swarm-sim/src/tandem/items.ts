/** Items on their way between sensors and their last task: so few that they lie in the processor's caches. */
import { doubled } from '../arrays.ts'

/** Where the time of an item goes, as far as passages can tell: a row for each item. */
export const NETWORK = 0
export const MANAGEMENT = 1
export const EXECUTION = 2
export const PART = 3

export class ItemsUnderWay {
  /** Of each item when it was captured, and when the last task that has worked on it ended, in ms. */
  born = new Float64Array(0)
  ended = new Float64Array(0)
  /** Its device, and its number there; only when anybody asks for them: when items are named. */
  lanes = new Int32Array(0)
  seqs = new Int32Array(0)
  /** Where its time went; only when asked for. */
  parts: Float64Array<ArrayBuffer> | null
  readonly areNamed: boolean
  /** Places for items to come. */
  private free = new Int32Array(0)
  private left = 0

  constructor(areNamed: boolean, withParts: boolean) {
    this.areNamed = areNamed
    this.parts = withParts ? new Float64Array(0) : null
  }

  /** Finds places for so many more items; returns where they are told. */
  enter(count: number): Int32Array {
    while (this.left < count) this.enlarge(count)
    this.left -= count
    return this.free.subarray(this.left, this.left + count)
  }

  /** These items have arrived: their places are free. */
  leave(items: Int32Array): void {
    this.free.set(items, this.left)
    this.left += items.length
  }

  private enlarge(least: number): void {
    const size = this.born.length
    if (size === 0) {
      this.born = new Float64Array(least)
      this.ended = new Float64Array(least)
      if (this.areNamed) {
        this.lanes = new Int32Array(least)
        this.seqs = new Int32Array(least)
      }
      this.parts &&= new Float64Array(least * PART)
    } else {
      this.born = doubled(this.born)
      this.ended = doubled(this.ended)
      this.lanes = doubled(this.lanes)
      this.seqs = doubled(this.seqs)
      this.parts &&= doubled(this.parts)
    }
    const free = new Int32Array(this.born.length)
    free.set(this.free.subarray(0, this.left))
    for (let item = this.born.length - 1; item >= size; item--) free[this.left++] = item
    this.free = free
  }
}
