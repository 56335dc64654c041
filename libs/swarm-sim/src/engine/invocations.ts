/** Invocations: from when their inputs are complete, through waiting for a core or container, to their end. */
import type { TaskTimes } from '../figures/statistics.ts'
import type { TaskWiring } from '../model/wiring.ts'
import { sample } from '../random.ts'
import { CloudCores } from './cloud-cores.ts'
import { type Context, settle } from './context.ts'
import { Gate } from './gate.ts'
import { DISPATCHED, DONE } from './kinds.ts'
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
} from './tokens.ts'

/** A sensor has its inputs: its stream begins. Takes the token. */
type Sense = (token: number, wiring: TaskWiring) => void

export class Invocations {
  readonly gate: Gate | null
  private readonly context: Context
  private readonly wiring: readonly TaskWiring[]
  private readonly tasks: readonly TaskTimes[]
  private readonly speeds: Float64Array
  private readonly cores: CloudCores
  private readonly sense: Sense
  /** Set once there are both. */
  outputs!: Outputs

  constructor(context: Context, sense: Sense) {
    const { model, tokens, wiring } = context
    this.context = context
    this.wiring = wiring
    this.tasks = context.statistics.tasks
    this.sense = sense
    this.speeds = Float64Array.from(model.classOf, (each) => model.classes[each]?.cpuSpeed ?? 1)
    this.cores = new CloudCores(model, tokens, wiring)
    this.gate = Gate.of(model.serial, wiring, tokens, (token) => this.admitted(token))
  }

