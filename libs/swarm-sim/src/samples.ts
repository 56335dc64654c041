/** What a simulation collects, and how it becomes an estimate. */
import { type Breakdown, type Estimate, quantileOf, type Tier } from '@hivemind/swarm'
import { laneCount, type Model } from './model.ts'

/** Where the time of an item or an invocation went, in ms. */
export class Sums {
  network = 0
  management = 0
  dataExchange = 0
  execution = 0

  add(network: number, management: number, dataExchange: number, execution: number): void {
    this.network += network
    this.management += management
    this.dataExchange += dataExchange
    this.execution += execution
  }

  mean(count: number): Breakdown {
    const over = Math.max(1, count)
    return {
      network: this.network / over,
      management: this.management / over,
      dataExchange: this.dataExchange / over,
      execution: this.execution / over,
    }
  }
}

/** All samples of one quantity, growing as needed. */
export class Samples {
  #values = new Float64Array(64)
  count = 0

  push(value: number): void {
    if (this.count === this.#values.length) {
      const larger = new Float64Array(this.count * 2)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.count++] = value
  }

  sorted(): Float64Array {
    return this.#values.slice(0, this.count).sort()
  }
}

export interface TaskSamples {
  times: Samples
  sums: Sums
}

/** The raw outcome of a simulated run. */
export interface Outcome {
  latencies: Samples
  latencySums: Sums
  tasks: TaskSamples[]
  /** End of the last task and of the last transfer of a result, in ms. */
  endMs: number
  /** For every device: ms of busy cores, bytes sent and received. */
  busyMs: Float64Array
  sentBytes: Float64Array
  receivedBytes: Float64Array
  /** Core time of cloud containers, idle time included, in ms. */
  cloudMs: number
}

/** Energy of one device over a run (paper section 5.2): motion and idle all the time, computing and radio as used. */
export function energyOf(
  model: Model,
  device: number,
  use: { endMs: number; busyMs: number; sentBytes: number; receivedBytes: number },
): { joules: number; share: number } {
  const kind = model.classes[model.classOf[device] as number]
  if (!kind) return { joules: 0, share: 0 }
  const joules =
    ((kind.motionW + kind.idleW) * use.endMs + kind.computeW * use.busyMs) / 1000 +
    kind.txJPerByte * use.sentBytes +
    kind.rxJPerByte * use.receivedBytes
  return { joules, share: kind.batteryJ > 0 ? joules / kind.batteryJ : 0 }
}

/** Cost of the cloud from its core time and the length of the run. */
export function costOf(model: Model, cloudMs: number, endMs: number) {
  const costPerRun = cloudMs * model.cloud.pricePerCoreMs
  return { costPerRun, costPerHour: endMs > 0 ? (costPerRun * 3600e3) / endMs : 0 }
}

export function estimateOf(model: Model, outcome: Outcome): Estimate {
  const { endMs, latencies } = outcome
  const sorted = latencies.sorted()
  const breakdown = outcome.latencySums.mean(latencies.count)
  let joules = 0
  let share = 0
  let bytes = 0
  for (let device = 0; device < model.classOf.length; device++) {
    const sentBytes = outcome.sentBytes[device] as number
    const receivedBytes = outcome.receivedBytes[device] as number
    const energy = energyOf(model, device, {
      endMs,
      busyMs: outcome.busyMs[device] as number,
      sentBytes,
      receivedBytes,
    })
    joules += energy.joules
    share += energy.share
    bytes += sentBytes + receivedBytes
  }
  const devices = Math.max(1, model.classOf.length)
  return {
    latencyMs: { p50: quantileOf(sorted, 0.5), p99: quantileOf(sorted, 0.99), mean: meanOf(sorted) },
    breakdown,
    perTask: Object.fromEntries(
      model.tasks.map((task, index) => {
        const { times, sums } = outcome.tasks[index] as TaskSamples
        const ordered = times.sorted()
        const tier: Tier = task.tier
        return [
          task.name,
          {
            p50Ms: quantileOf(ordered, 0.5),
            p99Ms: quantileOf(ordered, 0.99),
            breakdown: sums.mean(times.count),
            tier,
          },
        ]
      }),
    ),
    execTimeMs: endMs,
    throughput: endMs > 0 ? (latencies.count * 1000) / endMs : 0,
    energyJ: joules / devices,
    energyShare: share / devices,
    bandwidthMBps: endMs > 0 ? bytes / 1e3 / endMs : 0,
    ...costOf(model, outcome.cloudMs, endMs),
  }
}

function meanOf(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value
  return values.length > 0 ? sum / values.length : 0
}

/** Items of sensor data of the whole run, over all devices. */
export function totalItems(model: Model, origins: readonly number[]): number {
  return origins.reduce((sum, index) => {
    const task = model.tasks[index]
    if (!task) return sum
    return sum + laneCount(task) * (task.gap ? Math.floor(task.outputs) * task.invocations : task.invocations)
  }, 0)
}
