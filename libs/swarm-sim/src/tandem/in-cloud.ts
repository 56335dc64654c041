/** The only task of the cloud. */
import { add } from '../arrays.ts'
import { Agenda } from '../events/agenda.ts'
import type { TaskTimes } from '../figures/books.ts'
import { sample } from '../random.ts'
import type { ContainerPool } from '../stations.ts'
import { Flow } from './flow.ts'
import { EXECUTION, MANAGEMENT, PART } from './items.ts'
import type { Passage, Place } from './passage.ts'

export class InCloud implements Passage {
  readonly #place: Place
  readonly #pool: ContainerPool
  /** What waits for a container, since when. */
  readonly #waiting = new Flow()
  readonly #running = new Agenda()
  readonly #out = new Flow()

  constructor(place: Place, pool: ContainerPool) {
    this.#place = place
    this.#pool = pool
  }

  take({ items, times, count }: Flow): Flow {
    const { dispatchMs } = this.#place.run.model.cloud
    this.#out.clear()
    for (let at = 0; at < count; at++) {
      const asked = times[at] as number
      this.#waiting.push(items[at] as number, asked)
      this.#goOn(asked + dispatchMs)
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
    const { run, index } = this.#place
    const { dispatchMs } = run.model.cloud
    const pool = this.#pool
    const running = this.#running
    const waiting = this.#waiting
    for (;;) {
      let now = running.nextTime
      const ends = now < until
      if (ends) {
        this.#out.push(running.next(), now)
        pool.release(index, now)
      } else now = until
      while (!waiting.isEmpty && pool.hasRoom && waiting.time + dispatchMs <= now) this.#start(now)
      if (!ends) return
    }
  }

  #start(now: number): void {
    const { run, index, wiring } = this.#place
    const { lanes, seqs, parts } = run.underWay
    const sums = run.books.tasks[index] as TaskTimes
    const pool = this.#pool
    const asked = this.#waiting.time
    const item = this.#waiting.shift()
    const took = sample(
      wiring.service,
      wiring.services[lanes[item] as number] as number,
      seqs[item] as number,
    )
    const coldMs = pool.acquire(index, now) ? run.model.cloud.coldStartMs : 0
    const waited = now - asked + coldMs
    sums.management += waited
    sums.execution += took
    if (parts) {
      add(parts, item * PART + MANAGEMENT, waited)
      add(parts, item * PART + EXECUTION, took)
    }
    pool.hold(coldMs + took)
    const end = now + (coldMs + took)
    if (end > now) this.#running.push(index, end, item)
    else {
      // what takes no time need not wait for others
      pool.release(index, now)
      this.#out.push(item, now)
    }
  }
}
