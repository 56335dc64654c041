/** The only task of the cloud. */
import { add } from '../arrays.ts'
import { LazyQueue } from '../events/lazy-queue.ts'
import type { TaskTimes } from '../figures/books.ts'
import { sample } from '../random.ts'
import { type ContainerPool, Line } from '../stations.ts'
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
  /** What waits for a container. */
  private readonly waiting = new Line()
  private readonly running = new LazyQueue()
  private readonly out = new Flow()
  /** When the item at hand starts, in ms. */
  private now = 0
  /** Of each item that has come when it came, and how long it runs, in ms. */
  private asked = new Float64Array(0)
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
    const { pool, waiting, running } = this
    this.draw(flow)
    this.out.clear()
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const now = (times[at] as number) + dispatchMs
      while (running.due < now) this.end()
      if (pool.hasRoom && waiting.isEmpty) {
        this.now = now
        this.start(item)
      } else waiting.push(item)
    }
    return this.out
  }

  rest(): Flow {
    this.out.clear()
    while (this.running.size > 0) this.end()
    return this.out
  }

  /** How they came, and how long they will run. */
  private draw({ items, times, count }: Flow): void {
    const { run, wiring } = this.place
    const { ended, lanes, seqs } = run.underWay
    const { service, services } = wiring
    this.makeRoom(ended.length)
    const { asked, runMs } = this
    let way = 0
    let sum = 0
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const drawn = sample(service, services[lanes[item] as number] as number, seqs[item] as number)
      asked[item] = times[at] as number
      runMs[item] = drawn
      way += (times[at] as number) - (ended[item] as number)
      sum += drawn
    }
    this.sums.network += way
    this.sums.execution += sum
  }

  private makeRoom(items: number): void {
    if (this.runMs.length >= items) return
    for (const column of ['asked', 'runMs'] as const) {
      const longer = new Float64Array(items)
      longer.set(this[column])
      this[column] = longer
    }
  }

  /** Ends the item that ends next; what waits starts as far as there is room. */
  private end(): void {
    const { index, pool, running, waiting } = this
    const now = running.due
    this.out.push(running.take(), now)
    pool.release(index, now)
    this.now = now
    while (!waiting.isEmpty && pool.hasRoom) this.start(waiting.shift())
  }

  private start(item: number): void {
    const { index, pool, running, now } = this
    const { parts } = this.underWay
    const took = this.runMs[item] as number
    const coldMs = pool.acquire(index, now) ? this.coldStartMs : 0
    const waited = now - (this.asked[item] as number) + coldMs
    this.sums.management += waited
    if (parts) {
      add(parts, item * PART + MANAGEMENT, waited)
      add(parts, item * PART + EXECUTION, took)
    }
    pool.hold(coldMs + took)
    const end = now + (coldMs + took)
    if (end > now) {
      running.add(item, end)
    } else {
      // what takes no time need not wait for others
      pool.release(index, now)
      this.out.push(item, now)
    }
  }
}
