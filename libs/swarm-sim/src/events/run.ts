import { add } from '../arrays.ts'
import { Fates } from '../conditions.ts'
import { Devices } from '../devices/devices.ts'
import { Movement } from '../devices/mobility.ts'
import type { Outage } from '../devices/outages.ts'
import type { TaskTimes } from '../figures/books.ts'
import { Ledger } from '../figures/outcome.ts'
import { Timeline } from '../figures/timeline.ts'
import { Tracer } from '../figures/trace.ts'
import { type Model, type ModelTask, originTasks, totalItems } from '../model/model.ts'
import { type Link, type TaskWiring, untilFirst, wiringOf } from '../model/wiring.ts'
import type { DetailOptions, SimulationOptions } from '../options.ts'
import { laneOf, sample } from '../random.ts'
import { ContainerPool, Cores, Line } from '../stations.ts'
import { Agenda } from './agenda.ts'
import { Barriers } from './barriers.ts'
import { Held } from './held.ts'
import { TaskInputs } from './joins.ts'
import { Rounds, withTraining } from './learning.ts'
import { Sensors } from './sensors.ts'
import { SerialPairs } from './serial.ts'
import { NOBODY, NOT_HANDED, Origins, Tokens } from './tokens.ts'
import { pointsOf, Uplink } from './uplink.ts'
import { Watch } from './watch.ts'

/** Kinds of events. */
const EMIT = 0
const DONE = 1
const HANDED_OVER = 2
const CROSSED = 3
const DISPATCHED = 4
const STARTED = 5
const SHARED = 6
const WORKS = 7
const ACKNOWLEDGED = 8
const UNBLOCKED = 9
const HAPPENS = 10
const RESUMES = 11
const ROUND = 12

/** Events between two pauses. */
const EVENTS_A_STEP = 50_000

