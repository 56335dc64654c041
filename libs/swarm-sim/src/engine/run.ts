/** The simulation of one run, event by event. */
import { Devices } from '../devices/devices.ts'
import { Movement } from '../devices/mobility.ts'
import type { Outage } from '../devices/outages.ts'
import { Faults } from '../faults.ts'
import { Statistics, type TaskTimes } from '../figures/statistics.ts'
import { Timeline } from '../figures/timeline.ts'
import { Tracer } from '../figures/trace.ts'
import { type Model, originTasks, totalItems } from '../model/model.ts'
import { type TaskWiring, untilFirst, wiringOf } from '../model/wiring.ts'
import type { DetailOptions } from '../options.ts'
import { laneOf, sample } from '../random.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { Agenda } from './agenda.ts'
import { ContainerPool } from './container-pool.ts'
import type { Context } from './context.ts'
import { DeviceBacklog } from './device-backlog.ts'
import { DeviceServers } from './device-servers.ts'
import { HostWork } from './host-work.ts'
import { Invocations } from './invocations.ts'
import {
  ACKNOWLEDGED,
  CALLED,
  COMPUTES,
  CROSSED,
  DEVICE,
  DISPATCHED,
  DONE,
  EMIT,
  HANDED_OVER,
  HOPPED,
  HOST,
  RESUMES,
  ROUND,
  STARTED,
  STREAM_ENDED,
  UNBLOCKED,
} from './kinds.ts'
import { Rounds, withTraining } from './learning.ts'
import { NodeLinks } from './node-links.ts'
import { Outputs } from './outputs.ts'
import { S_DEVICE, S_EMITTED, S_FIRST, S_ITEMS, S_LANE, S_TASK, Sensors } from './sensors.ts'
import { ASKED_AT, LANE, NETWORK, ORIGIN, Origins, PRODUCED_AT, SEQ, TASK, Tokens } from './tokens.ts'
import { Uplink } from './uplink.ts'
import { Watch } from './watch.ts'

/** Events between two pauses. */
const EVENTS_PER_STEP = 50_000

export class Run {
  readonly model: Model
  readonly tracer: Tracer | null
  private readonly context: Context
  private readonly agenda = new Agenda()
  private readonly wiring: readonly TaskWiring[]
  private readonly invocations: Invocations
  private readonly outputs: Outputs

  /**
   * Takes the items to trace, by their numbers.
   * @throws RangeError when a condition is out of its range
   */
  constructor(given: Model, options: DetailOptions, traced: readonly number[] = []) {
    const { seed, conditions = {} } = options
    const faults = new Faults(conditions, seed, given)
    const { model, learners } = withTraining(given, conditions.learning)
    const { agenda } = this
    const tokens = new Tokens()
    const origins = new Origins()
    const wiring = wiringOf(model, seed)
    const statistics = new Statistics(model, totalItems(model))
    const servers = new DeviceServers(model, tokens, wiring)
    const timeline = options.series ? new Timeline(model) : null
    const movement = conditions.mobility ? new Movement(conditions.mobility, model, seed) : null
    const isWatched = timeline !== null || faults.touchesDevices
    const onTransfer = isWatched ? (...each: Parameters<Run['onTransfer']>) => this.onTransfer(...each) : null
    const context: Context = {
      model,
      wiring,
      agenda,
      watch: new Watch(agenda),
      tokens,
      origins,
      sensors: new Sensors(),
      statistics,
      servers,
      pool: new ContainerPool(model.cloud, model.tasks.length),
      uplink: new Uplink({ model, tokens, agenda, statistics, faults, movement, onTransfer }),
      faults,
      nodeLinks: NodeLinks.of({ model, tokens, agenda, statistics, faults, timeline }),
      host: null,
      acknowledgements: null,
      backlog: DeviceBacklog.of(model, servers, (sensor) => this.emitNext(sensor)),
      devices: null,
      learning: null,
      timeline,
      tracer: traced.length > 0 ? new Tracer(traced, model, tokens, origins) : null,
    }
    this.model = model
    this.context = context
    this.wiring = wiring
    this.tracer = context.tracer
    this.invocations = new Invocations(context, (token, own) => this.sense(token, own))
    this.outputs = new Outputs(context, this.invocations)
    this.invocations.outputs = this.outputs
    this.addAcknowledgements()
    if (faults.touchesDevices) this.addDevices(options)
    if (conditions.learning) context.learning = this.roundsOf(conditions.learning, learners)
    this.invocations.prepare()
    this.outputs.prepare()
  }

  /** The run in steps of a few milliseconds. */
  *run(): Generator<undefined, Statistics> {
    const { statistics, servers, pool, devices } = this.context
    const origins = new Set(originTasks(this.model))
    for (const [index, { parents, lanes, gap }] of this.model.tasks.entries())
      if (parents.length === 0)
        for (const lane of lanes) this.startRoot(index, lane, origins.has(index) && !gap)
    do {
      while (this.handleEvents(EVENTS_PER_STEP)) yield
    } while (this.releaseStuck())
    devices?.close(this.outputs.waiting())
    statistics.close(servers.busyMs, pool)
    return statistics
  }

