/** Who is alive: a device that is silent for too long is lost, unless this process itself was held up. */

const SILENCE_LIMIT_MS = 3_000
const CHECK_EVERY_MS = 500

/** When a device is lost, and who is told. */
export interface LivenessOptions {
  onLost: (device: string, silentMs: number) => void
  /** Silence after which a device is lost, in ms (paper section 4.6: 3 s). */
  silenceMs?: number
  checkMs?: number
  /** ms of a monotonic clock. */
  now?: () => number
}

/** Watches devices by their heartbeats. */
export class Liveness {
  readonly #options: Required<LivenessOptions>
  readonly #seenAt = new Map<string, number>()
  #timer: NodeJS.Timeout | undefined
  #checkedAt: number
  #paused = false

  constructor(options: LivenessOptions) {
    this.#options = {
      silenceMs: SILENCE_LIMIT_MS,
      checkMs: CHECK_EVERY_MS,
      now: () => performance.now(),
      ...options,
    }
    this.#checkedAt = this.#options.now()
  }

  /** Checks by itself from now on. */
  start(): void {
    this.#timer ??= setInterval(() => this.check(), this.#options.checkMs)
    this.#timer.unref()
  }

  /** Ends the checks. */
  stop(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  /** A sign of life; from the first one on the device is watched. */
  beat(device: string): void {
    const before = this.#seenAt.get(device) ?? Number.NEGATIVE_INFINITY
    // a grace that was given is not taken back
    this.#seenAt.set(device, Math.max(before, this.#options.now()))
  }

  /** Whether a device is watched, and not lost. */
  watches(device: string): boolean {
    return this.#seenAt.has(device)
  }

  /** A device is no longer watched, until its next sign of life. */
  forget(device: string): void {
    this.#seenAt.delete(device)
  }

  /** Silence proves nothing while no message can arrive. */
  pause(): void {
    this.#paused = true
  }

  /** Messages can arrive again: each device has `graceMs` and the usual limit for its next sign of life. */
  resume(graceMs = 0): void {
    this.#paused = false
    const until = this.#options.now() + graceMs
    for (const device of this.#seenAt.keys()) this.#seenAt.set(device, until)
  }

  /** Reports the devices that have been silent for too long. */
  check(): void {
    const { now, checkMs, silenceMs, onLost } = this.#options
    const at = now()
    const heldUp = at - this.#checkedAt > checkMs * 3
    this.#checkedAt = at
    if (this.#paused) return
    for (const [device, seenAt] of [...this.#seenAt]) {
      if (heldUp) this.#seenAt.set(device, Math.max(seenAt, at))
      else if (at - seenAt > silenceMs) {
        this.#seenAt.delete(device)
        onLost(device, at - seenAt)
      }
    }
  }
}
