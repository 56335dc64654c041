/** Faults of a run: packet loss, stragglers, failing functions, a varying load. */
import { checkDeviceFailures, type DeviceFailures } from './devices/failures.ts'
import { checkMobility, type Mobility } from './devices/mobility.ts'
import { checkLearning, type Learning } from './engine/learning.ts'
import type { Model } from './model/model.ts'
import { laneOf, type Sampler, sample, streamOf, uniform } from './random.ts'

/** Conditions of a simulated run; without them nothing goes wrong. Shares are at least 0 and below 1. */
export interface Conditions {
  /** Share of packets of 1,460 bytes that the radio loses; the link layer sends each again until it arrives. */
  loss?: number
  /**
   * A lost packet is sent again only after so many ms, and after twice as many each further time (at most 3,200), as TCP
   * does after a time-out; what follows on the connection of the device waits. Without it nothing waits.
   */
  retransmitMs?: number
  /**
   * Share of invocations of cloud functions that are slowed down, and how many times slower they are. With `respawnAt`,
   * an invocation that takes longer than this quantile of its task is begun a second time in a new container, and the one
   * that ends first counts (paper section 4.6: 0.9).
   */
  stragglers?: { share: number; slowdown: number; respawnAt?: number }
  /** Share of invocations of cloud functions that fail on the way; each is begun again in a new container (3.2, Fig. 5c). */
  functionFailures?: number
  /** From `fromMs` on every sensor emits `factor` times as often (3.2, Fig. 5b); in order of time. */
  load?: { fromMs: number; factor: number }[]
  /** Devices fail, and what follows (4.6, Fig. 10). */
  deviceFailures?: DeviceFailures
  /** Whether a device stops when its battery is empty (2.3); without it the run goes on, and `energyShare` exceeds 1. */
  batteries?: boolean
  /** Devices move among the access points; without it each has one, at its best rate. */
  mobility?: Mobility
  /** Models are retrained while the run goes on, and what that costs (4.6, 5.4). */
  learning?: Learning
}

const PACKET_BYTES = 1460
const MAX_ATTEMPTS = 20
const MAX_REPETITIONS = 7
const MAX_RETRANSMIT_MS = 3200

const LOSS = 4
const STRAGGLER = 5
const SECOND = 6
const FAILURE = 7
const SPENT = 8
const ACKNOWLEDGEMENT = 9

/**
 * Checks conditions against the model they are for.
 * @throws RangeError naming the field that is out of its range, or that does not fit the model
 */
export function checkConditions(conditions: Conditions, model: Model): void {
  const {
    loss,
    retransmitMs,
    stragglers,
    functionFailures,
    load,
    deviceFailures,
    batteries,
    mobility,
    learning,
  } = conditions
  const share = (value: number | undefined, name: string) => {
    if (value !== undefined && !(value >= 0 && value < 1))
      throw new RangeError(`'${name}' must be at least 0 and below 1, not ${value}.`)
  }
  share(loss, 'loss')
  if (retransmitMs !== undefined && !(retransmitMs >= 0 && Number.isFinite(retransmitMs)))
    throw new RangeError(`'retransmitMs' must be at least 0, not ${retransmitMs}.`)
  share(functionFailures, 'functionFailures')
  share(stragglers?.share, 'stragglers.share')
  share(stragglers?.respawnAt, 'stragglers.respawnAt')
  if (stragglers && !(stragglers.slowdown >= 1))
    throw new RangeError(`'stragglers.slowdown' must be at least 1, not ${stragglers.slowdown}.`)
  for (const [index, { fromMs, factor }] of (load ?? []).entries()) {
    if (!(factor > 0 && Number.isFinite(factor)))
      throw new RangeError(`'load[${index}].factor' must be above 0, not ${factor}.`)
    if (!(fromMs >= (load?.[index - 1]?.fromMs ?? 0)))
      throw new RangeError(`'load[${index}].fromMs' must not be before the one before it, nor below 0.`)
  }
  if (deviceFailures) checkDeviceFailures(deviceFailures, model.classOf.length)
  if (mobility) checkMobility(mobility, model)
  if (learning) checkLearning(learning, model)
  checkNodes(conditions, model)
  if (!deviceFailures && !batteries) return
  const what = deviceFailures ? 'deviceFailures' : 'batteries'
  if (model.host)
    throw new RangeError(`'${what}' needs devices of their own; those of this fleet run on one host.`)
  if (model.classes.some((each) => each.awaitsArrival) || retransmitMs)
    throw new RangeError(`'${what}' goes neither with devices that await arrivals nor with 'retransmitMs'.`)
}

/** What of the conditions is not modelled of tasks on edge nodes. */
function checkNodes(conditions: Conditions, { tasks }: Model): void {
  const onNode = tasks.find(({ hardware }) => hardware === 'nodes')
  if (!onNode) return
  const { deviceFailures, batteries, mobility, retransmitMs, learning } = conditions
  const learns = learning !== undefined && tasks.some(({ learn, hardware }) => learn && hardware === 'nodes')
  const what = Object.entries({ deviceFailures, batteries, mobility, retransmitMs, learning: learns }).find(
    ([, value]) => value,
  )
  if (what)
    throw new RangeError(
      `'${what[0]}' is not simulated with tasks on edge nodes, such as '${onNode.name}': leave it out, or place them elsewhere.`,
    )
}

/** The course of one invocation of a cloud function. */
export interface Fault {
  /** From its start in a warm container to its end, in ms. */
  tookMs: number
  /** Of this, waiting for further containers to start. */
  startingMs: number
  /** Core time that a second instance takes beside it. */
  besideMs: number
}

