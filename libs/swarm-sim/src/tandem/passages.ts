/**
 * What items pass one behind the other: the cores of their devices, the containers of the cloud, the air. Each knows all
 * that comes to it in the order of time, and so needs no list of events but of what is under way inside it.
 */

import { add } from '../arrays.ts'
import { Agenda } from '../events/agenda.ts'
import { END, EXECUTION, ITEM, type Ledger, MANAGEMENT, NETWORK, type TaskTimes } from '../figures/outcome.ts'
import type { Model } from '../model/model.ts'
import { type TaskWiring, untilFirst } from '../model/wiring.ts'
import { laneOf, sample } from '../random.ts'
import { type ContainerPool, type Cores, Stations } from '../stations.ts'
import { FLOW, Flow } from './flow.ts'

/** What the passages of one run share. */
export interface TandemRun {
  model: Model
  ledger: Ledger
  /** Of each item, its device and its number there. */
  lanes: Int32Array
  seqs: Int32Array
}

export interface Passage {
  /** Takes items in the order of time; returns what has passed when the last of them comes, in that order. */
  take(flow: Flow): Flow
  /** What is left when nothing more comes. */
  rest(): Flow
}

/** Items from sensors, in the order of time, which is also that of their numbers. */
export class Emission {
  readonly #run: TandemRun
  readonly #wiring: TaskWiring
  readonly #out = new Flow()
  /** Each sensor's device, its stream of random numbers, when it emits next, and how much it has emitted. */
  readonly #lanes: Int32Array
  readonly #streams: Int32Array
  readonly #times: Float64Array
  readonly #seqs: Int32Array
  /** The sensors to come, where their paces vary; else they take turns, from this one on. */
  readonly #agenda: Agenda | null
  #turn = 0
  #left: number

