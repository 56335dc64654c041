/** The end of a task, and the way from there. */
import { add } from '../arrays.ts'
import { LazyQueue } from '../events/lazy-queue.ts'
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
  private readonly under: LazyQueue | null
  /** Whether it is one queue towards the next task, in which each takes equally long. */
  private readonly isQueue: boolean
  private readonly out = new Flow()
  /** What the invocations that end took. */
  private took = new Float64Array(0)

  constructor(place: Place) {
    const { run, wiring } = place
    const { accessPoints, rpcMsPerByte } = run.model.link
    this.place = place
    this.freeAt = new Float64Array(accessPoints)
    this.points = new Int32Array(run.model.classOf.length)
    if (accessPoints > 1)
      for (let lane = 0; lane < this.points.length; lane++) this.points[lane] = lane % accessPoints
    const overtakes = accessPoints > 1 || (rpcMsPerByte > 0 && Number.isNaN(wiring.output.fixed))
    this.under = wiring.across.length > 0 && overtakes ? new LazyQueue() : null
    const isFixed = !wiring.payload || !Number.isNaN(wiring.output.fixed)
    this.isQueue = accessPoints === 1 && isFixed && wiring.across.length > 0 && !run.underWay.parts
  }

  take(flow: Flow): Flow {
    if (flow.count === 0) return flow
    if (this.place.index > 0) this.end(flow)
    if (!this.place.wiring.crosses) return flow
    return this.isQueue ? this.queue(flow) : this.cross(flow)
  }

  rest(): Flow {
    const { run, wiring } = this.place
    const { task, payload, output } = wiring
    if (wiring.crosses && payload && !Number.isNaN(output.fixed)) {
      const { lanes, invocations, tier } = task
      const bytes = output.fixed * invocations * wiring.items
      for (let at = 0; at < lanes.length; at++) run.books.moved(lanes[at] as number, bytes, tier === 'edge')
    }
    this.out.clear()
    if (this.under) release(this.under, Number.POSITIVE_INFINITY, this.out)
    return this.out
  }

  private end(flow: Flow): void {
    const { items, times, count } = flow
    const { run, index } = this.place
    const { ended } = run.underWay
    if (this.took.length < count) this.took = new Float64Array(items.length)
    end(flow, ended, this.took)
    run.books.tasks[index]?.times.addAll(this.took, count)
    run.books.end(times[count - 1] as number)
  }

  /** All follow in the order they came. */
  private queue(flow: Flow): Flow {
    const { run, wiring } = this.place
    const { msPerByte, rpcMsPerByte, delayMs } = run.model.link
    const bytes = wiring.payload ? wiring.output.fixed : 0
    const freeAt = this.freeAt[0] as number
    this.freeAt[0] = queued(flow, {
      freeAt,
      serviceMs: bytes * msPerByte,
      afterMs: bytes * rpcMsPerByte,
      delayMs,
    })
    return flow
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
      // Math.max is half as fast here: it looks for NaN and -0.
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
        under.add(item, arrival)
      } else times[at] = arrival
    }
    if (isResult) books.end(last)
    return under ? out : flow
  }
}

/** When these tasks end, after what time since the ones before. */
function end({ items, times, count }: Flow, ended: Float64Array, took: Float64Array): void {
  for (let at = 0; at < count; at++) {
    const item = items[at] as number
    const now = times[at] as number
    took[at] = now - (ended[item] as number)
    ended[item] = now
  }
}

/** Lindley's recursion: one server, and what follows it holds up nobody. Returns when the server is free. */
function queued(
  { times, count }: Flow,
  {
    freeAt,
    serviceMs,
    afterMs,
    delayMs,
  }: { freeAt: number; serviceMs: number; afterMs: number; delayMs: number },
): number {
  let free = freeAt
  for (let at = 0; at < count; at++) {
    const now = times[at] as number
    // Math.max is half as fast here: it looks for NaN and -0.
    free = (free > now ? free : now) + serviceMs
    times[at] = free + afterMs + delayMs
  }
  return free
}
