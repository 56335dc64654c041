/**
 * Servers that are held for as long as turns out only later: because all that computes shares the cores of one host, or
 * because a device is not done with an output before its arrival has been acknowledged.
 */

import { add } from '../arrays.ts'
import type { Fates } from '../conditions.ts'
import type { TaskTimes } from '../figures/books.ts'
import type { Ledger } from '../figures/ledger.ts'
import type { Timeline } from '../figures/timeline.ts'
import type { Model, ModelTask } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import type { ContainerPool } from '../stations.ts'
import type { Agenda } from './agenda.ts'
import { Host } from './host.ts'
import { ACKNOWLEDGED, DONE, SHARED, WORKS } from './kinds.ts'
import { Places } from './places.ts'
import type { Sensors } from './sensors.ts'
import { NOBODY, type Tokens } from './tokens.ts'

/** What the host works on: for a token, for who awaits an arrival, for nobody; times four, and one of these. */
const DISPATCH = 0
const EXECUTION = 1
const ARRIVAL = 2
const BESIDE = 3

/** What it needs of the run it is a part of. */
export interface Surroundings {
  model: Model
  wiring: readonly TaskWiring[]
  agenda: Agenda
  tokens: Tokens
  sensors: Sensors
  ledger: Ledger
  pool: ContainerPool
  fates: Fates
  timeline: Timeline | null
  /** A cloud function is dispatched; an invocation is done; a sensor goes on. */
  dispatched(token: number): void
  done(token: number): void
  goOn(sensor: number): void
}

export class Held {
  readonly #run: Surroundings
  readonly #host: Host | null
  readonly #places: Places
  /** Whether the host does what nobody waits for, one job of it at a time, and what has come since that began. */
  #isBeside = false
  #besideMs = 0

  /** `null` for a model in which it is known when a server is taken how long it is held. */
  static of(run: Surroundings): Held | null {
    const { host, classes } = run.model
    return host !== null || classes.some((each) => each.awaitsArrival) ? new Held(run) : null
  }

  private constructor(run: Surroundings) {
    const { host } = run.model
    this.#run = run
    this.#places = new Places(run.model)
    this.#host = host ? new Host(run.agenda, SHARED, host.cores, host.others) : null
  }

  /** Whether cloud functions, too, compute on the host. */
  get hasHost(): boolean {
    return this.#host !== null
  }

  /** For every device the time its cores have worked, in ms. */
  busy(): Float64Array {
    return this.#places.busy()
  }

  /** An invocation on a device asks for a server. */
  enter(lane: number, index: number, token: number, tookMs: number): void {
    const { tokens, agenda } = this.#run
    tokens.service[token] = tookMs
    tokens.askedAt[token] = agenda.now
    if (this.#places.enter(lane, index, token, tookMs)) this.#begin(token)
  }

  /** A server of a device is free again. */
  leave(lane: number, index: number): void {
    const next = this.#places.leave(lane, index)
    if (next >= 0) this.#begin(next)
  }

  #begin(token: number): void {
    const { tokens, agenda, timeline } = this.#run
    const { now } = agenda
    const index = tokens.task[token] as number
    const took = tokens.service[token] as number
    this.#waited(token, index, now - (tokens.askedAt[token] as number))
    if (this.#host) this.share(token, took)
    else {
      timeline?.computes(tokens.lane[token] as number, now, now + took)
      agenda.push(DONE, now + took, token)
    }
  }

  /** Has the host dispatch a cloud function. */
  dispatch(token: number, tookMs: number): void {
    this.#host?.begin(4 * token + DISPATCH, tookMs)
  }

  /** Has the host work on an invocation from now on. */
  share(token: number, tookMs: number): void {
    const { tokens, wiring, agenda } = this.#run
    const { computes } = (wiring[tokens.task[token] as number] as TaskWiring).task
    tokens.askedAt[token] = agenda.now
    tokens.service[token] = tookMs
    if (computes === 1) this.#host?.begin(4 * token + EXECUTION, tookMs)
    else agenda.push(WORKS, agenda.now + tookMs * (1 - computes), token)
  }

  /** What of an invocation passes by itself has passed. */
  works(token: number): void {
    const { tokens, wiring } = this.#run
    const { computes } = (wiring[tokens.task[token] as number] as TaskWiring).task
    this.#host?.begin(4 * token + EXECUTION, (tokens.service[token] as number) * computes)
  }

  /** An event of the host: some of its work may have ended. */
  shared(): void {
    const job = this.#host?.ended() ?? -1
    if (job < 0) return
    const kind = job & 3
    const token = job >> 2
    if (kind === DISPATCH) this.#run.dispatched(token)
    else if (kind === EXECUTION) this.#executed(token)
    else if (kind === ARRIVAL) this.#goOn(token)
    else this.#workBeside()
  }

  #executed(token: number): void {
    const { tokens, agenda, wiring, pool, timeline } = this.#run
    const index = tokens.task[token] as number
    const { now } = agenda
    const took = now - (tokens.askedAt[token] as number)
    const work = tokens.service[token] as number
    this.#waited(token, index, took - work)
    if ((wiring[index] as TaskWiring).task.tier === 'cloud') pool.hold(took)
    else timeline?.computes(tokens.lane[token] as number, now - took, now, work)
    this.#run.done(token)
  }

