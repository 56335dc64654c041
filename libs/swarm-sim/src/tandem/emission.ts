/** Where items come from. */
import { LazyQueue } from '../events/lazy-queue.ts'
import { type TaskWiring, untilFirst } from '../model/wiring.ts'
import { laneOf, sample } from '../random.ts'
import { FLOW, Flow } from './flow.ts'
import { PART } from './items.ts'
import type { Place, TandemRun } from './passage.ts'

/** Items from sensors, in the order of time. */
export class Emission {
  private readonly run: TandemRun
  private readonly wiring: TaskWiring
  private readonly out = new Flow()
  /** Each sensor's device, its stream of random numbers, when it emits next, and how much it has emitted. */
  private readonly lanes: Int32Array
  private readonly streams: Int32Array
  private readonly times: Float64Array
  private readonly seqs: Int32Array
  /** The sensors to come, where their paces vary; else they take turns, round after round. */
  private readonly coming: LazyQueue | null
  private turn = 0
  private round = 0
  private left: number

  constructor({ run, wiring }: Place) {
    const { task, items, gap, gaps } = wiring
    const sensors = task.lanes.length
    const firsts = new LazyQueue()
    for (let at = 0; at < sensors; at++) firsts.add(at, untilFirst(wiring, task.lanes[at] as number))
    this.run = run
    this.wiring = wiring
    this.lanes = new Int32Array(sensors)
    this.streams = new Int32Array(sensors)
    this.seqs = new Int32Array(sensors)
    this.coming = Number.isNaN(gap.fixed) ? new LazyQueue() : null
    this.times = new Float64Array(this.coming ? 0 : sensors)
    this.left = sensors * items
    for (let sensor = 0; sensor < sensors; sensor++) {
      const time = firsts.due
      const lane = task.lanes[firsts.take()] as number
      this.lanes[sensor] = lane
      this.streams[sensor] = laneOf(gaps, lane)
      if (this.coming) this.coming.add(sensor, time)
      else this.times[sensor] = time
    }
  }

  /** The next items, none when there are no more. */
  next(): Flow {
    const { out } = this
    const { underWay, books } = this.run
    const count = Math.min(FLOW, this.left)
    const places = underWay.enter(count)
    out.items.set(places)
    out.first = 0
    out.count = count
    if (this.coming) this.asTheyCome(this.coming)
    else this.inTurns()
    const { parts } = underWay
    if (parts) for (const item of places) parts.fill(0, item * PART, (item + 1) * PART)
    if (count > 0) books.end(out.times[count - 1] as number)
    this.left -= count
    return out
  }

  private inTurns(): void {
    const { out, wiring } = this
    const sensors = this.lanes.length
    for (let at = 0; at < out.count; ) {
      const end = Math.min(out.count, at + sensors - this.turn)
      this.emit(at, end)
      if (this.round + 1 === wiring.items) this.sensed(out.times.subarray(at, end))
      this.turn += end - at
      at = end
      if (this.turn === sensors) {
        this.turn = 0
        this.round++
      }
    }
  }

  /** The sensors whose turn it is emit the items from one to another. */
  private emit(from: number, end: number): void {
    const { times: nexts, round, turn } = this
    const { born, ended, areNamed, lanes, seqs } = this.run.underWay
    const { items, times } = this.out
    const pace = this.wiring.gap.fixed
    for (let at = from, sensor = turn; at < end; at++, sensor++) {
      const item = items[at] as number
      const now = nexts[sensor] as number
      nexts[sensor] = now + pace
      times[at] = now
      born[item] = now
      ended[item] = now
    }
    if (!areNamed) return
    for (let at = from, sensor = turn; at < end; at++, sensor++) {
      const item = items[at] as number
      lanes[item] = this.lanes[sensor] as number
      seqs[item] = round
    }
  }

  private asTheyCome(coming: LazyQueue): void {
    const { streams, seqs: emitted } = this
    const { born, ended, areNamed, lanes, seqs } = this.run.underWay
    const { items, times, count } = this.out
    const { gap, items: planned } = this.wiring
    for (let at = 0; at < count; at++) {
      const now = coming.due
      const sensor = coming.take()
      const item = items[at] as number
      const seq = emitted[sensor] as number
      times[at] = now
      born[item] = now
      ended[item] = now
      if (areNamed) {
        lanes[item] = this.lanes[sensor] as number
        seqs[item] = seq
      }
      emitted[sensor] = seq + 1
      if (seq + 1 < planned) {
        const next = now + sample(gap, streams[sensor] as number, seq + 1)
        coming.add(sensor, next)
      } else this.sensed(times.subarray(at, at + 1))
    }
  }

  /** Sensors have emitted their last. */
  private sensed(times: Float64Array): void {
    this.run.books.tasks[0]?.times.addAll(times, times.length)
  }
}
