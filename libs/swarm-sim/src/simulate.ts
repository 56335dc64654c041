/**
 * Event-driven simulation of one run of a model (paper section 5.6: a simulator on queueing network principles that
 * tracks processing and queueing time on cloud and edge resources).
 */
import type { Estimate } from '@hivemind/swarm'
import { Agenda } from './agenda.ts'
import { add } from './arrays.ts'
import { Barriers } from './barriers.ts'
import { type Conditions, Fates } from './conditions.ts'
import { Devices } from './devices.ts'
import { Host } from './host.ts'
import { TaskInputs } from './joins.ts'
import { Rounds, withTraining } from './learning.ts'
import { Movement } from './mobility.ts'
import { type Model, type ModelTask, originTasks, totalItems } from './model.ts'
import type { Outage } from './outages.ts'
import { type Detail, detailOf, estimateOf, Ledger, type TaskTimes } from './outcome.ts'
import { Places } from './places.ts'
import { laneOf, sample, uniform } from './random.ts'
import { Sensors } from './sensors.ts'
import { SerialPairs } from './serial.ts'
import { ContainerPool, Cores, Line, Stations } from './stations.ts'
import { toEnd } from './steps.ts'
import { isTandem, tandemSteps } from './tandem.ts'
import { Timeline } from './timeline.ts'
import { NOBODY, NOT_HANDED, Origins, Tokens } from './tokens.ts'
import { type ItemTrace, Tracer } from './trace.ts'
import { Watch } from './watch.ts'
import { type Link, type TaskWiring, wiringOf } from './wiring.ts'

/** Kinds of events. */
const EMIT = 0
const DONE = 1
const HANDED_OVER = 2
const CROSSED = 3
const DISPATCHED = 4
const STARTED = 5
const SHARED = 6
const ACKNOWLEDGED = 7
const WORKS = 12
const UNBLOCKED = 8
const HAPPENS = 9
const RESUMES = 10
const ROUND = 11

/** What a token has the host work on: its number times two, and one of these. */
const DISPATCH = 0
const EXECUTION = 1

/** Events between two pauses. */
const EVENTS_A_STEP = 50_000

class Run {
  /** What is simulated: with the training of models, where there is any. */
  readonly model: Model
  readonly #model: Model
  readonly #wiring: TaskWiring[]
  /** A lane for what each task does, and one for what it hands over; then one for each access point. */
  readonly #agenda: Agenda
  readonly #kinds: Uint8Array
  readonly #sensors = new Sensors()
  readonly #handOverLanes: Int32Array
  readonly #airLane: number
  readonly #dispatchLane: number
  readonly #startLane: number
  readonly #ackLane: number
  readonly #workLane: number
  readonly #unblockedLane: number
  /** For each device, up and down: until when what is sent waits behind a packet that was lost. */
  readonly #blockedUntil: Float64Array
  readonly #tokens = new Tokens()
  readonly #origins = new Origins()
  readonly #inputs: (TaskInputs | undefined)[]
  readonly #cores: Cores
  /** Instead of the cores, where it turns out only later how long a server is held. */
  readonly #places: Places | null
  readonly #host: Host | null
  /** Access points, those of the way down behind those of the way up; the same ones where both share the air. */
  readonly #air: Stations
  readonly #pool: ContainerPool
  readonly #queue = new Line()
  readonly #barriers: Barriers
  readonly #serial = new SerialPairs(this.#tokens)
  readonly #ledger: Ledger
  readonly #speeds: Float64Array
  readonly #fates: Fates
  /** Only when devices can go down, and when the run over time is asked for. */
  readonly #devices: Devices | null
  readonly #timeline: Timeline | null
  /** Only when devices move. */
  readonly #movement: Movement | null
  /** Only when models are retrained. */
  readonly #learning: Rounds | null
  /** Only when items are traced. */
  readonly #tracer: Tracer | null
  readonly #watch: Watch
  readonly #isWatched: boolean

