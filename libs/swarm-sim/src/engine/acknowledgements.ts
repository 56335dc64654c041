/** Devices whose tasks wait while too much of their output has not been acknowledged by the cloud. */
import { itemsOnTheWay } from '@hivemind/swarm'
import type { Faults } from '../faults.ts'
import type { Model, ModelTask } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import type { Agenda } from './agenda.ts'
import type { HostWork } from './host-work.ts'
import { ACKNOWLEDGED } from './kinds.ts'
import { AWAITED_BY, LANE, NOBODY, SEQ, TASK, type Tokens } from './tokens.ts'

interface Given {
  model: Model
  wiring: readonly TaskWiring[]
  agenda: Agenda
  tokens: Tokens
  faults: Faults
  /** A sensor goes on with its next item; a task's server on a device is free again. */
  resumeSensor(sensor: number): void
  freeServer(device: number, task: number): void
}

/** A task on a device: `lane * tasks + task`. */
type Instance = number

export class Acknowledgements {
  readonly #given: Given
  /** Outputs of each instance that are not acknowledged, and how many there may be before it waits. */
  readonly #onTheWay: Int32Array
  readonly #limits: Int32Array
  /** Sensors, and servers, that wait, by instance. */
  readonly #sensors = new Map<Instance, number[]>()
  readonly #servers: Int32Array
  /** Set once the engine has one. */
  host: HostWork | null = null

  /** `null` for a model none of whose devices waits. */
  static of(given: Given): Acknowledgements | null {
    return given.model.classes.some((each) => each.awaitsArrival) ? new Acknowledgements(given) : null
  }

  private constructor(given: Given) {
    this.#given = given
    const { tasks, classOf } = given.model
    this.#onTheWay = new Int32Array(classOf.length * tasks.length)
    this.#servers = new Int32Array(classOf.length * tasks.length)
    this.#limits = Int32Array.from(tasks, ({ outputBytes }) => itemsOnTheWay(outputBytes.mean))
  }

  /** Whether the outputs of a task on a device are acknowledged. */
  awaits(lane: number, { task, crosses }: TaskWiring): boolean {
    const { classes, classOf } = this.#given.model
    return crosses && task.hardware === 'devices' && classes[classOf[lane] as number]?.awaitsArrival === true
  }

  /** An invocation has ended. Whether it keeps its server, since too many outputs, its own included, are on their way. */
  keepsServer(token: number): boolean {
    const { tokens, wiring } = this.#given
    const index = tokens.task(token)
    const lane = tokens.lane(token)
    const own = wiring[index] as TaskWiring
    const { outputs } = own.task
    if (!this.awaits(lane, own) || outputs > 1) return false
    const seq = tokens.seq(token)
    if (Math.floor((seq + 1) * outputs + 1e-9) === Math.floor(seq * outputs + 1e-9)) return false
    const instance = this.#send(token, lane, index)
    if (this.#hasRoom(instance, index)) return false
    this.#servers[instance] = (this.#servers[instance] as number) + 1
    return true
  }

  /** A sensor has emitted a token. Whether it waits with its next one. */
  keepsSensor(token: number, sensor: number): boolean {
    const { tokens } = this.#given
    const index = tokens.task(token)
    const instance = this.#send(token, tokens.lane(token), index)
    if (this.#hasRoom(instance, index)) return false
    const waiting = this.#sensors.get(instance)
    if (waiting) waiting.push(sensor)
    else this.#sensors.set(instance, [sensor])
    return true
  }

  /** A token has arrived in the cloud: the answer to its device sets out. */
  arrived(token: number): void {
    const { tokens, model, faults, agenda } = this.#given
    const row = token << 3
    const instance = tokens.ints[row | AWAITED_BY] as Instance
    if (instance === NOBODY) return
    tokens.ints[row | AWAITED_BY] = NOBODY
    let ms = model.link.delayMs
    if (faults.hasTimeouts) {
      const [task, lane, seq] = [tokens.ints[row | TASK], tokens.ints[row | LANE], tokens.ints[row | SEQ]]
      ms += faults.timeouts(task as number, lane as number, seq as number, 0).acknowledgementMs
    }
    agenda.push(ACKNOWLEDGED, agenda.now + ms, instance)
  }

  /** The answer is back at its device. */
  acknowledged(instance: Instance): void {
    const { tasks } = this.#given.model
    const { arrivalMs = 0 } = tasks[instance % tasks.length] as ModelTask
    if (this.host && arrivalMs > 0) this.host.arrive(instance, arrivalMs)
    else this.resume(instance)
  }

  /** The device knows of an arrival: a sensor or a server that waits goes on. */
  resume(instance: Instance): void {
    const { length } = this.#given.wiring
    this.#onTheWay[instance] = (this.#onTheWay[instance] as number) - 1
    const sensor = this.#sensors.get(instance)?.shift()
    if (sensor !== undefined) this.#given.resumeSensor(sensor)
    else if ((this.#servers[instance] as number) > 0) {
      this.#servers[instance] = (this.#servers[instance] as number) - 1
      this.#given.freeServer(Math.floor(instance / length), instance % length)
    }
  }

  #send(token: number, lane: number, task: number): Instance {
    const { tokens, wiring } = this.#given
    const instance = lane * wiring.length + task
    tokens.ints[(token << 3) | AWAITED_BY] = instance
    this.#onTheWay[instance] = (this.#onTheWay[instance] as number) + 1
    return instance
  }

  #hasRoom(instance: Instance, task: number): boolean {
    return (this.#onTheWay[instance] as number) < (this.#limits[task] as number)
  }
}
