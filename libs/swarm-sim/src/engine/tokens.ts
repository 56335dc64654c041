/** What moves through a simulation: outputs on their way to a reader, which then become that reader's invocation. */

/** Columns of a token's whole numbers. */
/** The task that runs or has run. */
export const TASK = 0
/** The device it runs for; 0 for the swarm. */
export const LANE = 1
/** The number of the invocation or of the output. */
export const SEQ = 2
/** The items of sensor data it was computed from: see `Origins`. */
export const ORIGIN = 3
/** While and after it is handed over between functions: the position among its producer's links, else `NO_LINK`. */
export const LINK = 4
/** While it waits for other inputs: how many are missing. */
export const MISSING = 5
/** While it is computed on a device: the group of servers. Shares a column with `MISSING`. */
export const SERVER = 5
/** Whose output it is, while its arrival is to be acknowledged: `lane * tasks + task`; else `NOBODY`. */
export const AWAITED_BY = 6
/** The token behind it in a waiting line. */
export const NEXT = 7

/** Columns of a token's times, in ms. The first four: where the time went along the longest chain of events that led to it. */
export const NETWORK = 0
export const MANAGEMENT = 1
export const DATA_EXCHANGE = 2
export const EXECUTION = 3
/** When its producer finished it. */
export const PRODUCED_AT = 4
/** When it asked for a server; while it waits for other inputs, when it arrived. */
export const ASKED_AT = 5
/** Time the invocation takes once it has its server. */
export const SERVICE = 6
/** The deadline of the invocation; set only for tasks that have one. */
export const DUE_AT = 7

export const NO_ORIGIN = -1
export const NO_LINK = -1
export const NOBODY = -1

/**
 * Tokens as rows of two arrays, eight columns each, so that a token lies in two cache lines; released rows are used again,
 * which leaves nothing to collect. A token's row begins at `token << 3`.
 */
export class Tokens {
  ints = new Int32Array(8 * 64)
  times = new Float64Array(8 * 64)
  private free = new Int32Array(64)
  private freeCount = 0
  private made = 0

  /** A new token with no history and no origin. */
  create(task: number, lane: number, seq: number): number {
    const token = this.take()
    const row = token << 3
    const { ints, times } = this
    ints[row | TASK] = task
    ints[row | LANE] = lane
    ints[row | SEQ] = seq
    ints[row | ORIGIN] = NO_ORIGIN
    ints[row | LINK] = NO_LINK
    ints[row | AWAITED_BY] = NOBODY
    times[row | NETWORK] = 0
    times[row | MANAGEMENT] = 0
    times[row | DATA_EXCHANGE] = 0
    times[row | EXECUTION] = 0
    times[row | PRODUCED_AT] = 0
    return token
  }

  /** A copy that nobody waits for. */
  copy(of: number): number {
    const token = this.take()
    const { ints, times } = this
    const from = of << 3
    const to = token << 3
    // all but what is set anew when it is needed; a loop takes longer
    ints[to | TASK] = ints[from | TASK] as number
    ints[to | LANE] = ints[from | LANE] as number
    ints[to | SEQ] = ints[from | SEQ] as number
    ints[to | ORIGIN] = ints[from | ORIGIN] as number
    ints[to | LINK] = ints[from | LINK] as number
    ints[to | AWAITED_BY] = NOBODY
    times[to | NETWORK] = times[from | NETWORK] as number
    times[to | MANAGEMENT] = times[from | MANAGEMENT] as number
    times[to | DATA_EXCHANGE] = times[from | DATA_EXCHANGE] as number
    times[to | EXECUTION] = times[from | EXECUTION] as number
    times[to | PRODUCED_AT] = times[from | PRODUCED_AT] as number
    times[to | ASKED_AT] = times[from | ASKED_AT] as number
    times[to | DUE_AT] = times[from | DUE_AT] as number
    return token
  }

  /** Gives a row back. */
  release(token: number): void {
    this.free[this.freeCount++] = token
  }

  task(token: number): number {
    return this.ints[(token << 3) | TASK] as number
  }

  lane(token: number): number {
    return this.ints[(token << 3) | LANE] as number
  }

  seq(token: number): number {
    return this.ints[(token << 3) | SEQ] as number
  }

  origin(token: number): number {
    return this.ints[(token << 3) | ORIGIN] as number
  }

  /** A time of a token, by its column. */
  time(token: number, column: number): number {
    return this.times[(token << 3) | column] as number
  }

  /** Adds to one of a token's times. */
  add(token: number, column: number, ms: number): void {
    const at = (token << 3) | column
    this.times[at] = (this.times[at] as number) + ms
  }

  private take(): number {
    if (this.freeCount > 0) return this.free[--this.freeCount] as number
    if (this.made === this.free.length) this.grow()
    return this.made++
  }

  private grow(): void {
    const size = 2 * this.free.length
    const ints = new Int32Array(8 * size)
    const times = new Float64Array(8 * size)
    const free = new Int32Array(size)
    ints.set(this.ints)
    times.set(this.times)
    free.set(this.free)
    this.ints = ints
    this.times = times
    this.free = free
  }
}

/** Sets of items: none is -1, one item is its number, several are a number below -1. */
export class Origins {
  /** In ascending order. */
  private readonly sets: (readonly number[])[] = []
  private readonly merged: number[] = []

  /** The items of a set, in ascending order. */
  listOf(origin: number): readonly number[] {
    if (origin >= 0) return [origin]
    return origin === NO_ORIGIN ? [] : (this.sets[-2 - origin] as readonly number[])
  }

  /** The set of all items of two sets. */
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
