/** The work of a computer that is host to devices and cloud: all of it shares the cores evenly. */
import type { Model, ModelTask } from '../model/model.ts'
import type { Agenda } from './agenda.ts'
import { Host } from './host.ts'
import { COMPUTES, HOST } from './kinds.ts'
import { SERVICE, type Tokens } from './tokens.ts'

/** Purposes of work: for a token, for who awaits an arrival, for nobody; a job is a number times four, and its purpose. */
const DISPATCH = 0
const EXECUTION = 1
const ARRIVAL = 2
const BESIDE = 3

/** Notified when work has ended. */
interface Listener {
  dispatched(token: number): void
  executed(token: number): void
  arrived(instance: number): void
}

/** The host of all that has no core of its own. */
const SHARED = 0

export class HostWork {
  readonly #model: Model
  readonly #agenda: Agenda
  readonly #tokens: Tokens
  readonly #listener: Listener
  /** The host without the cores of isolated tasks, and a core of its own for each of these. */
  readonly #hosts: Host[]
  /** For every task its host. */
  readonly #hostOf: Int32Array
  /** Work that nobody waits for is one job at a time; what comes meanwhile adds to the next one. */
  #isBeside = false
  #besideMs = 0

  /** `null` for a model whose devices and cloud are computers of their own. */
  static of(model: Model, agenda: Agenda, tokens: Tokens, listener: Listener): HostWork | null {
    return model.host ? new HostWork(model, model.host, agenda, tokens, listener) : null
  }

  private constructor(
    model: Model,
    { cores, others }: { cores: number; others: number },
    agenda: Agenda,
    tokens: Tokens,
    listener: Listener,
  ) {
    this.#model = model
    this.#agenda = agenda
    this.#tokens = tokens
    this.#listener = listener
    const isolated = model.tasks.map(({ isIsolated, gap }) => isIsolated && gap === null)
    const count = isolated.filter(Boolean).length
    const own = cores > count ? count : 0
    this.#hosts = [new Host(agenda, HOST, cores - own, others, SHARED)]
    this.#hostOf = Int32Array.from(isolated, (each) =>
      each && own > 0 ? this.#hosts.push(new Host(agenda, HOST, 1, 0, this.#hosts.length)) - 1 : SHARED,
    )
  }

  /** Works `ms` to dispatch a cloud function. */
  dispatch(token: number, ms: number): void {
    this.#begin(SHARED, 4 * token + DISPATCH, ms)
  }

  /** Works on an invocation that would take `ms` alone. */
  execute(token: number, ms: number): void {
    const { computes } = this.#taskOf(token)
    this.#tokens.times[(token << 3) | SERVICE] = ms
    if (computes === 1) this.#begin(this.#hostFor(token), 4 * token + EXECUTION, ms)
    else this.#agenda.push(COMPUTES, this.#agenda.now + ms * (1 - computes), token)
  }

  /** The part of an invocation that needs no core has passed. */
  compute(token: number): void {
    const ms = this.#tokens.time(token, SERVICE) * this.#taskOf(token).computes
    this.#begin(this.#hostFor(token), 4 * token + EXECUTION, ms)
  }

  /** Works on an arrival that somebody waits to hear of. */
  arrive(instance: number, ms: number): void {
    this.#begin(SHARED, 4 * instance + ARRIVAL, ms)
  }

  /** A task has emitted an item; that may be work that nobody waits for. */
  emitted({ besideMs = 0 }: ModelTask): void {
    this.#besideMs += besideMs
    if (!this.#isBeside) this.#workBeside()
  }

  /** At an event of a host: some of its work may have ended. */
  ended(host: number): void {
    const job = this.#hosts[host]?.ended() ?? -1
    if (job < 0) return
    const purpose = job & 3
    const number = job >> 2
    if (purpose === DISPATCH) this.#listener.dispatched(number)
    else if (purpose === EXECUTION) this.#listener.executed(number)
    else if (purpose === ARRIVAL) this.#listener.arrived(number)
    else this.#workBeside()
  }

  #workBeside(): void {
    this.#isBeside = this.#besideMs > 0
    if (this.#isBeside) this.#begin(SHARED, BESIDE, this.#besideMs)
    this.#besideMs = 0
  }

  #begin(host: number, job: number, ms: number): void {
    this.#hosts[host]?.begin(job, ms)
  }

  #hostFor(token: number): number {
    return this.#hostOf[this.#tokens.task(token)] as number
  }

  #taskOf(token: number): ModelTask {
    return this.#model.tasks[this.#tokens.task(token)] as ModelTask
  }
}
