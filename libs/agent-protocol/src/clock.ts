/**
 * Relates the monotonic clock of a device to the clock of the service. Every round trip bounds the offset from both
 * sides: a message cannot arrive before it was sent. The bounds of all round trips are intersected, and widen with time
 * because clocks drift. Pure.
 */

/** One round trip, from the service to the device and back. All in ms. */
export interface RoundTrip {
  /** Service clock: when the echo was sent. */
  sentAt: number
  /** Service clock: when the device's answer arrived. */
  receivedAt: number
  /** Device clock: when the device sent that answer. */
  deviceAt: number
  /** How long the device had kept the echo by then. */
  heldMs: number
}

/** What the service knows about a device's clock. */
export interface ClockEstimate {
  /** Add it to an instant of the device's clock to get one of the service's, in ms. */
  offsetMs: number
  /** The true offset differs by at most this much, in ms. */
  uncertaintyMs: number
  /** Duration of the last round trip, in ms. */
  roundTripMs: number
  /** How often a clock was found to have jumped. */
  jumps: number
}

/** Maximum drift between two clocks: 200 ms in a million (quartz clocks stay below 100). */
const MAX_DRIFT = 200e-6

/** Offset of one device's clock. Starts anew with every boot of the device. */
export class ClockEstimator {
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY
  #at = Number.NaN
  #roundTripMs = Number.NaN
  #jumps = 0
  readonly #maxDrift: number

  /** `maxDrift`: drift between the clocks that is allowed for, as a ratio. */
  constructor(maxDrift = MAX_DRIFT) {
    this.#maxDrift = maxDrift
  }

  /** Takes a round trip. Impossible ones (that end before they began) are ignored. */
  add({ sentAt, receivedAt, deviceAt, heldMs }: RoundTrip): void {
    // the drift while the round trip lasted makes it seem shorter or longer
    const slack = (receivedAt - sentAt) * this.#maxDrift
    const measuredMs = receivedAt - sentAt - heldMs
    const impossible = !(measuredMs >= -slack) || !(heldMs >= 0) || !Number.isFinite(deviceAt)
    if (impossible) return
    const roundTripMs = Math.max(0, measuredMs)
    const high = receivedAt - deviceAt
    const low = high - roundTripMs
    const widening = Number.isNaN(this.#at) ? 0 : Math.abs(receivedAt - this.#at) * this.#maxDrift
    const nextLow = Math.max(this.#low - widening, low - slack)
    const nextHigh = Math.min(this.#high + widening, high + slack)
    if (nextLow <= nextHigh) {
      this.#low = nextLow
      this.#high = nextHigh
    } else {
      this.#jumps += 1
      this.#low = low
      this.#high = high
    }
    this.#at = receivedAt
    this.#roundTripMs = roundTripMs
  }

  /** The estimate at an instant of the service's clock; `null` before the first round trip. */
  estimate(now: number): ClockEstimate | null {
    if (Number.isNaN(this.#at)) return null
    const widening = Math.max(0, now - this.#at) * this.#maxDrift
    return {
      offsetMs: (this.#low + this.#high) / 2,
      uncertaintyMs: (this.#high - this.#low) / 2 + widening,
      roundTripMs: this.#roundTripMs,
      jumps: this.#jumps,
    }
  }
}
