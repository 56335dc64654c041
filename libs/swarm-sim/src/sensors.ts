/** The streams of sensors that are under way. */
import { doubled } from './arrays.ts'

export class Sensors {
  lane = new Int32Array(64)
  /** Items emitted so far, and the number of the first one. */
  emitted = new Int32Array(64)
  first = new Int32Array(64)
  startedAt = new Float64Array(64)
  #count = 0

  /** Returns the number of a new stream. */
  add(lane: number, first: number, startedAt: number): number {
    const sensor = this.#count++
    if (sensor === this.lane.length) {
      this.lane = doubled(this.lane)
      this.emitted = doubled(this.emitted)
      this.first = doubled(this.first)
      this.startedAt = doubled(this.startedAt)
    }
    this.lane[sensor] = lane
    this.emitted[sensor] = 0
    this.first[sensor] = first
    this.startedAt[sensor] = startedAt
    return sensor
  }
}
