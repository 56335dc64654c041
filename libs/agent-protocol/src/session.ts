/**
 * A session: messages between two peers, each delivered once and in order, over a link that may lose, repeat and reorder
 * frames, and across reconnections. Pure: the host gives it frames and the time, and sends the frames it returns.
 *
 * Every start of a peer has a new boot id, and messages are numbered from 1 for each pair of boots. When a peer restarts,
 * the session starts anew: messages that were not acknowledged are rejected with `SessionReset` (the application knows
 * what of them still matters), and `onOpen` reports the new boot. A frame can be old and come from a boot that is long
 * dead; so a new boot is adopted only when it answers a challenge that was made after its first frame arrived.
 */

/** What travels, in one MQTT message. */
export interface Frame<M> {
  /** Boot id of the sender. */
  b: string
  /** Boot id of the receiver as far as the sender knows; empty when it knows none. */
  p: string
  /** Number of the first message in `m`, from 1; also when `m` is empty. */
  n: number
  /** All messages of the receiver up to this number have been accepted. */
  a: number
  m: M[]
  /** Challenge: the receiver repeats it as `r`. */
  q?: number
  /** Answer to the receiver's challenge. */
  r?: number
  /** The sender has reconnected: frames may be lost, so everything after `a` is to be sent again. */
  s?: true
  /** So many messages after `a` the sender takes at most; as many as the receiver's own window when absent. */
  w?: number
}

/** Why a send was rejected: the peer restarted before it acknowledged the message, which may have arrived or not. */
export class SessionReset extends Error {
  constructor(message = 'The other side restarted before it acknowledged the message.') {
    super(message)
    this.name = 'SessionReset'
  }
}

/** Why a send was rejected: too much is waiting for acknowledgement. */
export class SessionFull extends Error {
  constructor(messages: number) {
    super(`${messages} messages wait for the other side already.`)
    this.name = 'SessionFull'
  }
}

/** How a session is set up; every bound has a default. */
export interface SessionOptions<S, R = S> {
  /** Boot id of this side: unique for every start. */
  boot: string
  /** Takes a message, in order. The message is acknowledged when the returned promise settles. */
  deliver: (message: R) => void | Promise<void>
  /** A boot of the peer was adopted; `previous` is the boot before, or empty. */
  onOpen?: (boot: string, previous: string) => void
  /** There is something to send: call `frames`, soon if it is urgent, else within some ms: it is an acknowledgement only. */
  wake: (urgent: boolean) => void
  /** Size of a message in bytes, about. 1 when absent. */
  sizeOf?: (message: S) => number
  /** Maximum number of messages that are sent and not acknowledged; the other side may take fewer. */
  windowMessages?: number
  /** Maximum size of those messages in bytes; one message is always let through. */
  windowBytes?: number
  /** How many messages this side takes at most before it has acknowledged them; the other side is told with every frame. */
  takes?: () => number
  /** Maximum number and size of the messages in one frame. */
  frameMessages?: number
  frameBytes?: number
  /** Maximum number of messages that wait, sent or not. */
  maxMessages?: number
  /** Time without an acknowledgement after which messages are sent again, in ms; doubled each time up to `maxResendMs`. */
  resendMs?: number
  maxResendMs?: number
}

interface Entry<M> {
  message: M
  bytes: number
  resolve: () => void
  reject: (error: Error) => void
}

interface Candidate {
  boot: string
  challenge: number
  /** How often it was asked without an answer. */
  tries: number
}

/** A boot that has not answered so many challenges is dead. */
const MAX_CHALLENGES = 6

/** After so many frames an acknowledgement is urgent: the other side may wait for it to go on. */
const URGENT_FRAMES = 4

/** One side of a session that sends messages of type `S` and receives those of type `R`. */
export class Session<S, R = S> {
  readonly boot: string
  readonly #options: Required<Omit<SessionOptions<S, R>, 'takes'>> & Pick<SessionOptions<S, R>, 'takes'>
  /** Adopted boot of the peer; empty before the first. */
  #peer = ''
  /** Boot that knocked and has not answered its challenge. */
  #candidate: Candidate | undefined
  #lastChallenge = 0
  /** Challenges of others to answer, by boot. */
  readonly #answers = new Map<string, number>()
  #connected = false
  #knock = false
  #resync = false
  #ackDue = false
  /** Frames with messages that came since the last acknowledgement. */
  #unanswered = 0
  /** Messages not acknowledged: the first has number `#acked + 1`. */
  #entries: Entry<S>[] = []
  #acked = 0
  /** Number of the last message that was put into a frame. */
  #sent = 0
  /** Messages that the peer takes before it has acknowledged them. */
  #peerTakes = Number.POSITIVE_INFINITY
  /** Number of the last message received, and of the last accepted: all up to it are handled. */
  #received = 0
  #accepted = 0
  readonly #handled = new Set<number>()
  /** Counts adopted boots, so that late promises of an old session are recognised. */
  #generation = 0
  #resendMs: number
  #progressAt = Number.NaN
  #closed = false

