/**
 * Sends the frames of a session, those of one turn of the event loop together. What is not urgent waits until some ms after
 * the last frames, so that one acknowledgement stands for many messages: a packet costs its two ends a wake-up.
 */
import { encode } from '../codec.ts'
import type { Down, Up } from '../messages.ts'
import type { Session } from '../session.ts'

/** Either side of a session. */
type Sender = Pick<Session<Down, Up>, 'frames'> | Pick<Session<Up, Down>, 'frames'>

/** Shortest time from frames to an acknowledgement that is not urgent, in ms. */
const ACKNOWLEDGE_EVERY_MS = 20

export class Outbox {
  readonly #session: Sender
  readonly #publish: (payload: Uint8Array) => void
  #scheduled = false
  #later: NodeJS.Timeout | undefined
  #sentAt = Number.NEGATIVE_INFINITY

  constructor(session: Sender, publish: (payload: Uint8Array) => void) {
    this.#session = session
    this.#publish = publish
  }

  /** Sends what there is to send at the end of this turn, or, if it is not urgent, some ms after what was sent last. */
  wake(urgent: boolean): void {
    if (this.#scheduled) return
    const waitMs = urgent ? 0 : this.#sentAt + ACKNOWLEDGE_EVERY_MS - performance.now()
    if (waitMs > 0) {
      this.#later ??= setTimeout(() => this.#send(), waitMs)
      return
    }
    this.#scheduled = true
    setImmediate(() => this.#send())
  }

  #send(): void {
    this.#scheduled = false
    clearTimeout(this.#later)
    this.#later = undefined
    const frames = this.#session.frames()
    if (frames.length > 0) this.#sentAt = performance.now()
    for (const frame of frames) this.#publish(encode(frame))
  }
}
