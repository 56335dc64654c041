/** The end of a task, and the way from there. */
import { add } from '../arrays.ts'
import { Calendar } from '../events/calendar.ts'
import { sample } from '../random.ts'
import { Flow, release } from './flow.ts'
import { NETWORK, PART } from './items.ts'
import type { Passage, Place } from './passage.ts'

/**
 * The end of a task, and the way from there: over the air when what comes next is on the other side, or when nothing comes
 * next and it is a result.
 */
export class Departure implements Passage {
  private readonly place: Place
  /** When the air of each access point is free, in ms, and the access point of each device. */
  private readonly freeAt: Float64Array
  private readonly points: Int32Array
  /** What overtakes on the air, when anything can. */
  private readonly under: Calendar | null
  private readonly out = new Flow()
  /** What the invocations that end took. */
  private took = new Float64Array(0)

  constructor(place: Place) {
    const { run, wiring } = place
    const { accessPoints, rpcMsPerByte } = run.model.link
    this.place = place
    this.freeAt = new Float64Array(accessPoints)
    this.points = new Int32Array(run.model.classOf.length).map((_, lane) => lane % accessPoints)
    const overtakes = accessPoints > 1 || (rpcMsPerByte > 0 && Number.isNaN(wiring.output.fixed))
    this.under = wiring.across.length > 0 && overtakes ? new Calendar() : null
  }

  take(flow: Flow): Flow {
    if (flow.count === 0) return flow
    if (this.place.index > 0) this.end(flow)
    return this.place.wiring.crosses ? this.cross(flow) : flow
  }

  rest(): Flow {
    const { run, wiring } = this.place
    const { task, payload, output } = wiring
    if (wiring.crosses && payload && !Number.isNaN(output.fixed))
      for (const lane of task.lanes)
        run.books.moved(lane, output.fixed * task.invocations * wiring.items, task.tier === 'edge')
    this.out.clear()
    if (this.under) release(this.under, Number.POSITIVE_INFINITY, this.out)
    return this.out
  }

  private end({ items, times, count }: Flow): void {
    const { run, index } = this.place
    const { ended } = run.underWay
    if (this.took.length < count) this.took = new Float64Array(items.length)
    const took = this.took
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const now = times[at] as number
      took[at] = now - (ended[item] as number)
      ended[item] = now
    }
    run.books.tasks[index]?.times.addAll(took, count)
    run.books.end(times[count - 1] as number)
  }

  private cross(flow: Flow): Flow {
    const { items, times, count } = flow
    const { run, wiring } = this.place
    const { books, underWay, model } = run
    const { lanes, seqs, parts } = underWay
    const { msPerByte, rpcMsPerByte, delayMs } = model.link
    const { task, payload, output, outputs, across } = wiring
    const freeAt = this.freeAt
    const points = this.points
    const isOne = freeAt.length === 1
    const isFixed = !payload || !Number.isNaN(output.fixed)
    const isUp = task.tier === 'edge'
    const isResult = across.length === 0
    const under = this.under
    const out = this.out
    out.clear()
    under?.reserve(lanes.length)
    let bytes = payload ? output.fixed : 0
    let last = 0
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const now = times[at] as number
      if (!isFixed) {
        const lane = lanes[item] as number
        bytes = sample(output, outputs[lane] as number, seqs[item] as number)
        books.moved(lane, bytes, isUp)
      }
      const point = isOne ? 0 : (points[lanes[item] as number] as number)
      const free = freeAt[point] as number
      // biome-ignore lint/complexity/useMathMinMax: half as fast, since it looks for NaN and -0
      const through = (free > now ? free : now) + bytes * msPerByte
      freeAt[point] = through
      const arrival = through + bytes * rpcMsPerByte + delayMs
      if (isResult) {
        last = Math.max(last, arrival)
        continue
      }
      if (parts) add(parts, item * PART + NETWORK, arrival - now)
      if (under) {
        release(under, now, out)
        under.times[item] = arrival
        under.add(item)
      } else times[at] = arrival
    }
    if (isResult) books.end(last)
    return under ? out : flow
  }
}
