/**
 * Devices that fail or run out of power: who does their work, and what becomes of what they were at (paper sections 2.3
 * and 4.6). Nothing here is asked when no device can go down.
 */

import type { Agenda } from '../engine/agenda.ts'
import type { DeviceBacklog } from '../engine/device-backlog.ts'
import type { DeviceServers } from '../engine/device-servers.ts'
import { DEVICE, EMIT, RESUMES } from '../engine/kinds.ts'
import { S_DEVICE, S_EMITTED, S_FIRST, S_ITEMS, S_LANE, S_TASK, type Sensors } from '../engine/sensors.ts'
import { EXECUTION, MANAGEMENT, NETWORK, type Origins, type Tokens } from '../engine/tokens.ts'
import type { Watch } from '../engine/watch.ts'
import type { Statistics, TaskTimes } from '../figures/statistics.ts'
import type { Timeline } from '../figures/timeline.ts'
import { type Model, type ModelTask, totalItems } from '../model/model.ts'
import type { SimulationOptions } from '../options.ts'
import { Activities, type Activity, msAfter, shareAfter } from './activities.ts'
import { batteryShareLeft, type Consumers, minMsLeft } from './battery.ts'
import { type DeviceFailures, FailureTimes, policyOf } from './failures.ts'
import { type Outage, Outages } from './outages.ts'
import { type Heir, type Part, Parts } from './parts.ts'

const DETECT_MS = 3000
const RESTART_MS = 10_000
/** Least weight of an heir, however empty its battery is. */
const MIN_WEIGHT = 1e-3

/** What happens to a device; an event's number is that of the device times four, and one of these. */
const FAILS = 0
const CHECK_BATTERY = 1
const RETURNS = 2

/** The run that the devices are part of. */
interface Context {
  model: Model
  agenda: Agenda
  watch: Watch
  tokens: Tokens
  origins: Origins
  sensors: Sensors
  statistics: Statistics
  servers: DeviceServers
  backlog: DeviceBacklog | null
  timeline: Timeline | null
}

/** What a run is asked to do again. */
interface Ports {
  start: (token: number) => void
  send: (token: number) => void
  /** Begins to sense a part; returns the number of the stream. */
  sense: (task: number, device: number, part: Part) => number
  /** An invocation is lost: what waits for it may go on. */
  drop: (token: number) => void
  /** An item of a lane is lost. */
  lost: (lane: number, seq: number) => void
}

export class Devices {
  readonly outages: Outages
  readonly #model: Model
  readonly #context: Context
  readonly #ports: Ports
  readonly #activities: Activities
  readonly #consumers: Consumers
  readonly #parts: Parts
  readonly #failures: FailureTimes
  readonly #policy: ReturnType<typeof policyOf>
  readonly #detectMs: number
  readonly #restartMs: number
  readonly #batteries: boolean
  readonly #restore: DeviceFailures['restore']
  /** For every item the device that sensed it. */
  readonly #senser: Int32Array
  /** For every device whose work others have: these. */
  readonly #heirs: (readonly number[] | undefined)[]
  /** Tokens that wait for a device, since when, and whether to be sent. */
  readonly #held = new Map<number, { since: number; isTransfer: boolean }>()
  /** Share of an invocation's work that is left after a checkpoint, by token; all of it for others. */
  readonly #shareLeft = new Map<number, number>()