  #waited(token: number, index: number, ms: number): void {
    if (ms === 0) return
    add(this.#run.tokens.management, token, ms)
    const times = this.#run.ledger.tasks[index] as TaskTimes
    times.management += ms
  }

  /** Whether a task on a device is not done with an output before its arrival has been acknowledged. */
  awaitsArrival(lane: number, { task, crosses }: TaskWiring): boolean {
    const { classes, classOf } = this.#run.model
    return crosses && task.tier === 'edge' && classes[classOf[lane] as number]?.awaitsArrival === true
  }

  /** Whether an invocation on a device keeps its server until its output has arrived; its token then knows. */
  keepsServer(token: number, lane: number, index: number): boolean {
    const { tokens, wiring, model } = this.#run
    const own = wiring[index] as TaskWiring
    const { outputs } = own.task
    if (!this.awaitsArrival(lane, own) || outputs > 1) return false
    const seq = tokens.seq[token] as number
    if (Math.floor((seq + 1) * outputs + 1e-9) === Math.floor(seq * outputs + 1e-9)) return false
    tokens.awaitedBy[token] = 2 * (lane * model.tasks.length + index) + 1
    return true
  }

  /** A task has emitted an item: the host may have work with it that nobody waits for. */
  emitted({ besideMs = 0 }: ModelTask): void {
    this.#besideMs += besideMs
    if (!this.#isBeside) this.#workBeside()
  }

  #workBeside(): void {
    this.#isBeside = this.#besideMs > 0
    if (this.#isBeside) this.#host?.begin(BESIDE, this.#besideMs)
    this.#besideMs = 0
  }

  /** The arrival of what a sensor emits: it goes on only then. */
  awaitFor(token: number, sensor: number): void {
    this.#run.tokens.awaitedBy[token] = 2 * sensor
  }

  /** The answer to what has arrived goes back to its device. */
  acknowledge(token: number, awaitedBy: number): void {
    const { tokens, model, fates, agenda } = this.#run
    const { task, lane, seq } = tokens
    tokens.awaitedBy[token] = NOBODY
    let took = model.link.delayMs
    if (fates.hasTimeouts) {
      const [index, device, item] = [task[token] as number, lane[token] as number, seq[token] as number]
      took += fates.timeouts(index, device, item, 0).acknowledgementMs
    }
    agenda.push(ACKNOWLEDGED, agenda.now + took, awaitedBy)
  }

  /** An answer is back at its device. */
  acknowledged(awaitedBy: number): void {
    const { sensors, model } = this.#run
    const who = awaitedBy >> 1
    const index = (awaitedBy & 1) === 0 ? (sensors.task[who] as number) : who % model.tasks.length
    const { arrivalMs = 0 } = model.tasks[index] as ModelTask
    if (this.#host && arrivalMs > 0) this.#host.begin(4 * awaitedBy + ARRIVAL, arrivalMs)
    else this.#goOn(awaitedBy)
  }

  /** A device has heard that what it sent has arrived: its sensor or task goes on. */
  #goOn(awaitedBy: number): void {
    const who = awaitedBy >> 1
    const { model, goOn } = this.#run
    const { length } = model.tasks
    if ((awaitedBy & 1) === 0) goOn(who)
    else this.leave(Math.floor(who / length), who % length)
  }
}
