/** Labels of a group in boxes: halves of halves of labels near one another, with their least coordinates. */
import { placeMiddle } from './dominance.ts'
import type { Group } from './sides.ts'

/** Labels up to which a box is not halved again. */
const SMALL = 8

/** Box 1 holds all labels, the boxes `2 n` and `2 n + 1` the halves of box n, as long as it has more than a few. */
export class Boxes {
  private readonly stride: number
  /** Rows of the labels, those of each box one after the other. */
  readonly rows: Float64Array
  /** The number of each label in its layer. */
  readonly labels: Int32Array
  /** The first label of each box and the one behind the last. */
  readonly from: Int32Array
  readonly to: Int32Array
  /** Least coordinates in each box. */
  readonly least: Float64Array

  constructor(group: Group, stride: number) {
    this.stride = stride
    const { count } = group
    const order = new Int32Array(count)
    for (let i = 0; i < count; i++) order[i] = i
    let size = 2
    while (size * SMALL < 2 * count) size *= 2
    this.from = new Int32Array(size)
    this.to = new Int32Array(size)
    this.least = new Float64Array(size * stride)
    this.rows = new Float64Array(count * stride)
    this.labels = new Int32Array(count)
    this.fill(group, order, 1, 0, count, 0)
  }

  isSmall(box: number): boolean {
    return this.sizeOf(box) <= SMALL
  }

  sizeOf(box: number): number {
    return (this.to[box] as number) - (this.from[box] as number)
  }

  private fill(group: Group, order: Int32Array, box: number, from: number, to: number, column: number): void {
    const stride = this.stride
    const least = box * stride
    this.from[box] = from
    this.to[box] = to
    if (to - from <= SMALL) {
      this.least.fill(Number.POSITIVE_INFINITY, least, least + stride)
      for (let i = from; i < to; i++) {
        const label = order[i] as number
        this.labels[i] = group.base + label
        for (let d = 0; d < stride; d++) {
          const value = group.rows[label * stride + d] as number
          this.rows[i * stride + d] = value
          if (value < (this.least[least + d] as number)) this.least[least + d] = value
        }
      }
      return
    }
    const middle = (from + to) >> 1
    placeMiddle(order, group.rows, stride, column, from, to - 1, middle)
    const next = (column + 1) % stride
    this.fill(group, order, 2 * box, from, middle, next)
    this.fill(group, order, 2 * box + 1, middle, to, next)
    for (let d = 0; d < stride; d++)
      this.least[least + d] = Math.min(
        this.least[2 * least + d] as number,
        this.least[2 * least + stride + d] as number,
      )
  }
}
