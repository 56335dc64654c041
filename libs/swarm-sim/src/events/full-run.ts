/** A run with all that can befall one: conditions, a host that its computers share, and who watches it. */
import { add } from '../arrays.ts'
import { Fates } from '../conditions.ts'
import { Devices } from '../devices/devices.ts'
import { Movement } from '../devices/mobility.ts'
import type { Outage } from '../devices/outages.ts'
import type { TaskTimes } from '../figures/books.ts'
import type { Ledger } from '../figures/ledger.ts'
import { Timeline } from '../figures/timeline.ts'
import { Tracer } from '../figures/trace.ts'
import type { Model } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import type { DetailOptions } from '../options.ts'
import { sample } from '../random.ts'
import { Held } from './held.ts'
import { ACKNOWLEDGED, CROSSED, HAPPENS, RESUMES, ROUND, SHARED, STARTED, UNBLOCKED, WORKS } from './kinds.ts'
import { Rounds, withTraining } from './learning.ts'
import { Run } from './run.ts'
import { NOBODY } from './tokens.ts'
import { Uplink } from './uplink.ts'
import { Watch } from './watch.ts'

export class FullRun extends Run {
  readonly #fates: Fates
  readonly #watch: Watch
  /** Instead of the cores, where it turns out only later how long a server is held. */
  readonly #held: Held | null
  /** Only when devices can go down, and when the run over time is asked for. */
  readonly #devices: Devices | null
  readonly #timeline: Timeline | null
  /** Only when models are retrained. */
  readonly #learning: Rounds | null
  /** Only when items are traced. */
  readonly tracer: Tracer | null

  /** Whether a model or what is asked of its run needs more than `Run` has. */
  static isNeeded({ host, classes }: Model, { conditions, series = false }: DetailOptions): boolean {
    return conditions !== undefined || series || host !== null || classes.some((each) => each.awaitsArrival)
  }

