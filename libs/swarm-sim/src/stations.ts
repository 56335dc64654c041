/** What items wait for: the air of an access point, the cores of a device, the containers of the cloud. */
import { doubled } from './arrays.ts'
import type { Model, ModelClass } from './model/model.ts'

/** Groups of equal servers, such as the cores of every device: each group serves first come, first served. */
export class Stations {
  /** For every group the time its servers have worked, then when each of them will be free. */
  private readonly rows: Float64Array
  private readonly width: number
  private readonly groups: number

  /** Takes the number of servers of each group. */
  constructor(servers: Int32Array) {
    this.groups = servers.length
    let most = 1
    for (const count of servers) most = Math.max(most, count)
    const width = 1 + most
    const rows = new Float64Array(servers.length * width)
    this.width = width
    this.rows = rows
    for (let group = 0; group < servers.length; group++)
      for (let server = 1 + (servers[group] as number); server < width; server++)
        rows[group * width + server] = Number.POSITIVE_INFINITY
  }

  /** Serves a customer that arrives `now`; returns when its service starts. To be asked in the order of time. */
  serve(group: number, now: number, service: number): number {
    const rows = this.rows
    const width = this.width
    const row = group * width
    let server = row + 1
    let freeAt = rows[server] as number
    for (let other = row + 2; other < row + width; other++)
      if ((rows[other] as number) < freeAt) {
        server = other
        freeAt = rows[other] as number
      }
    // Math.max is half as fast here: it looks for NaN and -0.
    const start = freeAt > now ? freeAt : now
    rows[server] = start + service
    rows[row] = (rows[row] as number) + service
    return start
  }

  /** The servers of a group drop all they were to work on after `now`. */
  stop(group: number, now: number): void {
    const row = group * this.width
    this.rows[row] = this.busyUntil(group, now)
    for (let server = row + 1; server < row + this.width; server++)
      if (Number.isFinite(this.rows[server])) this.rows[server] = Math.min(now, this.rows[server] as number)
  }

  /** The time the servers of a group have worked before `now`, in ms. */
  busyUntil(group: number, now: number): number {
    const row = group * this.width
    let busy = this.rows[row] as number
    for (let server = row + 1; server < row + this.width; server++) {
      const free = this.rows[server] as number
      if (Number.isFinite(free)) busy -= Math.max(0, free - now)
    }
    return busy
  }

  /** For every group the time its servers have worked, in ms. */
  busy(): Float64Array {
    const worked = new Float64Array(this.groups)
    for (let group = 0; group < worked.length; group++)
      worked[group] = this.rows[group * this.width] as number
    return worked
  }
}

/** Which group of servers each task of each device is served by: its own, or the one that its tasks share. */
export class ServerGroups {
  /** Servers of each group. */
  readonly servers: Int32Array
  /** First group of each device, and 1 where each task has a group of its own. */
  private readonly first: Int32Array
  private readonly perTask: Uint8Array
  private readonly tasks: number

  constructor({ classOf, classes, tasks }: Model) {
    this.tasks = tasks.length
    this.first = new Int32Array(classOf.length)
    this.perTask = new Uint8Array(classOf.length)
    const most = classes.some(({ serverPerTask }) => serverPerTask) ? tasks.length : 1
    const servers = new Int32Array(classOf.length * most)
    let groups = 0
    for (let device = 0; device < classOf.length; device++) {
      const { serverPerTask, cores } = classes[classOf[device] as number] as ModelClass
      this.first[device] = groups
      if (serverPerTask) {
        this.perTask[device] = 1
        for (let task = 0; task < tasks.length; task++) servers[groups++] = 1
      } else servers[groups++] = cores
    }
    this.servers = servers.subarray(0, groups)
  }

  of(device: number, task: number): number {
    return (this.first[device] as number) + (this.perTask[device] === 1 ? task : 0)
  }

  /** All groups of a device. */
  ofDevice(device: number): number[] {
    const first = this.first[device] as number
    return Array.from({ length: this.perTask[device] === 1 ? this.tasks : 1 }, (_, at) => first + at)
  }

  /** Sums up for each device what is told of each group. */
  byDevice(all: Float64Array): Float64Array {
    const sums = new Float64Array(this.first.length)
    for (let device = 0; device < sums.length; device++) {
      const first = this.first[device] as number
      let sum = all[first] as number
      if (this.perTask[device] === 1)
        for (let task = 1; task < this.tasks; task++) sum += all[first + task] as number
      sums[device] = sum
    }
    return sums
  }
}

