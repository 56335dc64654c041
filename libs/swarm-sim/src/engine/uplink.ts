/** The link between the devices and the cloud. */
import type { Movement } from '../devices/mobility.ts'
import type { Faults } from '../faults.ts'
import type { Statistics } from '../figures/statistics.ts'
import type { Model } from '../model/model.ts'
import type { Agenda } from './agenda.ts'
import { CROSSED } from './kinds.ts'
import { NETWORK, type Tokens } from './tokens.ts'

/** Notified of every transfer, from when until when it takes the air; `bytes` with all that is sent again. */
type OnTransfer = (
  device: number,
  token: number,
  from: number,
  to: number,
  bytes: number,
  isUp: boolean,
) => void

interface Given {
  model: Model
  tokens: Tokens
  agenda: Agenda
  statistics: Statistics
  faults: Faults
  movement: Movement | null
  onTransfer: OnTransfer | null
}

export class Uplink {
  private readonly link: Model['link']
  private readonly agenda: Agenda
  private readonly tokens: Tokens
  private readonly statistics: Statistics
  private readonly faults: Faults
  private readonly movement: Movement | null
  private readonly onTransfer: OnTransfer | null
  /** When each access point is free; where the two directions do not share the air, those of the way down come last. */
  private readonly freeAt: Float64Array
  /** For each device, up and down: until when what is sent waits behind a packet that was lost. */
  private readonly unblockedAt: Float64Array

  constructor({ model, tokens, agenda, statistics, faults, movement, onTransfer }: Given) {
    this.link = model.link
    this.agenda = agenda
    this.tokens = tokens
    this.statistics = statistics
    this.faults = faults
    this.movement = movement
    this.onTransfer = onTransfer
    this.freeAt = new Float64Array(model.link.accessPoints * (model.link.shared ? 1 : 2))
    this.unblockedAt = new Float64Array(2 * model.classOf.length)
  }

  /** Until when what goes one way for a lane waits behind a packet that was lost. */
  blockedUntil(lane: number, isUp: boolean): number {
    return this.unblockedAt[2 * lane + (isUp ? 0 : 1)] as number
  }

  /**
   * Moves bytes between a device and the cloud, `sent` with all that is sent again; returns when they arrive, queueing
   * included. The token is lost, or moved again, when its device goes down meanwhile.
   */
  transmit(device: number, bytes: number, sent: number, isUp: boolean, token = -1): number {
    const { accessPoints, shared, msPerByte, delayMs, rpcMsPerByte } = this.link
    const { now } = this.agenda
    let point = device % accessPoints
    let service = sent * msPerByte
    if (this.movement !== null) {
      const link = this.movement.linkOf(device, now)
      point = link.point
      service *= link.slowdown
    }
    if (!isUp && !shared) point += accessPoints
    this.statistics.moved(device, sent, isUp)
    const freeAt = this.freeAt[point] as number
    // Math.max is half as fast here: it looks for NaN and -0.
    const start = freeAt > now ? freeAt : now
    this.freeAt[point] = start + service
    if (this.onTransfer !== null) this.onTransfer(device, token, start, start + service, sent, isUp)
    return start + service + bytes * rpcMsPerByte + delayMs
  }

  /** Sends bytes of a token that is neither lost nor delayed; its arrival is an event. */
  send(token: number, lane: number, bytes: number, isUp: boolean): void {
    const { agenda } = this
    const { times } = this.tokens
    const arrival = this.transmit(lane, bytes, bytes, isUp, token)
    const at = (token << 3) | NETWORK
    times[at] = (times[at] as number) + (arrival - agenda.now)
    agenda.push(CROSSED, arrival, token)
  }

  /** How much later a message arrives as it waits for the time-outs of lost packets, in ms; what follows it waits, too. */
  timeouts(task: number, lane: number, seq: number, bytes: number, isUp: boolean): number {
    if (!this.faults.hasTimeouts) return 0
    const { dataMs } = this.faults.timeouts(task, lane, seq, bytes)
    if (dataMs > 0) this.unblockedAt[2 * lane + (isUp ? 0 : 1)] = this.agenda.now + dataMs
    return dataMs
  }
}
