/** The simulation of one run by events: what every run has. `FullRun` adds what can befall one. */
import { add } from '../arrays.ts'
import type { Outage } from '../devices/outages.ts'
import type { TaskTimes } from '../figures/books.ts'
import { Ledger } from '../figures/ledger.ts'
import type { Timeline } from '../figures/timeline.ts'
import { type Model, originTasks, totalItems } from '../model/model.ts'
import { type Link, type TaskWiring, untilFirst, wiringOf } from '../model/wiring.ts'
import { laneOf, sample } from '../random.ts'
import { ContainerPool, Cores, Line } from '../stations.ts'
import { Agenda } from './agenda.ts'
import { Barriers } from './barriers.ts'
import { TaskInputs } from './joins.ts'
import { CROSSED, DISPATCHED, DONE, EMIT, HANDED_OVER, STARTED } from './kinds.ts'
import { Sensors } from './sensors.ts'
import { SerialPairs } from './serial.ts'
import { NOT_HANDED, Origins, Tokens } from './tokens.ts'
import { Uplink } from './uplink.ts'

/** Events between two pauses. */
const EVENTS_A_STEP = 50_000

/** Fields are `protected`, not `#private`, for the sake of `FullRun` and of speed: the names of private ones are looked up. */
export class Run {
  readonly model: Model
  protected readonly wiring: TaskWiring[]
  protected readonly agenda = new Agenda()
  protected readonly sensors = new Sensors()
  protected readonly tokens = new Tokens()
  protected readonly origins = new Origins()
  protected readonly inputs: (TaskInputs | undefined)[]
  protected readonly cores: Cores
  protected readonly speeds: Float64Array
  /** A full run has one with more to it. */
  protected uplink: Uplink
  protected readonly pool: ContainerPool
  protected readonly queue = new Line()
  protected readonly barriers: Barriers
  protected readonly serial = new SerialPairs(this.tokens)
  protected readonly ledger: Ledger

  constructor(model: Model, seed: number) {
    this.model = model
    this.wiring = wiringOf(model, seed)
    const ready = (token: number) => this.ready(token, this.tokens.askedAt[token] as number)
    this.inputs = model.tasks.map((task, index) =>
      task.parents.length > 1 && !task.barrier
        ? new TaskInputs(model, index, this.tokens, this.origins, ready)
        : undefined,
    )
    this.cores = new Cores(model)
    this.speeds = Float64Array.from(model.classOf, (each) => model.classes[each]?.cpuSpeed ?? 1)
    this.pool = new ContainerPool(model.cloud, model.tasks.length)
    this.barriers = new Barriers(model, this.tokens)
    this.ledger = new Ledger(model, totalItems(model))
    this.uplink = new Uplink(model, this.agenda, this.ledger)
  }

  /** The run in steps of a few milliseconds. */
  *run(): Generator<undefined, Ledger> {
    const origins = new Set(originTasks(this.model))
    for (const [index, { parents, lanes, gap }] of this.model.tasks.entries())
      if (parents.length === 0)
        for (const lane of lanes) this.startRoot(index, lane, origins.has(index) && !gap)
    do {
      while (this.runEvents(EVENTS_A_STEP)) yield
    } while (this.openStuckBarrier())
    this.ledger.close(this.busy(), this.pool)
    return this.ledger
  }

  /** What the ledger does not know; once the run has ended. */
  aside(): { outages: Outage[]; timeline: Timeline | null } {
    return { outages: [], timeline: null }
  }

  /** For every device the time its cores have worked, in ms; once the run has ended. */
  protected busy(): Float64Array {
    return this.cores.busy()
  }

  /** Handles at most so many events; whether there may be more. */
  private runEvents(most: number): boolean {
    const { agenda } = this
    for (let left = most; left > 0; left--) {
      const token = agenda.next()
      if (token < 0) return false
      const { kind } = agenda
      if (kind === DONE) this.done(token)
      else if (kind === CROSSED) this.crossed(token)
      else if (kind === HANDED_OVER) this.handedOver(token)
      else if (kind === EMIT) this.emit(token)
      else if (kind === DISPATCHED) this.dispatched(token)
      else if (kind === STARTED) this.ready(token, agenda.now)
      else this.happens(kind, token)
    }
    return true
  }

  /** An event that only a `FullRun` has. */
  protected happens(_kind: number, _token: number): void {}

