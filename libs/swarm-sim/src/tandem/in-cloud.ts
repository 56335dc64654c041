/** The only task of the cloud. */
import { add } from '../arrays.ts'
import { Agenda } from '../events/agenda.ts'
import type { TaskTimes } from '../figures/books.ts'
import { sample } from '../random.ts'
import type { ContainerPool } from '../stations.ts'
import { Flow } from './flow.ts'
import { EXECUTION, type ItemsUnderWay, MANAGEMENT, PART } from './items.ts'
import type { Passage, Place } from './passage.ts'

export class InCloud implements Passage {
  private readonly place: Place
  private readonly index: number
  private readonly underWay: ItemsUnderWay
  private readonly coldStartMs: number
  private readonly sums: TaskTimes
  private readonly pool: ContainerPool
  /** What waits for a container, since when. */
  private readonly waiting = new Flow()
  private readonly running = new Agenda()
  private readonly out = new Flow()
  /** How long each item that has come runs, in ms. */
  private runMs = new Float64Array(0)

  constructor(place: Place, pool: ContainerPool) {
    this.place = place
    this.index = place.index
    this.underWay = place.run.underWay
    this.coldStartMs = place.run.model.cloud.coldStartMs
    this.sums = place.run.books.tasks[place.index] as TaskTimes
    this.pool = pool
  }

  take(flow: Flow): Flow {
    const { items, times, count } = flow
    const { dispatchMs } = this.place.run.model.cloud
    const pool = this.pool
    const waiting = this.waiting
    this.draw(flow)
    this.out.clear()
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const asked = times[at] as number
      this.endUntil(asked + dispatchMs)
      if (pool.hasRoom && waiting.isEmpty) this.start(item, asked, asked + dispatchMs)
      else waiting.push(item, asked)
    }
    return this.out
  }

  rest(): Flow {
    this.out.clear()
    this.endUntil(Number.POSITIVE_INFINITY)
    return this.out
  }

  /** How they came, and how long they will run. */
  private draw({ items, times, count }: Flow): void {
    const { run, wiring } = this.place
    const { ended, lanes, seqs } = run.underWay
    const { service, services } = wiring
    if (this.runMs.length < lanes.length) {
      const longer = new Float64Array(lanes.length)
      longer.set(this.runMs)
      this.runMs = longer
    }
    const runMs = this.runMs
    let way = 0
    let sum = 0
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const drawn = sample(service, services[lanes[item] as number] as number, seqs[item] as number)
      runMs[item] = drawn
      way += (times[at] as number) - (ended[item] as number)
      sum += drawn
    }
    this.sums.network += way
    this.sums.execution += sum
  }

  /** Ends what ends before then; what waits starts as soon as there is room. */
  private endUntil(until: number): void {
    const { index, pool, running, waiting, out } = this
    for (let item = running.nextBefore(until); item >= 0; item = running.nextBefore(until)) {
      const { now } = running
      out.push(item, now)
      pool.release(index, now)
      if (!waiting.isEmpty) this.admit(now)
    }
  }

  /** Starts what waits, as far as there is room. */
  private admit(now: number): void {
    const { pool, waiting } = this
    while (!waiting.isEmpty && pool.hasRoom) {
      const asked = waiting.time
      this.start(waiting.shift(), asked, now)
    }
  }

  private start(item: number, asked: number, now: number): void {
    const { index, pool } = this
    const { parts } = this.underWay
    const took = this.runMs[item] as number
    const coldMs = pool.acquire(index, now) ? this.coldStartMs : 0
    const waited = now - asked + coldMs
    this.sums.management += waited
    if (parts) {
      add(parts, item * PART + MANAGEMENT, waited)
      add(parts, item * PART + EXECUTION, took)
    }
    pool.hold(coldMs + took)
    const end = now + (coldMs + took)
    if (end > now) this.running.push(index, end, item)
    else {
      // what takes no time need not wait for others
      pool.release(index, now)
      this.out.push(item, now)
    }
  }
}
