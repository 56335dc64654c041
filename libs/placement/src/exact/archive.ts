/** A growing set of objective vectors that answers whether one of them is at least as good as a given vector. */
import { frontRows, MinTree } from './dominance.ts'
import { Grid } from './grid.ts'

/** New points kept in a list before they enter a tree; more with a grid, which answers most queries. */
const MAX_LISTED_POINTS = 16
const MAX_LISTED_POINTS_WITH_GRID = 1024

/** A tree over some of the points. */
interface Level {
  tree: MinTree
  numbers: Int32Array
}

/** An archive of points, numbered in the order of their addition. Points that later ones dominate keep their numbers. */
export class Archive {
  private readonly stride: number
  private readonly columns: Int32Array
  private readonly fineness: number
  rows: Float64Array
  count = 0
  /** Trees, each much smaller than the one before it, so that few points are inserted again (logarithmic method). */
  private levels: Level[] = []
  /** The points from here on are in no tree yet. */
  private listed = 0
  /** Answers most queries; absent with few points, or with more than four coordinates. */
  grid: Grid | undefined
  /** The next grid is built at this number of points. */
  private gridAt = 2 * MAX_LISTED_POINTS
  /** The point that covered the last row often covers the next as well. */
  private last = 0

  /** `fineness` is that of its grid: higher when queries far outnumber points. */
  constructor(stride: number, rows: Float64Array = new Float64Array(0), fineness = 1) {
    this.stride = stride
    this.fineness = fineness
    this.columns = Int32Array.from({ length: stride }, (_, d) => d)
    this.rows = new Float64Array(Math.max(1024, 2 * rows.length))
    this.addAll(rows)
  }

  /** Adds, in order, the rows that no earlier point covers; to an empty archive all of them. */
  addAll(rows: Float64Array): void {
    const fresh: number[] = []
    for (let offset = 0; offset < rows.length; offset += this.stride)
      if (!this.covers(rows, offset)) fresh.push(offset)
    for (const offset of fresh) this.list(rows, offset)
    this.lay()
  }

  /** Builds a new grid when there are far more points than at the last one. */
  private lay(): void {
    if (this.count < this.gridAt || !Grid.takes(this.stride)) return
    this.grid = new Grid(this.rows, this.count, this.stride, this.fineness)
    this.gridAt = 4 * this.count
  }

  /** Whether a point is nowhere above the row of `rows` at `offset`. */
  covers(rows: Float64Array, offset: number): boolean {
    if (this.count === 0) return false
    if (this.isBelow(this.last, rows, offset)) return true
    const known = this.grid?.covers(rows, offset) ?? 0
    if (known !== 0) return known > 0
    if (this.count - this.listed > (this.grid ? MAX_LISTED_POINTS_WITH_GRID : MAX_LISTED_POINTS)) this.plant()
    for (let i = this.count - 1; i >= this.listed; i--)
      if (this.isBelow(i, rows, offset)) {
        this.last = i
        return true
      }
    for (let i = 0; i < this.levels.length; i++) {
      const level = this.levels[i] as Level
      const by = level.tree.coverOf(rows, offset)
      if (by < 0) continue
      this.last = level.numbers[by] as number
      return true
    }
    return false
  }

  /** A faster `covers` that may return false where the grid alone does not decide. */
  plainlyCovers(rows: Float64Array, offset: number): boolean {
    if (this.grid === undefined) return this.covers(rows, offset)
    return this.grid.plainlyCovers(rows, offset)
  }

  private isBelow(point: number, rows: Float64Array, offset: number): boolean {
    const stride = this.stride
    for (let d = 0; d < stride; d++)
      if ((this.rows[point * stride + d] as number) > (rows[offset + d] as number)) return false
    return true
  }

  /** Adds the row of `rows` at `offset`, which must not be covered. */
  add(rows: Float64Array, offset: number): void {
    this.list(rows, offset)
    this.lay()
  }

  private list(rows: Float64Array, offset: number): void {
    const stride = this.stride
    if ((this.count + 1) * stride > this.rows.length) {
      const larger = new Float64Array(2 * this.rows.length)
      larger.set(this.rows)
      this.rows = larger
    }
    for (let d = 0; d < stride; d++) this.rows[this.count * stride + d] = rows[offset + d] as number
    this.count++
    this.grid?.add(rows, offset)
  }

  /** Moves the list into a tree, together with the trees that are not much larger. */
  private plant(): void {
    const stride = this.stride
    const numbers = Array.from({ length: this.count - this.listed }, (_, i) => this.listed + i)
    for (let level = this.levels.at(-1); level; level = this.levels.at(-1)) {
      if (level.numbers.length > 2 * numbers.length) break
      numbers.push(...level.numbers)
      this.levels.pop()
    }
    const rows = new Float64Array(numbers.length * stride)
    for (const [i, number] of numbers.entries())
      for (let d = 0; d < stride; d++) rows[i * stride + d] = this.rows[number * stride + d] as number
    const front = frontRows(rows, numbers.length, stride)
    const tree = new MinTree(rows, numbers.length, stride, this.columns)
    for (const i of front) tree.add(i)
    this.levels.push({ tree, numbers: Int32Array.from(numbers) })
    this.listed = this.count
  }
}
