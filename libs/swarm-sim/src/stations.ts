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

interface IdleStack {
  /** Since when each idle container is idle, oldest first. */
  since: number[]
  /** Containers below this index are gone. */
  bottom: number
}

/**
 * The containers of the cloud, as OpenWhisk keeps them (paper sections 3.3 and 4.3): a container belongs to one task
 * and holds one core, idle or not; the one used last is used first; it is stopped when it has been idle for the
 * keep-alive time, or when another task needs its core.
 */
export class ContainerPool {
  readonly #idle: IdleStack[]
  readonly #cloud: Model['cloud']
  #busy = 0
  #idleCount = 0
  #idleMs = 0
  #busyMs = 0
  coldStarts = 0

  constructor(cloud: Model['cloud'], tasks: number) {
    this.#cloud = cloud
    this.#idle = Array.from({ length: tasks }, () => ({ since: [], bottom: 0 }))
  }

  /** Whether a function can start now. */
  get hasRoom(): boolean {
    return this.#busy < this.#cloud.slots
  }

  /** Takes a container for a task; returns whether it must be started first. Call only when there is room. */
  acquire(task: number, now: number): boolean {
    const stack = this.#idle[task] as IdleStack
    this.#busy++
    if (stack.since.length > stack.bottom) {
      const since = stack.since[stack.since.length - 1] as number
      if (now - since <= this.#cloud.keepAliveMs) {
        stack.since.pop()
        this.#idleCount--
        this.#idleMs += now - since
        return false
      }
    }
    if (this.#busy + this.#idleCount > this.#cloud.slots) this.#makeRoom(now)
    this.coldStarts++
    return true
  }

  /** Gives a container back after it was held for `held` ms. */
  release(task: number, now: number, held: number): void {
    this.#busy--
    this.#busyMs += held
    ;(this.#idle[task] as IdleStack).since.push(now)
    this.#idleCount++
  }

  /** Core time of all containers until `end`, idle time included, in ms. */
  coreTime(end: number): number {
    let idle = this.#idleMs
    for (const { since, bottom } of this.#idle)
      for (let i = bottom; i < since.length; i++)
        idle += Math.max(0, Math.min(this.#cloud.keepAliveMs, end - (since[i] as number)))
    return idle + this.#busyMs
  }

  /** Forgets expired containers; when none has expired, stops the one that has been idle longest. */
  #makeRoom(now: number): void {
    const keep = this.#cloud.keepAliveMs
    let oldest: IdleStack | undefined
    let expired = false
    for (const stack of this.#idle) {
      for (
        ;
        stack.bottom < stack.since.length && now - (stack.since[stack.bottom] as number) > keep;
        expired = true
      )
        this.#drop(stack, keep)
      const since = stack.since[stack.bottom]
      if (since !== undefined && (!oldest || since < (oldest.since[oldest.bottom] as number))) oldest = stack
    }
    if (!expired && oldest) this.#drop(oldest, now - (oldest.since[oldest.bottom] as number))
  }

  #drop(stack: IdleStack, idled: number): void {
    stack.bottom++
    this.#idleCount--
    this.#idleMs += idled
    if (stack.bottom === stack.since.length) {
      stack.since.length = 0
      stack.bottom = 0
    }
  }
}
