/**
 * Devices that fail or run out of power: who does their work, and what becomes of what they were at (paper sections 2.3
 * and 4.6). Nothing here is asked when no device can go down.
 */

import { add } from '../arrays.ts'
import type { Agenda } from '../events/agenda.ts'
import { EMIT, HAPPENS, RESUMES } from '../events/kinds.ts'
import type { Sensors } from '../events/sensors.ts'
import type { Origins, Tokens } from '../events/tokens.ts'
import type { Watch } from '../events/watch.ts'
import type { TaskTimes } from '../figures/books.ts'
import type { Ledger } from '../figures/ledger.ts'
import type { Timeline } from '../figures/timeline.ts'
import { type Model, totalItems } from '../model/model.ts'
import type { SimulationOptions } from '../options.ts'
import type { Cores } from '../stations.ts'
import { Aboard, type Stay, shareAfter } from './aboard.ts'
import { leastMsLeft } from './battery.ts'
import { FailureTimes, policyOf } from './failures.ts'
import { type Outage, Outages } from './outages.ts'
import { type Part, Parts } from './parts.ts'

const DETECT_MS = 3000
const RESTART_MS = 10_000

/** What happens to a device; with its number times four the token of the event. */
const FAILS = 0
const LOOKS_AT_BATTERY = 1
const RETURNS = 2

/** What a run has, and what it is asked to do again. */
interface Ports {
  tokens: Tokens
  origins: Origins
  sensors: Sensors
  ledger: Ledger
  agenda: Agenda
  watch: Watch
  cores: Cores
  timeline: Timeline | null
  start: (token: number) => void
  send: (token: number) => void
  sense: (task: number, device: number, part: Part) => void
  /** An invocation is lost: what waits for it may go on. */
  drop: (token: number) => void
}

export class Devices {
  readonly outages: Outages
  readonly #model: Model
  readonly #ports: Ports
  readonly #aboard: Aboard
  readonly #parts: Parts
  readonly #failures: FailureTimes
  readonly #policy: ReturnType<typeof policyOf>
  readonly #detectMs: number
  readonly #restartMs: number
  readonly #batteries: boolean
  /** For every item the device that sensed it. */
  readonly #senser: Int32Array
  /** For every device whose work others have: these. */
  readonly #heirs: (readonly number[] | undefined)[]
  /** Tokens that wait for a device, since when, and whether to be sent. */
  readonly #held = new Map<number, { since: number; isTransfer: boolean }>()

  constructor(model: Model, { seed, conditions = {} }: SimulationOptions, ports: Ports) {
    const devices = model.classOf.length
    const failures = conditions.deviceFailures ?? {}
    this.#model = model
    this.#ports = ports
    this.outages = new Outages(devices)
    this.#aboard = new Aboard(devices, ports.tokens)
    this.#parts = new Parts(devices, ports.sense)
    this.#failures = new FailureTimes(failures, devices, seed)
    this.#policy = policyOf(model, failures)
    this.#detectMs = failures.detectMs ?? DETECT_MS
    this.#restartMs = failures.restartMs ?? RESTART_MS
    this.#batteries = conditions.batteries ?? false
    this.#senser = new Int32Array(totalItems(model))
    this.#heirs = Array.from({ length: devices }, () => undefined)
    for (let device = 0; device < devices; device++) this.#watch(device)
  }

  /** A stream begins on a device. */
  senses(task: number, device: number): void {
    this.#parts.began(task, device)
  }

  /** The stream of a device has ended. */
  sensed(task: number, device: number): void {
    this.#parts.ended(task, device)
  }

  /** A device has sensed an item. */
  born(item: number, device: number): void {
    this.#senser[item] = device
  }