  /** All inputs of an invocation are there since `arrivedAt`: the token holds the chain so far, the last hop included. */
  ready(token: number, arrivedAt: number): void {
    const { tokens, agenda, tracer } = this.context
    const { ints, times } = tokens
    const row = token << 3
    const index = ints[row | TASK] as number
    const wiring = this.wiring[index] as TaskWiring
    const { now } = agenda
    const hop = arrivedAt - (times[row | PRODUCED_AT] as number)
    const sums = this.tasks[index] as TaskTimes
    if (tracer !== null) tracer.ready(token, hop)
    if (ints[row | LINK] === NO_LINK) sums.network += hop
    else sums.dataExchange += hop
    if (arrivedAt !== now) this.waited(token, sums, now - arrivedAt)
    times[row | ASKED_AT] = now
    if (wiring.isPlain) this.start(token, index, wiring, sums)
    else if (wiring.isSensor) this.sense(token, wiring)
    else {
      times[row | DUE_AT] = arrivedAt + wiring.deadlineMs
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
    const { tokens, learning } = this.context
    const row = token << 3
    const lane = tokens.ints[row | LANE] as number
    const seq = tokens.ints[row | SEQ] as number
    const { draws, task } = wiring
    let drawn =
      draws === null
        ? sample(wiring.service, wiring.services[lane] as number, seq)
        : (draws[lane * task.invocations + seq] as number)
    // the number of a training is how many decisions it learns from
    if (learning?.trains(index)) drawn *= seq
    if (wiring.inCloud) this.invoke(token, index, wiring, sums, drawn)
    else this.compute(token, index, wiring, sums, drawn)
  }

  /** Asks for a server of a device. */
  private compute(token: number, index: number, wiring: TaskWiring, sums: TaskTimes, drawn: number): void {
    const { tokens, agenda, devices, servers, host } = this.context
    const row = token << 3
    const lane = tokens.ints[row | LANE] as number
    let device = lane
    let took = drawn
    if (devices !== null) {
      device = devices.deviceFor(token, false)
      if (device < 0) return
      took *= devices.shareLeft(token)
      devices.takes(device, token, 'core', Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY)
    }
    took /= this.speeds[device] as number
    const { times } = tokens
    times[row | EXECUTION] = (times[row | EXECUTION] as number) + took
    sums.execution += took
    const group = servers.groupOf(device, index)
    if (servers.free[group] === 0) {
      times[row | SERVICE] = took
      times[row | ASKED_AT] = agenda.now
      servers.lines.push(group, token)
      return
    }
    servers.free[group] = (servers.free[group] as number) - 1
    if (devices === null && host === null && this.context.timeline === null) {
      tokens.ints[row | SERVER] = group
      servers.busyMs[device] = (servers.busyMs[device] as number) + took
      // an end that nothing follows can be now
      if (took === 0 && wiring.isLast && wiring.isPlain) this.done(token)
      else agenda.push(DONE, agenda.now + took, token)
      return
    }
    times[row | SERVICE] = took
    times[row | ASKED_AT] = agenda.now
    this.occupy(token, group)
  }

  /** An invocation has a server of a device. */
  private occupy(token: number, group: number): void {
    const { tokens, agenda, servers, host, timeline, devices } = this.context
    const { now } = agenda
    const row = token << 3
    const took = tokens.times[row | SERVICE] as number
    const device = servers.device(group)
    tokens.ints[row | SERVER] = group
    this.waited(token, this.tasks[tokens.task(token)] as TaskTimes, now - tokens.time(token, ASKED_AT))
    servers.busyMs[device] = (servers.busyMs[device] as number) + took
    if (host !== null) {
      tokens.times[row | ASKED_AT] = now
      host.execute(token, took)
      return
    }
    if (timeline !== null) timeline.computes(device, now, now + took)
    if (devices !== null) devices.begins(token, now, now + took)
    agenda.push(DONE, now + took, token)
  }

  /** A server of a group is free: the next invocation gets it. */
  private freeServer(group: number): void {
    const { servers } = this.context
    for (;;) {
      const next = servers.lines.shift(group)
      if (next < 0) {
        servers.release(group)
        return
      }
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
    this.freeServer(this.context.servers.groupOf(device, task))
  }

  /** Asks for a cloud function that takes so many ms in a warm container, unless it is slowed down or fails. */
  private invoke(token: number, index: number, wiring: TaskWiring, sums: TaskTimes, drawn: number): void {
    const { tokens, agenda, faults, pool, host, model, learning } = this.context
    const row = token << 3
    let took = drawn
    let own = drawn
    if (faults.touchesFunctions && !(learning?.trains(index) ?? false)) {
      const { startingMs, besideMs, tookMs } = faults.ofFunction(
        index,
        tokens.lane(token),
        tokens.seq(token),
        drawn,
        wiring.service,
      )
      this.waited(token, sums, startingMs)
      pool.hold(besideMs)
      took = tookMs
      own = took - startingMs
    }
    const { times } = tokens
    times[row | EXECUTION] = (times[row | EXECUTION] as number) + own
    sums.execution += own
    times[row | SERVICE] = took
    times[row | ASKED_AT] = agenda.now
    const { dispatchMs } = model.cloud
    if (dispatchMs === 0) this.dispatched(token)
    else if (host !== null) host.dispatch(token, dispatchMs)
    else agenda.push(DISPATCHED, agenda.now + dispatchMs, token)
  }

  /** A cloud function has been dispatched: it asks for a core. */
  dispatched(token: number): void {
    if (this.cores.enter(token)) this.begin(token)
  }

  /** A cloud function has a core, and takes a container. */
  private begin(token: number): void {
    const { tokens, agenda, pool, model, host } = this.context
    const { now } = agenda
    const row = token << 3
    const index = tokens.ints[row | TASK] as number
    const coldMs = pool.acquire(index, now) ? model.cloud.coldStartMs : 0
    const waited = now - (tokens.times[row | ASKED_AT] as number) + coldMs
    if (waited > 0) this.waited(token, this.tasks[index] as TaskTimes, waited)
    const ms = coldMs + (tokens.times[row | SERVICE] as number)
    if (host !== null) {
      tokens.times[row | ASKED_AT] = now
      host.execute(token, ms)
      return
    }
    pool.hold(ms)
    agenda.push(DONE, now + ms, token)
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
    const { context } = this
    const { tokens, agenda, statistics, devices, pool } = context
    if (devices !== null && !devices.leaves(token)) return
    const { now } = agenda
    const { ints, times } = tokens
    const row = token << 3
    const index = ints[row | TASK] as number
    const wiring = this.wiring[index] as TaskWiring
    statistics.ended(index, now - (times[row | PRODUCED_AT] as number), now)
    // of items that devices may lose, a task that ends later and counts instead may never do so
    if (wiring.settles || (devices !== null && !wiring.task.swarmWide)) settle(context, token)
    if (!wiring.isPlain && now > (times[row | DUE_AT] as number)) (this.tasks[index] as TaskTimes).late++
    if (context.learning !== null) context.learning.ended(index, ints[row | LANE] as number)
    if (context.tracer !== null) context.tracer.done(token, now)
    if (wiring.inCloud) {
      pool.release(index, now)
      this.cores.leave(token)
    } else if (context.acknowledgements === null || !context.acknowledgements.keepsServer(token))
      this.freeServer(ints[row | SERVER] as number)
    if (wiring.isGated && this.gate !== null) this.gate.leave(token)
    // more tokens may have been made
    tokens.ints[row | LINK] = NO_LINK
    tokens.times[row | PRODUCED_AT] = now
    if (wiring.task.outputs === 1) this.outputs.deliver(token, wiring)
    else this.outputs.deliverAll(token, wiring)
    if (wiring.inCloud && !this.cores.isEmpty) this.startWaiting()
  }

  private waited(token: number, sums: TaskTimes, ms: number): void {
    if (ms === 0) return
    this.context.tokens.add(token, MANAGEMENT, ms)
    sums.management += ms
  }

  private isTooLate(token: number): boolean {
    const { task } = this.wiring[this.context.tokens.task(token)] as TaskWiring
    return task.dropsLate && this.context.agenda.now > this.context.tokens.time(token, DUE_AT)
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
    tokens.release(token)
  }
}
