/** What each device is at: invocations on its cores, and transfers from and to it. */
import type { Tokens } from '../events/tokens.ts'

export interface Stay {
  kind: 'core' | 'up' | 'down'
  /** The token as it was before, to begin anew with. */
  spare: number
  /** When it was to be done or sent. */
  askedAt: number
  /** While a core or the air is taken, and for how many bytes. */
  from: number
  to: number
  bytes: number
}

export class Aboard {
  readonly #tokens: Tokens
  readonly #stays: Map<number, Stay>[]
  readonly #device = new Map<number, number>()
  /** Tokens of which nothing comes any more; events still hold them. */
  readonly #void = new Set<number>()

  constructor(devices: number, tokens: Tokens) {
    this.#tokens = tokens
    this.#stays = Array.from({ length: devices }, () => new Map())
  }

  /** A token begins its stay; to be told before anything is added to it. */
  enter(device: number, token: number, stay: Omit<Stay, 'spare'>): void {
    this.#device.set(token, device)
    this.#stays[device]?.set(token, { ...stay, spare: this.#tokens.copy(token) })
  }

  /** A token's event has come. False when it is void: then it is released. */
  leave(token: number): boolean {
    if (this.#void.delete(token)) {
      this.#tokens.release(token)
      return false
    }
    const device = this.#device.get(token)
    if (device === undefined) return true
    this.#device.delete(token)
    const stays = this.#stays[device] as Map<number, Stay>
    this.#tokens.release((stays.get(token) as Stay).spare)
    stays.delete(token)
    return true
  }

  /** Ends all stays on a device: their tokens are void from now on, and the caller has their spares. */
  clear(device: number): [token: number, stay: Stay][] {
    const stays = [...(this.#stays[device] as Map<number, Stay>)]
    for (const [token] of stays) {
      this.#void.add(token)
      this.#device.delete(token)
    }
    this.#stays[device]?.clear()
    return stays
  }

  /** Bytes that transfers of a device have reserved, but that are not on the air before `now`. */
  unsent(device: number, now: number): { up: number; down: number } {
    const bytes = { core: 0, up: 0, down: 0 }
    for (const stay of (this.#stays[device] as Map<number, Stay>).values())
      bytes[stay.kind] += stay.bytes * shareAfter(stay, now)
    return bytes
  }
}

/** Share of a stay's time that lies after `now`. */
export function shareAfter({ from, to }: Stay, now: number): number {
  return to > from ? Math.max(0, to - Math.max(from, now)) / (to - from) : 0
}
