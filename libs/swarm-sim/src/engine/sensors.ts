/** The streams of sensors that are under way. */

/** Columns of a sensor. */
export const S_TASK = 0
export const S_LANE = 1
/** The device it belongs to: that of the lane, unless another one has taken it over. */
export const S_DEVICE = 2
/** Items it emits, those emitted so far, and the number of the first one. */
export const S_ITEMS = 3
export const S_EMITTED = 4
export const S_FIRST = 5

/** Sensors as rows of eight columns; a sensor's row begins at `sensor << 3`. */
export class Sensors {
  ints = new Int32Array(8 * 64)
  /** When each was started, in ms. */
  startedAt = new Float64Array(64)
  #count = 0

  /** Returns the number of a new stream. */
  add(task: number, lane: number, first: number, items: number, startedAt: number, device = lane): number {
    const sensor = this.#count++
    if (sensor === this.startedAt.length) this.#grow()
    const row = sensor << 3
    this.ints[row | S_TASK] = task
    this.ints[row | S_LANE] = lane
    this.ints[row | S_DEVICE] = device
    this.ints[row | S_ITEMS] = items
    this.ints[row | S_EMITTED] = 0
    this.ints[row | S_FIRST] = first
    this.startedAt[sensor] = startedAt
    return sensor
  }

  /** One of a sensor's columns. */
  of(sensor: number, column: number): number {
    return this.ints[(sensor << 3) | column] as number
  }

  #grow(): void {
    const ints = new Int32Array(2 * this.ints.length)
    const startedAt = new Float64Array(2 * this.startedAt.length)
    ints.set(this.ints)
    startedAt.set(this.startedAt)
    this.ints = ints
    this.startedAt = startedAt
  }
}