  constructor(run: TandemRun, wiring: TaskWiring) {
    const { task, items, gap, gaps } = wiring
    this.#run = run
    this.#wiring = wiring
    const firsts = Float64Array.from(task.lanes, (lane) => untilFirst(wiring, lane))
    const order = Int32Array.from(task.lanes.keys()).sort(
      (a, b) => (firsts[a] as number) - (firsts[b] as number) || a - b,
    )
    this.#lanes = order.map((at) => task.lanes[at] as number)
    this.#streams = this.#lanes.map((lane) => laneOf(gaps, lane))
    this.#times = Float64Array.from(order, (at) => firsts[at] as number)
    this.#seqs = new Int32Array(this.#lanes.length)
    this.#agenda = Number.isNaN(gap.fixed) ? new Agenda() : null
    this.#left = this.#lanes.length * items
    for (const [sensor, time] of this.#times.entries()) this.#agenda?.push(0, time, sensor)
  }

  /** The next items, none when there are no more. */
  next(): Flow {
    const { ledger, lanes, seqs } = this.#run
    const { items, gap } = this.#wiring
    const agenda = this.#agenda
    const times = this.#times
    const emitted = this.#seqs
    const sensors = times.length
    const out = this.#out
    out.clear()
    let turn = this.#turn
    const count = Math.min(FLOW, this.#left)
    for (let nth = 0; nth < count; nth++) {
      const sensor = agenda ? agenda.next() : turn
      const now = times[sensor] as number
      const seq = emitted[sensor] as number
      const item = ledger.born(now)
      ledger.rows[item * ITEM + END] = now
      lanes[item] = this.#lanes[sensor] as number
      seqs[item] = seq
      out.push(item, now)
      emitted[sensor] = seq + 1
      if (seq + 1 < items) {
        const next = now + sample(gap, this.#streams[sensor] as number, seq + 1)
        times[sensor] = next
        agenda?.push(0, next, sensor)
      } else ledger.ended(0, now, now)
      turn = sensor + 1 === sensors ? 0 : sensor + 1
    }
    this.#turn = turn
    this.#left -= count
    return out
  }
}

/** A task on the devices. */
export class OnDevices implements Passage {
  readonly #run: TandemRun
  readonly #index: number
  readonly #wiring: TaskWiring
  readonly #cores: Cores
  readonly #speeds: Float64Array
  readonly #streams: Int32Array
  readonly #under = new Agenda()
  readonly #out = new Flow()
  readonly #sums: TaskTimes

  constructor(run: TandemRun, index: number, wiring: TaskWiring, cores: Cores) {
    const { classes, classOf } = run.model
    this.#run = run
    this.#index = index
    this.#wiring = wiring
    this.#cores = cores
    this.#speeds = Float64Array.from(classOf, (each) => classes[each]?.cpuSpeed ?? 1)
    this.#streams = wiring.services
    this.#sums = run.ledger.tasks[index] as TaskTimes
  }

  take(flow: Flow): Flow {
    if (this.#wiring.service.fixed === 0) {
      this.#sums.network += wayOf(flow, this.#run.ledger)
      return flow
    }
    const { lanes, seqs, ledger } = this.#run
    const { rows } = ledger
    const { items, times, count } = flow
    const { service } = this.#wiring
    const index = this.#index
    const cores = this.#cores
    const under = this.#under
    const streams = this.#streams
    const speeds = this.#speeds
    const sums = this.#sums
    let { network, management, execution } = sums
    const out = this.#out
    out.clear()
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const now = times[at] as number
      const lane = lanes[item] as number
      const drawn = sample(service, streams[lane] as number, seqs[item] as number)
      const took = drawn / (speeds[lane] as number)
      const start = cores.serve(lane, index, now, took)
      const row = item * ITEM
      network += now - (rows[row + END] as number)
      management += start - now
      execution += took
      add(rows, row + MANAGEMENT, start - now)
      add(rows, row + EXECUTION, took)
      release(under, now, out)
      // what takes no time need not wait for others
      if (start + took === now) out.push(item, now)
      else under.push(index, start + took, item)
    }
    sums.network = network
    sums.management = management
    sums.execution = execution
    return out
  }

  rest(): Flow {
    this.#out.clear()
    release(this.#under, Number.POSITIVE_INFINITY, this.#out)
    return this.#out
  }
}

/** The only task of the cloud. */
export class InCloud implements Passage {
  readonly #run: TandemRun
  readonly #index: number
  readonly #wiring: TaskWiring
  readonly #pool: ContainerPool
  readonly #streams: Int32Array
  /** What waits for a container, since when. */
  readonly #waiting = new Flow()
  readonly #running = new Agenda()
  readonly #out = new Flow()
  readonly #sums: TaskTimes

  constructor(run: TandemRun, index: number, wiring: TaskWiring, pool: ContainerPool) {
    this.#run = run
    this.#index = index
    this.#wiring = wiring
    this.#pool = pool
    this.#streams = wiring.services
    this.#sums = run.ledger.tasks[index] as TaskTimes
  }

  take(flow: Flow): Flow {
    const { items, times, count } = flow
    const { dispatchMs } = this.#run.model.cloud
    this.#sums.network += wayOf(flow, this.#run.ledger)
    this.#out.clear()
    for (let at = 0; at < count; at++) {
      this.#waiting.push(items[at] as number, times[at] as number)
      this.#goOn((times[at] as number) + dispatchMs)
    }
    return this.#out
  }

  rest(): Flow {
    this.#out.clear()
    this.#goOn(Number.POSITIVE_INFINITY)
    return this.#out
  }

  /** Ends what ends before then, and starts what waits, as soon as there is room, until then. */
  #goOn(until: number): void {
    const { lanes, seqs, ledger, model } = this.#run
    const { dispatchMs, coldStartMs } = model.cloud
    const { rows } = ledger
    const { service } = this.#wiring
    const index = this.#index
    const pool = this.#pool
    const running = this.#running
    const waiting = this.#waiting
    const out = this.#out
    for (;;) {
      let now = running.nextTime
      const ends = now < until
      if (ends) {
        out.push(running.next(), now)
        pool.release(index, now)
      } else now = until
      while (!waiting.isEmpty && pool.hasRoom && waiting.time + dispatchMs <= now) {
        const asked = waiting.time
        const item = waiting.shift()
        const took = sample(service, this.#streams[lanes[item] as number] as number, seqs[item] as number)
        const coldMs = pool.acquire(index, now) ? coldStartMs : 0
        const waited = now - asked + coldMs
        const row = item * ITEM
        add(rows, row + MANAGEMENT, waited)
        add(rows, row + EXECUTION, took)
        this.#sums.management += waited
        this.#sums.execution += took
        pool.hold(coldMs + took)
        const end = now + (coldMs + took)
        if (end > now) running.push(index, end, item)
        else {
          // what takes no time need not wait for others
          pool.release(index, now)
          out.push(item, now)
        }
      }
      if (!ends) return
    }
  }
}

/**
 * The end of a task, and the way from there: over the air when what comes next is on the other side, or when nothing comes
 * next and it is a result.
 */
export class Departure implements Passage {
  readonly #run: TandemRun
  readonly #index: number
  readonly #wiring: TaskWiring
  readonly #air: Stations
  readonly #streams: Int32Array
  /** Access point of each device. */
  readonly #points: Int32Array
  /** What overtakes on the air, when anything can. */
  readonly #under: Agenda | null
  readonly #out = new Flow()

  constructor(run: TandemRun, index: number, wiring: TaskWiring) {
    const { accessPoints, rpcMsPerByte } = run.model.link
    this.#run = run
    this.#index = index
    this.#wiring = wiring
    this.#air = new Stations(Array.from({ length: accessPoints }, () => 1))
    this.#streams = wiring.outputs
    this.#points = Int32Array.from(run.model.classOf, (_, lane) => lane % accessPoints)
    const overtakes = accessPoints > 1 || (rpcMsPerByte > 0 && Number.isNaN(wiring.output.fixed))
    this.#under = wiring.crosses && overtakes ? new Agenda() : null
  }

  take(flow: Flow): Flow {
    if (this.#index > 0) this.#end(flow)
    return this.#wiring.crosses ? this.#cross(flow) : flow
  }

  rest(): Flow {
    this.#out.clear()
    if (this.#under) release(this.#under, Number.POSITIVE_INFINITY, this.#out)
    return this.#out
  }

  #end({ items, times, count }: Flow): void {
    const { ledger } = this.#run
    const { rows } = ledger
    const took = (ledger.tasks[this.#index] as TaskTimes).times
    let last = 0
    for (let at = 0; at < count; at++) {
      const row = (items[at] as number) * ITEM
      last = times[at] as number
      took.add(last - (rows[row + END] as number))
      rows[row + END] = last
    }
    ledger.end(last)
  }

  #cross(flow: Flow): Flow {
    const { items, times, count } = flow
    const { lanes, seqs, ledger, model } = this.#run
    const { rows } = ledger
    const { msPerByte, rpcMsPerByte, delayMs } = model.link
    const { task, payload, output, across } = this.#wiring
    const air = this.#air
    const points = this.#points
    const streams = this.#streams
    const isUp = task.tier === 'edge'
    const isResult = across.length === 0
    const under = this.#under
    const out = this.#out
    out.clear()
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const now = times[at] as number
      const lane = lanes[item] as number
      const bytes = payload ? sample(output, streams[lane] as number, seqs[item] as number) : 0
      const service = bytes * msPerByte
      ledger.moved(lane, bytes, isUp)
      const start = air.serve(points[lane] as number, now, service)
      const arrival = start + service + bytes * rpcMsPerByte + delayMs
      if (isResult) {
        ledger.end(arrival)
        continue
      }
      add(rows, item * ITEM + NETWORK, arrival - now)
      times[at] = arrival
      if (under) {
        release(under, now, out)
        under.push(0, arrival, item)
      }
    }
    return under || isResult ? out : flow
  }
}

/** How long items were on their way since their task ended, in all. */
function wayOf({ items, times, count }: Flow, { rows }: Ledger): number {
  let sum = 0
  for (let at = 0; at < count; at++)
    sum += (times[at] as number) - (rows[(items[at] as number) * ITEM + END] as number)
  return sum
}

/** Hands on what leaves before then, in the order of time. */
function release(under: Agenda, until: number, out: Flow): void {
  while (under.nextTime < until) {
    const item = under.next()
    out.push(item, under.now)
  }
}