  /** A new item is captured for a device, by a sensor or (-1) by a task without inputs. */
  protected captured(_item: number, _lane: number, _sensor: number): void {}

  /** How many times as often as planned sensors emit now. */
  protected load(): number {
    return 1
  }

  private startRoot(index: number, lane: number, isOrigin: boolean): void {
    const { tokens } = this
    const { task } = this.wiring[index] as TaskWiring
    const token = tokens.blank(index, lane, 0)
    if (isOrigin) {
      const item = this.ledger.born(0)
      tokens.origin[token] = item
      this.captured(item, lane, -1)
    }
    let arrival = 0
    if (task.tier === 'edge' && task.inputBytes > 0) {
      const point = this.uplink.pointOf(lane, false)
      arrival = this.uplink.transmit(point, lane, task.inputBytes, task.inputBytes, false)
    }
    tokens.network[token] = arrival
    this.agenda.push(STARTED, arrival, token)
  }

  /** All inputs of an invocation are there: the token holds the chain so far, the last hop included. */
  protected ready(token: number, arrivedAt: number): void {
    const { tokens } = this
    const index = tokens.task[token] as number
    const wiring = this.wiring[index] as TaskWiring
    const { now } = this.agenda
    const hop = arrivedAt - (tokens.producedAt[token] as number)
    const times = this.ledger.tasks[index] as TaskTimes
    if (tokens.handOver[token] === NOT_HANDED) times.network += hop
    else times.dataExchange += hop
    if (arrivedAt !== now) this.waited(token, times, now - arrivedAt)
    tokens.askedAt[token] = now
    if (wiring.isSensor) this.sense(token, index)
    else if (!wiring.isSerial || this.serial.enter(token, wiring.task.serialWith))
      this.start(token, index, times)
  }

  protected waited(token: number, times: TaskTimes, ms: number): void {
    if (ms === 0) return
    add(this.tokens.management, token, ms)
    times.management += ms
  }

  /** Begins the stream of a sensor. */
  protected sense(token: number, index: number): void {
    const { lane, seq } = this.tokens
    const wiring = this.wiring[index] as TaskWiring
    const { items } = wiring
    const { now } = this.agenda
    const device = lane[token] as number
    const sensor = this.sensors.add(index, device, (seq[token] as number) * items, items, now)
    this.tokens.release(token)
    this.agenda.push(EMIT, now + untilFirst(wiring, device), sensor)
  }

  protected emit(sensor: number): void {
    const { sensors, tokens } = this
    const { now } = this.agenda
    const index = sensors.task[sensor] as number
    const lane = sensors.lane[sensor] as number
    const emitted = sensors.emitted[sensor] as number
    sensors.emitted[sensor] = emitted + 1
    const token = tokens.blank(index, lane, (sensors.first[sensor] as number) + emitted)
    const item = this.ledger.born(now)
    tokens.origin[token] = item
    tokens.producedAt[token] = now
    this.captured(item, lane, sensor)
    if (emitted + 1 === (sensors.items[sensor] as number)) this.sensed(sensor)
    else this.goOn(sensor, token)
    this.deliver(token, index)
  }

  /** The stream of a sensor has ended. */
  protected sensed(sensor: number): void {
    const { now } = this.agenda
    const { task, startedAt } = this.sensors
    this.ledger.ended(task[sensor] as number, now - (startedAt[sensor] as number), now)
  }

  /** A sensor that has emitted a token goes on. */
  protected goOn(sensor: number, _token: number): void {
    this.emitLater(sensor)
  }

  /** A sensor emits its next item after another gap. */
  protected emitLater(sensor: number): void {
    const { task, lane, emitted } = this.sensors
    const { gap, gaps } = this.wiring[task[sensor] as number] as TaskWiring
    const ms = sample(gap, laneOf(gaps, lane[sensor] as number), emitted[sensor] as number) / this.load()
    this.agenda.push(EMIT, this.agenda.now + ms, sensor)
  }

  protected releaseSerial(token: number, partners: readonly number[]): void {
    for (const waiting of this.serial.leave(token, partners)) {
      const index = this.tokens.task[waiting] as number
      if (!this.serial.enter(waiting, (this.wiring[index] as TaskWiring).task.serialWith)) continue
      const times = this.ledger.tasks[index] as TaskTimes
      this.waited(waiting, times, this.agenda.now - (this.tokens.askedAt[waiting] as number))
      this.start(waiting, index, times)
    }
  }