  /** Outages and the run over time; once the run has ended. */
  aside(): { outages: Outage[]; timeline: Timeline | null } {
    return { outages: this.context.devices?.outages.list ?? [], timeline: this.context.timeline }
  }

  /** Handles at most so many events; whether there may be more. */
  private handleEvents(count: number): boolean {
    const { agenda, invocations, outputs } = this
    for (let left = count; left > 0; left--) {
      const token = agenda.next()
      if (token < 0) return false
      const { kind } = agenda
      if (kind === DONE) invocations.done(token)
      else if (kind === CROSSED) outputs.crossed(token)
      else if (kind === HANDED_OVER) outputs.handedOver(token)
      else if (kind === EMIT) this.emit(token)
      else if (kind === DISPATCHED) invocations.dispatched(token)
      else if (kind === STARTED) this.started(token)
      else this.handleOther(kind, token)
    }
    return true
  }

  private started(token: number): void {
    this.context.tokens.times[(token << 3) | ASKED_AT] = this.agenda.now
    this.invocations.ready(token)
  }

  private handleOther(kind: number, number: number): void {
    const { host, acknowledgements, devices, learning } = this.context
    if (kind === HOST) host?.ended(number)
    else if (kind === COMPUTES) host?.compute(number)
    else if (kind === ACKNOWLEDGED) acknowledgements?.acknowledged(number)
    else if (kind === UNBLOCKED) this.outputs.resend(number)
    else if (kind === DEVICE) devices?.handle(number)
    else if (kind === RESUMES) devices?.resume(number)
    else if (kind === ROUND) learning?.round(number)
    else if (kind === HOPPED) this.outputs.hopped(number)
    else if (kind === CALLED) this.invocations.called(number)
    else if (kind === STREAM_ENDED) this.streamEnded(number)
  }

  private startRoot(index: number, lane: number, isOrigin: boolean): void {
    const { tokens, statistics, uplink, nodeLinks, devices, tracer } = this.context
    const { task } = this.wiring[index] as TaskWiring
    const token = tokens.create(index, lane, 0)
    if (isOrigin) {
      const item = statistics.born(0)
      tokens.ints[(token << 3) | ORIGIN] = item
      devices?.born(item, lane)
      tracer?.captured(item, lane)
    }
    let arrival = 0
    if (task.hardware === 'devices' && task.inputBytes > 0)
      arrival = uplink.transmit(lane, task.inputBytes, task.inputBytes, false)
    else if (task.hardware === 'nodes' && nodeLinks !== null)
      arrival = nodeLinks.transmit(lane, task.inputBytes, 'nodeDown')
    tokens.times[(token << 3) | NETWORK] = arrival
    this.agenda.push(STARTED, arrival, token)
  }

  /** Begins the stream of a sensor. */
  private sense(token: number, wiring: TaskWiring): void {
    const { tokens, sensors, devices } = this.context
    const { now } = this.agenda
    const row = token << 3
    const index = tokens.ints[row | TASK] as number
    const lane = tokens.ints[row | LANE] as number
    const first = (tokens.ints[row | SEQ] as number) * wiring.items
    tokens.release(token)
    const sensor = sensors.add(index, lane, first, wiring.items, now)
    devices?.senses(index, lane, sensor)
    this.agenda.push(EMIT, now + untilFirst(wiring, lane), sensor)
  }

  private emit(sensor: number): void {
    const { context, agenda } = this
    const { sensors, tokens, statistics, devices, tracer, acknowledgements } = context
    if (devices !== null && !devices.canSense(sensor)) return
    const { now } = agenda
    const row = sensor << 3
    const { ints } = sensors
    const index = ints[row | S_TASK] as number
    const lane = ints[row | S_LANE] as number
    const emitted = ints[row | S_EMITTED] as number
    const wiring = this.wiring[index] as TaskWiring
    ints[row | S_EMITTED] = emitted + 1
    const token = tokens.create(index, lane, (ints[row | S_FIRST] as number) + emitted)
    const item = statistics.born(now)
    tokens.ints[(token << 3) | ORIGIN] = item
    tokens.times[(token << 3) | PRODUCED_AT] = now
    if (devices !== null) devices.born(item, ints[row | S_DEVICE] as number)
    if (tracer !== null) tracer.captured(item, lane)
    if (emitted + 1 === ints[row | S_ITEMS]) {
      if (wiring.task.endMs === undefined) this.streamEnded(sensor)
      else agenda.push(STREAM_ENDED, now + wiring.task.endMs, sensor)
    } else if (!acknowledgements?.awaits(lane, wiring) || !acknowledgements.keepsSensor(token, sensor))
      this.resumeSensor(sensor)
    this.outputs.deliver(token, wiring)
  }