  constructor(context: Context, { seed, conditions = {} }: SimulationOptions, ports: Ports) {
    const { model, tokens, sensors, statistics, servers } = context
    const devices = model.classOf.length
    const failures = conditions.deviceFailures ?? {}
    this.#model = model
    this.#context = context
    this.#ports = ports
    this.outages = new Outages(devices)
    this.#activities = new Activities(devices, tokens)
    this.#consumers = { statistics, servers, activities: this.#activities, outages: this.outages }
    this.#parts = new Parts(devices, {
      sense: ports.sense,
      itemsLeft: (sensor) => sensors.of(sensor, S_ITEMS) - sensors.of(sensor, S_EMITTED),
    })
    this.#restore = failures.restore
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
  senses(task: number, device: number, sensor: number): void {
    this.#parts.began(task, device, sensor)
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
  canSense(sensor: number): boolean {
    const { sensors, agenda } = this.#context
    const device = sensors.of(sensor, S_DEVICE)
    if (this.outages.isUp(device)) return true
    const resumesAt = this.outages.resumesAt(device)
    if (resumesAt === Number.POSITIVE_INFINITY) return false
    const task = sensors.of(sensor, S_TASK)
    const emitted = sensors.of(sensor, S_EMITTED)
    const heirs = this.#heirs[device]
    if (!heirs) {
      agenda.push(EMIT, resumesAt + this.#repetitionMs(task, emitted), sensor)
      return false
    }
    this.#parts.divide(task, this.#weighed(heirs), {
      lane: sensors.of(sensor, S_LANE),
      first: sensors.of(sensor, S_FIRST) + emitted,
      items: sensors.of(sensor, S_ITEMS) - emitted,
    })
    return false
  }

  /** The device that works for a token now; -1 when it waits for one, or is lost. Takes the token then. */
  deviceFor(token: number, isTransfer: boolean): number {
    const { agenda, tokens } = this.#context
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
      device = heirs[tokens.seq(token) % heirs.length] as number
    }
    return device
  }

  /** A token takes the air, or waits for a core; call it before any time is added to the token. */
  takes(device: number, token: number, kind: Activity['kind'], from: number, to: number, bytes = 0): void {
    this.#activities.enter(device, token, { kind, askedAt: this.#context.agenda.now, from, to, bytes })
  }

  /** A token that waited has a core. */
  begins(token: number, from: number, to: number): void {
    this.#activities.begin(token, from, to)
  }

  /** A token's event has come; false when its device went down meanwhile. Takes the token then. */
  leaves(token: number): boolean {
    this.#shareLeft.delete(token)
    return this.#activities.leave(token)
  }

  /** Share of an invocation's work that is still to be done: less than 1 after a checkpoint. */
  shareLeft(token: number): number {
    return this.#shareLeft.get(token) ?? 1
  }

  /** A token's device is back, or has a successor. */
  resume(token: number): void {
    const { agenda, tokens, statistics } = this.#context
    const { since, isTransfer } = this.#held.get(token) ?? { since: agenda.now, isTransfer: false }
    this.#held.delete(token)
    const waited = agenda.now - since
    if (isTransfer) {
      tokens.add(token, NETWORK, waited)
      this.#ports.send(token)
      return
    }
    tokens.add(token, MANAGEMENT, waited)
    const times = statistics.tasks[tokens.task(token)] as TaskTimes
    times.management += waited
    this.#ports.start(token)
  }

  /** Something happens to a device. */
  handle(event: number): void {
    const device = event >> 2
    const what = event & 3
    if (!this.#context.watch.goesOn()) return
    if (what === RETURNS) this.#resumes(device)
    if (what === RETURNS || !this.outages.isUp(device)) return
    if (what === FAILS) this.#goesDown(device, 'failure')
    else this.#checkBattery(device)
  }

  /** The run goes on after all. */
  watchAgain(): void {
    const { now } = this.#context.agenda
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
    const { now } = this.#context.agenda
    const failsAt = this.#failures.next(device, now)
    if (failsAt !== Number.POSITIVE_INFINITY) this.#pushWatch(device, FAILS, failsAt)
    if (this.#batteries) this.#checkBattery(device)
  }

  #pushWatch(device: number, what: number, time: number): void {
    this.#context.watch.push(DEVICE, time, 4 * device + what)
  }

  #checkBattery(device: number): void {
    const { now } = this.#context.agenda
    const left = minMsLeft(this.#model, device, now, this.#consumers)
    if (left === 0) this.#goesDown(device, 'battery')
    else if (left !== Number.POSITIVE_INFINITY) this.#pushWatch(device, CHECK_BATTERY, now + left)
  }

  #goesDown(device: number, cause: Outage['cause']): void {
    const { agenda, servers, backlog } = this.#context
    const { now } = agenda
    const isHanded = this.#policy === 'repartition'
    const comesBack = cause === 'failure' && !isHanded && this.#policy !== 'ignore'
    const noticedAt = now + this.#detectMs
    const goesOn = isHanded || comesBack
    const resumesAt = goesOn ? noticedAt + (comesBack ? this.#restartMs : 0) : Number.POSITIVE_INFINITY
    this.outages.begin(device, cause, now, resumesAt, comesBack)
    if (goesOn) this.#pushWatch(device, RETURNS, resumesAt)
    const activities = this.#activities.clear(device)
    for (const [token, activity] of activities) {
      this.#undo(device, token, activity)
      const { spare, kind, askedAt } = activity
      if (kind === 'core' && comesBack) this.#saveProgress(token, activity)
      this.#shareLeft.delete(token)
      // what was on its way to the device goes to whoever has its work
      if (comesBack || (isHanded && kind === 'down')) this.#hold(spare, askedAt, resumesAt, kind !== 'core')
      else this.#lose(spare, kind === 'core')
    }
    // no event will come for what waited for a core
    for (const token of servers.stop(device)) this.#activities.leave(token)
    backlog?.changed(device)
  }

  /** With checkpoints, an invocation goes on after the last item it emitted; else it begins again. */
  #saveProgress(token: number, { spare, from, to }: Activity): void {
    const { tokens, agenda } = this.#context
    const index = tokens.task(token)
    const left = this.shareLeft(token)
    const { outputs } = this.#model.tasks[index] as ModelTask
    const done = agenda.now > from && to > from ? Math.min(1, (agenda.now - from) / (to - from)) : 0
    const kept = this.#hasCheckpoints(index)
      ? Math.floor(outputs * (1 - left * (1 - done)) + 1e-9) / outputs
      : 0
    if (kept > 0) this.#shareLeft.set(spare, 1 - kept)
  }

  /**
   * Time until a sensor that is begun again emits its next new item, in ms: without checkpoints it first emits those that
   * it has emitted before, which do not count again.
   */
  #repetitionMs(task: number, emitted: number): number {
    const { gap } = this.#model.tasks[task] as ModelTask
    return this.#policy === 'repartition' || this.#hasCheckpoints(task) ? 0 : emitted * (gap?.mean ?? 0)
  }

  #hasCheckpoints(task: number): boolean {
    return (this.#restore ?? this.#model.tasks[task]?.restore) === 'checkpoint'
  }

  /** Takes back what an activity would have cost from now on. */
  #undo(device: number, token: number, activity: Activity): void {
    const { statistics, timeline, tokens, agenda, servers } = this.#context
    const { kind, spare, to } = activity
    const from = Math.max(activity.from, agenda.now)
    if (kind === 'core') {
      const times = statistics.tasks[tokens.task(token)] as TaskTimes
      times.management -= tokens.time(token, MANAGEMENT) - tokens.time(spare, MANAGEMENT)
      times.execution -= tokens.time(token, EXECUTION) - tokens.time(spare, EXECUTION)
      servers.busyMs[device] = (servers.busyMs[device] as number) - msAfter(activity, agenda.now)
      if (from < to) timeline?.computes(device, from, to, from - to)
      return
    }
    const bytes = activity.bytes * shareAfter(activity, agenda.now)
    statistics.moved(device, -bytes, kind === 'up')
    if (from < to) timeline?.carries(device, from, to, -bytes, kind === 'up')
  }

  #resumes(device: number): void {
    if (this.#policy !== 'repartition') {
      this.outages.end(device)
      this.#watch(device)
      return
    }
    const heirs = this.#othersOf(device)
    this.#heirs[device] = heirs
    if (heirs.length === 0) this.outages.abandon(device)
    for (const [index, task] of this.#model.tasks.entries())
      if (task.gap)
        for (const part of this.#parts.takeWaiting(index, device))
          this.#parts.divide(index, this.#weighed(heirs), part)
  }

  /** All other devices of the same class that are up. */
  #othersOf(device: number): number[] {
    const { classOf } = this.#model
    return [...classOf.keys()].filter(
      (other) => other !== device && classOf[other] === classOf[device] && this.outages.isUp(other),
    )
  }

  /** Devices that take over work, weighed by what is left of their batteries where these count. */
  #weighed(devices: readonly number[]): Heir[] {
    const { now } = this.#context.agenda
    return devices.map((device) => ({
      device,
      weight: this.#batteries
        ? Math.max(MIN_WEIGHT, batteryShareLeft(this.#model, device, now, this.#consumers))
        : 1,
    }))
  }

  /** The device that sensed what a token was made from; without, that of its lane. */
  #senserOf(token: number): number {
    const { tokens, origins } = this.#context
    const [item] = origins.listOf(tokens.origin(token))
    return item === undefined ? tokens.lane(token) : (this.#senser[item] as number)
  }

  #hold(token: number, since: number, until: number, isTransfer: boolean): void {
    this.#held.set(token, { since, isTransfer })
    this.#context.agenda.push(RESUMES, until, token)
  }

  #lose(token: number, isInvocation: boolean): void {
    const { tokens } = this.#context
    this.#loseOrigins(token)
    if (isInvocation) this.#ports.drop(token)
    this.#ports.lost(tokens.lane(token), tokens.seq(token))
    tokens.release(token)
  }

  #loseOrigins(token: number): void {
    const { tokens, origins, statistics } = this.#context
    for (const item of origins.listOf(tokens.origin(token))) statistics.lose(item)
  }
}
