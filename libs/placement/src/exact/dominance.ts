/** Finds the undominated points among many: on typed arrays, without comparing all pairs. */

/** Up to this many points, comparing with every kept point is fastest. */
const MAX_LINEAR_POINTS = 40
const LEAF_POINTS = 8

/** A set of undominated points of two coordinates, sorted by the first. */
export class Staircase {
  private x = new Float64Array(256)
  private y = new Float64Array(256)
  private count = 0

  clear(): void {
    this.count = 0
  }

  /** Whether a point of the set is nowhere above (x, y). */
  covers(x: number, y: number): boolean {
    const last = this.above(x) - 1
    return last >= 0 && (this.y[last] as number) <= y
  }

  add(x: number, y: number): void {
    let from = this.above(x)
    if (from > 0 && (this.y[from - 1] as number) <= y) return
    while (from > 0 && (this.x[from - 1] as number) >= x) from--
    let to = from
    while (to < this.count && (this.y[to] as number) >= y) to++
    if (this.count + 1 > this.x.length) {
      this.x = grown(this.x)
      this.y = grown(this.y)
    }
    if (to !== from + 1) {
      this.x.copyWithin(from + 1, to, this.count)
      this.y.copyWithin(from + 1, to, this.count)
      this.count += from + 1 - to
    }
    this.x[from] = x
    this.y[from] = y
  }

  /** Number of points of the set whose first coordinate is at most `x`. */
  private above(x: number): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.x[middle] as number) <= x) low = middle + 1
      else high = middle
    }
    return low
  }
}

function grown(values: Float64Array): Float64Array<ArrayBuffer> {
  const larger = new Float64Array(values.length * 2)
  larger.set(values)
  return larger
}

/**
 * Selects the `middle`-th number of `order[from..last]` by a column of the points: afterwards it is where sorting would put it,
 * and no number before it has a greater value (Hoare's selection).
 */
export function placeMiddle(
  order: Int32Array,
  points: Float64Array,
  stride: number,
  column: number,
  from: number,
  last: number,
  middle: number,
): void {
  let left = from
  let right = last
  while (left < right) {
    const pivot = points[(order[(left + right) >> 1] as number) * stride + column] as number
    let i = left
    let j = right
    while (i <= j) {
      while ((points[(order[i] as number) * stride + column] as number) < pivot) i++
      while ((points[(order[j] as number) * stride + column] as number) > pivot) j--
      if (i <= j) {
        const swap = order[i] as number
        order[i] = order[j] as number
        order[j] = swap
        i++
        j--
      }
    }
    if (middle <= j) right = j
    else if (middle >= i) left = i
    else return
  }
}

/**
 * A k-d tree over points known beforehand, which are then added one by one. Every node keeps the minimum coordinates of the added
 * points below it, so that a query skips subtrees without a point below the one asked about.
 */
export class MinTree {
  private readonly dims: number
  private readonly points: Float64Array
  private readonly stride: number
  private readonly columns: Int32Array
  private readonly order: Int32Array
  /** For every node: minimum coordinates of the added points below it. */
  private readonly minimum: Float64Array
  private readonly leafOf: Int32Array
  private readonly leafStart: Int32Array
  private readonly leafCount: Int32Array
  private readonly added: Int32Array
  private readonly firstLeaf: number
  private readonly stack = new Int32Array(128)

  /** Point `i` has the coordinates `columns` of row `i`. */
  constructor(points: Float64Array, count: number, stride: number, columns: Int32Array) {
    let leaves = 1
    while (leaves * LEAF_POINTS < count) leaves *= 2
    this.points = points
    this.stride = stride
    this.columns = columns
    this.dims = columns.length
    this.firstLeaf = leaves
    this.order = new Int32Array(count)
    for (let i = 0; i < count; i++) this.order[i] = i
    this.minimum = new Float64Array(2 * leaves * this.dims).fill(Number.POSITIVE_INFINITY)
    this.leafOf = new Int32Array(count)
    this.leafStart = new Int32Array(leaves)
    this.leafCount = new Int32Array(leaves)
    this.added = new Int32Array(count)
    this.build(1, 0, count, 0)
  }

  private build(node: number, from: number, to: number, depth: number): void {
    if (node >= this.firstLeaf) {
      const leaf = node - this.firstLeaf
      this.leafStart[leaf] = from
      for (let i = from; i < to; i++) this.leafOf[this.order[i] as number] = leaf
      return
    }
    const middle = (from + to) >> 1
    if (to - from > 1)
      placeMiddle(
        this.order,
        this.points,
        this.stride,
        this.columns[depth % this.dims] as number,
        from,
        to - 1,
        middle,
      )
    this.build(node * 2, from, middle, depth + 1)
    this.build(node * 2 + 1, middle, to, depth + 1)
  }

  add(point: number): void {
    const leaf = this.leafOf[point] as number
    const count = this.leafCount[leaf] as number
    this.added[(this.leafStart[leaf] as number) + count] = point
    this.leafCount[leaf] = count + 1
    const dims = this.dims
    for (let node = leaf + this.firstLeaf; node >= 1; node >>= 1) {
      let changed = false
      for (let d = 0; d < dims; d++) {
        const value = this.points[point * this.stride + (this.columns[d] as number)] as number
        if (value < (this.minimum[node * dims + d] as number)) {
          this.minimum[node * dims + d] = value
          changed = true
        }
      }
      if (!changed) return
    }
  }

