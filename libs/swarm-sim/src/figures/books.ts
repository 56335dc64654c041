/** What every simulation writes down, whichever way it goes. */
import type { Breakdown } from '@hivemind/swarm'
import { laneCount, type Model } from '../model/model.ts'
import type { ContainerPool } from '../stations.ts'
import { Quantiles } from './quantiles.ts'

/** The times of a task's invocations, and where they went, summed up. */
export class TaskTimes {
  readonly times: Quantiles
  network = 0
  management = 0
  dataExchange = 0
  execution = 0

  /** Takes how many invocations there will be. */
  constructor(expected: number) {
    this.times = new Quantiles(expected)
  }

  mean(): Breakdown {
    const over = Math.max(1, this.times.count)
    return {
      network: this.network / over,
      management: this.management / over,
      dataExchange: this.dataExchange / over,
      execution: this.execution / over,
    }
  }
}

/** What became of the items of sensor data of a run, over all devices. */
export interface Items {
  /** As many as the run has when nothing befalls it. */
  planned: number
  emitted: number
  finished: number
  /** Those of which something was lost on a device that failed. */
  lost: number
}

/** The books of one run. */
export abstract class Books {
  readonly tasks: TaskTimes[]
  /** For every device: bytes sent, bytes received. */
  readonly bytes: Float64Array
  /** For every device: ms of busy cores. */
  busyMs: Float64Array = new Float64Array(0)
  /** End of the last task and of the last transfer of a result, in ms. */
  endMs = 0
  /** Core time of cloud containers, idle time included, in ms. */
  cloudMs = 0

  constructor(model: Model) {
    this.tasks = model.tasks.map((task) => new TaskTimes(task.invocations * laneCount(task)))
    this.bytes = new Float64Array(2 * model.classOf.length)
  }

  /** What became of the items, and when each of those that were finished was, where that is known. */
  abstract items(): { count: Items; finishedAt: number[] }

  /** Latency of every item that ended, and the mean of where its time went; of those between two latencies on demand. */
  abstract latencies(from?: number, to?: number): { times: Quantiles; breakdown: Breakdown }

  moved(lane: number, bytes: number, isUp: boolean): void {
    const at = 2 * lane + (isUp ? 0 : 1)
    this.bytes[at] = (this.bytes[at] as number) + bytes
  }

  /** For how long before a time a device was switched on, in ms. */
  onMs(_device: number, before: number): number {
    return before
  }

  end(now: number): void {
    if (now > this.endMs) this.endMs = now
  }

  close(busyMs: Float64Array, pool: ContainerPool): void {
    this.busyMs = busyMs
    this.cloudMs = pool.coreTime(this.endMs)
  }
}
