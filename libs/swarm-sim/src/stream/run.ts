/** The run of one stream of items through a DAG of tasks, event by event. */
import { Agenda } from '../events/agenda.ts'
import { CROSSED, DISPATCHED, DONE, EMIT, HANDED_OVER } from '../events/kinds.ts'
import type { TaskTimes } from '../figures/books.ts'
import { Ledger } from '../figures/ledger.ts'
import { type Model, totalItems } from '../model/model.ts'
import { type TaskWiring, untilFirst, wiringOf } from '../model/wiring.ts'
import { laneOf, sample } from '../random.ts'
import { ContainerPool, Line, ServerGroups, Stations } from '../stations.ts'
import { drawsOf } from './draws.ts'
import { type Links, linksOf } from './links.ts'

/** Events between two pauses. */
const EVENTS_A_STEP = 50_000

/** Columns of a token's whole numbers; `Tokens` says what they mean. */
const TASK = 0
const LANE = 1
const SEQ = 2
/** The item it was made from. */
const ITEM = 3
/** The link it is handed over by, else -1. */
const HAND_OVER = 4
const MISSING = 5
/** Columns of its times, in ms. */
const NETWORK = 0
const MANAGEMENT = 1
const DATA_EXCHANGE = 2
const EXECUTION = 3
const PRODUCED_AT = 4
const ASKED_AT = 5
const SERVICE = 6

const NOT_HANDED = -1

/**
 * Gives what `Run` gives, byte for byte, for models of which `isStream` holds. As every token stems from one item, and every
 * task runs once for each, there is nothing to look up but numbers: tokens are rows of two arrays, and all kinds of events
 * are handled in one loop that has them at hand. It takes about four fifths of the time of `Run`.
 */
export class StreamRun {
  readonly model: Model
  private readonly wiring: TaskWiring[]
  private readonly links: Links
  /** What each task takes, where that was drawn beforehand. */
  private readonly draws: (Float64Array | null)[]
  private readonly agenda = new Agenda()
  private readonly ledger: Ledger
  private readonly groups: ServerGroups
  private readonly stations: Stations
  private readonly speeds: Float64Array
  /** When the air of each access point is free; those of the way down last, where they have air of their own. */
  private readonly airFreeAt: Float64Array
  private readonly pool: ContainerPool
  private readonly queue = new Line()
  /** Items that each lane has emitted. */
  private readonly emitted: Int32Array
  /** For each task with several parents, by lane and number: the token that has arrived so far, else -1. */
  private readonly pending: Int32Array[]
  /** Rows of tokens, and those that are free. */
  private whole = new Int32Array(0)
  private times = new Float64Array(0)
  private free = new Int32Array(0)
  private freeCount = 0

  constructor(model: Model, seed: number) {
    const devices = model.classOf.length
    this.model = model
    this.wiring = wiringOf(model, seed)
    this.links = linksOf(this.wiring)
    this.draws = drawsOf(this.wiring)
    this.ledger = new Ledger(model, totalItems(model))
    this.groups = new ServerGroups(model)
    this.stations = new Stations(this.groups.servers)
    this.speeds = Float64Array.from(model.classOf, (each) => model.classes[each]?.cpuSpeed ?? 1)
    this.airFreeAt = new Float64Array(2 * model.link.accessPoints)
    this.pool = new ContainerPool(model.cloud, model.tasks.length)
    this.emitted = new Int32Array(devices)
    this.pending = model.tasks.map(({ parents, invocations }) =>
      new Int32Array(parents.length > 1 ? devices * invocations : 0).fill(-1),
    )
  }

  /** The run in steps of a few milliseconds. */
  *run(): Generator<undefined, Ledger> {
    const [sensor] = this.wiring as [TaskWiring]
    for (const lane of sensor.task.lanes) this.agenda.push(EMIT, untilFirst(sensor, lane), lane)
    while (this.runEvents(EVENTS_A_STEP)) yield
    this.ledger.close(this.groups.byDevice(this.stations.busy()), this.pool)
    return this.ledger
  }

  /** What the ledger does not know. */
  aside(): { outages: []; timeline: null } {
    return { outages: [], timeline: null }
  }