  protected start(token: number, index: number, times: TaskTimes): void {
    const { tokens } = this
    const { inCloud, service, services } = this.wiring[index] as TaskWiring
    const lane = tokens.lane[token] as number
    const drawn = sample(service, services[lane] as number, tokens.seq[token] as number)
    if (inCloud) {
      add(tokens.execution, token, drawn)
      times.execution += drawn
      this.invoke(token, drawn)
      return
    }
    const { now } = this.agenda
    const took = drawn / (this.speeds[lane] as number)
    this.serve(token, index, times, this.cores.serve(lane, index, now, took), took)
  }

  /** A task on a device has a core from `start` on. */
  protected serve(token: number, index: number, times: TaskTimes, start: number, took: number): void {
    const { now } = this.agenda
    this.waited(token, times, start - now)
    add(this.tokens.execution, token, took)
    times.execution += took
    // nothing comes of it later that could not come now
    if (start + took === now && (this.wiring[index] as TaskWiring).isLast) this.done(token)
    else this.agenda.push(DONE, start + took, token)
  }

  /** Asks for a cloud function that takes so many ms in a warm container. */
  protected invoke(token: number, took: number): void {
    const { tokens } = this
    const { now } = this.agenda
    tokens.service[token] = took
    tokens.askedAt[token] = now
    const { dispatchMs } = this.model.cloud
    if (dispatchMs === 0) this.dispatched(token)
    else this.dispatch(token, dispatchMs)
  }

  protected dispatch(token: number, ms: number): void {
    this.agenda.push(DISPATCHED, this.agenda.now + ms, token)
  }

  protected dispatched(token: number): void {
    if (this.queue.isEmpty && this.pool.hasRoom) {
      this.begin(token)
      return
    }
    this.queue.push(token)
    this.drain()
  }

  /** Starts queued cloud functions while there is room. */
  private drain(): void {
    while (!this.queue.isEmpty && this.pool.hasRoom) this.begin(this.queue.shift())
  }

  /** Starts a cloud function, for which there is room. */
  protected begin(token: number): void {
    const held = this.toHold(token)
    this.pool.hold(held)
    this.agenda.push(DONE, this.agenda.now + held, token)
  }

  /** Takes a container for a cloud function; returns for how long, if nothing holds it up. */
  protected toHold(token: number): number {
    const { tokens } = this
    const { now } = this.agenda
    const index = tokens.task[token] as number
    const coldMs = this.pool.acquire(index, now) ? this.model.cloud.coldStartMs : 0
    const waited = now - (tokens.askedAt[token] as number) + coldMs
    if (waited > 0) this.waited(token, this.ledger.tasks[index] as TaskTimes, waited)
    return coldMs + (tokens.service[token] as number)
  }

  protected done(token: number): void {
    const { tokens } = this
    const { now } = this.agenda
    const index = tokens.task[token] as number
    const wiring = this.wiring[index] as TaskWiring
    this.ledger.ended(index, now - (tokens.producedAt[token] as number), now)
    if (wiring.settles) this.settle(token)
    if (wiring.isSerial) this.releaseSerial(token, wiring.task.serialWith)
    if (wiring.inCloud) this.pool.release(index, now)
    tokens.handOver[token] = NOT_HANDED
    tokens.producedAt[token] = now
    const { outputs } = wiring.task
    if (outputs === 1) this.deliver(token, index)
    else this.deliverAll(token, index, outputs)
    if (wiring.inCloud && !this.queue.isEmpty) this.drain()
  }

  /** Sends the items of output of an invocation that has not just one. Takes the token. */
  private deliverAll(token: number, index: number, outputs: number): void {
    const { tokens } = this
    const seq = tokens.seq[token] as number
    const from = Math.floor(seq * outputs + 1e-9)
    const to = Math.floor((seq + 1) * outputs + 1e-9)
    for (let item = from; item < to; item++) {
      const output = item + 1 < to ? tokens.copy(token) : token
      tokens.seq[output] = item
      this.deliver(output, index)
    }
    if (from >= to) tokens.release(token)
  }

  /** Sends one item of output to every child, once over the uplink for all on its other side. Takes the token. */
  protected deliver(token: number, index: number): void {
    const wiring = this.wiring[index] as TaskWiring
    const { wire, handOver, crosses } = wiring
    const { length } = wire
    const isOver = handOver.length > 0 && length === 0 && !crosses
    if (handOver.length > 0) this.handOver(token, wiring, isOver)
    const copies = crosses ? length : length - 1
    for (let i = 0; i < length; i++)
      this.arriveAt(wire[i] as Link, i < copies ? this.tokens.copy(token) : token)
    if (crosses) this.cross(token, wiring)
    else if (length === 0 && !isOver) this.tokens.release(token)
  }