  constructor(given: Model, options: DetailOptions, traced: readonly number[] = []) {
    const { seed, conditions = {} } = options
    const fates = new Fates(conditions, seed, given)
    const { model, learners } = withTraining(given, conditions.learning)
    super(model, seed)
    this.#fates = fates
    this.#watch = new Watch(this.agenda)
    this.tracer = traced.length > 0 ? new Tracer(traced, model, this.tokens, this.origins) : null
    this.#timeline = options.series ? new Timeline(model) : null
    this.#devices = fates.touchesDevices ? this.#devicesOf(options) : null
    const isWatched = this.#devices !== null || this.#timeline !== null
    this.uplink = new Uplink(model, this.agenda, this.ledger, {
      fates,
      movement: conditions.mobility ? new Movement(conditions.mobility, model, seed) : null,
      onAir: isWatched ? (...what) => this.#onAir(...what) : null,
    })
    this.#held = Held.of({
      model,
      wiring: this.wiring,
      agenda: this.agenda,
      tokens: this.tokens,
      sensors: this.sensors,
      ledger: this.ledger,
      pool: this.pool,
      fates,
      timeline: this.#timeline,
      dispatched: (token) => this.dispatched(token),
      done: (token) => this.done(token),
      goOn: (sensor) => this.emitLater(sensor),
    })
    const devices = this.#devices
    if (devices !== null) this.ledger.onMs = (device, before) => devices.outages.onMs(device, before)
    this.#learning = conditions.learning
      ? new Rounds(conditions.learning, learners, {
          agenda: this.agenda,
          watch: this.#watch,
          devices: model.classOf.length,
          isUp: (device) => devices?.outages.isUp(device) ?? true,
          send: (device, bytes, isUp) =>
            this.uplink.transmit(this.uplink.pointOf(device, isUp), device, bytes, bytes, isUp),
          train: (training, device, decisions, at) => {
            const token = this.tokens.blank(training, device, decisions)
            this.tokens.producedAt[token] = this.agenda.now
            this.agenda.push(STARTED, at, token)
          },
        })
      : null
  }

  #devicesOf(options: DetailOptions): Devices {
    const { tokens, ledger } = this
    const wiringOf = (token: number) => this.wiring[tokens.task[token] as number] as TaskWiring
    return new Devices(this.model, options, {
      tokens,
      origins: this.origins,
      sensors: this.sensors,
      ledger,
      agenda: this.agenda,
      watch: this.#watch,
      cores: this.cores,
      timeline: this.#timeline,
      start: (token) => {
        const index = tokens.task[token] as number
        this.start(token, index, ledger.tasks[index] as TaskTimes)
      },
      send: (token) => this.cross(token, wiringOf(token)),
      sense: (task, device, { lane, first, items }) =>
        this.emitLater(this.sensors.add(task, lane, first, items, this.agenda.now, device)),
      drop: (token) => {
        const { isSerial, task } = wiringOf(token)
        if (isSerial) this.releaseSerial(token, task.serialWith)
      },
    })
  }

  override *run(): Generator<undefined, Ledger> {
    const ledger = yield* super.run()
    this.#devices?.close(this.inputs.flatMap((inputs) => inputs?.waiting() ?? []))
    return ledger
  }

  override aside(): { outages: Outage[]; timeline: Timeline | null } {
    return { outages: this.#devices?.outages.list ?? [], timeline: this.#timeline }
  }

  protected override busy(): Float64Array {
    return this.#held?.busy() ?? super.busy()
  }

  protected override happens(kind: number, token: number): void {
    if (kind === SHARED) this.#held?.shared()
    else if (kind === WORKS) this.#held?.works(token)
    else if (kind === ACKNOWLEDGED) this.#held?.acknowledged(token)
    else if (kind === UNBLOCKED)
      this.cross(token, this.wiring[this.tokens.task[token] as number] as TaskWiring)
    else if (kind === HAPPENS) this.#devices?.happen(token)
    else if (kind === ROUND) this.#learning?.round(token)
    else if (kind === RESUMES) this.#devices?.resume(token)
  }

  protected override captured(item: number, lane: number, sensor: number): void {
    this.#devices?.born(item, sensor < 0 ? lane : (this.sensors.device[sensor] as number))
    this.tracer?.captured(item, lane)
  }

  protected override load(): number {
    return this.#fates.touchesLoad ? this.#fates.loadAt(this.agenda.now) : 1
  }

  protected override ready(token: number, arrivedAt: number): void {
    this.tracer?.ready(token, arrivedAt - (this.tokens.producedAt[token] as number))
    super.ready(token, arrivedAt)
  }

  protected override sense(token: number, index: number): void {
    this.#devices?.senses(index, this.tokens.lane[token] as number)
    super.sense(token, index)
  }

  protected override emit(sensor: number): void {
    if (this.#devices?.canSense(this.sensors.task[sensor] as number, sensor) ?? true) super.emit(sensor)
  }

  protected override sensed(sensor: number): void {
    super.sensed(sensor)
    this.#devices?.sensed(this.sensors.task[sensor] as number, this.sensors.device[sensor] as number)
  }

  protected override goOn(sensor: number, token: number): void {
    const { task, lane } = this.sensors
    const wiring = this.wiring[task[sensor] as number] as TaskWiring
    if (this.#held?.awaitsArrival(lane[sensor] as number, wiring)) this.#held.awaitFor(token, sensor)
    else super.goOn(sensor, token)
  }

  protected override start(token: number, index: number, times: TaskTimes): void {
    const { tokens } = this
    const { inCloud, service, services } = this.wiring[index] as TaskWiring
    const lane = tokens.lane[token] as number
    const seq = tokens.seq[token] as number
    const isTraining = this.#learning?.trains(index) ?? false
    // the number of a training is how many decisions it learns from
    const drawn = sample(service, services[lane] as number, seq) * (isTraining ? seq : 1)
    if (!inCloud) {
      this.#compute(token, index, times, drawn)
      return
    }
    let took = drawn
    let own = drawn
    if (this.#fates.touchesFunctions && !isTraining) {
      const fate = this.#fates.ofFunction(index, lane, seq, drawn, service)
      this.waited(token, times, fate.startingMs)
      this.pool.hold(fate.besideMs)
      took = fate.tookMs
      own = took - fate.startingMs
    }
    add(tokens.execution, token, own)
    times.execution += own
    this.invoke(token, took)
  }

  #compute(token: number, index: number, times: TaskTimes, drawn: number): void {
    const { tokens } = this
    const { now } = this.agenda
    const lane = tokens.lane[token] as number
    const device = this.#devices === null ? lane : this.#devices.deviceFor(token, false)
    if (device < 0) return
    const took = drawn / (this.speeds[device] as number)
    if (this.#held !== null) {
      add(tokens.execution, token, took)
      times.execution += took
      this.#held.enter(lane, index, token, took)
      return
    }
    const start = this.cores.serve(device, index, now, took)
    this.#timeline?.computes(device, start, start + took)
    this.#devices?.takes(device, token, 'core', start, start + took)
    this.serve(token, index, times, start, took)
  }

  protected override dispatch(token: number, ms: number): void {
    if (this.#held?.hasHost) this.#held.dispatch(token, ms)
    else super.dispatch(token, ms)
  }

  protected override begin(token: number): void {
    if (this.#held?.hasHost) this.#held.share(token, this.toHold(token))
    else super.begin(token)
  }

  protected override done(token: number): void {
    if (this.#devices !== null && !this.#devices.leaves(token)) return
    const { lane: lanes, task } = this.tokens
    const index = task[token] as number
    const lane = lanes[token] as number
    const { swarmWide, tier } = (this.wiring[index] as TaskWiring).task
    // a task that ends later and counts instead may never do so
    if (this.#devices !== null && !swarmWide) this.settle(token)
    this.#learning?.ended(index, lane)
    this.tracer?.done(token, this.agenda.now)
    const keepsServer = this.#held?.keepsServer(token, lane, index) ?? false
    super.done(token)
    if (tier === 'edge' && !keepsServer) this.#held?.leave(lane, index)
  }

  protected override deliver(token: number, index: number): void {
    this.#held?.emitted((this.wiring[index] as TaskWiring).task)
    super.deliver(token, index)
  }

  protected override cross(token: number, wiring: TaskWiring): void {
    const { tokens, uplink } = this
    const { now } = this.agenda
    const { task, payload, output, outputs } = wiring
    const isUp = task.tier === 'edge'
    const lane = tokens.lane[token] as number
    const device = this.#devices === null ? lane : this.#devices.deviceFor(token, true)
    if (device < 0) return
    const unblockedAt = uplink.blockedUntil(lane, isUp)
    if (unblockedAt > now) {
      add(tokens.network, token, unblockedAt - now)
      this.agenda.push(UNBLOCKED, unblockedAt, token)
      return
    }
    const index = tokens.task[token] as number
    const seq = tokens.seq[token] as number
    const bytes = payload ? sample(output, outputs[lane] as number, seq) : 0
    const sent = uplink.sent(index, lane, seq, bytes)
    const arrival =
      uplink.transmit(uplink.pointOf(device, isUp), device, bytes, sent, isUp, token) +
      uplink.timeouts(index, lane, seq, bytes, isUp)
    add(tokens.network, token, arrival - now)
    this.agenda.push(CROSSED, arrival, token)
  }

  protected override crossed(token: number): void {
    if (this.#devices !== null && !this.#devices.leaves(token)) return
    const awaitedBy = this.tokens.awaitedBy[token] as number
    if (awaitedBy !== NOBODY) this.#held?.acknowledge(token, awaitedBy)
    super.crossed(token)
  }

  protected override openStuckBarrier(): boolean {
    // the run was watched beyond the end of its work
    const isBeyond = this.#watch.isOver
    if (isBeyond) this.agenda.rewind(Math.max(this.ledger.endMs, this.barriers.lastAt))
    const opened = this.barriers.openStuck(this.agenda.now)
    if (opened < 0) return false
    if (isBeyond) {
      this.#watch.again()
      this.#devices?.watchAgain()
    }
    this.ready(opened, this.tokens.askedAt[opened] as number)
    return true
  }

  #onAir(device: number, token: number, from: number, to: number, bytes: number, isUp: boolean): void {
    this.#timeline?.carries(device, from, to, bytes, isUp)
    if (token >= 0) this.#devices?.takes(device, token, isUp ? 'up' : 'down', from, to, bytes)
  }
}