  constructor(given: Model, options: DetailOptions, traced: readonly number[] = []) {
    const { seed, conditions = {} } = options
    this.#fates = new Fates(conditions, seed, given)
    const { model, learners } = withTraining(given, conditions.learning)
    this.model = model
    this.#model = model
    this.#wiring = wiringOf(model, seed)
    const ready = (token: number) => this.#ready(token, this.#tokens.askedAt[token] as number)
    this.#inputs = model.tasks.map((task, index) =>
      task.parents.length > 1 && !task.barrier
        ? new TaskInputs(model, index, this.#tokens, this.#origins, ready)
        : undefined,
    )
    this.#cores = new Cores(model)
    const isHeld = model.host !== null || model.classes.some((each) => each.awaitsArrival)
    this.#places = isHeld ? new Places(model) : null
    this.#blockedUntil = new Float64Array(2 * model.classOf.length)
    this.#speeds = Float64Array.from(model.classOf, (each) => model.classes[each]?.cpuSpeed ?? 1)
    const points = model.link.accessPoints * (model.link.shared ? 1 : 2)
    this.#air = new Stations(Array.from({ length: points }, () => 1))
    this.#pool = new ContainerPool(model.cloud, model.tasks.length)
    this.#barriers = new Barriers(model, this.#tokens)
    this.#ledger = new Ledger(model, totalItems(model))
    const kinds: number[] = []
    const laneFor = (kind: number) => kinds.push(kind) - 1
    // these come first, so that the lane has the number of its task
    for (const task of model.tasks) laneFor(task.gap ? EMIT : DONE)
    this.#handOverLanes = Int32Array.from(this.#wiring, ({ handOver }) =>
      handOver.length > 0 ? laneFor(HANDED_OVER) : -1,
    )
    this.#airLane = kinds.length
    for (let point = 0; point < points; point++) laneFor(CROSSED)
    this.#dispatchLane = laneFor(DISPATCHED)
    this.#startLane = laneFor(STARTED)
    const happens = laneFor(HAPPENS)
    const resumes = laneFor(RESUMES)
    const round = laneFor(ROUND)
    this.#ackLane = laneFor(ACKNOWLEDGED)
    this.#workLane = laneFor(WORKS)
    this.#unblockedLane = laneFor(UNBLOCKED)
    this.#agenda = new Agenda()
    this.#watch = new Watch(this.#agenda)
    this.#host = model.host
      ? new Host(this.#agenda, laneFor(SHARED), model.host.cores, model.host.others)
      : null
    this.#kinds = Uint8Array.from(kinds)
    this.#movement = conditions.mobility ? new Movement(conditions.mobility, model, seed) : null
    this.#tracer = traced.length > 0 ? new Tracer(traced, model, this.#tokens, this.#origins) : null
    this.#timeline = options.series ? new Timeline(model) : null
    this.#devices = this.#fates.touchesDevices ? this.#devicesOf(options, happens, resumes) : null
    this.#isWatched = this.#devices !== null || this.#timeline !== null
    const devices = this.#devices
    if (devices !== null) this.#ledger.onMs = (device, before) => devices.outages.onMs(device, before)
    this.#learning = conditions.learning
      ? new Rounds(conditions.learning, learners, {
          agenda: this.#agenda,
          watch: this.#watch,
          round,
          devices: model.classOf.length,
          isUp: (device) => devices?.outages.isUp(device) ?? true,
          send: (device, bytes, isUp) =>
            this.#transmit(this.#pointOf(device, isUp), device, bytes, bytes, isUp),
          train: (training, device, decisions, at) => {
            const token = this.#tokens.blank(training, device, decisions)
            this.#tokens.producedAt[token] = this.#agenda.now
            this.#agenda.push(this.#startLane, at, token)
          },
        })
      : null
  }

