/** The streams of sensors that are under way. */
import { doubled } from '../arrays.ts'

export class Sensors {
  task = new Int32Array(64)
  lane = new Int32Array(64)
  /** The device it belongs to: that of the lane, unless another one has taken it over. */
  device = new Int32Array(64)
  /** Items it emits, those emitted so far, and the number of the first one. */
  items = new Int32Array(64)
  emitted = new Int32Array(64)
  first = new Int32Array(64)
  startedAt = new Float64Array(64)
  #count = 0

  /** Returns the number of a new stream. */
  add(task: number, lane: number, first: number, items: number, startedAt: number, device = lane): number {
    const sensor = this.#count++
    if (sensor === this.lane.length) {
      this.task = doubled(this.task)
      this.lane = doubled(this.lane)
      this.device = doubled(this.device)
      this.items = doubled(this.items)
      this.emitted = doubled(this.emitted)
      this.first = doubled(this.first)
      this.startedAt = doubled(this.startedAt)
    }
    this.task[sensor] = task
    this.lane[sensor] = lane
    this.device[sensor] = device
    this.items[sensor] = items
    this.emitted[sensor] = 0
    this.first[sensor] = first
    this.startedAt[sensor] = startedAt
    return sensor
  }
}