  /** Hands an output over to functions in the cloud; the token itself to the last of them when they are all. */
  private handOver(token: number, { handOver: links, output, outputs }: TaskWiring, areAll: boolean): void {
    const { tokens } = this
    const { handOver } = this.model.cloud
    const bytes = sample(output, outputs[tokens.lane[token] as number] as number, tokens.seq[token] as number)
    for (let next = 0; next < links.length; next++) {
      const took = handOver.fixedMs + ((links[next] as Link).data ? bytes * handOver.msPerByte : 0)
      const own = areAll && next + 1 === links.length ? token : tokens.copy(token)
      add(tokens.dataExchange, own, took)
      tokens.handOver[own] = next
      this.agenda.push(HANDED_OVER, this.agenda.now + took, own)
    }
  }

  private handedOver(token: number): void {
    const { task, handOver } = this.tokens
    const producer = this.wiring[task[token] as number] as TaskWiring
    this.arriveAt(producer.handOver[handOver[token] as number] as Link, token)
  }

  protected cross(token: number, { inCloud, payload, output, outputs }: TaskWiring): void {
    const { tokens, uplink } = this
    const { now } = this.agenda
    const lane = tokens.lane[token] as number
    const bytes = payload ? sample(output, outputs[lane] as number, tokens.seq[token] as number) : 0
    const arrival = uplink.transmit(uplink.pointOf(lane, !inCloud), lane, bytes, bytes, !inCloud)
    add(tokens.network, token, arrival - now)
    this.agenda.push(CROSSED, arrival, token)
  }

  protected crossed(token: number): void {
    const { task, across } = this.wiring[this.tokens.task[token] as number] as TaskWiring
    if (task.returnsResult) {
      this.settleUnprocessed(token)
      this.ledger.end(this.agenda.now)
    }
    const last = across.length - 1
    for (let i = 0; i <= last; i++)
      this.arriveAt(across[i] as Link, i < last ? this.tokens.copy(token) : token)
    if (last < 0) this.tokens.release(token)
  }

  /** An output is where a child of its producer runs. Takes the token. */
  private arriveAt({ child, at }: Link, token: number): void {
    const { tokens } = this
    const { task, runsOn, single } = this.wiring[child] as TaskWiring
    if (task.barrier) this.arriveAtBarrier(child, token)
    else if (runsOn !== null && runsOn[tokens.lane[token] as number] === 0) tokens.release(token)
    else if (!single) {
      const lane = tokens.lane[token] as number
      this.inputs[child]?.offer(at, lane, tokens.seq[token] as number, token, this.agenda.now)
    } else if ((tokens.seq[token] as number) >= task.invocations) tokens.release(token)
    else {
      tokens.task[token] = child
      this.ready(token, this.agenda.now)
    }
  }

  private arriveAtBarrier(index: number, token: number): void {
    this.settleUnprocessed(token)
    const opened = this.barriers.arrive(index, token, this.agenda.now)
    if (opened >= 0) this.ready(opened, this.tokens.askedAt[opened] as number)
  }

  /** When nothing more happens: whether a barrier that waits in vain opens by that. */
  protected openStuckBarrier(): boolean {
    const opened = this.barriers.openStuck(this.agenda.now)
    if (opened < 0) return false
    this.ready(opened, this.tokens.askedAt[opened] as number)
    return true
  }

  protected settle(token: number): void {
    const origin = this.tokens.origin[token] as number
    if (origin >= 0) this.settleItem(origin, token)
    else for (const each of this.origins.listOf(origin)) this.settleItem(each, token)
  }

  private settleItem(item: number, token: number): void {
    const { network, management, dataExchange, execution } = this.tokens
    this.ledger.settle(
      item,
      this.agenda.now,
      network[token] as number,
      management[token] as number,
      dataExchange[token] as number,
      execution[token] as number,
    )
  }

  /** Data that no task on the devices or for each item processes counts when it is delivered. */
  private settleUnprocessed(token: number): void {
    for (const each of this.origins.listOf(this.tokens.origin[token] as number))
      if (!this.ledger.isSettled(each)) this.settleItem(each, token)
  }
}
