/** Labels of a group in nested boxes (a k-d tree), with the minimum coordinates of each box. */
import { placeMiddle } from './dominance.ts'
import type { Group } from './sides.ts'

/** A box with at most this many labels is not halved again. */
const MAX_BOX_LABELS = 8

/** Box 1 holds all labels; boxes `2 n` and `2 n + 1` are the halves of box n when it has more than `MAX_BOX_LABELS`. */
export class Boxes {
  private readonly stride: number
  /** Rows of the labels, those of each box one after the other. */
  readonly rows: Float64Array
  /** The number of each label in its layer. */
  readonly labels: Int32Array
  /** The first label of each box and the one behind the last. */
  readonly from: Int32Array
  readonly to: Int32Array
  /** Minimum coordinates of each box. */
  readonly minimum: Float64Array

  constructor(group: Group, stride: number) {
    this.stride = stride
    const { count } = group
    const order = new Int32Array(count)
    for (let i = 0; i < count; i++) order[i] = i
    let size = 2
    while (size * MAX_BOX_LABELS < 2 * count) size *= 2
    this.from = new Int32Array(size)
    this.to = new Int32Array(size)
    this.minimum = new Float64Array(size * stride)
    this.rows = new Float64Array(count * stride)
    this.labels = new Int32Array(count)
    this.fill(group, order, 1, 0, count, 0)
  }

  isSmall(box: number): boolean {
    return this.sizeOf(box) <= MAX_BOX_LABELS
  }

  sizeOf(box: number): number {
    return (this.to[box] as number) - (this.from[box] as number)
  }

  private fill(group: Group, order: Int32Array, box: number, from: number, to: number, column: number): void {
    const stride = this.stride
    const minimum = box * stride
    this.from[box] = from
    this.to[box] = to
    if (to - from <= MAX_BOX_LABELS) {
      this.minimum.fill(Number.POSITIVE_INFINITY, minimum, minimum + stride)
      for (let i = from; i < to; i++) {
        const label = order[i] as number
        this.labels[i] = group.base + label
        for (let d = 0; d < stride; d++) {
          const value = group.rows[label * stride + d] as number
          this.rows[i * stride + d] = value
          if (value < (this.minimum[minimum + d] as number)) this.minimum[minimum + d] = value
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
      this.minimum[minimum + d] = Math.min(
        this.minimum[2 * minimum + d] as number,
        this.minimum[2 * minimum + stride + d] as number,
      )
  }
}
