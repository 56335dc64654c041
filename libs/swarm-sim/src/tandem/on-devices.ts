/** A task on the devices. */
import { add } from '../arrays.ts'
import { LazyQueue } from '../events/lazy-queue.ts'
import type { TaskTimes } from '../figures/books.ts'
import { sample } from '../random.ts'
import type { Cores } from '../stations.ts'
import { Flow, release } from './flow.ts'
import { EXECUTION, MANAGEMENT, PART } from './items.ts'
import type { Passage, Place } from './passage.ts'

export class OnDevices implements Passage {
  private readonly place: Place
  private readonly cores: Cores
  private readonly speeds: Float64Array
  private readonly under = new LazyQueue()
  private readonly out = new Flow()

  constructor(place: Place, cores: Cores) {
    const { classes, classOf } = place.run.model
    this.place = place
    this.cores = cores
    this.speeds = Float64Array.from(classOf, (each) => classes[each]?.cpuSpeed ?? 1)
  }

  take(flow: Flow): Flow {
    const { run, index, wiring } = this.place
    const { service, services } = wiring
    const { items, times, count } = flow
    const { ended, lanes, seqs, parts } = run.underWay
    const { cores, under } = this
    const speeds = this.speeds
    const sums = run.books.tasks[index] as TaskTimes
    let { network, management, execution } = sums
    const out = this.out
    out.clear()
    for (let at = 0; at < count; at++) {
      const item = items[at] as number
      const now = times[at] as number
      const lane = lanes[item] as number
      const drawn = sample(service, services[lane] as number, seqs[item] as number)
      const took = drawn / (speeds[lane] as number)
      const start = cores.serve(lane, index, now, took)
      network += now - (ended[item] as number)
      management += start - now
      execution += took
      if (parts) {
        add(parts, item * PART + MANAGEMENT, start - now)
        add(parts, item * PART + EXECUTION, took)
      }
      release(under, now, out)
      // what takes no time need not wait for others
      if (start + took === now) out.push(item, now)
      else under.add(item, start + took)
    }
    sums.network = network
    sums.management = management
    sums.execution = execution
    return out
  }

  rest(): Flow {
    this.out.clear()
    release(this.under, Number.POSITIVE_INFINITY, this.out)
    return this.out
  }
}
