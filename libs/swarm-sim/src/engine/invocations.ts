/** Invocations: from when their inputs are complete, through waiting for a core or container, to their end. */
import type { Statistics, TaskTimes } from '../figures/statistics.ts'
import type { TaskWiring } from '../model/wiring.ts'
import { sample } from '../random.ts'
import type { Agenda } from './agenda.ts'
import { CloudCores } from './cloud-cores.ts'
import type { ContainerPool } from './container-pool.ts'
import { type Context, settle } from './context.ts'
import type { DeviceServers } from './device-servers.ts'
import { Gate } from './gate.ts'
import { CALLED, DISPATCHED, DONE } from './kinds.ts'
import type { Outputs } from './outputs.ts'
import {
  ASKED_AT,
  DUE_AT,
  EXECUTION,
  LANE,
  LINK,
  MANAGEMENT,
  NO_LINK,
  PRODUCED_AT,
  SEQ,
  SERVER,
  SERVICE,
  TASK,
  type Tokens,
} from './tokens.ts'

/** A sensor has its inputs: its stream begins. Takes the token. */
type Sense = (token: number, wiring: TaskWiring) => void

export class Invocations {
  readonly gate: Gate | null
  private readonly context: Context
  private readonly tokens: Tokens
  private readonly agenda: Agenda
  private readonly statistics: Statistics
  private readonly servers: DeviceServers
  private readonly pool: ContainerPool
  private readonly dispatchMs: number
  private readonly wiring: readonly TaskWiring[]
  private readonly tasks: readonly TaskTimes[]
  private readonly speeds: Float64Array
  private readonly cores: CloudCores
  private readonly sense: Sense
  /** Whether anything watches or changes the run: faults, devices that go down, a host, a timeline, traces, training. */
  private isSpecial = false
  /** Set once there are both. */
  outputs!: Outputs

  constructor(context: Context, sense: Sense) {
    const { model, tokens, wiring } = context
    this.context = context
    this.tokens = tokens
    this.agenda = context.agenda
    this.statistics = context.statistics
    this.servers = context.servers
    this.pool = context.pool
    this.dispatchMs = model.cloud.dispatchMs
    this.wiring = wiring
    this.tasks = context.statistics.tasks
    this.sense = sense
    this.speeds = Float64Array.from(model.classOf, (each) => model.classes[each]?.cpuSpeed ?? 1)
    this.cores = new CloudCores(model, tokens, wiring)
    this.gate = Gate.of(model.serial, wiring, tokens, (token) => this.admitted(token))
  }

  /** To be called once the context is complete. */
  prepare(): void {
    const { faults, devices, host, timeline, tracer, learning, acknowledgements, backlog } = this.context
    const parts = [devices, host, timeline, tracer, learning, acknowledgements, backlog]
    this.isSpecial = faults.touchesFunctions || parts.some((part) => part !== null)
  }

  /** All inputs of an invocation are there since its `ASKED_AT`: the token holds the chain so far, the last hop included. */
  ready(token: number): void {
    const { ints, times } = this.tokens
    const row = token << 3
    const index = ints[row | TASK] as number
    const wiring = this.wiring[index] as TaskWiring
    const { now } = this.agenda
    const arrivedAt = times[row | ASKED_AT] as number
    const hop = arrivedAt - (times[row | PRODUCED_AT] as number)
    const sums = this.tasks[index] as TaskTimes
    if (this.isSpecial && this.context.tracer !== null) this.context.tracer.ready(token, hop)
    if (ints[row | LINK] === NO_LINK) sums.network += hop
    else sums.dataExchange += hop
    if (arrivedAt !== now) {
      this.waited(token, sums, now - arrivedAt)
      times[row | ASKED_AT] = now
    }
    if (wiring.isPlain) this.start(token, index, wiring, sums)
    else if (wiring.isSensor) this.sense(token, wiring)
    else {
      times[row | DUE_AT] = now + wiring.deadlineMs
      if (this.gate === null || this.gate.enter(token)) this.start(token, index, wiring, sums)
    }
  }

