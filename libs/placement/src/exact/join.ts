/**
 * Joins labels from both ends where they meet: of all pairs with equal tiers those are looked at whose boxes (groups of
 * labels near one another, with their least coordinates) nothing rules out together.
 */
import { Archive } from './archive.ts'
import { Boxes, Queue } from './boxes.ts'
import { Staircase } from './dominance.ts'
import type { Group } from './sides.ts'

/** Pairs of boxes looked at between two pauses. */
const PAUSE_EVERY = 20_000
/** Pairs of boxes in the queue, for each pair of labels that may be found. */
const QUEUED = 16

/**
 * All pairs of labels (forwards, backwards) whose sum no other such sum and none of the objective vectors `known` dominates,
 * and some more whose first figure is that of another. Sums are looked at in the order of their first figure, so that
 * those that could dominate one have all been seen before it. Rows have `figures` + 1 + `slots` values. Yields the
 * fraction done; returns the numbers of both labels for every pair, `null` when there are more than `most`.
 */
export function* join(
  figures: number,
  slots: number,
  before: readonly Group[],
  behind: readonly Group[],
  known: Archive,
  most: number,
): Generator<number, Int32Array | null> {
  const m = figures
  const stride = m + 1 + slots
  const byKey = new Map(behind.map((group) => [group.key, group]))
  const boxes: { a: Boxes; b: Boxes }[] = []
  for (const group of before) {
    const other = byKey.get(group.key)
    if (other) boxes.push({ a: new Boxes(group, stride), b: new Boxes(other, stride) })
  }
  const seen = new Seen(m, known)
  const queue = new Queue()
  /** Figures behind the first, then the latency, of the pair looked at. */
  const row = new Float64Array(m)
  /** Puts a pair of boxes into the queue, unless it is ruled out already. */
  const consider = (group: number, first: number, second: number) => {
    const { a, b } = boxes[group] as (typeof boxes)[number]
    const key = sum(a, b, first, second)
    if (!seen.covers(row)) queue.push(key, group, first, second)
  }
  /** Writes the least that a pair of boxes can have to the row; returns the first figure. */
  const sum = (a: Boxes, b: Boxes, first: number, second: number): number => {
    const x = first * stride
    const y = second * stride
    let latency = Math.max(a.least[x + m] as number, b.least[y + m] as number)
    for (let slot = m + 1; slot < stride; slot++) {
      const way = (a.least[x + slot] as number) + (b.least[y + slot] as number)
      if (way > latency) latency = way
    }
    for (let k = 1; k < m; k++) row[k - 1] = (a.least[x + k] as number) + (b.least[y + k] as number)
    row[m - 1] = latency
    return (a.least[x] as number) + (b.least[y] as number)
  }
  for (const group of boxes.keys()) consider(group, 1, 1)
  let pairs = new Int32Array(2048)
  let count = 0
  let looked = 0
  const top = new Int32Array(3)
  while (queue.size > 0) {
    const key = queue.pop(top)
    const group = top[0] as number
    const first = top[1] as number
    const second = top[2] as number
    const { a, b } = boxes[group] as (typeof boxes)[number]
    sum(a, b, first, second)
    if (key >= seen.reached) seen.advance(key)
    if (++looked % PAUSE_EVERY === 0) yield looked / (looked + queue.size)
    if (seen.covers(row)) continue
    const many = a.count[first] as number
    const others = b.count[second] as number
    if (many > 1 && many >= others) {
      consider(group, 2 * first, second)
      consider(group, 2 * first + 1, second)
    } else if (others > 1) {
      consider(group, first, 2 * second)
      consider(group, first, 2 * second + 1)
    } else {
      seen.add(row)
      if (count === most || queue.size > QUEUED * most) return null
      if (2 * count === pairs.length) {
        const larger = new Int32Array(2 * pairs.length)
        larger.set(pairs)
        pairs = larger
      }
      pairs[2 * count] = a.label[first] as number
      pairs[2 * count + 1] = b.label[second] as number
      count++
    }
  }
  return pairs.subarray(0, 2 * count)
}

/** What has been seen so far, and those of the known objective vectors whose first figure has been reached. */
class Seen {
  readonly #m: number
  readonly #known: Archive
  readonly #order: Int32Array
  #next = 0
  /** First figure at which the next known one is let in. */
  reached = Number.NEGATIVE_INFINITY
  readonly #row: Float64Array
  /** Up to two objectives beside the first figure; an archive for more. */
  readonly #staircase = new Staircase()
  readonly #archive: Archive | undefined

  constructor(m: number, known: Archive) {
    this.#m = m
    this.#known = known
    this.#row = new Float64Array(m)
    if (m > 2) this.#archive = new Archive(m)
    const figure = (point: number) => known.rows[point * (m + 1) + 1] as number
    this.#order = Int32Array.from({ length: known.count }, (_, i) => i).sort((a, b) => figure(a) - figure(b))
  }

  /** Lets in all that is known with at most this first figure. */
  advance(key: number): void {
    const m = this.#m
    const row = this.#row
    const { rows } = this.#known
    for (; this.#next < this.#order.length; this.#next++) {
      const known = (this.#order[this.#next] as number) * (m + 1)
      this.reached = rows[known + 1] as number
      if (this.reached > key) return
      for (let k = 1; k < m; k++) row[k - 1] = rows[known + 1 + k] as number
      row[m - 1] = rows[known] as number
      this.add(row)
    }
    this.reached = Number.POSITIVE_INFINITY
  }

  covers(row: Float64Array): boolean {
    if (this.#archive) return this.#archive.covers(row, 0)
    return this.#staircase.covers(row[0] as number, row[this.#m - 1] as number)
  }

  add(row: Float64Array): void {
    if (!this.#archive) this.#staircase.add(row[0] as number, row[this.#m - 1] as number)
    else if (!this.#archive.covers(row, 0)) this.#archive.add(row, 0)
  }
}