export class Run {
  /** What is simulated: with the training of models, where there is any. */
  readonly model: Model
  readonly #wiring: TaskWiring[]
  /** A lane for what each task does, and one for what it hands over; then one for each access point. */
  readonly #agenda: Agenda
  readonly #kinds: Uint8Array
  readonly #sensors = new Sensors()
  readonly #handOverLanes: Int32Array
  readonly #airLane: number
  readonly #dispatchLane: number
  readonly #startLane: number
  readonly #unblockedLane: number
  readonly #tokens = new Tokens()
  readonly #origins = new Origins()
  readonly #inputs: (TaskInputs | undefined)[]
  readonly #cores: Cores
  /** Instead of the cores, where it turns out only later how long a server is held. */
  readonly #held: Held | null
  readonly #uplink: Uplink
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
    this.#wiring = wiringOf(model, seed)
    const ready = (token: number) => this.#ready(token, this.#tokens.askedAt[token] as number)
    this.#inputs = model.tasks.map((task, index) =>
      task.parents.length > 1 && !task.barrier
        ? new TaskInputs(model, index, this.#tokens, this.#origins, ready)
        : undefined,
    )
    this.#cores = new Cores(model)
    this.#speeds = Float64Array.from(model.classOf, (each) => model.classes[each]?.cpuSpeed ?? 1)
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
    for (let point = 0; point < pointsOf(model); point++) laneFor(CROSSED)
    this.#dispatchLane = laneFor(DISPATCHED)
    this.#startLane = laneFor(STARTED)
    const happens = laneFor(HAPPENS)
    const resumes = laneFor(RESUMES)
    const round = laneFor(ROUND)
    const acknowledged = laneFor(ACKNOWLEDGED)
    const works = laneFor(WORKS)
    const shared = laneFor(SHARED)
    this.#unblockedLane = laneFor(UNBLOCKED)
    this.#agenda = new Agenda()
    this.#watch = new Watch(this.#agenda)
    this.#kinds = Uint8Array.from(kinds)
    this.#tracer = traced.length > 0 ? new Tracer(traced, model, this.#tokens, this.#origins) : null
    this.#timeline = options.series ? new Timeline(model) : null
    this.#devices = this.#fates.touchesDevices ? this.#devicesOf(options, happens, resumes) : null
    this.#isWatched = this.#devices !== null || this.#timeline !== null
    this.#uplink = new Uplink(model, {
      agenda: this.#agenda,
      ledger: this.#ledger,
      fates: this.#fates,
      movement: conditions.mobility ? new Movement(conditions.mobility, model, seed) : null,
      onAir: this.#isWatched ? (...what) => this.#onAir(...what) : null,
    })
    this.#held = Held.of({
      model,
      wiring: this.#wiring,
      agenda: this.#agenda,
      tokens: this.#tokens,
      sensors: this.#sensors,
      ledger: this.#ledger,
      pool: this.#pool,
      fates: this.#fates,
      timeline: this.#timeline,
      kinds: { shared, works, acknowledged },
      dispatched: (token) => this.#dispatched(token),
      done: (token) => this.#done(token),
      goOn: (task, sensor, number) => this.#emitLater(task, sensor, number),
    })
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
            this.#uplink.transmit(this.#uplink.pointOf(device, isUp), device, bytes, bytes, isUp),
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
    return new Devices(this.model, options, {
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
    const origins = new Set(originTasks(this.model))
    for (const [index, task] of this.model.tasks.entries())
      if (task.parents.length === 0)
        for (const lane of task.lanes) this.#startRoot(index, task, lane, origins)
    do {
      while (this.#runEvents(EVENTS_A_STEP)) yield
    } while (this.#openStuckBarrier())
    if (this.#devices !== null) this.#devices.close(this.#inputs.flatMap((inputs) => inputs?.waiting() ?? []))
    this.#ledger.close((this.#held ?? this.#cores).busy(), this.#pool)
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
      else if (kind === DISPATCHED) this.#dispatched(token)
      else if (kind === STARTED) this.#ready(token, agenda.now)
      else if (kind === SHARED) this.#held?.shared()
      else if (kind === WORKS) this.#held?.works(token)
      else if (kind === ACKNOWLEDGED) this.#held?.acknowledged(token)
      else if (kind === UNBLOCKED)
        this.#cross(token, this.#wiring[this.#tokens.task[token] as number] as TaskWiring)
      else if (kind === HAPPENS) this.#devices?.happen(token)
      else if (kind === ROUND) this.#learning?.round(token)
      else this.#devices?.resume(token)
    }
    return true
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
      arrival = this.#uplink.transmit(
        this.#uplink.pointOf(lane, false),
        lane,
        task.inputBytes,
        task.inputBytes,
        false,
      )
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
    const wiring = this.#wiring[index] as TaskWiring
    const { items } = wiring
    const { now } = this.#agenda
    const device = lane[token] as number
    const sensor = this.#sensors.add(index, device, (seq[token] as number) * items, items, now)
    this.#tokens.release(token)
    this.#devices?.senses(index, device)
    this.#agenda.push(index, now + untilFirst(wiring, device), sensor)
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
    } else if (this.#held?.awaitsArrival(lane, this.#wiring[index] as TaskWiring))
      this.#held.awaitFor(item, sensor)
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
      const { serialWith } = this.model.tasks[index] as ModelTask
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
      if (this.#held !== null) {
        add(tokens.execution, token, took)
        times.execution += took
        this.#held.enter(lane, index, token, took)
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
    const { dispatchMs } = this.model.cloud
    if (dispatchMs === 0) this.#dispatched(token)
    else if (this.#held?.hasHost) this.#held.dispatch(token, dispatchMs)
    else this.#agenda.push(this.#dispatchLane, now + dispatchMs, token)
  }

  #dispatched(token: number): void {
    this.#queue.push(token)
    this.#drain()
  }

  /** Starts queued cloud functions while there is room. */
  #drain(): void {
    const tokens = this.#tokens
    const { now } = this.#agenda
    while (!this.#queue.isEmpty && this.#pool.hasRoom) {
      const token = this.#queue.shift()
      const index = tokens.task[token] as number
      const coldMs = this.#pool.acquire(index, now) ? this.model.cloud.coldStartMs : 0
      const held = coldMs + (tokens.service[token] as number)
      this.#waited(
        token,
        this.#ledger.tasks[index] as TaskTimes,
        now - (tokens.askedAt[token] as number) + coldMs,
      )
      if (this.#held?.hasHost) {
        this.#held.share(token, held)
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
    const keepsServer = this.#held?.keepsServer(token, lane, index) ?? false
    this.#sendOutputs(token, index, task.outputs)
    if (task.tier === 'cloud') this.#drain()
    else if (this.#held !== null && !keepsServer) this.#held.leave(lane, index)
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
    this.#held?.emitted(wiring.task)
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
    const { handOver } = this.model.cloud
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
    const unblockedAt = this.#uplink.blockedUntil(lane, isUp)
    if (unblockedAt > now) {
      add(tokens.network, token, unblockedAt - now)
      this.#agenda.push(this.#unblockedLane, unblockedAt, token)
      return
    }
    const index = tokens.task[token] as number
    const seq = tokens.seq[token] as number
    const bytes = payload ? sample(output, outputs[lane] as number, seq) : 0
    const point = this.#uplink.pointOf(device, isUp)
    const sent = this.#uplink.sent(index, lane, seq, bytes)
    const arrival =
      this.#uplink.transmit(point, device, bytes, sent, isUp, token) +
      this.#uplink.timeouts(index, lane, seq, bytes, isUp)
    add(tokens.network, token, arrival - now)
    this.#agenda.push(this.#airLane + point, arrival, token)
  }

  #crossed(token: number): void {
    if (this.#devices !== null && !this.#devices.leaves(token)) return
    const awaitedBy = this.#tokens.awaitedBy[token] as number
    if (awaitedBy !== NOBODY) this.#held?.acknowledge(token, awaitedBy)
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
