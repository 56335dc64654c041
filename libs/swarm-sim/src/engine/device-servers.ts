/** The cores of the devices and of the edge nodes that serve them, with a waiting line for each group of equal ones. */
import type { Model, ModelClass, ModelTask } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import type { Tokens } from './tokens.ts'
import { WaitingLines } from './waiting-lines.ts'

/** The groups of servers of a class: how many servers each has, and the group of each task. */
interface Layout {
  servers: number[]
  groupOf: number[]
}

/**
 * Tasks share the cores of their device; where each has a process of its own (`serverPerTask`), it has a server of its own.
 * An isolated task has a core of its own where the device has more cores than isolated tasks.
 */
function layoutOf(
  { serverPerTask, cores }: Pick<ModelClass, 'serverPerTask' | 'cores'>,
  { tasks }: Model,
  at: ModelTask['hardware'],
): Layout {
  if (serverPerTask) return { servers: tasks.map(() => 1), groupOf: tasks.map((_, index) => index) }
  const isolated = tasks.map(({ isIsolated, hardware, gap }) => isIsolated && hardware === at && gap === null)
  const count = isolated.filter(Boolean).length
  if (cores <= count) return { servers: [cores], groupOf: tasks.map(() => 0) }
  let groups = 1
  return {
    servers: [cores - count, ...Array.from({ length: count }, () => 1)],
    groupOf: isolated.map((own) => (own ? groups++ : 0)),
  }
}

export class DeviceServers {
  /** Servers of each group that are free. */
  readonly free: Int32Array
  /** For every device, and then for every edge node: ms that its cores have worked, or are going to. */
  readonly busyMs: Float64Array
  readonly lines: WaitingLines
  private readonly servers: Int32Array
  /** First group of each device, and the device of each group; edge nodes come behind the devices, as devices of a further class. */
  private readonly first: Int32Array
  private readonly deviceOf: Int32Array
  /** For every class and task: the group within its device. */
  private readonly groups: Int32Array
  private readonly classOf: Int32Array
  private readonly tasks: number
  private readonly devices: number
  private readonly nodes: readonly number[]

  constructor(model: Model, tokens: Tokens, wiring: readonly TaskWiring[]) {
    const { nodes } = model
    const layouts = model.classes.map((each) => layoutOf(each, model, 'devices'))
    if (nodes) layouts.push(layoutOf({ serverPerTask: false, cores: nodes.cores }, model, 'nodes'))
    const servers: number[] = []
    const deviceOf: number[] = []
    this.tasks = model.tasks.length
    this.devices = model.classOf.length
    this.nodes = nodes?.nodeOf ?? []
    this.classOf = Int32Array.from([
      ...model.classOf,
      ...Array.from({ length: nodes?.count ?? 0 }, () => model.classes.length),
    ])
    this.groups = Int32Array.from(layouts.flatMap(({ groupOf }) => groupOf))
    this.first = this.classOf.map((each, device) => {
      const first = servers.length
      for (const count of (layouts[each] as Layout).servers) {
        servers.push(count)
        deviceOf.push(device)
      }
      return first
    })
    this.servers = Int32Array.from(servers)
    this.deviceOf = Int32Array.from(deviceOf)
    this.free = this.servers.slice()
    this.busyMs = new Float64Array(this.classOf.length)
    this.lines = new WaitingLines(servers.length, tokens, wiring)
  }

  /** The group of servers of a task on a device. */
  groupOf(device: number, task: number): number {
    const own = this.groups[(this.classOf[device] as number) * this.tasks + task] as number
    return (this.first[device] as number) + own
  }

  /** The edge node that serves a device, numbered behind the devices. */
  nodeOf(device: number): number {
    return this.devices + (this.nodes[device] as number)
  }

  /** The device that a group belongs to. */
  device(group: number): number {
    return this.deviceOf[group] as number
  }

  /** Invocations that wait for a server of a device. */
  waitingOn(device: number): number {
    const end = this.first[device + 1] ?? this.servers.length
    let count = 0
    for (let group = this.first[device] as number; group < end; group++)
      count += this.lines.lengths[group] as number
    return count
  }

  /** A server of a group is free again. */
  release(group: number): void {
    this.free[group] = (this.free[group] as number) + 1
  }

  /** Frees all servers of a device, which has gone down; returns the tokens that waited for them. */
  stop(device: number): number[] {
    const waiting: number[] = []
    const end = this.first[device + 1] ?? this.servers.length
    for (let group = this.first[device] as number; group < end; group++) {
      this.free[group] = this.servers[group] as number
      for (let token = this.lines.shift(group); token >= 0; token = this.lines.shift(group))
        waiting.push(token)
    }
    return waiting
  }
}
