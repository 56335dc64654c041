/** Spans of the invocations on devices, by the clock of the service. */
import type { UpDone, UpFailed, UpItem } from '@hivemind/agent-protocol'
import { leavesDevice, type Plan } from '@hivemind/synthesis'
import type { Span } from '../types.ts'

/** How long the last item of an invocation that is under way took to the service, in ms, and when it was there. */
interface Transit {
  ms: number
  at: number
}

export class DeviceSpans {
  readonly #toServiceTime: (device: string, deviceMs: number) => number
  /** Tasks whose items go to the service. */
  readonly #leaving: ReadonlySet<string>
  readonly #transits = new Map<string, Transit>()

  constructor(plan: Plan, toServiceTime: (device: string, deviceMs: number) => number) {
    this.#toServiceTime = toServiceTime
    this.#leaving = new Set(plan.tasks.filter((task) => leavesDevice(plan, task)).map(({ name }) => name))
  }

  /** An item of a device has arrived, at a time of the service's clock. */
  arrived(device: string, { task, lane, at }: UpItem, arrivedAt: number): void {
    if (!this.#leaving.has(task)) return
    const ms = Math.max(0, arrivedAt - this.#toServiceTime(device, at))
    this.#transits.set(`${device} ${lane} ${task}`, { ms, at: arrivedAt })
  }

  /**
   * An invocation has ended, when its last item was there too. Its time on the network is that of the last item, since a task
   * goes on while the others are on their way.
   */
  ended(device: string, message: UpDone | UpFailed): Span {
    const { span, task, lane, seq } = message
    const key = `${device} ${lane} ${task}`
    const transit = this.#transits.get(key)
    this.#transits.delete(key)
    const time = (ms: number): number => this.#toServiceTime(device, ms)
    const { management, dataExchange, execution } = span
    return {
      task,
      device: lane,
      seq,
      tier: 'edge',
      worker: device,
      queuedAt: time(span.queuedAt),
      startedAt: time(span.startedAt),
      endedAt: Math.max(time(span.endedAt), transit?.at ?? 0),
      breakdown: { network: transit?.ms ?? 0, management, dataExchange, execution },
      bytesIn: span.bytesIn,
      bytesOut: span.bytesOut,
      items: span.items,
      status: span.ok ? 'ok' : 'failed',
      ...(span.error !== undefined && { error: span.error }),
      attempt: span.attempt,
      ...(message.t === 'done' && message.missed && { missedDeadline: true }),
    }
  }
}
