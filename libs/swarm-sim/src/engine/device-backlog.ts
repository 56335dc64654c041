/** Sensors that wait while too many invocations of their device wait for a core. */
import { MAX_READY_ON_DEVICE } from '@hivemind/swarm'
import type { Model } from '../model/model.ts'
import type { DeviceServers } from './device-servers.ts'

export class DeviceBacklog {
  readonly #model: Model
  readonly #servers: DeviceServers
  readonly #resume: (sensor: number) => void
  /** Sensors that wait, the longest first, by device. */
  readonly #sensors = new Map<number, number[]>()

  /** `null` for a model none of whose devices waits. `resume` is told of each sensor that may go on. */
  static of(model: Model, servers: DeviceServers, resume: (sensor: number) => void): DeviceBacklog | null {
    return model.classes.some((each) => each.awaitsArrival) ? new DeviceBacklog(model, servers, resume) : null
  }

  private constructor(model: Model, servers: DeviceServers, resume: (sensor: number) => void) {
    this.#model = model
    this.#servers = servers
    this.#resume = resume
  }

  /** A sensor has emitted an item on a device. Whether it waits with its next one; `resume` is told when it may go on. */
  keeps(device: number, task: number, sensor: number): boolean {
    const { classes, classOf, tasks } = this.#model
    const waits = classes[classOf[device] as number]?.awaitsArrival === true
    if (!waits || tasks[task]?.parents.length !== 0) return false
    if (this.#servers.waitingOn(device) <= MAX_READY_ON_DEVICE) return false
    const waiting = this.#sensors.get(device)
    if (waiting) waiting.push(sensor)
    else this.#sensors.set(device, [sensor])
    return true
  }

  /** Fewer invocations wait on a device: as many sensors go on as there is room for. */
  changed(device: number): void {
    const waiting = this.#sensors.get(device)
    if (!waiting || waiting.length === 0) return
    const room = MAX_READY_ON_DEVICE - this.#servers.waitingOn(device)
    for (const sensor of waiting.splice(0, Math.max(0, room))) this.#resume(sensor)
  }
}