  /** The number of an added point that is nowhere above the row of `rows` at `offset` in the coordinates `columns`; -1 if none. */
  coverOf(rows: Float64Array, offset: number): number {
    const dims = this.dims
    if (dims === 3) return this.coverOfThree(rows, offset)
    const minimum = this.minimum
    const columns = this.columns
    const stack = this.stack
    let depth = 0
    stack[depth++] = 1
    while (depth > 0) {
      const node = stack[--depth] as number
      let below = true
      for (let d = 0; d < dims && below; d++)
        below = (minimum[node * dims + d] as number) <= (rows[offset + (columns[d] as number)] as number)
      if (!below) continue
      if (node < this.firstLeaf) {
        stack[depth++] = node * 2
        stack[depth++] = node * 2 + 1
        continue
      }
      const leaf = node - this.firstLeaf
      const start = this.leafStart[leaf] as number
      const end = start + (this.leafCount[leaf] as number)
      for (let i = start; i < end; i++) {
        const point = (this.added[i] as number) * this.stride
        let dominates = true
        for (let d = 0; d < dims && dominates; d++)
          dominates =
            (this.points[point + (columns[d] as number)] as number) <=
            (rows[offset + (columns[d] as number)] as number)
        if (dominates) return this.added[i] as number
      }
    }
    return -1
  }

  /** The same for three coordinates, the most frequent case. */
  private coverOfThree(rows: Float64Array, offset: number): number {
    const { minimum, points, stride, added, stack, firstLeaf } = this
    const first = this.columns[0] as number
    const second = this.columns[1] as number
    const third = this.columns[2] as number
    const x = rows[offset + first] as number
    const y = rows[offset + second] as number
    const z = rows[offset + third] as number
    let depth = 0
    stack[depth++] = 1
    while (depth > 0) {
      const node = stack[--depth] as number
      const from = 3 * node
      if (
        (minimum[from] as number) > x ||
        (minimum[from + 1] as number) > y ||
        (minimum[from + 2] as number) > z
      )
        continue
      if (node < firstLeaf) {
        stack[depth++] = node * 2
        stack[depth++] = node * 2 + 1
        continue
      }
      const leaf = node - firstLeaf
      const start = this.leafStart[leaf] as number
      const end = start + (this.leafCount[leaf] as number)
      for (let i = start; i < end; i++) {
        const point = added[i] as number
        const row = point * stride
        if (
          (points[row + first] as number) <= x &&
          (points[row + second] as number) <= y &&
          (points[row + third] as number) <= z
        )
          return point
      }
    }
    return -1
  }
}

const staircase = new Staircase()

/**
 * Keeps the points that no kept point before them covers, among points sorted by their first coordinate. A point covers another
 * when it is nowhere above it. `asked` holds the coordinates that must not be covered; it is `points` unless a point is tested
 * with other coordinates than it covers others with. Writes the numbers of the kept points to `kept` and returns their count.
 * `by`, when given, receives the number of the covering point for every point that is not kept.
 */
export function keepUncovered(
  points: Float64Array,
  asked: Float64Array,
  count: number,
  stride: number,
  kept: Int32Array,
  by?: Int32Array,
): number {
  const columns = varying(points, count, stride)
  let size = 0
  if (columns.length <= 2 && !by) {
    const x = columns[0] ?? 0
    const y = columns[1] ?? 0
    staircase.clear()
    for (let i = 0; i < count; i++) {
      const row = i * stride
      if (
        columns.length === 0 ? size > 0 : staircase.covers(asked[row + x] as number, asked[row + y] as number)
      )
        continue
      staircase.add(points[row + x] as number, points[row + y] as number)
      kept[size++] = i
    }
    return size
  }
  if (count <= MAX_LINEAR_POINTS && !by) {
    for (let i = 0; i < count; i++) {
      let covered = false
      for (let j = 0; j < size && !covered; j++) {
        const row = (kept[j] as number) * stride
        covered = true
        for (let d = 0; d < columns.length && covered; d++) {
          const column = columns[d] as number
          covered = (points[row + column] as number) <= (asked[i * stride + column] as number)
        }
      }
      if (!covered) kept[size++] = i
    }
    return size
  }
  const tree = new MinTree(points, count, stride, columns)
  for (let i = 0; i < count; i++) {
    const cover = tree.coverOf(asked, i * stride)
    if (by) by[i] = cover
    if (cover >= 0) continue
    tree.add(i)
    kept[size++] = i
  }
  return size
}

/** The coordinates behind the first in which points differ. */
function varying(points: Float64Array, count: number, stride: number): Int32Array {
  const columns: number[] = []
  for (let column = 1; column < stride; column++) {
    const value = points[column] as number
    for (let i = 1; i < count; i++)
      if ((points[i * stride + column] as number) !== value) {
        columns.push(column)
        break
      }
  }
  return Int32Array.from(columns)
}

/** Numbers of the rows that no other row dominates, sorted; of equal rows the first. */
export function frontRows(rows: Float64Array, count: number, stride: number): Int32Array {
  const order = sortedRows(rows, count, stride)
  const sorted = new Float64Array(count * stride)
  for (let i = 0; i < count; i++) {
    const row = (order[i] as number) * stride
    for (let d = 0; d < stride; d++) sorted[i * stride + d] = rows[row + d] as number
  }
  const kept = new Int32Array(count)
  const size = keepUncovered(sorted, sorted, count, stride, kept)
  return Int32Array.from(kept.subarray(0, size), (i) => order[i] as number)
}

/** Row numbers in lexicographic order, equal rows by number. */
function sortedRows(rows: Float64Array, count: number, stride: number): Int32Array {
  const order = new Int32Array(count)
  for (let i = 0; i < count; i++) order[i] = i
  return order.sort((a, b) => {
    for (let d = 0; d < stride; d++) {
      const difference = (rows[a * stride + d] as number) - (rows[b * stride + d] as number)
      if (difference !== 0) return difference
    }
    return a - b
  })
}