  /** The gate lets an invocation in that had to wait. */
  private admitted(token: number): void {
    const { tokens, agenda } = this.context
    const index = tokens.task(token)
    if (this.isTooLate(token)) {
      this.giveUp(token)
      return
    }
    const sums = this.tasks[index] as TaskTimes
    this.waited(token, sums, agenda.now - tokens.time(token, ASKED_AT))
    this.start(token, index, this.wiring[index] as TaskWiring, sums)
  }

  /** Starts an invocation again whose device is back, or has a successor. */
  restart(token: number): void {
    const index = this.context.tokens.task(token)
    this.start(token, index, this.wiring[index] as TaskWiring, this.tasks[index] as TaskTimes)
  }

  private start(token: number, index: number, wiring: TaskWiring, sums: TaskTimes): void {
    const { ints } = this.tokens
    const row = token << 3
    const lane = ints[row | LANE] as number
    const seq = ints[row | SEQ] as number
    const { draws } = wiring
    const drawn =
      draws === null
        ? sample(wiring.service, wiring.services[lane] as number, seq)
        : (draws[lane * wiring.numbers + seq] as number)
    if (this.isSpecial) {
      this.startSpecially(token, index, wiring, sums, drawn)
      return
    }
    const { times } = this.tokens
    const took = wiring.onDevice ? drawn / (this.speeds[lane] as number) : drawn
    times[row | SERVICE] = took
    times[row | EXECUTION] = (times[row | EXECUTION] as number) + took
    sums.execution += took
    if (wiring.inCloud) this.invoke(token)
    else if (wiring.onDevice) this.compute(token, lane, index, wiring)
    else if (wiring.inNode) this.call(token)
    else this.agenda.push(DONE, this.agenda.now + took, token)
  }