  /** Handles at most so many events; whether there may be more. */
  private runEvents(most: number): boolean {
    const {
      agenda,
      wiring: wirings,
      ledger,
      pool,
      queue,
      groups,
      stations,
      speeds,
      airFreeAt,
      pending,
      draws,
    } = this
    const { children, wires, handOvers, acrosses, most: copies } = this.links
    const { accessPoints, shared, msPerByte, rpcMsPerByte, delayMs } = this.model.link
    const { dispatchMs } = this.model.cloud
    const books = ledger.tasks as readonly TaskTimes[]
    let { whole, times } = this
    // the event at hand: the token that goes to the children behind some links, and then over the air when it is kept for that
    let kind: number = DISPATCHED
    let now = 0
    let token = 0
    let producer = wirings[0] as TaskWiring
    let link = 0
    let end = 0
    let isKept = false
    // one loop for links and events: code compiled while an inner loop runs is thrown out where that ends
    for (let left = most; ; ) {
      if (link === end) {
        if (isKept) {
          isKept = false
          const row = token << 3
          const { inCloud, payload, output, outputs } = producer
          const lane = whole[row | LANE] as number
          const bytes = payload ? sample(output, outputs[lane] as number, whole[row | SEQ] as number) : 0
          const point = (lane % accessPoints) + (inCloud && !shared ? accessPoints : 0)
          const freeAt = airFreeAt[point] as number
          // Math.max is half as fast here: it looks for NaN and -0.
          const through = (freeAt > now ? freeAt : now) + bytes * msPerByte
          const arrival = through + bytes * rpcMsPerByte + delayMs
          airFreeAt[point] = through
          ledger.moved(lane, bytes, !inCloud)
          times[row | NETWORK] = (times[row | NETWORK] as number) + (arrival - now)
          agenda.push(CROSSED, arrival, token)
        }
        if (kind === DONE && producer.inCloud && !queue.isEmpty) this.drain()
        if (left-- === 0) return true
        if (this.freeCount <= copies) {
          this.grow()
          ;({ whole, times } = this)
        }
        const event = agenda.next()
        if (event < 0) return false
        kind = agenda.kind
        now = agenda.now
        if (kind === DISPATCHED) {
          this.ask(event)
          continue
        }

        token = kind === EMIT ? this.emit(event) : event
        const row = token << 3
        const index = whole[row | TASK] as number
        producer = wirings[index] as TaskWiring
        if (kind === HANDED_OVER) {
          link = whole[row | HAND_OVER] as number
          end = link + 1
        } else if (kind === CROSSED) {
          link = acrosses[index] as number
          end = wires[index + 1] as number
          if (producer.task.returnsResult) {
            if (!ledger.isSettled(whole[row | ITEM] as number)) this.settle(token)
            ledger.end(now)
          }
        } else {
          if (kind === DONE) {
            ledger.ended(index, now - (times[row | PRODUCED_AT] as number), now)
            if (producer.settles) this.settle(token)
            if (producer.inCloud) pool.release(index, now)
            whole[row | HAND_OVER] = NOT_HANDED
            times[row | PRODUCED_AT] = now
          }
          link = wires[index] as number
          end = handOvers[index] as number
          isKept = producer.crosses
          if (end < (acrosses[index] as number)) {
            const isLast = link === end && !isKept
            this.handOver(token, isLast)
            if (isLast) continue
          }
        }
        if (link === end) {
          if (!isKept) this.release(token)
          continue
        }
      }

      const child = children[link++] as number
      const own = isKept || link < end ? this.copy(token) : token
      const to = own << 3
      const { task, single, runsOn, service, services, inCloud, isLast, settles } = wirings[
        child
      ] as TaskWiring
      const lane = whole[to | LANE] as number
      const seq = whole[to | SEQ] as number
      if (runsOn !== null && runsOn[lane] === 0) {
        this.release(own)
        continue
      }
      const key = lane * task.invocations + seq
      if (!single) {
        // of its inputs the one that comes last goes on
        const waiting = pending[child] as Int32Array
        const known = waiting[key] as number
        const missing = (known < 0 ? task.parents.length : (whole[(known << 3) | MISSING] as number)) - 1
        if (known >= 0) this.release(known)
        whole[to | MISSING] = missing
        waiting[key] = own
        if (missing > 0) continue
      }
      const sums = books[child] as TaskTimes
      const hop = now - (times[to | PRODUCED_AT] as number)
      if (whole[to | HAND_OVER] === NOT_HANDED) sums.network += hop
      else sums.dataExchange += hop
      whole[to | TASK] = child
      const drawn = draws[child] as Float64Array | null
      let took = drawn === null ? sample(service, services[lane] as number, seq) : (drawn[key] as number)
      if (!inCloud) took /= speeds[lane] as number
      times[to | EXECUTION] = (times[to | EXECUTION] as number) + took
      sums.execution += took
      if (inCloud) {
        times[to | SERVICE] = took
        times[to | ASKED_AT] = now
        if (dispatchMs > 0) agenda.push(DISPATCHED, now + dispatchMs, own)
        else this.ask(own)
        continue
      }
      const start = stations.serve(groups.of(lane, child), now, took)
      const waited = start - now
      times[to | MANAGEMENT] = (times[to | MANAGEMENT] as number) + waited
      sums.management += waited
      if (start + took > now || !isLast) agenda.push(DONE, start + took, own)
      else {
        // nothing comes of it later that could not come now
        ledger.ended(child, now - (times[to | PRODUCED_AT] as number), now)
        if (settles) this.settle(own)
        this.release(own)
      }
    }
  }

