/** What items wait for: the air of an access point, the cores of a device, the containers of the cloud. */
import type { Model } from './model.ts'

/** First come, first served by `servers` equal servers; the caller must ask in the order of time. */
export class Station {
  readonly #freeAt: Float64Array
  /** Time the servers have worked, in ms. */
  busy = 0

  constructor(servers: number) {
    this.#freeAt = new Float64Array(servers)
  }

  /** Serves a customer that arrives `now`; returns when its service starts. */
  serve(now: number, service: number): number {
    let first = 0
    for (let i = 1; i < this.#freeAt.length; i++)
      if ((this.#freeAt[i] as number) < (this.#freeAt[first] as number)) first = i
    const start = Math.max(now, this.#freeAt[first] as number)
    this.#freeAt[first] = start + service
    this.busy += service
    return start
  }
}

/**
 * The containers of the cloud, as OpenWhisk keeps them (paper sections 3.3 and 4.3): a container belongs to one task;
 * the one used last is used first; it is stopped when it has been idle for the keep-alive time. Only running functions
 * need a core.
 */
export class ContainerPool {
  /** For every task, since when each idle container is idle, oldest first. */
  readonly #idleSince: number[][]
  readonly #cloud: Model['cloud']
  #busy = 0
  #idleMs = 0
  #busyMs = 0

  constructor(cloud: Model['cloud'], tasks: number) {
    this.#cloud = cloud
    this.#idleSince = Array.from({ length: tasks }, () => [])
  }

  /** Whether a function can start now. */
  get hasRoom(): boolean {
    return this.#busy < this.#cloud.slots
  }

  /** Takes a container for a task; returns whether it must be started first. Call only when there is room. */
  acquire(task: number, now: number): boolean {
    this.#busy++
    const idle = this.#idleSince[task] as number[]
    const since = idle.at(-1)
    if (since === undefined) return true
    // when the one used last has expired, so have all
    if (now - since > this.#cloud.keepAliveMs) {
      this.#idleMs += idle.length * this.#cloud.keepAliveMs
      idle.length = 0
      return true
    }
    idle.pop()
    this.#idleMs += now - since
    return false
  }

  /** Gives a container back after it was held for `held` ms. */
  release(task: number, now: number, held: number): void {
    this.#busy--
    this.#busyMs += held
    ;(this.#idleSince[task] as number[]).push(now)
  }

  /** Core time of all containers until `end`, idle time included, in ms. */
  coreTime(end: number): number {
    let idle = this.#idleMs
    for (const since of this.#idleSince)
      for (const each of since) idle += Math.max(0, Math.min(this.#cloud.keepAliveMs, end - each))
    return idle + this.#busyMs
  }
}
