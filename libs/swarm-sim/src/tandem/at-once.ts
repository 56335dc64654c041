/** A task that takes no time, wherever it runs: no item waits for another, and all it took was the way. */
import type { TaskTimes } from '../figures/books.ts'
import type { ContainerPool } from '../stations.ts'
import { Flow } from './flow.ts'
import type { Passage, Place } from './passage.ts'

export class AtOnce implements Passage {
  private readonly index: number
  private readonly sums: TaskTimes
  private readonly pool: ContainerPool
  private readonly isInCloud: boolean

  constructor({ index, run, wiring }: Place, pool: ContainerPool) {
    this.index = index
    this.sums = run.books.tasks[index] as TaskTimes
    this.pool = pool
    this.isInCloud = wiring.inCloud
  }

  take(flow: Flow): Flow {
    if (this.isInCloud && !flow.isEmpty) this.pool.touch(this.index, flow.times, flow.count)
    return flow
  }

  rest(): Flow {
    this.sums.network = this.sums.times.sum
    return new Flow()
  }
}