/** What the devices compute with, when it is known beforehand how long each invocation takes. */
export class Cores {
  private readonly groups: ServerGroups
  private readonly stations: Stations

  constructor(model: Model) {
    this.groups = new ServerGroups(model)
    this.stations = new Stations(this.groups.servers)
  }

  /** Serves a task of a device; returns when it starts. To be asked in the order of time. */
  serve(device: number, task: number, now: number, service: number): number {
    return this.stations.serve(this.groups.of(device, task), now, service)
  }

  /** The cores of a device drop all they were to work on after `now`. */
  stop(device: number, now: number): void {
    for (const group of this.groups.ofDevice(device)) this.stations.stop(group, now)
  }

  /** The time the cores of a device have worked before `now`, in ms. */
  busyUntil(device: number, now: number): number {
    const groups = this.groups.ofDevice(device)
    return groups.reduce((sum, group) => sum + this.stations.busyUntil(group, now), 0)
  }

  /** For every device the time its cores have worked, in ms. */
  busy(): Float64Array {
    return this.groups.byDevice(this.stations.busy())
  }
}

/**
 * The containers of the cloud, as OpenWhisk keeps them (paper sections 3.3 and 4.3): a container belongs to one task;
 * the one used last is used first; it is stopped when it has been idle for the keep-alive time. Only running functions
 * need a core.
 */
export class ContainerPool {
  /** For every task, since when each idle container is idle, oldest first. */
  private readonly idleSince: Stack[]
  private readonly cloud: Model['cloud']
  private busy = 0
  private idleMs = 0
  private busyMs = 0

  constructor(cloud: Model['cloud'], tasks: number) {
    this.cloud = cloud
    this.idleSince = Array.from({ length: tasks }, () => new Stack())
  }

  /** Whether a function can start now. */
  get hasRoom(): boolean {
    return this.busy < this.cloud.slots
  }

  /** Takes a container for a task; returns whether it must be started first. Call only when there is room. */
  acquire(task: number, now: number): boolean {
    this.busy++
    const idle = this.idleSince[task] as Stack
    if (idle.size === 0) return true
    // one that has expired is as good as none, and those below it have expired, too
    const idleMs = now - idle.pop()
    const { keepAliveMs } = this.cloud
    this.idleMs += Math.min(idleMs, keepAliveMs)
    return idleMs > keepAliveMs
  }

  /** A container will be held for so many ms. */
  hold(ms: number): void {
    this.busyMs += ms
  }

  /** Gives a container back. */
  release(task: number, now: number): void {
    this.busy--
    ;(this.idleSince[task] as Stack).push(now)
  }

  /** At each of the first `count` times, of at least one, takes a container for a task and gives it back at once. */
  touch(task: number, times: Float64Array, count: number): void {
    const idle = this.idleSince[task] as Stack
    const since = idle.size > 0 ? idle.pop() : (times[0] as number)
    this.idleMs = idledUntil(times, count, { since, idleMs: this.idleMs, mostMs: this.cloud.keepAliveMs })
    idle.push(times[count - 1] as number)
  }

  /** Core time of all containers until `end`, idle time included, in ms. */
  coreTime(end: number): number {
    let idle = this.idleMs
    for (const since of this.idleSince)
      for (const each of since.values()) idle += Math.max(0, Math.min(this.cloud.keepAliveMs, end - each))
    return idle + this.busyMs
  }
}

/** Adds up how long a container was idle before each of the times: no more than `mostMs` each time. */
function idledUntil(
  times: Float64Array,
  count: number,
  { since, idleMs, mostMs }: { since: number; idleMs: number; mostMs: number },
): number {
  let before = since
  let sum = idleMs
  for (let at = 0; at < count; at++) {
    const now = times[at] as number
    const between = now - before
    sum += between < mostMs ? between : mostMs
    before = now
  }
  return sum
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

/** Numbers first in, first out. */
export class Line {
  private ring = new Int32Array(64)
  private head = 0
  private count = 0

  get isEmpty(): boolean {
    return this.count === 0
  }

  push(value: number): void {
    const size = this.ring.length
    if (this.count === size) {
      const larger = new Int32Array(size * 2)
      larger.set(this.ring.subarray(this.head))
      larger.set(this.ring.subarray(0, this.head), size - this.head)
      this.ring = larger
      this.head = 0
    }
    this.ring[(this.head + this.count++) & (this.ring.length - 1)] = value
  }

  /** The one that came first; only when there is one. */
  shift(): number {
    const value = this.ring[this.head] as number
    this.head = (this.head + 1) & (this.ring.length - 1)
    this.count--
    return value
  }
}
