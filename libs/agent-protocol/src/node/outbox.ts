/** Sends the frames of a session, those of one turn of the event loop together. */
import { encode } from '../codec.ts'
import type { Down, Up } from '../messages.ts'
import type { Session } from '../session.ts'

/** Either side of a session. */
type Sender = Pick<Session<Down, Up>, 'frames'> | Pick<Session<Up, Down>, 'frames'>

export class Outbox {
  readonly #session: Sender
  readonly #publish: (payload: Uint8Array) => void
  #scheduled = false

  constructor(session: Sender, publish: (payload: Uint8Array) => void) {
    this.#session = session
    this.#publish = publish
  }

  /** Sends what there is to send at the end of this turn. */
  wake(): void {
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => {
      this.#scheduled = false
      for (const frame of this.#session.frames()) this.#publish(encode(frame))
    })
  }
}
