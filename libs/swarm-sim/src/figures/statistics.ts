/** What a simulation counts: items and their latencies, tasks and their times, bytes, busy time and cost. */
import type { Breakdown } from '@hivemind/swarm'
import type { ContainerPool } from '../engine/container-pool.ts'
import { laneCount, type Model } from '../model/model.ts'
import { Quantiles } from './quantiles.ts'

/** Times of a task's invocations, in ms, and the sums of where they went. */
export class TaskTimes {
  readonly times: Quantiles
  network = 0
  management = 0
  dataExchange = 0
  execution = 0
  /** Invocations that ended after their deadline, and those that were given up (`onMiss='drop'`). */
  late = 0
  dropped = 0

  /** Takes how many invocations there will be. */
  constructor(expected: number) {
    this.times = new Quantiles(expected)
  }

  /** Where the mean invocation's time went. */
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

/** Counts of a run's items of sensor data, over all devices. */
export interface Items {
  /** As many as a run without failures has. */
  planned: number
  emitted: number
  finished: number
  /** Items of which a result was lost: on a device that failed, or given up after a deadline. */
  lost: number
}

/** A finished item; times in ms. */
interface FinishedItem {
  item: number
  capturedAtMs: number
  latencyMs: number
}

/** Columns of an item's row, in ms: when it was captured, when it ended, and where its latency went. */
const BORN = 0
const END = 1
const NETWORK = 2
const MANAGEMENT = 3
const DATA_EXCHANGE = 4
const EXECUTION = 5
const COLUMNS = 6

/** The statistics of one run. Items are numbered in the order of their capture. */
export class Statistics {
  readonly tasks: TaskTimes[]
  /** For every device: bytes sent, bytes received. */
  readonly bytes: Float64Array
  /** The same over the radio to its edge node; `null` where the fleet has none. */
  readonly nodeBytes: Float64Array | null
  /** Bytes between edge nodes and the cloud, both directions. */
  backhaulBytes = 0
  /** For every device, and then for every edge node: ms of busy cores. */
  busyMs: Float64Array = new Float64Array(0)
  /** End of the last task and of the last transfer of a result, in ms. */
  endMs = 0
  /** Core time of cloud containers, idle time included, in ms. */
  cloudMs = 0
  private readonly rows: Float64Array
  private count = 0
  /** Items of which some result was lost: 1 each. */
  private readonly lost: Uint8Array
  private lostCount = 0

  /** Takes the number of items of a run without failures. */
  constructor(model: Model, items: number) {
    this.tasks = model.tasks.map((task) => new TaskTimes(task.invocations * laneCount(task)))
    this.bytes = new Float64Array(2 * model.classOf.length)
    this.nodeBytes = model.nodes ? new Float64Array(2 * model.classOf.length) : null
    this.rows = new Float64Array(items * COLUMNS)
    this.lost = new Uint8Array(items)
  }

  /** Numbers a new item. */
  born(now: number): number {
    const item = this.count++
    const row = item * COLUMNS
    this.rows[row + BORN] = now
    this.rows[row + END] = -1
    return item
  }

  /** A result computed from the item was lost: it does not count as finished, whatever else is computed from it. */
  lose(item: number): void {
    this.lostCount += 1 - (this.lost[item] as number)
    this.lost[item] = 1
  }

  /** Whether a task that works on the item has ended. */
  isSettled(item: number): boolean {
    return (this.rows[item * COLUMNS + END] as number) >= 0
  }

  /** A task that works on the item has ended, the last one so far; the four times say where its latency went. */
  settle(
    item: number,
    now: number,
    network: number,
    management: number,
    dataExchange: number,
    execution: number,
  ): void {
    const rows = this.rows
    const row = item * COLUMNS
    rows[row + END] = now
    rows[row + NETWORK] = network
    rows[row + MANAGEMENT] = management
    rows[row + DATA_EXCHANGE] = dataExchange
    rows[row + EXECUTION] = execution
  }

  /** An invocation of a task has ended, `took` ms after its last input was produced. */
  ended(index: number, took: number, now: number): void {
    ;(this.tasks[index] as TaskTimes).times.add(took)
    this.end(now)
  }

  /** A device has sent (`isUp`) or received bytes. */
  moved(device: number, bytes: number, isUp: boolean): void {
    const at = 2 * device + (isUp ? 0 : 1)
    this.bytes[at] = (this.bytes[at] as number) + bytes
  }

  /** A device has sent bytes to its edge node (`isUp`), or received them from there. */
  movedByNode(device: number, bytes: number, isUp: boolean): void {
    const at = 2 * device + (isUp ? 0 : 1)
    if (this.nodeBytes) this.nodeBytes[at] = (this.nodeBytes[at] as number) + bytes
  }

  /** For how long before a time a device was switched on, in ms. */
  onMs(_device: number, before: number): number {
    return before
  }

  /** The run lasts at least until now. */
  end(now: number): void {
    if (now > this.endMs) this.endMs = now
  }

  /** The run is over. */
  close(busyMs: Float64Array, pool: ContainerPool): void {
    this.busyMs = busyMs
    this.cloudMs = pool.coreTime(this.endMs)
  }

  /** The finished items nearest to quantiles (0 to 1) of latency. */
  atQuantiles(quantiles: readonly number[]): FinishedItem[] {
    const finished: FinishedItem[] = []
    for (let item = 0; item < this.count; item++) {
      const end = this.rows[item * COLUMNS + END] as number
      const capturedAtMs = this.rows[item * COLUMNS + BORN] as number
      if (end >= 0 && this.lost[item] === 0)
        finished.push({ item, capturedAtMs, latencyMs: end - capturedAtMs })
    }
    finished.sort((a, b) => a.latencyMs - b.latencyMs || a.item - b.item)
    return quantiles.flatMap((at) => finished[Math.round(at * (finished.length - 1))] ?? [])
  }

  /** Counts of the items, and when each finished one was finished. */
  items(): { count: Items; finishedAt: number[] } {
    const finishedAt: number[] = []
    for (let item = 0; item < this.count; item++) {
      const end = this.rows[item * COLUMNS + END] as number
      if (end >= 0 && this.lost[item] === 0) finishedAt.push(end)
    }
    const planned = this.lost.length
    const count = { planned, emitted: this.count, finished: finishedAt.length, lost: this.lostCount }
    return { count, finishedAt }
  }

  /** Latencies of the finished items between two latencies (ms), and where their time went on average. */
  latencies(from = 0, to = Number.POSITIVE_INFINITY): { times: Quantiles; breakdown: Breakdown } {
    const times = new Quantiles(this.count)
    const { rows, lost } = this
    let network = 0
    let management = 0
    let dataExchange = 0
    let execution = 0
    for (let item = 0; item < this.count; item++) {
      const row = item * COLUMNS
      const end = rows[row + END] as number
      if (end < 0 || lost[item] === 1) continue
      const latency = end - (rows[row + BORN] as number)
      if (latency < from || latency > to) continue
      times.add(latency)
      network += rows[row + NETWORK] as number
      management += rows[row + MANAGEMENT] as number
      dataExchange += rows[row + DATA_EXCHANGE] as number
      execution += rows[row + EXECUTION] as number
    }
    const over = Math.max(1, times.count)
    const breakdown = {
      network: network / over,
      management: management / over,
      dataExchange: dataExchange / over,
      execution: execution / over,
    }
    return { times, breakdown }
  }
}
