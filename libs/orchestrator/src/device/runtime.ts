/**
 * The part of runs that happens on one device: a run core for each lane it works for, fed by the service's messages and by
 * what comes over the wires of the flow. Times are of the device's monotonic clock.
 */
import type { Down, StartLane } from '@hivemind/agent-protocol'
import type { Plan } from '@hivemind/synthesis'
import { DeviceLane } from './lane.ts'
import type { DeviceOptions, DevicePorts, WireItem } from './ports.ts'

/** Runs the device's part of a plan for any number of runs at once. */
export class DeviceRuntime {
  readonly #plan: Plan
  readonly #options: DeviceOptions
  readonly #ports: DevicePorts
  /** By run and lane. */
  readonly #lanes = new Map<string, DeviceLane>()

  constructor(plan: Plan, options: DeviceOptions, ports: DevicePorts) {
    this.#plan = plan
    this.#options = options
    this.#ports = ports
  }

  /** Takes a message of the service in. What concerns a lane that is not here is ignored. */
  handle(message: Down): void {
    if (message.t === 'start') this.#start(message)
    else if (message.t === 'stop') this.#stop(message.run, message.lane)
    else this.#lanes.get(idOf(message))?.handle(message)
  }

  /** An item has reached a task's node over a wire. One that an earlier start of its lane emitted is ignored. */
  arrived(task: string, item: WireItem): void {
    const lane = this.#lanes.get(idOf(item))
    if (lane?.generation === item.generation) lane.arrived(task, item)
  }

  /** Runs that this device works for. */
  get runs(): string[] {
    return [...new Set([...this.#lanes.values()].map(({ run }) => run))]
  }

  /** Ends all work. */
  stop(): void {
    for (const lane of this.#lanes.values()) lane.stop()
    this.#lanes.clear()
  }

  /** A lane that was begun before is begun anew. */
  #start(message: StartLane): void {
    const id = idOf(message)
    this.#lanes.get(id)?.stop()
    const lane = new DeviceLane(this.#plan, message, this.#options, this.#ports)
    this.#lanes.set(id, lane)
    lane.start()
  }

  #stop(run: string, lane: string | undefined): void {
    for (const [id, each] of this.#lanes)
      if (each.run === run && (lane === undefined || each.lane === lane)) {
        each.stop()
        this.#lanes.delete(id)
      }
  }
}

const idOf = ({ run, lane }: { run: string; lane: string }): string => `${run} ${lane}`
