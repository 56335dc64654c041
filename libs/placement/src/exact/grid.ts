/** A grid that answers most dominance queries from the cell of the point asked about, in constant time. */

/** Cells along each coordinate but the last, for points of up to four. */
const CELLS: readonly (readonly [number, number, number])[] = [
  [1024, 1, 1],
  [128, 128, 1],
  [24, 24, 24],
]

export class Grid {
  private readonly dims: number
  private readonly cells: readonly [number, number, number]
  private readonly low = new Float64Array(3)
  private readonly scale = new Float64Array(3)
  /** The same as scalar fields, which are read faster, for points of three coordinates. */
  private readonly lowX: number
  private readonly lowY: number
  private readonly scaleX: number
  private readonly scaleY: number
  private readonly side: number
  /** For every cell: the minimum last coordinate of the points in it and in the cells before it. */
  private readonly minimum: Float64Array

  /**
   * Builds a grid for points of 2 to 4 coordinates within the ranges of the first `count` rows of `rows`, and adds these. With
   * `fineness` times as many cells a side it answers more queries, and adding a point is more work.
   */
  constructor(rows: Float64Array, count: number, stride: number, fineness = 1) {
    this.dims = stride
    const usual = CELLS[stride - 2]
    if (!usual) throw new RangeError(`A grid takes points of 2 to 4 coordinates, not ${stride}.`)
    const finer = (cells: number) => (cells > 1 ? cells * fineness : 1)
    const cells = [finer(usual[0]), finer(usual[1]), finer(usual[2])] as const
    this.cells = cells
    this.minimum = new Float64Array(cells[0] * cells[1] * cells[2]).fill(Number.POSITIVE_INFINITY)
    for (let d = 0; d + 1 < stride; d++) {
      let low = Number.POSITIVE_INFINITY
      let high = Number.NEGATIVE_INFINITY
      for (let i = 0; i < count; i++) {
        const value = rows[i * stride + d] as number
        if (value < low) low = value
        if (value > high) high = value
      }
      this.low[d] = low
      this.scale[d] = high > low ? (cells[d] as number) / (high - low) : 0
    }
    this.lowX = this.low[0] as number
    this.lowY = this.low[1] as number
    this.scaleX = this.scale[0] as number
    this.scaleY = this.scale[1] as number
    this.side = cells[1]
    // the lowest first, so that most cells are written once
    const last = (point: number) => rows[point * stride + stride - 1] as number
    const order = Int32Array.from({ length: count }, (_, i) => i).sort((a, b) => last(a) - last(b))
    for (let i = 0; i < count; i++) this.add(rows, (order[i] as number) * stride)
  }

  static takes(stride: number): boolean {
    return stride >= 2 && stride <= 4
  }

  private cellOf(d: number, value: number): number {
    const cell = (value - (this.low[d] as number)) * (this.scale[d] as number)
    const last = (this.cells[d] as number) - 1
    return cell > 0 ? (cell < last ? cell | 0 : last) : 0
  }

  add(rows: Float64Array, offset: number): void {
    const [cells0, cells1, cells2] = this.cells
    const minimum = this.minimum
    const last = rows[offset + this.dims - 1] as number
    const from0 = this.cellOf(0, rows[offset] as number)
    const from1 = cells1 > 1 ? this.cellOf(1, rows[offset + 1] as number) : 0
    const from2 = cells2 > 1 ? this.cellOf(2, rows[offset + 2] as number) : 0
    // minima fall in every direction: behind a cell with a lower minimum, all have one
    for (let a = from0; a < cells0; a++) {
      for (let b = from1; b < cells1; b++) {
        const row = (a * cells1 + b) * cells2
        let cell = row + from2
        for (; cell < row + cells2 && (minimum[cell] as number) > last; cell++) minimum[cell] = last
        if (cell > row + from2) continue
        if (b === from1) return
        break
      }
    }
  }

  /** Whether some point in the cells before its own is nowhere above the row of `rows` at `offset`. */
  plainlyCovers(rows: Float64Array, offset: number): boolean {
    let cell = this.cellOf(0, rows[offset] as number) - 1
    if (cell < 0) return false
    for (let d = 1; d + 1 < this.dims; d++) {
      const before = this.cellOf(d, rows[offset + d] as number) - 1
      if (before < 0) return false
      cell = cell * (this.cells[d] as number) + before
    }
    return (this.minimum[cell] as number) <= (rows[offset + this.dims - 1] as number)
  }

  /** The same for a point of three coordinates. */
  plainlyCoversThree(x: number, y: number, z: number): boolean {
    const side = this.side
    const last = side - 2
    // counted from the cell before its own
    const row = (x - this.lowX) * this.scaleX - 1
    const column = (y - this.lowY) * this.scaleY - 1
    if (!(row >= 0 && column >= 0)) return false
    const cell = (row < last ? row | 0 : last) * side + (column < last ? column | 0 : last)
    return (this.minimum[cell] as number) <= z
  }

  /** 1 when some point is nowhere above the row of `rows` at `offset`, -1 when none is, 0 when the grid cannot decide. */
  covers(rows: Float64Array, offset: number): number {
    const cells1 = this.cells[1]
    const cells2 = this.cells[2]
    const last = rows[offset + this.dims - 1] as number
    let cell = this.cellOf(0, rows[offset] as number)
    let inside = cell > 0
    let before = cell - 1
    if (cells1 > 1) {
      const next = this.cellOf(1, rows[offset + 1] as number)
      inside &&= next > 0
      cell = cell * cells1 + next
      before = before * cells1 + next - 1
    }
    if (cells2 > 1) {
      const next = this.cellOf(2, rows[offset + 2] as number)
      inside &&= next > 0
      cell = cell * cells2 + next
      before = before * cells2 + next - 1
    }
    if ((this.minimum[cell] as number) > last) return -1
    return inside && (this.minimum[before] as number) <= last ? 1 : 0
  }
}