  /** The sensor of a lane emits an item: its token. */
  private emit(lane: number): number {
    const { whole, times, agenda, ledger } = this
    const { now } = agenda
    const { gap, gaps, items } = this.wiring[0] as TaskWiring
    const seq = this.emitted[lane] as number
    const token = this.take()
    const row = token << 3
    this.emitted[lane] = seq + 1
    whole[row | TASK] = 0
    whole[row | LANE] = lane
    whole[row | SEQ] = seq
    whole[row | ITEM] = ledger.born(now)
    whole[row | HAND_OVER] = NOT_HANDED
    times[row | NETWORK] = 0
    times[row | MANAGEMENT] = 0
    times[row | DATA_EXCHANGE] = 0
    times[row | EXECUTION] = 0
    times[row | PRODUCED_AT] = now
    if (seq + 1 === items) ledger.ended(0, now, now)
    else agenda.push(EMIT, now + sample(gap, laneOf(gaps, lane), seq + 1), lane)
    return token
  }

  /** A task that works on an item has ended, so far the last one. */
  private settle(token: number): void {
    const { whole, times } = this
    const row = token << 3
    this.ledger.settle(
      whole[row | ITEM] as number,
      this.agenda.now,
      times[row | NETWORK] as number,
      times[row | MANAGEMENT] as number,
      times[row | DATA_EXCHANGE] as number,
      times[row | EXECUTION] as number,
    )
  }

  /** Hands an output over to functions in the cloud; the token itself to the last of them when there are no other children. */
  private handOver(token: number, isLast: boolean): void {
    const { whole, times, agenda } = this
    const { handOvers, acrosses, hasData } = this.links
    const { fixedMs, msPerByte } = this.model.cloud.handOver
    const row = token << 3
    const index = whole[row | TASK] as number
    const { output, outputs } = this.wiring[index] as TaskWiring
    const bytes = sample(output, outputs[whole[row | LANE] as number] as number, whole[row | SEQ] as number)
    const end = acrosses[index] as number
    for (let link = handOvers[index] as number; link < end; link++) {
      const took = fixedMs + (hasData[link] === 1 ? bytes * msPerByte : 0)
      const own = isLast && link + 1 === end ? token : this.copy(token)
      const at = (own << 3) | DATA_EXCHANGE
      times[at] = (times[at] as number) + took
      whole[(own << 3) | HAND_OVER] = link
      agenda.push(HANDED_OVER, agenda.now + took, own)
    }
  }

  /** A function asks for a container. */
  private ask(token: number): void {
    if (this.queue.isEmpty && this.pool.hasRoom) this.begin(token)
    else this.queue.push(token)
  }

  /** Starts queued cloud functions while there is room. */
  private drain(): void {
    while (!this.queue.isEmpty && this.pool.hasRoom) this.begin(this.queue.shift())
  }

  /** Starts a cloud function, for which there is room. */
  private begin(token: number): void {
    const { whole, times, agenda, pool } = this
    const { now } = agenda
    const row = token << 3
    const index = whole[row | TASK] as number
    const coldMs = pool.acquire(index, now) ? this.model.cloud.coldStartMs : 0
    const waited = now - (times[row | ASKED_AT] as number) + coldMs
    const sums = this.ledger.tasks[index] as TaskTimes
    times[row | MANAGEMENT] = (times[row | MANAGEMENT] as number) + waited
    sums.management += waited
    const held = coldMs + (times[row | SERVICE] as number)
    pool.hold(held)
    agenda.push(DONE, now + held, token)
  }

  private take(): number {
    return this.free[--this.freeCount] as number
  }

  private release(token: number): void {
    this.free[this.freeCount++] = token
  }

  private copy(of: number): number {
    const { whole, times } = this
    const token = this.take()
    for (let column = 0; column < 8; column++) {
      whole[(token << 3) | column] = whole[(of << 3) | column] as number
      times[(token << 3) | column] = times[(of << 3) | column] as number
    }
    return token
  }

  /** Makes room for more tokens: as many as an event may need. */
  private grow(): void {
    const made = this.free.length
    const size = 2 * Math.max(32, made, this.links.most + 1)
    const free = new Int32Array(size)
    const whole = new Int32Array(8 * size)
    const times = new Float64Array(8 * size)
    free.set(this.free)
    whole.set(this.whole)
    times.set(this.times)
    for (let token = made; token < size; token++) free[this.freeCount++] = token
    this.free = free
    this.whole = whole
    this.times = times
  }
}
