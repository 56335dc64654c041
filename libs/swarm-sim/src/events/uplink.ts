/** The air between the devices and the cloud. */

import type { Fates } from '../conditions.ts'
import type { Movement } from '../devices/mobility.ts'
import type { Ledger } from '../figures/ledger.ts'
import type { Model } from '../model/model.ts'
import { Stations } from '../stations.ts'
import type { Agenda } from './agenda.ts'

/** Told of everything that takes air, from when until when; `bytes` with all that is sent again. */
type OnAir = (device: number, token: number, from: number, to: number, bytes: number, isUp: boolean) => void

/** What makes the way over the air differ from one time to the next, and who is told of it. */
interface Rough {
  fates: Fates
  movement: Movement | null
  onAir: OnAir | null
}

/** Access points that there are: where the two directions do not share the air, those of the way down come last. */
function pointsOf({ link }: Model): number {
  return link.accessPoints * (link.shared ? 1 : 2)
}

export class Uplink {
  private readonly link: Model['link']
  private readonly agenda: Agenda
  private readonly ledger: Ledger
  private readonly fates: Fates | null
  private readonly movement: Movement | null
  private readonly onAir: OnAir | null
  private readonly air: Stations
  /** For each device, up and down: until when what is sent waits behind a packet that was lost. */
  private readonly unblockedAt: Float64Array

  constructor(model: Model, agenda: Agenda, ledger: Ledger, rough: Rough | null = null) {
    this.link = model.link
    this.agenda = agenda
    this.ledger = ledger
    this.fates = rough?.fates ?? null
    this.movement = rough?.movement ?? null
    this.onAir = rough?.onAir ?? null
    this.air = new Stations(new Int32Array(pointsOf(model)).fill(1))
    this.unblockedAt = new Float64Array(2 * model.classOf.length)
  }

  /** The access point a device uses now. */
  pointOf(device: number, isUp: boolean): number {
    const { accessPoints, shared } = this.link
    const own =
      this.movement === null ? device % accessPoints : this.movement.linkOf(device, this.agenda.now).point
    return own + (isUp || shared ? 0 : accessPoints)
  }

  /** Until when what goes one way of a lane waits behind a packet that was lost. */
  blockedUntil(lane: number, isUp: boolean): number {
    return this.unblockedAt[2 * lane + (isUp ? 0 : 1)] as number
  }

  /**
   * Moves bytes over the air of an access point, `sent` with all that is sent again; returns when they arrive, queueing
   * included. The token is lost, or moved again, when its device goes down meanwhile.
   */
  transmit(point: number, device: number, bytes: number, sent: number, isUp: boolean, token = -1): number {
    const { msPerByte, delayMs, rpcMsPerByte } = this.link
    const { now } = this.agenda
    let service = sent * msPerByte
    if (this.movement !== null) service *= this.movement.linkOf(device, now).slowdown
    this.ledger.moved(device, sent, isUp)
    const start = this.air.serve(point, now, service)
    if (this.onAir !== null) this.onAir(device, token, start, start + service, sent, isUp)
    return start + service + bytes * rpcMsPerByte + delayMs
  }

  /** Bytes on the air for the output of a task, with all that is sent again. */
  sent(task: number, lane: number, seq: number, bytes: number): number {
    return this.fates?.touchesAir ? this.fates.onAir(task, lane, seq, bytes) : bytes
  }

  /** How much later a message arrives as it waits for the time-outs of lost packets; what follows it waits, too. */
  timeouts(task: number, lane: number, seq: number, bytes: number, isUp: boolean): number {
    if (!this.fates?.hasTimeouts) return 0
    const { dataMs } = this.fates.timeouts(task, lane, seq, bytes)
    if (dataMs > 0) this.unblockedAt[2 * lane + (isUp ? 0 : 1)] = this.agenda.now + dataMs
    return dataMs
  }
}
