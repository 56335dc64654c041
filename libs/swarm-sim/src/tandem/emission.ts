/** Where items come from. */
import { Calendar } from '../events/calendar.ts'
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
  /** The sensors to come, where their paces vary; else they take turns, from this one on. */
  private readonly coming: Calendar | null
  private turn = 0
  private left: number

  constructor({ run, wiring }: Place) {
    const { task, items, gap, gaps } = wiring
    this.run = run
    this.wiring = wiring
    const firsts = Float64Array.from(task.lanes, (lane) => untilFirst(wiring, lane))
    const order = Int32Array.from(task.lanes.keys()).sort(
      (a, b) => (firsts[a] as number) - (firsts[b] as number) || a - b,
    )
    this.lanes = order.map((at) => task.lanes[at] as number)
    this.streams = this.lanes.map((lane) => laneOf(gaps, lane))
    this.seqs = new Int32Array(this.lanes.length)
    this.coming = Number.isNaN(gap.fixed) ? new Calendar() : null
    this.coming?.reserve(order.length)
    this.times = this.coming?.times ?? new Float64Array(order.length)
    this.left = this.lanes.length * items
    for (const [sensor, at] of order.entries()) {
      this.times[sensor] = firsts[at] as number
      this.coming?.add(sensor)
    }
  }

  /** The next items, none when there are no more. */
  next(): Flow {
    const { books, underWay } = this.run
    const { items, gap } = this.wiring
    const coming = this.coming
    const nextTimes = this.times
    const emitted = this.seqs
    const sensors = emitted.length
    const devices = this.lanes
    const streams = this.streams
    const count = Math.min(FLOW, this.left)
    const places = underWay.enter(count)
    const { born, ended, lanes, seqs, parts } = underWay
    const out = this.out
    const { times } = out
    out.items.set(places)
    const pace = gap.fixed
    let turn = this.turn
    for (let at = 0; at < count; at++) {
      const sensor = coming ? coming.first() : turn
      coming?.shift(sensor)
      const now = nextTimes[sensor] as number
      const seq = emitted[sensor] as number
      const item = places[at] as number
      born[item] = now
      ended[item] = now
      lanes[item] = devices[sensor] as number
      seqs[item] = seq
      if (parts) parts.fill(0, item * PART, (item + 1) * PART)
      times[at] = now
      emitted[sensor] = seq + 1
      if (seq + 1 < items) {
        nextTimes[sensor] = now + (coming ? sample(gap, streams[sensor] as number, seq + 1) : pace)
        coming?.add(sensor)
      } else books.tasks[0]?.times.add(now)
      if (++turn === sensors) turn = 0
    }
    out.first = 0
    out.count = count
    if (count > 0) books.end(times[count - 1] as number)
    this.turn = turn
    this.left -= count
    return out
  }
}