  constructor(options: SessionOptions<S, R>) {
    this.boot = options.boot
    this.#options = {
      onOpen: () => {},
      sizeOf: () => 1,
      windowMessages: 1_024,
      windowBytes: 4 * 2 ** 20,
      frameMessages: 64,
      frameBytes: 128 * 1_024,
      maxMessages: 100_000,
      resendMs: 2_000,
      maxResendMs: 15_000,
      ...options,
    }
    this.#resendMs = this.#options.resendMs
  }

  /** Adopted boot of the peer; empty before the first contact. */
  get peer(): string {
    return this.#peer
  }

  /** Messages that are not acknowledged. */
  get waiting(): number {
    return this.#entries.length
  }

  /** Resolves when the peer has accepted the message. Rejects with `SessionReset` or `SessionFull`. */
  send(message: S): Promise<void> {
    const { maxMessages, sizeOf } = this.#options
    if (this.#closed) return Promise.reject(new SessionReset('The session is closed.'))
    if (this.#entries.length >= maxMessages) return Promise.reject(new SessionFull(this.#entries.length))
    return new Promise((resolve, reject) => {
      this.#entries.push({ message, bytes: sizeOf(message), resolve, reject })
      this.#options.wake(true)
    })
  }

  /** The link is there (again): says so to the peer, and sends again what was not acknowledged. */
  connected(): void {
    this.#connected = true
    this.#sent = this.#acked
    this.#knock = this.#peer === ''
    this.#resync = true
    this.#progressAt = Number.NaN
    this.#options.wake(true)
  }

  /** The link is gone: nothing is sent until `connected`. */
  disconnected(): void {
    this.#connected = false
  }

  /** Rejects everything that waits; nothing is sent or delivered any more. */
  close(): void {
    this.#closed = true
    this.#rejectAll(new SessionReset('The session is closed.'))
  }

  /** Takes a frame from the link. */
  receive(frame: Frame<R>): void {
    if (this.#closed || frame.b === this.boot) return
    const mine = frame.p === this.boot
    if (!mine && frame.p !== '' && frame.b === this.#peer) return
    if (mine && this.#candidate?.boot === frame.b && frame.r === this.#candidate.challenge)
      this.#adopt(frame.b)
    if (frame.q !== undefined && mine) this.#answer(frame.b, frame.q)
    if (frame.b !== this.#peer) {
      this.#challenge(frame.b)
      return
    }
    if (!mine) {
      // the peer does not know this boot yet
      this.#knock = true
      this.#options.wake(true)
      return
    }
    this.#peerTakes = frame.w ?? Number.POSITIVE_INFINITY
    this.#acknowledge(frame.a)
    if (frame.s) {
      this.#sent = this.#acked
      this.#ackDue = true
    }
    this.#take(frame)
    const waiting = this.#sent < this.#acked + this.#entries.length
    if (this.#ackDue || waiting)
      this.#options.wake(waiting || frame.s === true || this.#unanswered >= URGENT_FRAMES)
  }

  /** Sends again what has waited too long for an acknowledgement, or knocks again. Call about twice a second. */
  tick(now: number): void {
    if (!this.#connected || this.#closed) return
    const pending = this.#peer === '' || this.#candidate !== undefined || this.#sent > this.#acked
    if (!pending) {
      this.#progressAt = Number.NaN
      return
    }
    if (Number.isNaN(this.#progressAt)) {
      this.#progressAt = now
      return
    }
    if (now - this.#progressAt < this.#resendMs) return
    this.#progressAt = now
    if (this.#candidate) {
      this.#candidate.tries += 1
      if (this.#candidate.tries > MAX_CHALLENGES) this.#candidate = undefined
    }
    this.#resendMs = Math.min(this.#resendMs * 2, this.#options.maxResendMs)
    this.#sent = this.#acked
    this.#knock = true
    this.#options.wake(true)
  }

  /** The frames to send now, in order. Empty while the link is gone. */
  frames(): Frame<S>[] {
    if (!this.#connected || this.#closed) return []
    const frames: Frame<S>[] = []
    const w = this.#options.takes?.()
    const bare = (p: string): Frame<S> => ({
      ...{ b: this.boot, p, n: this.#sent + 1, a: this.#accepted, m: [] },
      ...(w !== undefined && { w }),
    })
    for (const [boot, r] of this.#answers)
      if (boot !== this.#peer) frames.push({ ...bare(boot), a: 0, n: 1, r })
    if (this.#candidate) {
      const known = frames.find((frame) => frame.p === this.#candidate?.boot)
      const frame = known ?? { ...bare(this.#candidate.boot), a: 0, n: 1 }
      frame.q = this.#candidate.challenge
      if (!known) frames.push(frame)
    }
    if (this.#peer === '') {
      if (this.#knock && frames.length === 0) frames.push(bare(''))
    } else this.#dataFrames(frames, bare)
    this.#answers.clear()
    this.#knock = false
    this.#resync = false
    this.#ackDue = false
    this.#unanswered = 0
    return frames
  }

  #dataFrames(frames: Frame<S>[], bare: (p: string) => Frame<S>): void {
    const { windowBytes, frameMessages, frameBytes } = this.#options
    const windowMessages = Math.min(this.#options.windowMessages, this.#peerTakes)
    const answer = this.#answers.get(this.#peer)
    let inFlight = 0
    for (let index = 0; index < this.#sent - this.#acked; index += 1)
      inFlight += this.#entries[index]?.bytes ?? 0
    const first = frames.length
    let frame: Frame<S> | undefined
    let bytes = 0
    for (;;) {
      const index = this.#sent - this.#acked
      const entry = this.#entries[index]
      if (!entry || index >= windowMessages || (index > 0 && inFlight + entry.bytes > windowBytes)) break
      if (!frame || frame.m.length >= frameMessages || bytes + entry.bytes > frameBytes) {
        frame = bare(this.#peer)
        bytes = 0
        frames.push(frame)
      }
      frame.m.push(entry.message)
      bytes += entry.bytes
      inFlight += entry.bytes
      this.#sent += 1
    }
    if (!frame && (this.#ackDue || this.#resync || this.#knock || answer !== undefined))
      frames.push(bare(this.#peer))
    const head = frames[first]
    if (!head) return
    if (answer !== undefined) head.r = answer
    if (this.#resync) head.s = true
  }

  #take(frame: Frame<R>): void {
    const last = frame.n + frame.m.length - 1
    // An empty frame is never answered: two sides with a gap each would answer one another for ever.
    if (frame.m.length > 0) {
      this.#ackDue = true
      this.#unanswered += 1
    }
    // a gap: the missing messages will be sent again, and these with them
    if (frame.n > this.#received + 1) return
    for (let number = this.#received + 1; number <= last; number += 1) {
      this.#received = number
      this.#deliver(frame.m[number - frame.n] as R, number)
    }
  }

  #deliver(message: R, number: number): void {
    const generation = this.#generation
    const done = this.#options.deliver(message)
    if (done === undefined) {
      this.#accept(number)
      return
    }
    const settled = (): void => {
      if (generation !== this.#generation || this.#closed) return
      this.#accept(number)
      this.#ackDue = true
      this.#options.wake(this.#unanswered >= URGENT_FRAMES)
    }
    done.then(settled, settled)
  }

  #accept(number: number): void {
    if (number !== this.#accepted + 1) {
      this.#handled.add(number)
      return
    }
    this.#accepted = number
    while (this.#handled.delete(this.#accepted + 1)) this.#accepted += 1
  }

  #acknowledge(upTo: number): void {
    const count = Math.min(upTo - this.#acked, this.#entries.length)
    if (count <= 0) return
    const settled = this.#entries.splice(0, count)
    this.#acked += count
    this.#sent = Math.max(this.#sent, this.#acked)
    this.#resendMs = this.#options.resendMs
    this.#progressAt = Number.NaN
    for (const entry of settled) entry.resolve()
  }

  #challenge(boot: string): void {
    if (this.#candidate?.boot !== boot) {
      this.#lastChallenge += 1
      this.#candidate = { boot, challenge: this.#lastChallenge, tries: 0 }
    }
    this.#options.wake(true)
  }

  #answer(boot: string, challenge: number): void {
    this.#answers.set(boot, challenge)
    this.#options.wake(true)
  }

  #adopt(boot: string): void {
    const previous = this.#peer
    this.#candidate = undefined
    if (boot === previous) return
    this.#peer = boot
    this.#generation += 1
    this.#received = 0
    this.#accepted = 0
    this.#handled.clear()
    this.#acked = 0
    this.#sent = 0
    this.#resendMs = this.#options.resendMs
    this.#progressAt = Number.NaN
    if (previous !== '') this.#rejectAll(new SessionReset())
    this.#options.onOpen(boot, previous)
  }

  #rejectAll(error: Error): void {
    const entries = this.#entries
    this.#entries = []
    for (const entry of entries) entry.reject(error)
  }
}