  /** Whether a sensor can emit now; else it does so later, or others do, or nobody. */
  canSense(task: number, sensor: number): boolean {
    const { sensors, agenda } = this.#ports
    const device = sensors.device[sensor] as number
    if (this.outages.isUp(device)) return true
    const resumesAt = this.outages.resumesAt(device)
    if (resumesAt === Number.POSITIVE_INFINITY) return false
    const heirs = this.#heirs[device]
    if (!heirs) {
      agenda.push(EMIT, resumesAt, sensor)
      return false
    }
    const emitted = sensors.emitted[sensor] as number
    this.#parts.deal(task, heirs, {
      lane: sensors.lane[sensor] as number,
      first: (sensors.first[sensor] as number) + emitted,
      items: (sensors.items[sensor] as number) - emitted,
    })
    return false
  }

  /** The device that works for a token now; -1 when it waits for one, or is lost. Takes the token then. */
  deviceFor(token: number, isTransfer: boolean): number {
    const { agenda, tokens } = this.#ports
    let device = this.#senserOf(token)
    while (!this.outages.isUp(device)) {
      const resumesAt = this.outages.resumesAt(device)
      if (resumesAt === Number.POSITIVE_INFINITY) {
        this.#lose(token, !isTransfer)
        return -1
      }
      const heirs = this.#heirs[device]
      if (!heirs) {
        this.#hold(token, agenda.now, resumesAt, isTransfer)
        return -1
      }
      device = heirs[(tokens.seq[token] as number) % heirs.length] as number
    }
    return device
  }

  /** A token takes a core or the air; to be told before anything is added to it. */
  takes(device: number, token: number, kind: Stay['kind'], from: number, to: number, bytes = 0): void {
    this.#aboard.enter(device, token, { kind, askedAt: this.#ports.agenda.now, from, to, bytes })
  }

  /** A token's event has come; false when nothing comes of it because its device went down. Takes the token then. */
  leaves(token: number): boolean {
    return this.#aboard.leave(token)
  }

  /** A token's device is back, or has a successor. */
  resume(token: number): void {
    const { agenda, tokens, ledger, start, send } = this.#ports
    const { since, isTransfer } = this.#held.get(token) ?? { since: agenda.now, isTransfer: false }
    this.#held.delete(token)
    const waited = agenda.now - since
    if (isTransfer) {
      add(tokens.network, token, waited)
      send(token)
      return
    }
    add(tokens.management, token, waited)
    const times = ledger.tasks[tokens.task[token] as number] as TaskTimes
    times.management += waited
    start(token)
  }

  /** Something happens to a device. */
  happen(event: number): void {
    const device = event >> 2
    const what = event & 3
    if (!this.#ports.watch.goesOn()) return
    if (what === RETURNS) this.#resumes(device)
    if (what === RETURNS || !this.outages.isUp(device)) return
    if (what === FAILS) this.#goesDown(device, 'failure')
    else this.#lookAtBattery(device)
  }

  /** The run goes on after all. */
  watchAgain(): void {
    const { now } = this.#ports.agenda
    for (let device = 0; device < this.#model.classOf.length; device++) {
      const resumesAt = this.outages.resumesAt(device)
      if (this.outages.isUp(device)) this.#watch(device)
      else if (resumesAt !== Number.POSITIVE_INFINITY && !this.#heirs[device])
        this.#pushWatch(device, RETURNS, Math.max(now, resumesAt))
    }
  }

  /** What waited for inputs until the end of the run is lost. */
  close(stuck: readonly number[]): void {
    for (const token of stuck) this.#loseOrigins(token)
  }

  /** From now on a device may fail, or its battery run empty. */
  #watch(device: number): void {
    const { now } = this.#ports.agenda
    const failsAt = this.#failures.next(device, now)
    if (failsAt !== Number.POSITIVE_INFINITY) this.#pushWatch(device, FAILS, failsAt)
    if (this.#batteries) this.#lookAtBattery(device)
  }

  #pushWatch(device: number, what: number, time: number): void {
    this.#ports.watch.push(HAPPENS, time, 4 * device + what)
  }

  #lookAtBattery(device: number): void {
    const { agenda, ledger, cores } = this.#ports
    const run = { ledger, cores, aboard: this.#aboard, outages: this.outages }
    const left = leastMsLeft(this.#model, device, agenda.now, run)
    if (left === 0) this.#goesDown(device, 'battery')
    else if (left !== Number.POSITIVE_INFINITY) this.#pushWatch(device, LOOKS_AT_BATTERY, agenda.now + left)
  }

  #goesDown(device: number, cause: Outage['cause']): void {
    const { agenda, cores } = this.#ports
    const { now } = agenda
    const isHanded = this.#policy === 'repartition'
    const comesBack = cause === 'failure' && !isHanded && this.#policy !== 'ignore'
    const noticedAt = now + this.#detectMs
    const goesOn = isHanded || comesBack
    const resumesAt = goesOn ? noticedAt + (comesBack ? this.#restartMs : 0) : Number.POSITIVE_INFINITY
    this.outages.begin(device, cause, now, resumesAt, comesBack)
    if (goesOn) this.#pushWatch(device, RETURNS, resumesAt)
    cores.stop(device, now)
    for (const [token, stay] of this.#aboard.clear(device)) {
      this.#undo(device, token, stay)
      // what was on its way to the device goes to whoever has its work
      if (comesBack || (isHanded && stay.kind === 'down'))
        this.#hold(stay.spare, stay.askedAt, resumesAt, stay.kind !== 'core')
      else this.#lose(stay.spare, stay.kind === 'core')
    }
  }

  /** Takes back what a stay would have cost from now on. */
  #undo(device: number, token: number, stay: Stay): void {
    const { ledger, timeline, tokens, agenda } = this.#ports
    const from = Math.max(stay.from, agenda.now)
    if (stay.kind === 'core') {
      const times = ledger.tasks[tokens.task[token] as number] as TaskTimes
      times.management -= (tokens.management[token] as number) - (tokens.management[stay.spare] as number)
      times.execution -= (tokens.execution[token] as number) - (tokens.execution[stay.spare] as number)
      if (from < stay.to) timeline?.computes(device, from, stay.to, from - stay.to)
      return
    }
    const bytes = stay.bytes * shareAfter(stay, agenda.now)
    ledger.moved(device, -bytes, stay.kind === 'up')
    if (from < stay.to) timeline?.carries(device, from, stay.to, -bytes, stay.kind === 'up')
  }

  #resumes(device: number): void {
    if (this.#policy !== 'repartition') {
      this.outages.end(device)
      this.#watch(device)
      return
    }
    const heirs = this.#neighboursOf(device)
    this.#heirs[device] = heirs
    if (heirs.length === 0) this.outages.abandon(device)
    for (const [index, task] of this.#model.tasks.entries())
      if (task.gap)
        for (const part of this.#parts.takeWaiting(index, device)) this.#parts.deal(index, heirs, part)
  }

  /** The nearest device of the same class on either side that is up: areas are strips in the order of the devices. */
  #neighboursOf(device: number): number[] {
    const { classOf } = this.#model
    const heirs: number[] = []
    for (const step of [-1, 1])
      for (let other = device + step; other >= 0 && other < classOf.length; other += step)
        if (classOf[other] === classOf[device] && this.outages.isUp(other)) {
          heirs.push(other)
          break
        }
    return heirs
  }

  /** The device that sensed what a token was made from; without, that of its lane. */
  #senserOf(token: number): number {
    const { tokens, origins } = this.#ports
    const [item] = origins.listOf(tokens.origin[token] as number)
    return (item === undefined ? tokens.lane[token] : this.#senser[item]) as number
  }

  #hold(token: number, since: number, until: number, isTransfer: boolean): void {
    this.#held.set(token, { since, isTransfer })
    this.#ports.agenda.push(RESUMES, until, token)
  }

  #lose(token: number, isInvocation: boolean): void {
    this.#loseOrigins(token)
    if (isInvocation) this.#ports.drop(token)
    this.#ports.tokens.release(token)
  }

  #loseOrigins(token: number): void {
    const { tokens, origins, ledger } = this.#ports
    for (const item of origins.listOf(tokens.origin[token] as number)) ledger.lose(item)
  }
}
