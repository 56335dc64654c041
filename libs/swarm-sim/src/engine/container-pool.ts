/** The containers of cloud functions. */
import { chargedIdleMs } from '@hivemind/swarm'
import { doubled } from '../arrays.ts'
import type { Model } from '../model/model.ts'

/**
 * The containers of the cloud, as OpenWhisk keeps them (paper sections 3.3 and 4.3): a container belongs to one task;
 * the one used last is used first; it is stopped when it has been idle for the keep-alive time. Only running functions
 * need a core.
 */
export class ContainerPool {
  /** For every task, since when each idle container is idle, oldest first. */
  private readonly idleSince: Stack[]
  private readonly cloud: Model['cloud']
  private idleMs = 0
  private busyMs = 0

  constructor(cloud: Model['cloud'], tasks: number) {
    this.cloud = cloud
    this.idleSince = Array.from({ length: tasks }, () => new Stack())
  }

  /** Takes a container for a task; returns whether it must be started first. */
  acquire(task: number, now: number): boolean {
    const idle = this.idleSince[task] as Stack
    if (idle.size === 0) return true
    // one that has expired is as good as none, and those below it have expired, too
    const idleMs = now - idle.pop()
    const { keepAliveMs } = this.cloud
    this.idleMs += chargedIdleMs(idleMs, keepAliveMs)
    return idleMs > keepAliveMs
  }

  /** A container will be held for so many ms. */
  hold(ms: number): void {
    this.busyMs += ms
  }

  /** Gives a container back. */
  release(task: number, now: number): void {
    ;(this.idleSince[task] as Stack).push(now)
  }

  /** Core time of all containers until `end`, idle time included, in ms. */
  coreTime(end: number): number {
    let idle = this.idleMs
    for (const since of this.idleSince)
      for (const each of since.values()) idle += chargedIdleMs(end - each, this.cloud.keepAliveMs)
    return idle + this.busyMs
  }
}

/** Numbers last in, first out. */
class Stack {
  size = 0
  private held = new Float64Array(64)

  push(value: number): void {
    if (this.size === this.held.length) this.held = doubled(this.held)
    this.held[this.size++] = value
  }

  /** The one that came last; only when there is one. */
  pop(): number {
    return this.held[--this.size] as number
  }

  /** All of them, the first one first. */
  values(): Float64Array {
    return this.held.subarray(0, this.size)
  }
}
