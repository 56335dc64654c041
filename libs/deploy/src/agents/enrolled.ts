/** Devices of other machines: their agents are started there and dial in. Nothing here starts or ends them. */
import { createHash } from 'node:crypto'
import type { Inventory } from './inventory.ts'
import type { Liveness } from './liveness.ts'

/** A device of another machine, as the service keeps it. */
export interface EnrolledAgent {
  /** Name of the device, without a dot: those with one are agents of this machine. */
  id: string
  /** Name of its device class. */
  class: string
  /** SHA-256 of its token, hexadecimal; the token itself is known to the device alone. */
  tokenHash: string
  /** ms since 1970. */
  enrolledAt: number
}

/** SHA-256 of a token, hexadecimal. Tokens are long and random, so that how far two hashes agree tells nothing about them. */
export const hashOfToken = (token: string): string => createHash('sha256').update(token).digest('hex')

/** What becomes of the agents of other machines. All calls are synchronous. */
export interface EnrolledEvents {
  /** It called in, or is heard again after it was lost. */
  onUp: (device: string) => void
  /** It has been silent for too long. It may come back by itself. */
  onLost: (device: string, message: string) => void
}

/** The agents of other machines: who they are, and who of them is there. */
export class EnrolledAgents {
  readonly #devices = new Map<string, EnrolledAgent>()
  readonly #up = new Set<string>()
  readonly #inventory: Inventory
  readonly #liveness: Liveness
  readonly #events: EnrolledEvents

  constructor(inventory: Inventory, liveness: Liveness, events: EnrolledEvents) {
    this.#inventory = inventory
    this.#liveness = liveness
    this.#events = events
  }

  /** Adds a device. Its credential holds from now on. */
  add(device: EnrolledAgent): void {
    this.#devices.set(device.id, device)
    this.#inventory.add({ id: device.id, class: device.class, enrolledAt: device.enrolledAt })
  }

  /** Removes a device; returns false when it is unknown. */
  remove(id: string): boolean {
    if (!this.#devices.has(id)) return false
    if (this.#up.delete(id)) this.#events.onLost(id, `Device ${id} was removed.`)
    this.#devices.delete(id)
    this.#liveness.forget(id)
    this.#inventory.forget(id)
    return true
  }

  has(id: string): boolean {
    return this.#devices.has(id)
  }

  /** Whether its agent is there, with a session. */
  isUp(id: string): boolean {
    return this.#up.has(id)
  }

  /** A sign of life. After a loss it counts as a return. */
  sign(id: string, hasSession: boolean): void {
    this.#liveness.beat(id)
    this.#inventory.beat(id)
    if (hasSession && !this.#up.has(id)) this.session(id)
  }

  /** Its agent has a session: a new one, or one that is heard again. */
  session(id: string): void {
    this.#up.add(id)
    this.#liveness.beat(id)
    this.#inventory.beat(id)
    this.#events.onUp(id)
  }

  /** It has been silent for too long. */
  silent(id: string, silentMs: number): void {
    this.#up.delete(id)
    this.#inventory.silent(id)
    this.#events.onLost(id, `Device ${id} has been silent for ${(silentMs / 1000).toFixed(1)} s.`)
  }
}
