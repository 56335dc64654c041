/** Devices that are not done with an output before its arrival in the cloud has been acknowledged. */
import type { Faults } from '../faults.ts'
import type { Model, ModelTask } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import type { Agenda } from './agenda.ts'
import type { HostWork } from './host-work.ts'
import { ACKNOWLEDGED } from './kinds.ts'
import { AWAITED_BY, LANE, NOBODY, SEQ, TASK, type Tokens } from './tokens.ts'

/** Whoever waits is a number: twice that of a sensor, or one more than twice `lane * tasks + task`. */
const IS_TASK = 1

interface Given {
  model: Model
  wiring: readonly TaskWiring[]
  agenda: Agenda
  tokens: Tokens
  faults: Faults
  /** The task of a sensor. */
  taskOf(sensor: number): number
  /** A sensor goes on with its next item; a task's server on a device is free again. */
  resumeSensor(sensor: number): void
  freeServer(device: number, task: number): void
}

export class Acknowledgements {
  readonly #given: Given
  /** Set once the engine has one. */
  host: HostWork | null = null

  /** `null` for a model none of whose devices waits. */
  static of(given: Given): Acknowledgements | null {
    return given.model.classes.some((each) => each.awaitsArrival) ? new Acknowledgements(given) : null
  }

  private constructor(given: Given) {
    this.#given = given
  }

  /** Whether a task on a device waits until its output has arrived. */
  awaits(lane: number, { task, crosses }: TaskWiring): boolean {
    const { classes, classOf } = this.#given.model
    return crosses && task.hardware === 'devices' && classes[classOf[lane] as number]?.awaitsArrival === true
  }

  /** Whether an invocation keeps its server until its output has arrived; if so, marks its token. */
  keepsServer(token: number): boolean {
    const { tokens, wiring } = this.#given
    const index = tokens.task(token)
    const lane = tokens.lane(token)
    const own = wiring[index] as TaskWiring
    const { outputs } = own.task
    if (!this.awaits(lane, own) || outputs > 1) return false
    const seq = tokens.seq(token)
    if (Math.floor((seq + 1) * outputs + 1e-9) === Math.floor(seq * outputs + 1e-9)) return false
    tokens.ints[(token << 3) | AWAITED_BY] = 2 * (lane * wiring.length + index) + IS_TASK
    return true
  }

  /** A sensor goes on only when its item, a token, has arrived. */
  keepsSensor(token: number, sensor: number): void {
    this.#given.tokens.ints[(token << 3) | AWAITED_BY] = 2 * sensor
  }

  /** A token has arrived in the cloud: the answer to whoever waits for it sets out. */
  arrived(token: number): void {
    const { tokens, model, faults, agenda } = this.#given
    const row = token << 3
    const awaitedBy = tokens.ints[row | AWAITED_BY] as number
    if (awaitedBy === NOBODY) return
    tokens.ints[row | AWAITED_BY] = NOBODY
    let ms = model.link.delayMs
    if (faults.hasTimeouts) {
      const [task, lane, seq] = [tokens.ints[row | TASK], tokens.ints[row | LANE], tokens.ints[row | SEQ]]
      ms += faults.timeouts(task as number, lane as number, seq as number, 0).acknowledgementMs
    }
    agenda.push(ACKNOWLEDGED, agenda.now + ms, awaitedBy)
  }

  /** The answer is back at its device. */
  acknowledged(awaitedBy: number): void {
    const { model, taskOf } = this.#given
    const who = awaitedBy >> 1
    const task = (awaitedBy & IS_TASK) === 0 ? taskOf(who) : who % model.tasks.length
    const { arrivalMs = 0 } = model.tasks[task] as ModelTask
    if (this.host && arrivalMs > 0) this.host.arrive(awaitedBy, arrivalMs)
    else this.resume(awaitedBy)
  }

  /** The device knows of the arrival: its sensor or task goes on. */
  resume(awaitedBy: number): void {
    const who = awaitedBy >> 1
    const { length } = this.#given.wiring
    if ((awaitedBy & IS_TASK) === 0) this.#given.resumeSensor(who)
    else this.#given.freeServer(Math.floor(who / length), who % length)
  }
}