  private streamEnded(sensor: number): void {
    const { sensors, statistics, devices } = this.context
    const { now } = this.agenda
    const index = sensors.of(sensor, S_TASK)
    const wiring = this.wiring[index] as TaskWiring
    const took = now - (sensors.startedAt[sensor] as number)
    statistics.ended(index, took, now)
    if (took > wiring.deadlineMs) (statistics.tasks[index] as TaskTimes).late++
    devices?.sensed(index, sensors.of(sensor, S_DEVICE))
    for (const barrier of wiring.endsFor) this.outputs.comesNoMore(barrier)
  }

  /** A sensor goes on when the tasks on its device keep up. */
  private resumeSensor(sensor: number): void {
    const { backlog, sensors } = this.context
    if (!backlog?.keeps(sensors.of(sensor, S_DEVICE), sensors.of(sensor, S_TASK), sensor))
      this.emitNext(sensor)
  }

  /** A sensor emits its next item after another gap. */
  private emitNext(sensor: number): void {
    const { sensors, faults } = this.context
    const { gap, gaps } = this.wiring[sensors.of(sensor, S_TASK)] as TaskWiring
    const lane = sensors.of(sensor, S_LANE)
    let ms = Number.isNaN(gap.fixed)
      ? sample(gap, laneOf(gaps, lane), sensors.of(sensor, S_EMITTED))
      : gap.fixed
    if (faults.touchesLoad) ms /= faults.loadAt(this.agenda.now)
    this.agenda.push(EMIT, this.agenda.now + ms, sensor)
  }

  /** When nothing more happens: whether something that waits in vain goes on, an invocation or a barrier. */
  private releaseStuck(): boolean {
    const { agenda, watch, statistics, devices } = this.context
    const { barriers } = this.outputs
    // the run was watched beyond the end of its work
    const isBeyond = watch.isOver
    if (isBeyond) agenda.rewind(Math.max(statistics.endMs, barriers.lastAt))
    const isHeld = this.invocations.gate?.release() ?? false
    const opened = isHeld ? -1 : barriers.openStuck(agenda.now)
    if (!isHeld && opened < 0) return false
    if (isBeyond) {
      watch.again()
      devices?.watchAgain()
    }
    if (opened >= 0) this.invocations.ready(opened)
    return true
  }

  private addAcknowledgements(): void {
    const { context, invocations } = this
    const { model, wiring, agenda, tokens, faults } = context
    const acknowledgements = Acknowledgements.of({
      model,
      wiring,
      agenda,
      tokens,
      faults,
      resumeSensor: (sensor) => this.resumeSensor(sensor),
      freeServer: (device, task) => invocations.freeServerOf(device, task),
    })
    const host = HostWork.of(model, agenda, tokens, {
      dispatched: (token) => invocations.dispatched(token),
      executed: (token) => invocations.executed(token),
      arrived: (instance) => acknowledgements?.resume(instance),
    })
    if (acknowledgements) acknowledgements.host = host
    context.acknowledgements = acknowledgements
    context.host = host
  }

  private addDevices(options: DetailOptions): void {
    const { context, invocations, outputs } = this
    const devices = new Devices(this.context, options, {
      start: (token) => invocations.restart(token),
      send: (token) => outputs.resend(token),
      sense: (task, device, { lane, first, items }) => {
        const sensor = context.sensors.add(task, lane, first, items, this.agenda.now, device)
        this.resumeSensor(sensor)
        return sensor
      },
      drop: (token) => invocations.gate?.leave(token),
      lost: (lane, seq) => invocations.gate?.lost(lane, seq),
    })
    context.devices = devices
    context.statistics.onMs = (device, before) => devices.outages.onMs(device, before)
  }

  private roundsOf(
    learning: ConstructorParameters<typeof Rounds>[0],
    learners: ConstructorParameters<typeof Rounds>[1],
  ): Rounds {
    const { agenda, watch, devices, uplink, tokens } = this.context
    return new Rounds(learning, learners, {
      agenda,
      watch,
      devices: this.model.classOf.length,
      isUp: (device) => devices?.outages.isUp(device) ?? true,
      send: (device, bytes, isUp) => uplink.transmit(device, bytes, bytes, isUp),
      train: (training, device, decisions, at) => {
        const token = tokens.create(training, device, decisions)
        tokens.times[(token << 3) | PRODUCED_AT] = agenda.now
        agenda.push(STARTED, at, token)
      },
    })
  }

  private onTransfer(
    device: number,
    token: number,
    from: number,
    to: number,
    bytes: number,
    isUp: boolean,
  ): void {
    const { timeline, devices } = this.context
    timeline?.carries(device, from, to, bytes, isUp)
    if (token >= 0) devices?.takes(device, token, isUp ? 'up' : 'down', from, to, bytes)
  }
}