  #devicesOf(options: SimulationOptions, happens: number, resumes: number): Devices {
    const tokens = this.#tokens
    const taskOf = (token: number) => tokens.task[token] as number
    return new Devices(this.#model, options, {
      tokens,
      origins: this.#origins,
      sensors: this.#sensors,
      ledger: this.#ledger,
      agenda: this.#agenda,
      watch: this.#watch,
      cores: this.#cores,
      timeline: this.#timeline,
      happens,
      resumes,
      start: (token) => this.#start(token, taskOf(token), this.#ledger.tasks[taskOf(token)] as TaskTimes),
      send: (token) => this.#cross(token, this.#wiring[taskOf(token)] as TaskWiring),
      sense: (task, device, { lane, first, items }) => {
        const sensor = this.#sensors.add(task, lane, first, items, this.#agenda.now, device)
        this.#emitLater(task, sensor, 0)
      },
      drop: (token) => {
        const { task } = this.#wiring[taskOf(token)] as TaskWiring
        if (task.serialWith.length > 0) this.#releaseSerial(token, task)
      },
    })
  }

  /** The run in steps of a few milliseconds. */
  *run(): Generator<undefined, Ledger> {
    const origins = new Set(originTasks(this.#model))
    for (const [index, task] of this.#model.tasks.entries())
      if (task.parents.length === 0)
        for (const lane of task.lanes) this.#startRoot(index, task, lane, origins)
    do {
      while (this.#runEvents(EVENTS_A_STEP)) yield
    } while (this.#openStuckBarrier())
    if (this.#devices !== null) this.#devices.close(this.#inputs.flatMap((inputs) => inputs?.waiting() ?? []))
    this.#ledger.close((this.#places ?? this.#cores).busy(), this.#pool)
    return this.#ledger
  }

  get tracer(): Tracer | null {
    return this.#tracer
  }

  /** What the ledger does not know; once the run has ended. */
  aside(): { outages: Outage[]; timeline: Timeline | null } {
    return { outages: this.#devices?.outages.list ?? [], timeline: this.#timeline }
  }

  /** Handles at most so many events; whether there may be more. */
  #runEvents(most: number): boolean {
    const agenda = this.#agenda
    const kinds = this.#kinds
    for (let left = most; left > 0; left--) {
      const token = agenda.next()
      if (token < 0) return false
      const kind = kinds[agenda.kind]
      if (kind === EMIT) this.#emit(token)
      else if (kind === DONE) this.#done(token)
      else if (kind === CROSSED) this.#crossed(token)
      else if (kind === HANDED_OVER) this.#arriveAt(this.#linkOf(token), token)
      else if (kind === DISPATCHED) {
        this.#queue.push(token)
        this.#drain()
      } else if (kind === STARTED) this.#ready(token, agenda.now)
      else if (kind === SHARED) this.#shared()
      else if (kind === WORKS) this.#works(token)
      else if (kind === ACKNOWLEDGED) this.#acknowledged(token)
      else if (kind === UNBLOCKED)
        this.#cross(token, this.#wiring[this.#tokens.task[token] as number] as TaskWiring)
      else if (kind === HAPPENS) this.#devices?.happen(token)
      else if (kind === ROUND) this.#learning?.round(token)
      else this.#devices?.resume(token)
    }
    return true
  }

  /** An event of the host: some of its work may have ended. */
  #shared(): void {
    const job = this.#host?.ended() ?? -1
    if (job < 0) return
    const token = job >> 1
    if ((job & 1) === DISPATCH) {
      this.#queue.push(token)
      this.#drain()
      return
    }
    const { task, lane, askedAt, service } = this.#tokens
    const index = task[token] as number
    const took = this.#agenda.now - (askedAt[token] as number)
    this.#waited(token, this.#ledger.tasks[index] as TaskTimes, took - (service[token] as number))
    if ((this.#wiring[index] as TaskWiring).task.tier === 'cloud') this.#pool.hold(took)
    else {
      const { now } = this.#agenda
      this.#timeline?.computes(lane[token] as number, now - took, now, service[token] as number)
    }
    this.#done(token)
  }

  /** Has the host work on an invocation from now on. */
  #share(host: Host, token: number, tookMs: number): void {
    const { task, askedAt, service } = this.#tokens
    const { now } = this.#agenda
    const { computes } = (this.#wiring[task[token] as number] as TaskWiring).task
    askedAt[token] = now
    service[token] = tookMs
    if (computes === 1) host.begin(2 * token + EXECUTION, tookMs)
    else this.#agenda.push(this.#workLane, now + tookMs * (1 - computes), token)
  }

  /** What of an invocation passes by itself has passed. */
  #works(token: number): void {
    const { task, service } = this.#tokens
    const { computes } = (this.#wiring[task[token] as number] as TaskWiring).task
    this.#host?.begin(2 * token + EXECUTION, (service[token] as number) * computes)
  }

  /** An invocation on a device has a server. */
  #takePlace(token: number): void {
    const { task, lane, askedAt, service } = this.#tokens
    const index = task[token] as number
    const { now } = this.#agenda
    const took = service[token] as number
    this.#waited(token, this.#ledger.tasks[index] as TaskTimes, now - (askedAt[token] as number))
    if (this.#host) this.#share(this.#host, token, took)
    else {
      this.#timeline?.computes(lane[token] as number, now, now + took)
      this.#agenda.push(index, now + took, token)
    }
  }

  #leavePlace(places: Places, lane: number, index: number): void {
    const next = places.leave(lane, index)
    if (next >= 0) this.#takePlace(next)
  }

  /** Whether a task on a device is not done with an output before its arrival has been acknowledged. */
  #awaitsArrival(lane: number, { task, crosses }: TaskWiring): boolean {
    const { classes, classOf } = this.#model
    return crosses && task.tier === 'edge' && classes[classOf[lane] as number]?.awaitsArrival === true
  }

  /** The answer to what has arrived goes back to its device. */
  #acknowledge(token: number, awaitedBy: number): void {
    const { awaitedBy: waiting, task, lane, seq } = this.#tokens
    waiting[token] = NOBODY
    let took = this.#model.link.delayMs
    if (this.#fates.hasTimeouts) {
      const [index, device, item] = [task[token] as number, lane[token] as number, seq[token] as number]
      took += this.#fates.timeouts(index, device, item, 0).acknowledgementMs
    }
    this.#agenda.push(this.#ackLane, this.#agenda.now + took, awaitedBy)
  }

  /** A device hears that what it sent has arrived: its sensor or task goes on. */
  #acknowledged(awaitedBy: number): void {
    const who = awaitedBy >> 1
    const { tasks } = this.#model
    const { task, emitted } = this.#sensors
    if ((awaitedBy & 1) === 0) this.#emitLater(task[who] as number, who, emitted[who] as number)
    else if (this.#places) this.#leavePlace(this.#places, Math.floor(who / tasks.length), who % tasks.length)
  }

  #startRoot(index: number, task: ModelTask, lane: number, origins: ReadonlySet<number>): void {
    const tokens = this.#tokens
    const token = tokens.blank(index, lane, 0)
    if (origins.has(index) && !task.gap) {
      tokens.origin[token] = this.#ledger.born(0)
      this.#tracer?.captured(tokens.origin[token] as number, lane)
    }
    let arrival = 0
    if (task.tier === 'edge' && task.inputBytes > 0)
      arrival = this.#transmit(this.#pointOf(lane, false), lane, task.inputBytes, task.inputBytes, false)
    tokens.network[token] = arrival
    this.#agenda.push(this.#startLane, arrival, token)
  }

  #linkOf(token: number): Link {
    const { task, handOver } = this.#tokens
    return (this.#wiring[task[token] as number] as TaskWiring).handOver[handOver[token] as number] as Link
  }

  /** All inputs of an invocation are there: the token holds the chain so far, the last hop included. */
  #ready(token: number, arrivedAt: number): void {
    const tokens = this.#tokens
    const index = tokens.task[token] as number
    const { task } = this.#wiring[index] as TaskWiring
    const { now } = this.#agenda
    const hop = arrivedAt - (tokens.producedAt[token] as number)
    const times = this.#ledger.tasks[index] as TaskTimes
    if (tokens.handOver[token] === NOT_HANDED) times.network += hop
    else times.dataExchange += hop
    if (this.#tracer !== null) this.#tracer.ready(token, hop)
    this.#waited(token, times, now - arrivedAt)
    tokens.askedAt[token] = now
    if (task.gap) this.#sense(token, index)
    else if (task.serialWith.length === 0 || this.#serial.enter(token, task.serialWith))
      this.#start(token, index, times)
  }

  #waited(token: number, times: TaskTimes, ms: number): void {
    if (ms === 0) return
    add(this.#tokens.management, token, ms)
    times.management += ms
  }

  /** Begins the stream of a sensor. */
  #sense(token: number, index: number): void {
    const { lane, seq } = this.#tokens
    const { gap, gaps, phases, items } = this.#wiring[index] as TaskWiring
    const { now } = this.#agenda
    const device = lane[token] as number
    const sensor = this.#sensors.add(index, device, (seq[token] as number) * items, items, now)
    this.#tokens.release(token)
    this.#devices?.senses(index, device)
    const phase = uniform(laneOf(phases, device), 0)
    this.#agenda.push(index, now + phase * sample(gap, laneOf(gaps, device), 0), sensor)
  }

  #emit(sensor: number): void {
    const agenda = this.#agenda
    const { now } = agenda
    const sensors = this.#sensors
    const index = agenda.kind
    if (this.#devices !== null && !this.#devices.canSense(index, sensor)) return
    const lane = sensors.lane[sensor] as number
    const emitted = sensors.emitted[sensor] as number
    sensors.emitted[sensor] = emitted + 1
    const item = this.#tokens.blank(index, lane, (sensors.first[sensor] as number) + emitted)
    const origin = this.#ledger.born(now)
    this.#tokens.origin[item] = origin
    this.#tokens.producedAt[item] = now
    const device = sensors.device[sensor] as number
    if (this.#devices !== null) this.#devices.born(origin, device)
    if (this.#tracer !== null) this.#tracer.captured(origin, lane)
    if (emitted + 1 === (sensors.items[sensor] as number)) {
      this.#ledger.ended(index, now - (sensors.startedAt[sensor] as number), now)
      if (this.#devices !== null) this.#devices.sensed(index, device)
    } else if (this.#places && this.#awaitsArrival(lane, this.#wiring[index] as TaskWiring))
      this.#tokens.awaitedBy[item] = 2 * sensor
    else this.#emitLater(index, sensor, emitted + 1)
    this.#deliver(item, index)
  }

  /** A sensor emits its item of this number after another gap. */
  #emitLater(index: number, sensor: number, number: number): void {
    const { gap, gaps } = this.#wiring[index] as TaskWiring
    const { now } = this.#agenda
    const lane = this.#sensors.lane[sensor] as number
    this.#agenda.push(index, now + sample(gap, laneOf(gaps, lane), number) / this.#loadAt(now), sensor)
  }

  #loadAt(now: number): number {
    return this.#fates.touchesLoad ? this.#fates.loadAt(now) : 1
  }

  #releaseSerial(token: number, task: ModelTask): void {
    for (const waiting of this.#serial.leave(token, task.serialWith)) {
      const index = this.#tokens.task[waiting] as number
      const { serialWith } = this.#model.tasks[index] as ModelTask
      if (!this.#serial.enter(waiting, serialWith)) continue
      const times = this.#ledger.tasks[index] as TaskTimes
      this.#waited(waiting, times, this.#agenda.now - (this.#tokens.askedAt[waiting] as number))
      this.#start(waiting, index, times)
    }
  }

  #start(token: number, index: number, times: TaskTimes): void {
    const tokens = this.#tokens
    const { task, service, services, isLast } = this.#wiring[index] as TaskWiring
    const { now } = this.#agenda
    const lane = tokens.lane[token] as number
    let drawn = sample(service, services[lane] as number, tokens.seq[token] as number)
    const isTraining = this.#learning?.trains(index) ?? false
    if (isTraining) drawn *= tokens.seq[token] as number
    if (task.tier === 'edge') {
      const device = this.#devices === null ? lane : this.#devices.deviceFor(token, false)
      if (device < 0) return
      const took = drawn / (this.#speeds[device] as number)
      if (this.#places) {
        add(tokens.execution, token, took)
        times.execution += took
        tokens.service[token] = took
        tokens.askedAt[token] = now
        if (this.#places.enter(lane, index, token, took)) this.#takePlace(token)
        return
      }
      const start = this.#cores.serve(device, index, now, took)
      if (this.#isWatched) this.#onCore(device, token, start, start + took)
      this.#waited(token, times, start - now)
      add(tokens.execution, token, took)
      times.execution += took
      // nothing comes of it later that could not come now
      if (start + took === now && isLast) this.#done(token)
      else this.#agenda.push(index, start + took, token)
      return
    }
    let took = drawn
    if (this.#fates.touchesFunctions && !isTraining) {
      const fate = this.#fates.ofFunction(index, lane, tokens.seq[token] as number, drawn, service)
      this.#waited(token, times, fate.startingMs)
      this.#pool.hold(fate.besideMs)
      took = fate.tookMs
      add(tokens.execution, token, took - fate.startingMs)
      times.execution += took - fate.startingMs
    } else {
      add(tokens.execution, token, drawn)
      times.execution += drawn
    }
    tokens.service[token] = took
    tokens.askedAt[token] = now
    const { dispatchMs } = this.#model.cloud
    if (dispatchMs > 0 && this.#host) this.#host.begin(2 * token + DISPATCH, dispatchMs)
    else if (dispatchMs > 0) this.#agenda.push(this.#dispatchLane, now + dispatchMs, token)
    else {
      this.#queue.push(token)
      this.#drain()
    }
  }

  /** Starts queued cloud functions while there is room. */
  #drain(): void {
    const tokens = this.#tokens
    const { now } = this.#agenda
    while (!this.#queue.isEmpty && this.#pool.hasRoom) {
      const token = this.#queue.shift()
      const index = tokens.task[token] as number
      const coldMs = this.#pool.acquire(index, now) ? this.#model.cloud.coldStartMs : 0
      const held = coldMs + (tokens.service[token] as number)
      this.#waited(
        token,
        this.#ledger.tasks[index] as TaskTimes,
        now - (tokens.askedAt[token] as number) + coldMs,
      )
      if (this.#host) {
        this.#share(this.#host, token, held)
        continue
      }
      this.#pool.hold(held)
      this.#agenda.push(index, now + held, token)
    }
  }

  #onCore(device: number, token: number, from: number, to: number): void {
    this.#timeline?.computes(device, from, to)
    this.#devices?.takes(device, token, 'core', from, to)
  }

  #done(token: number): void {
    if (this.#devices !== null && !this.#devices.leaves(token)) return
    const index = this.#tokens.task[token] as number
    const { task, isPassed } = this.#wiring[index] as TaskWiring
    const { now } = this.#agenda
    const lane = this.#tokens.lane[token] as number
    this.#ledger.ended(index, now - (this.#tokens.producedAt[token] as number), now)
    if (!task.swarmWide && (!isPassed || this.#devices !== null)) this.#settle(token)
    if (this.#learning !== null) this.#learning.ended(index, lane)
    if (this.#tracer !== null) this.#tracer.done(token, now)
    if (task.serialWith.length > 0) this.#releaseSerial(token, task)
    if (task.tier === 'cloud') this.#pool.release(index, now)
    const isHeld = this.#places !== null && this.#holdsPlace(token, lane, index)
    this.#sendOutputs(token, index, task.outputs)
    if (task.tier === 'cloud') this.#drain()
    else if (this.#places && !isHeld) this.#leavePlace(this.#places, lane, index)
  }

  /** Whether an invocation on a device keeps its server until its output has arrived; its token then knows. */
  #holdsPlace(token: number, lane: number, index: number): boolean {
    const { outputs } = (this.#wiring[index] as TaskWiring).task
    if (!this.#awaitsArrival(lane, this.#wiring[index] as TaskWiring) || outputs > 1) return false
    const seq = this.#tokens.seq[token] as number
    if (Math.floor((seq + 1) * outputs + 1e-9) === Math.floor(seq * outputs + 1e-9)) return false
    this.#tokens.awaitedBy[token] = 2 * (lane * this.#model.tasks.length + index) + 1
    return true
  }

  #sendOutputs(token: number, index: number, outputs: number): void {
    const tokens = this.#tokens
    const seq = tokens.seq[token] as number
    const from = outputs === 1 ? seq : Math.floor(seq * outputs + 1e-9)
    const to = outputs === 1 ? seq + 1 : Math.floor((seq + 1) * outputs + 1e-9)
    tokens.handOver[token] = NOT_HANDED
    tokens.producedAt[token] = this.#agenda.now
    for (let item = from; item < to; item++) {
      const output = item + 1 < to ? tokens.copy(token) : token
      tokens.seq[output] = item
      this.#deliver(output, index)
    }
    if (from >= to) tokens.release(token)
  }

  /** Sends one item of output to every child, once over the uplink for all on its other side. Takes the token. */
  #deliver(token: number, index: number): void {
    const wiring = this.#wiring[index] as TaskWiring
    const { wire, handOver, crosses } = wiring
    const { length } = wire
    const isOver = handOver.length > 0 && length === 0 && !crosses
    if (handOver.length > 0) this.#handOver(token, index, wiring, isOver)
    const copies = crosses ? length : length - 1
    for (let i = 0; i < length; i++)
      this.#arriveAt(wire[i] as Link, i < copies ? this.#tokens.copy(token) : token)
    if (crosses) this.#cross(token, wiring)
    else if (length === 0 && !isOver) this.#tokens.release(token)
  }

  /** Hands an output over to functions in the cloud; the token itself to the last of them when they are all. */
  #handOver(
    token: number,
    index: number,
    { handOver: links, output, outputs }: TaskWiring,
    areAll: boolean,
  ): void {
    const tokens = this.#tokens
    const { handOver } = this.#model.cloud
    const bytes = sample(output, outputs[tokens.lane[token] as number] as number, tokens.seq[token] as number)
    for (let next = 0; next < links.length; next++) {
      const took = handOver.fixedMs + (links[next]?.data ? bytes * handOver.msPerByte : 0)
      const own = areAll && next + 1 === links.length ? token : tokens.copy(token)
      add(tokens.dataExchange, own, took)
      tokens.handOver[own] = next
      this.#agenda.push(this.#handOverLanes[index] as number, this.#agenda.now + took, own)
    }
  }

  #cross(token: number, { task, payload, output, outputs }: TaskWiring): void {
    const tokens = this.#tokens
    const { now } = this.#agenda
    const isUp = task.tier === 'edge'
    const lane = tokens.lane[token] as number
    const device = this.#devices === null ? lane : this.#devices.deviceFor(token, true)
    if (device < 0) return
    const connection = 2 * lane + (isUp ? 0 : 1)
    const unblockedAt = this.#blockedUntil[connection] as number
    if (unblockedAt > now) {
      add(tokens.network, token, unblockedAt - now)
      this.#agenda.push(this.#unblockedLane, unblockedAt, token)
      return
    }
    const bytes = payload ? sample(output, outputs[lane] as number, tokens.seq[token] as number) : 0
    const point = this.#pointOf(device, isUp)
    const sent = this.#fates.touchesAir ? this.#sent(token, lane, bytes) : bytes
    let arrival = this.#transmit(point, device, bytes, sent, isUp, token)
    if (this.#fates.hasTimeouts) arrival += this.#timeouts(token, connection, bytes)
    add(tokens.network, token, arrival - now)
    this.#agenda.push(this.#airLane + point, arrival, token)
  }

  /** How much later a message arrives as it waits for the time-outs of lost packets, and what follows it waits, too. */
  #timeouts(token: number, connection: number, bytes: number): number {
    const { task, seq } = this.#tokens
    const [index, item] = [task[token] as number, seq[token] as number]
    const { dataMs } = this.#fates.timeouts(index, connection >> 1, item, bytes)
    if (dataMs > 0) this.#blockedUntil[connection] = this.#agenda.now + dataMs
    return dataMs
  }

  #sent(token: number, lane: number, bytes: number): number {
    const { task, seq } = this.#tokens
    return this.#fates.onAir(task[token] as number, lane, seq[token] as number, bytes)
  }

  #crossed(token: number): void {
    if (this.#devices !== null && !this.#devices.leaves(token)) return
    const awaitedBy = this.#tokens.awaitedBy[token] as number
    if (awaitedBy !== NOBODY) this.#acknowledge(token, awaitedBy)
    const { task, across } = this.#wiring[this.#tokens.task[token] as number] as TaskWiring
    if (task.returnsResult) {
      this.#settleUnprocessed(token)
      this.#ledger.end(this.#agenda.now)
    }
    const last = across.length - 1
    for (let i = 0; i <= last; i++)
      this.#arriveAt(across[i] as Link, i < last ? this.#tokens.copy(token) : token)
    if (last < 0) this.#tokens.release(token)
  }

  /** An output is where a child of its producer runs. Takes the token. */
  #arriveAt({ child, at }: Link, token: number): void {
    const tokens = this.#tokens
    const { task, runsOn, single } = this.#wiring[child] as TaskWiring
    if (task.barrier) this.#arriveAtBarrier(child, token)
    else if (runsOn !== null && runsOn[tokens.lane[token] as number] === 0) tokens.release(token)
    else if (!single) {
      const lane = tokens.lane[token] as number
      this.#inputs[child]?.offer(at, lane, tokens.seq[token] as number, token, this.#agenda.now)
    } else if ((tokens.seq[token] as number) >= task.invocations) tokens.release(token)
    else {
      tokens.task[token] = child
      this.#ready(token, this.#agenda.now)
    }
  }

  #arriveAtBarrier(index: number, token: number): void {
    this.#settleUnprocessed(token)
    const opened = this.#barriers.arrive(index, token, this.#agenda.now)
    if (opened >= 0) this.#ready(opened, this.#tokens.askedAt[opened] as number)
  }

  #openStuckBarrier(): boolean {
    // the run was watched beyond the end of its work
    const isBeyond = this.#watch.isOver
    if (isBeyond) this.#agenda.rewind(Math.max(this.#ledger.endMs, this.#barriers.lastAt))
    const opened = this.#barriers.openStuck(this.#agenda.now)
    if (opened < 0) return false
    if (isBeyond) {
      this.#watch.again()
      this.#devices?.watchAgain()
    }
    this.#ready(opened, this.#tokens.askedAt[opened] as number)
    return true
  }

  #pointOf(lane: number, isUp: boolean): number {
    const { accessPoints, shared } = this.#model.link
    const own =
      this.#movement === null ? lane % accessPoints : this.#movement.linkOf(lane, this.#agenda.now).point
    return own + (isUp || shared ? 0 : accessPoints)
  }

  /**
   * Moves bytes over the air of an access point, `sent` with all that is sent again; returns when they arrive, queueing
   * included. The token is lost, or moved again, when its device goes down meanwhile.
   */
  #transmit(point: number, device: number, bytes: number, sent: number, isUp: boolean, token = -1): number {
    const { msPerByte, delayMs, rpcMsPerByte } = this.#model.link
    let service = sent * msPerByte
    if (this.#movement !== null) service *= this.#movement.linkOf(device, this.#agenda.now).slowdown
    this.#ledger.moved(device, sent, isUp)
    const start = this.#air.serve(point, this.#agenda.now, service)
    if (this.#isWatched) this.#onAir(device, token, start, start + service, sent, isUp)
    return start + service + bytes * rpcMsPerByte + delayMs
  }

  #onAir(device: number, token: number, from: number, to: number, bytes: number, isUp: boolean): void {
    this.#timeline?.carries(device, from, to, bytes, isUp)
    if (token >= 0) this.#devices?.takes(device, token, isUp ? 'up' : 'down', from, to, bytes)
  }

  #settle(token: number): void {
    const tokens = this.#tokens
    const { now } = this.#agenda
    const origin = tokens.origin[token] as number
    if (origin >= 0) this.#ledger.settle(origin, now, tokens, token)
    else for (const each of this.#origins.listOf(origin)) this.#ledger.settle(each, now, tokens, token)
  }

  /** Data that no task on the devices or for each item processes counts when it is delivered. */
  #settleUnprocessed(token: number): void {
    const tokens = this.#tokens
    for (const each of this.#origins.listOf(tokens.origin[token] as number))
      if (!this.#ledger.isSettled(each)) this.#ledger.settle(each, this.#agenda.now, tokens, token)
  }
}

export interface SimulationOptions {
  seed: number
  conditions?: Conditions
}

export interface DetailOptions extends SimulationOptions {
  /** Whether the detail has the run over time too. */
  series?: boolean
}

/**
 * Simulates one run, every item of it. The same model and seed give the same bytes on every platform.
 * @throws RangeError when a condition is out of its range
 */
export function simulate(model: Model, options: SimulationOptions): Estimate {
  return toEnd(simulateSteps(model, options))
}

/** The same in steps of a few milliseconds, so that the caller can let others work. */
export function* simulateSteps(model: Model, options: SimulationOptions): Generator<undefined, Estimate> {
  if (!needsEvents(model, options)) return estimateOf(model, yield* tandemSteps(model, options.seed))
  const run = new Run(model, options)
  return estimateOf(run.model, yield* run.run())
}

function needsEvents(model: Model, { conditions, series = false }: DetailOptions): boolean {
  return conditions !== undefined || series || !isTandem(model)
}

/** The same with what an estimate leaves out: the whole distribution of latency, and where the time goes at its ends. */
export function simulateInDetail(model: Model, options: DetailOptions): Detail {
  if (!needsEvents(model, options))
    return detailOf(model, toEnd(tandemSteps(model, options.seed)), { outages: [], timeline: null })
  const run = new Run(model, options)
  return detailOf(run.model, toEnd(run.run()), run.aside())
}

/**
 * The way of the items that stand for quantiles (0 to 1) of latency, such as 0.5 and 0.99: one for each quantile, none when no
 * item is finished. The run is simulated twice, as a seed gives the same items again.
 * @throws RangeError as `simulate` does
 */
export function traceItems(
  model: Model,
  { quantiles, ...options }: SimulationOptions & { quantiles: readonly number[] },
): ItemTrace[] {
  const items = toEnd(new Run(model, options).run()).standingFor(quantiles)
  if (items.length === 0) return []
  const run = new Run(
    model,
    options,
    items.map(({ item }) => item),
  )
  toEnd(run.run())
  return items.map(({ item, capturedAtMs, latencyMs }, at) => ({
    quantile: quantiles[at] as number,
    device: run.tracer?.devices.get(item) ?? 1,
    capturedAtMs,
    latencyMs,
    spans: (run.tracer?.spans.get(item) ?? []).map((span) => ({
      ...span,
      fromMs: span.fromMs - capturedAtMs,
      toMs: span.toMs - capturedAtMs,
    })),
  }))
}