/** Draws the faults of a run, each kind from random streams of its own. */
export class Faults {
  /** Whether cloud functions, transfers, the rate of sensors, or devices have faults at all. */
  readonly touchesFunctions: boolean
  readonly touchesAir: boolean
  readonly touchesLoad: boolean
  readonly touchesDevices: boolean
  /** Whether a lost packet is sent again only after a time-out. */
  readonly hasTimeouts: boolean
  readonly #conditions: Conditions
  readonly #coldStartMs: number
  readonly #stream: (purpose: number, task: number) => number

  constructor(conditions: Conditions, seed: number, model: Model) {
    checkConditions(conditions, model)
    this.#conditions = conditions
    this.touchesFunctions = conditions.stragglers !== undefined || (conditions.functionFailures ?? 0) > 0
    this.touchesAir = (conditions.loss ?? 0) > 0
    this.touchesLoad = conditions.load !== undefined
    this.touchesDevices = conditions.deviceFailures !== undefined || (conditions.batteries ?? false)
    this.hasTimeouts = this.touchesAir && (conditions.retransmitMs ?? 0) > 0
    this.#coldStartMs = model.cloud.coldStartMs
    this.#stream = (purpose, task) => streamOf(seed, purpose, task)
  }

  /** Draws the course of an invocation whose service would take `serviceMs`. */
  ofFunction(task: number, lane: number, seq: number, serviceMs: number, service: Sampler): Fault {
    const draw = (purpose: number, n = seq) => uniform(laneOf(this.#stream(purpose, task), lane), n)
    const { stragglers, functionFailures = 0 } = this.#conditions
    const fault: Fault = { tookMs: serviceMs, startingMs: 0, besideMs: 0 }
    if (stragglers && draw(STRAGGLER) < stragglers.share) fault.tookMs *= stragglers.slowdown
    if (stragglers?.respawnAt !== undefined) {
      const limit = quantileIn(service, stragglers.respawnAt)
      if (fault.tookMs > limit) {
        const again = sample(service, laneOf(this.#stream(SECOND, task), lane), seq)
        const second = limit + this.#coldStartMs + again
        fault.besideMs = Math.min(fault.tookMs, second) - limit
        if (second < fault.tookMs) fault.tookMs = second
      }
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (draw(FAILURE, seq * MAX_ATTEMPTS + attempt) >= functionFailures) break
      fault.tookMs += serviceMs * draw(SPENT, seq * MAX_ATTEMPTS + attempt) + this.#coldStartMs
      fault.startingMs += this.#coldStartMs
    }
    return fault
  }

  /** Bytes on the air for so many bytes of payload, retransmissions included. */
  onAir(task: number, lane: number, seq: number, bytes: number): number {
    if (bytes === 0) return 0
    let again = 0
    this.#lost(LOSS, task, lane, seq, bytes, (times) => {
      again += times
    })
    return bytes + again * Math.min(bytes, PACKET_BYTES)
  }

  /** Time-outs until so many bytes of payload have arrived, and until the acknowledgement of them has, in ms. */
  timeouts(
    task: number,
    lane: number,
    seq: number,
    bytes: number,
  ): { dataMs: number; acknowledgementMs: number } {
    const { retransmitMs = 0 } = this.#conditions
    const waits = { dataMs: 0, acknowledgementMs: 0 }
    const waitFor = (times: number, isRow: boolean) => {
      let sum = 0
      for (let n = 0; n < times; n++)
        sum += isRow ? Math.min(MAX_RETRANSMIT_MS, retransmitMs * 2 ** n) : retransmitMs
      return sum
    }
    this.#lost(LOSS, task, lane, seq, Math.max(1, bytes), (times, isRow) => {
      waits.dataMs += waitFor(times, isRow)
    })
    this.#lost(ACKNOWLEDGEMENT, task, lane, seq, 1, (times, isRow) => {
      waits.acknowledgementMs += waitFor(times, isRow)
    })
    return waits
  }

  /** Reports how often packets of a message are lost: the losses in a row of each packet, or the sum of many packets. */
  #lost(
    purpose: number,
    task: number,
    lane: number,
    seq: number,
    bytes: number,
    report: (times: number, isRow: boolean) => void,
  ): void {
    const { loss = 0 } = this.#conditions
    const packets = Math.ceil(bytes / PACKET_BYTES)
    const stream = laneOf(this.#stream(purpose, task), lane)
    if (packets <= 32) {
      for (let packet = 0; packet < packets; packet++) {
        let times = 0
        while (times < MAX_REPETITIONS && uniform(stream, (seq * 32 + packet) * 8 + times) < loss) times++
        if (times > 0) report(times, true)
      }
      return
    }
    // many packets: the number of repetitions is near a normal distribution
    const mean = (packets * loss) / (1 - loss)
    const deviation = Math.sqrt(packets * loss) / (1 - loss)
    let sum = -6
    for (let n = 0; n < 12; n++) sum += uniform(stream, seq * 12 + n)
    const times = Math.max(0, Math.round(mean + deviation * sum))
    if (times > 0) report(times, false)
  }

  /** The factor on the rate of sensors at a time. */
  loadAt(now: number): number {
    let factor = 1
    for (const step of this.#conditions.load ?? []) {
      if (step.fromMs > now) break
      factor = step.factor
    }
    return factor
  }
}

function quantileIn({ points }: Sampler, share: number): number {
  const at = share * (points.length - 1)
  const below = Math.floor(at)
  const low = points[below] as number
  return low + ((points[below + 1] ?? low) - low) * (at - below)
}