  /** The same where functions may fail or be slow, devices may be down, or a model is trained. */
  private startSpecially(
    token: number,
    index: number,
    wiring: TaskWiring,
    sums: TaskTimes,
    drawn: number,
  ): void {
    const { tokens, pool } = this
    const { learning, faults, devices } = this.context
    const lane = tokens.lane(token)
    const isTraining = learning?.trains(index) ?? false
    // the number of a training is how many decisions it learns from
    const ms = isTraining ? drawn * tokens.seq(token) : drawn
    if (!wiring.inCloud && !wiring.onDevice) {
      this.takes(token, sums, ms, ms)
      if (wiring.inNode) this.call(token)
      else this.agenda.push(DONE, this.agenda.now + ms, token)
      return
    }
    if (wiring.onDevice) {
      const device = devices === null ? lane : devices.deviceFor(token, false)
      if (device < 0) return
      const share = devices === null ? 1 : devices.shareLeft(token)
      devices?.takes(device, token, 'core', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
      const took = (ms * share) / (this.speeds[device] as number)
      this.takes(token, sums, took, took)
      this.compute(token, device, index, wiring)
      return
    }
    if (isTraining || !faults.touchesFunctions) this.takes(token, sums, ms, ms)
    else {
      const { startingMs, besideMs, tookMs } = faults.ofFunction(
        index,
        lane,
        tokens.seq(token),
        ms,
        wiring.service,
      )
      this.waited(token, sums, startingMs)
      pool.hold(besideMs)
      this.takes(token, sums, tookMs, tookMs - startingMs)
    }
    this.invoke(token)
  }

  /** An invocation takes `took` ms once it has its server or warm container, `own` of them executing. */
  private takes(token: number, sums: TaskTimes, took: number, own: number): void {
    this.tokens.times[(token << 3) | SERVICE] = took
    this.tokens.add(token, EXECUTION, own)
    sums.execution += own
  }

  /** Asks for a server of a device. */
  private compute(token: number, device: number, index: number, wiring: TaskWiring): void {
    const { tokens, agenda, servers } = this
    const { times } = tokens
    const row = token << 3
    const group = servers.groupOf(device, index)
    const free = servers.free[group] as number
    if (free === 0) {
      times[row | ASKED_AT] = agenda.now
      servers.lines.push(group, token)
      return
    }
    if (this.isSpecial) {
      servers.free[group] = free - 1
      times[row | ASKED_AT] = agenda.now
      this.occupy(token, group)
      return
    }
    const took = times[row | SERVICE] as number
    if (took === 0 && wiring.isLast && wiring.isPlain) {
      // an end that nothing follows can be now
      this.statistics.ended(index, agenda.now - (times[row | PRODUCED_AT] as number), agenda.now)
      if (wiring.settles) settle(this.context, token)
      tokens.release(token)
      return
    }
    servers.free[group] = free - 1
    servers.busyMs[device] = (servers.busyMs[device] as number) + took
    tokens.ints[row | SERVER] = group
    agenda.push(DONE, agenda.now + took, token)
  }

  /** An invocation has a server of a device. */
  private occupy(token: number, group: number): void {
    const { tokens, agenda, servers } = this
    const { times } = tokens
    const { now } = agenda
    const row = token << 3
    const took = times[row | SERVICE] as number
    const device = servers.device(group)
    tokens.ints[row | SERVER] = group
    this.waited(token, this.tasks[tokens.task(token)] as TaskTimes, now - (times[row | ASKED_AT] as number))
    servers.busyMs[device] = (servers.busyMs[device] as number) + took
    if (this.isSpecial) {
      const { host, timeline, devices } = this.context
      if (host !== null) {
        times[row | ASKED_AT] = now
        host.execute(token, took)
        return
      }
      timeline?.computes(device, now, now + took)
      devices?.begins(token, now, now + took)
    }
    agenda.push(DONE, now + took, token)
  }

  /** A server of a group is free: the next invocation gets it. */
  private freeServer(group: number): void {
    const { servers } = this
    for (;;) {
      const next = servers.lines.shift(group)
      if (next < 0) {
        servers.release(group)
        return
      }
      if (this.isSpecial) this.context.backlog?.changed(servers.device(group))
      if (!this.isTooLate(next)) {
        this.occupy(next, group)
        return
      }
      this.uncount(next)
      this.giveUp(next)
    }
  }

  /** A task has kept its server until its output was acknowledged. */
  freeServerOf(device: number, task: number): void {
    this.freeServer(this.servers.groupOf(device, task))
  }

  /** Calls a function of the edge node that serves the device. */
  private call(token: number): void {
    const { agenda } = this
    const { nodes } = this.context.model
    this.waited(token, this.tasks[this.tokens.task(token)] as TaskTimes, nodes?.callMs ?? 0)
    agenda.push(CALLED, agenda.now + (nodes?.callMs ?? 0), token)
  }

  /** An edge node has taken a call: it asks for a core. */
  called(token: number): void {
    const { tokens, servers } = this
    const index = tokens.task(token)
    this.compute(token, servers.nodeOf(tokens.lane(token)), index, this.wiring[index] as TaskWiring)
  }

  /** Asks for a cloud function. */
  private invoke(token: number): void {
    const { agenda, dispatchMs } = this
    this.tokens.times[(token << 3) | ASKED_AT] = agenda.now
    if (dispatchMs === 0) this.dispatched(token)
    else if (this.isSpecial && this.context.host !== null) this.context.host.dispatch(token, dispatchMs)
    else agenda.push(DISPATCHED, agenda.now + dispatchMs, token)
  }

  /** A cloud function has been dispatched: it asks for a core. */
  dispatched(token: number): void {
    if (this.cores.enter(token)) this.begin(token)
  }

  /** A cloud function has a core, and takes a container. */
  private begin(token: number): void {
    const { agenda, pool } = this
    const { ints, times } = this.tokens
    const { now } = agenda
    const row = token << 3
    const index = ints[row | TASK] as number
    const coldMs = pool.acquire(index, now) ? this.startOf(row, index) : 0
    const waited = now - (times[row | ASKED_AT] as number) + coldMs
    if (waited > 0) this.waited(token, this.tasks[index] as TaskTimes, waited)
    const ms = coldMs + (times[row | SERVICE] as number)
    if (this.isSpecial && this.context.host !== null) {
      times[row | ASKED_AT] = now
      this.context.host.execute(token, ms)
      return
    }
    pool.hold(ms)
    agenda.push(DONE, now + ms, token)
  }

  /** Time to start a container for the invocation of a token, in ms. */
  private startOf(row: number, index: number): number {
    const { start, starts } = this.wiring[index] as TaskWiring
    const { ints } = this.tokens
    return sample(start, starts[ints[row | LANE] as number] as number, ints[row | SEQ] as number)
  }

  /** Starts waiting functions while there are cores for them. */
  private startWaiting(): void {
    while (!this.cores.isEmpty) {
      const token = this.cores.next()
      if (token < 0) return
      if (!this.isTooLate(token)) {
        this.begin(token)
        continue
      }
      this.cores.leave(token)
      this.uncount(token)
      this.giveUp(token)
    }
  }

  /** The host has done the work of an invocation. */
  executed(token: number): void {
    const { tokens, agenda, pool, timeline } = this.context
    const index = tokens.task(token)
    const { now } = agenda
    const took = now - tokens.time(token, ASKED_AT)
    const work = tokens.time(token, SERVICE)
    this.waited(token, this.tasks[index] as TaskTimes, took - work)
    if ((this.wiring[index] as TaskWiring).inCloud) pool.hold(took)
    else timeline?.computes(tokens.lane(token), now - took, now, work)
    this.done(token)
  }

  /** An invocation has ended. */
  done(token: number): void {
    const { context, tokens, pool } = this
    if (this.isSpecial && context.devices !== null && !context.devices.leaves(token)) return
    const { now } = this.agenda
    const row = token << 3
    const index = tokens.ints[row | TASK] as number
    const wiring = this.wiring[index] as TaskWiring
    this.statistics.ended(index, now - (tokens.times[row | PRODUCED_AT] as number), now)
    if (wiring.settles) settle(context, token)
    if (!wiring.isPlain && now > tokens.time(token, DUE_AT)) (this.tasks[index] as TaskTimes).late++
    if (this.isSpecial) this.noteEnd(token, wiring)
    if (wiring.inCloud) {
      pool.release(index, now)
      this.cores.leave(token)
    } else if (
      (wiring.onDevice || wiring.inNode) &&
      !(this.isSpecial && (context.acknowledgements?.keepsServer(token) ?? false))
    )
      this.freeServer(tokens.ints[row | SERVER] as number)
    if (wiring.isGated && this.gate !== null) this.gate.leave(token)
    tokens.ints[row | LINK] = NO_LINK
    tokens.times[row | PRODUCED_AT] = now
    if (wiring.emitsOne) this.outputs.deliver(token, wiring)
    else if (wiring.filters) this.outputs.filter(token, wiring)
    else this.outputs.deliverAll(token, wiring)
    if (wiring.inCloud && !this.cores.isEmpty) this.startWaiting()
  }

  private noteEnd(token: number, wiring: TaskWiring): void {
    const { context, tokens, agenda } = this
    // of items that devices may lose, a task that ends later and counts instead may never do so
    if (context.devices !== null && !wiring.settles && !wiring.task.swarmWide) settle(context, token)
    context.learning?.ended(tokens.task(token), tokens.lane(token))
    context.tracer?.done(token, agenda.now)
  }

  private waited(token: number, sums: TaskTimes, ms: number): void {
    if (ms === 0) return
    this.tokens.add(token, MANAGEMENT, ms)
    sums.management += ms
  }

  private isTooLate(token: number): boolean {
    const { task } = this.wiring[this.tokens.task(token)] as TaskWiring
    return task.dropsLate && this.agenda.now > this.tokens.time(token, DUE_AT)
  }

  /** Takes back the execution time of an invocation that was given up before it began. */
  private uncount(token: number): void {
    const { tokens, devices } = this.context
    const sums = this.tasks[tokens.task(token)] as TaskTimes
    sums.execution -= tokens.time(token, SERVICE)
    devices?.leaves(token)
  }

  /** An invocation will not begin: its items are lost. Takes the token. */
  private giveUp(token: number): void {
    const { tokens, origins, statistics } = this.context
    ;(this.tasks[tokens.task(token)] as TaskTimes).dropped++
    for (const item of origins.listOf(tokens.origin(token))) statistics.lose(item)
    this.gate?.leave(token)
    this.outputs.skipBelow(tokens.task(token), tokens.lane(token), tokens.seq(token))
    tokens.release(token)
  }
}
