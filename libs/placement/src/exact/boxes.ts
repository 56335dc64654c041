/** What the join of labels looks at: boxes of labels near one another, and a queue of pairs of them. */
import { placeMiddle } from './dominance.ts'
import type { Group } from './sides.ts'

/** Halves of halves of the labels of a group; box 1 holds all, the boxes `2 n` and `2 n + 1` the halves of box n. */
export class Boxes {
  readonly #group: Group
  readonly #stride: number
  readonly #order: Int32Array
  /** Least coordinates in each box. */
  readonly least: Float64Array
  readonly count: Int32Array
  /** The label of each box of one. */
  readonly label: Int32Array

  constructor(group: Group, stride: number) {
    this.#group = group
    this.#stride = stride
    this.#order = Int32Array.from({ length: group.count }, (_, i) => i)
    let size = 2
    while (size < 2 * group.count) size *= 2
    this.least = new Float64Array(size * stride)
    this.count = new Int32Array(size)
    this.label = new Int32Array(size)
    this.#fill(1, 0, group.count, 0)
  }

  #fill(box: number, from: number, to: number, column: number): void {
    const { rows, base } = this.#group
    const stride = this.#stride
    const least = box * stride
    this.count[box] = to - from
    if (to - from === 1) {
      const label = this.#order[from] as number
      this.label[box] = base + label
      for (let d = 0; d < stride; d++) this.least[least + d] = rows[label * stride + d] as number
      return
    }
    const middle = (from + to + 1) >> 1
    placeMiddle(this.#order, rows, stride, column, from, to - 1, middle)
    const next = (column + 1) % stride
    this.#fill(2 * box, from, middle, next)
    this.#fill(2 * box + 1, middle, to, next)
    for (let d = 0; d < stride; d++)
      this.least[least + d] = Math.min(
        this.least[2 * least + d] as number,
        this.least[2 * least + stride + d] as number,
      )
  }
}

/** Pairs of boxes, that with the least first figure on top. */
export class Queue {
  #keys = new Float64Array(1024)
  /** Number of the group, and of the box on either side. */
  #items = new Int32Array(3 * 1024)
  size = 0

  push(key: number, group: number, first: number, second: number): void {
    if (this.size === this.#keys.length) {
      const keys = new Float64Array(2 * this.size)
      keys.set(this.#keys)
      this.#keys = keys
      const items = new Int32Array(6 * this.size)
      items.set(this.#items)
      this.#items = items
    }
    let hole = this.size++
    while (hole > 0) {
      const parent = (hole - 1) >> 2
      if ((this.#keys[parent] as number) <= key) break
      this.#move(parent, hole)
      hole = parent
    }
    this.#put(hole, key, group, first, second)
  }

  /** Takes the top off and writes it to `top`; returns its key. */
  pop(top: Int32Array): number {
    const least = this.#keys[0] as number
    for (let i = 0; i < 3; i++) top[i] = this.#items[i] as number
    const last = --this.size
    const key = this.#keys[last] as number
    let hole = 0
    for (let child = 1; child < last; child = 4 * hole + 1) {
      let best = child
      for (let other = child + 1; other < child + 4 && other < last; other++)
        if ((this.#keys[other] as number) < (this.#keys[best] as number)) best = other
      if ((this.#keys[best] as number) >= key) break
      this.#move(best, hole)
      hole = best
    }
    if (hole !== last) this.#move(last, hole)
    return least
  }

  #move(from: number, to: number): void {
    this.#put(
      to,
      this.#keys[from] as number,
      this.#items[3 * from] as number,
      this.#items[3 * from + 1] as number,
      this.#items[3 * from + 2] as number,
    )
  }

  #put(to: number, key: number, group: number, first: number, second: number): void {
    this.#keys[to] = key
    this.#items[3 * to] = group
    this.#items[3 * to + 1] = first
    this.#items[3 * to + 2] = second
  }
}
