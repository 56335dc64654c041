/**
 * Joins labels from both ends where they meet: examines the pairs with equal tiers whose boxes (groups of nearby labels, with
 * their minimum coordinates) are not ruled out together.
 */
import { Archive } from './archive.ts'
import { Boxes } from './boxes.ts'
import { frontRows } from './dominance.ts'
import { Grid } from './grid.ts'
import type { Group } from './sides.ts'

/** Pairs of boxes and of labels examined between two pauses. */
const PAUSE_EVERY = 10_000
/** Dominated pairs are removed after this many further ones, plus twice those left the last time. */
const COLLECTED = 1 << 14
/** Pairs of labels of each group that are examined first. */
const SAMPLES = 16

/**
 * The pairs of labels (forwards, backwards) whose sum no other such sum and hardly a vector of `known` dominates. Rows have
 * `figures` + 1 + `slots` values. Yields the fraction done; returns the numbers of both labels for every pair, `null` when
 * there are more than `most`.
 */
export function* join(
  figures: number,
  slots: number,
  before: readonly Group[],
  behind: readonly Group[],
  known: Archive,
  most: number,
): Generator<number, Int32Array | null> {
  const stride = figures + 1 + slots
  const byKey = new Map(behind.map((group) => [group.key, group]))
  const sides: [Boxes, Boxes][] = []
  let all = 0
  for (const group of before) {
    const other = byKey.get(group.key)
    if (!other) continue
    sides.push([new Boxes(group, stride), new Boxes(other, stride)])
    all += group.count * other.count
  }
  const work = new Joining(figures, stride, sides, known)
  while (work.advance()) {
    if (work.left > most) return null
    yield work.done / all
  }
  return work.left > most ? null : work.pairs.subarray(0, 2 * work.count)
}

/** Whether something is nowhere above a row, as far as it can tell; takes further rows in. */
type Seen = Pick<Archive, 'covers' | 'add'>

class Joining {
  private readonly m: number
  private readonly stride: number
  private readonly sides: readonly [Boxes, Boxes][]
  /** What is known, and what has been found. */
  private readonly seen: Seen
  /** Lower bounds of a pair of boxes, or the objectives of a pair of labels: latency, then figures. */
  private readonly row: Float64Array
  /** Pairs of boxes still to examine: the group, and the box on either side. */
  private readonly stack: number[] = []
  /** Labels and sums of the pairs found. */
  pairs = new Int32Array(2 * COLLECTED)
  private rows: Float64Array
  count = 0
  /** Number of pairs left when dominated ones were last removed. */
  left = 0
  /** Pairs of labels that have been examined, or need not be. */
  done = 0

  constructor(m: number, stride: number, sides: readonly [Boxes, Boxes][], known: Archive) {
    this.m = m
    this.stride = stride
    this.sides = sides
    this.row = new Float64Array(m + 1)
    this.rows = new Float64Array((m + 1) * COLLECTED)
    this.seen = this.seenFrom(known)
    for (let group = 0; group < sides.length; group++) this.stack.push(group, 1, 1)
  }

  /** What is known and some sums from all over the groups, roughly; where a grid does not do, a copy of what is known. */
  private seenFrom(known: Archive): Seen {
    const width = this.m + 1
    if (!Grid.takes(width)) return new Archive(width, known.rows.slice(0, known.count * width))
    const rows = new Float64Array((known.count + SAMPLES * this.sides.length) * width)
    rows.set(known.rows.subarray(0, known.count * width))
    let count = known.count
    for (const [a, b] of this.sides)
      for (let sample = 0; sample < SAMPLES; sample++, count++) {
        const share = sample / (SAMPLES - 1)
        const label = Math.floor(share * (a.labels.length - 1))
        const other = Math.floor(share * (b.labels.length - 1))
        this.add(a.rows, label * this.stride, b.rows, other * this.stride)
        rows.set(this.row, count * width)
      }
    const grid = new Grid(rows, count, width)
    return { covers: (row) => grid.covers(row, 0) > 0, add: (row) => grid.add(row, 0) }
  }

  /** Works for a while; returns whether there is more to do. */
  advance(): boolean {
    for (let looked = 0; looked < PAUSE_EVERY; ) {
      if (this.stack.length === 0) {
        this.filter()
        return false
      }
      if (this.count >= COLLECTED + 2 * this.left) this.filter()
      const second = this.stack.pop() as number
      const first = this.stack.pop() as number
      const group = this.stack.pop() as number
      const [a, b] = this.sides[group] as [Boxes, Boxes]
      const many = a.sizeOf(first)
      const others = b.sizeOf(second)
      looked++
      this.add(a.minimum, first * this.stride, b.minimum, second * this.stride)
      if (this.seen.covers(this.row, 0)) this.done += many * others
      else if (a.isSmall(first) && b.isSmall(second)) {
        this.match(a, b, first, second)
        this.done += many * others
        looked += many * others
      } else if (many >= others) this.stack.push(group, 2 * first + 1, second, group, 2 * first, second)
      else this.stack.push(group, first, 2 * second + 1, group, first, 2 * second)
    }
    return true
  }

  /** Examines all pairs of labels of two boxes. */
  private match(a: Boxes, b: Boxes, first: number, second: number): void {
    const stride = this.stride
    const row = this.row
    const last = a.to[first] as number
    const end = b.to[second] as number
    for (let i = a.from[first] as number; i < last; i++) {
      this.add(a.rows, i * stride, b.minimum, second * stride)
      if (this.seen.covers(row, 0)) continue
      for (let j = b.from[second] as number; j < end; j++) {
        this.add(a.rows, i * stride, b.rows, j * stride)
        if (this.seen.covers(row, 0)) continue
        this.seen.add(row, 0)
        this.keep(a.labels[i] as number, b.labels[j] as number)
      }
    }
  }

  /** Removes dominated pairs. */
  private filter(): void {
    const width = this.m + 1
    const front = frontRows(this.rows, this.count, width).sort()
    for (let i = 0; i < front.length; i++) {
      const from = front[i] as number
      this.rows.copyWithin(i * width, from * width, (from + 1) * width)
      this.pairs.copyWithin(2 * i, 2 * from, 2 * from + 2)
    }
    this.count = front.length
    this.left = front.length
  }

  /** Writes the sum of two rows to the row: latency, then figures. */
  private add(rows: Float64Array, x: number, others: Float64Array, y: number): void {
    const m = this.m
    const stride = this.stride
    const row = this.row
    for (let k = 0; k < m; k++) row[k + 1] = (rows[x + k] as number) + (others[y + k] as number)
    let latency = rows[x + m] as number
    if ((others[y + m] as number) > latency) latency = others[y + m] as number
    for (let slot = m + 1; slot < stride; slot++) {
      const way = (rows[x + slot] as number) + (others[y + slot] as number)
      if (way > latency) latency = way
    }
    row[0] = latency
  }

  private keep(label: number, other: number): void {
    const width = this.m + 1
    if (2 * this.count === this.pairs.length) {
      const pairs = new Int32Array(2 * this.pairs.length)
      pairs.set(this.pairs)
      this.pairs = pairs
      const rows = new Float64Array(2 * this.rows.length)
      rows.set(this.rows)
      this.rows = rows
    }
    for (let d = 0; d < width; d++) this.rows[this.count * width + d] = this.row[d] as number
    this.pairs[2 * this.count] = label
    this.pairs[2 * this.count + 1] = other
    this.count++
  }
}
