/** What moves through a simulation. */
import { doubled } from '../arrays.ts'

export const NO_ORIGIN = -1
export const NOT_HANDED = -1
export const NOBODY = -1

/**
 * Outputs on their way to a reader, and then that reader's invocation: each a row of these columns. Columns of bare numbers,
 * used again and again, stay in the processor's cache and leave nothing to collect. Times in ms.
 */
export class Tokens {
  /** The task that runs or has run, its lane, and the number of the invocation or of the output. */
  task = new Int32Array(64)
  lane = new Int32Array(64)
  seq = new Int32Array(64)
  /** The items of sensor data it was made from: see `Origins`. */
  origin = new Int32Array(64)
  /** While and after it is handed over between functions: the position among its producer's links, else -1. */
  handOver = new Int32Array(64)
  /** While it waits for other inputs: for how many. */
  missing = new Int32Array(64)
  /** Where the time went along the longest chain of events that led to it. */
  network = new Float64Array(64)
  management = new Float64Array(64)
  dataExchange = new Float64Array(64)
  execution = new Float64Array(64)
  /** When its producer finished it. */
  producedAt = new Float64Array(64)
  /** When it asked for a core or container; while it waits for other inputs, when it arrived. */
  askedAt = new Float64Array(64)
  /** Time the invocation takes once it has its container. */
  service = new Float64Array(64)
  /** While it crosses the uplink: who waits for its arrival (twice a sensor's number, or one more than twice a place's), else -1. */
  awaitedBy = new Int32Array(64)
  private free = new Int32Array(64)
  private freeCount = 0
  private made = 0

  /** A token with nothing behind it and no origin. */
  blank(task: number, lane: number, seq: number): number {
    const token = this.take()
    this.task[token] = task
    this.lane[token] = lane
    this.seq[token] = seq
    this.origin[token] = NO_ORIGIN
    this.handOver[token] = NOT_HANDED
    this.network[token] = 0
    this.management[token] = 0
    this.dataExchange[token] = 0
    this.execution[token] = 0
    this.producedAt[token] = 0
    this.awaitedBy[token] = NOBODY
    return token
  }

  /** Another output with the same behind it. */
  copy(of: number): number {
    const token = this.take()
    this.task[token] = this.task[of] as number
    this.lane[token] = this.lane[of] as number
    this.seq[token] = this.seq[of] as number
    this.origin[token] = this.origin[of] as number
    this.handOver[token] = this.handOver[of] as number
    this.network[token] = this.network[of] as number
    this.management[token] = this.management[of] as number
    this.dataExchange[token] = this.dataExchange[of] as number
    this.execution[token] = this.execution[of] as number
    this.producedAt[token] = this.producedAt[of] as number
    this.askedAt[token] = this.askedAt[of] as number
    this.awaitedBy[token] = NOBODY
    return token
  }

  release(token: number): void {
    this.free[this.freeCount++] = token
  }

  private take(): number {
    if (this.freeCount > 0) return this.free[--this.freeCount] as number
    if (this.made === this.free.length) this.grow()
    return this.made++
  }

  private grow(): void {
    this.task = doubled(this.task)
    this.lane = doubled(this.lane)
    this.seq = doubled(this.seq)
    this.origin = doubled(this.origin)
    this.handOver = doubled(this.handOver)
    this.missing = doubled(this.missing)
    this.network = doubled(this.network)
    this.management = doubled(this.management)
    this.dataExchange = doubled(this.dataExchange)
    this.execution = doubled(this.execution)
    this.producedAt = doubled(this.producedAt)
    this.askedAt = doubled(this.askedAt)
    this.service = doubled(this.service)
    this.awaitedBy = doubled(this.awaitedBy)
    this.free = doubled(this.free)
  }
}

/** Sets of items: none is -1, one item is its number, several are a number below -1. */
export class Origins {
  /** In ascending order. */
  private readonly sets: (readonly number[])[] = []
  private readonly merged: number[] = []

  listOf(origin: number): readonly number[] {
    if (origin >= 0) return [origin]
    return origin === NO_ORIGIN ? [] : (this.sets[-2 - origin] as readonly number[])
  }

  union(a: number, b: number): number {
    if (a === b || b === NO_ORIGIN) return a
    if (a === NO_ORIGIN) return b
    const first = this.listOf(a)
    const second = this.listOf(b)
    const merged = this.merged
    let count = 0
    let i = 0
    let j = 0
    while (i < first.length && j < second.length) {
      const left = first[i] as number
      const right = second[j] as number
      merged[count++] = Math.min(left, right)
      if (left <= right) i++
      if (right <= left) j++
    }
    while (i < first.length) merged[count++] = first[i++] as number
    while (j < second.length) merged[count++] = second[j++] as number
    if (count === first.length) return a
    if (count === second.length) return b
    this.sets.push(merged.slice(0, count))
    return -1 - this.sets.length
  }
}
